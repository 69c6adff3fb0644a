/**
 * A headless Chromium that this command starts itself and speaks to in the DevTools protocol, over the socket library
 * that the server uses anyway: an installed troupe needs no browser package.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { WebSocket } from 'ws'
import { TroupeError } from '../envs/core/index.ts'

const NAMES = [
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
  'chrome',
  'microsoft-edge',
  'msedge.exe',
  'chrome.exe',
]
const PLACES = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/Applications/Google Chrome.app/Contents/MacOS',
  '/Applications/Chromium.app/Contents/MacOS',
  '/Applications/Microsoft Edge.app/Contents/MacOS',
  'C:\\Program Files\\Google\\Chrome\\Application',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application',
]
const APP_NAMES = ['Google Chrome', 'Chromium', 'Microsoft Edge']
const START_MS = 30_000
/** How long a browser that was asked to end may take before it is killed. */
const END_MS = 3000

/** The browser to use: TROUPE_CHROMIUM, else the first that is found. @throws TroupeError environment */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  const named = env.TROUPE_CHROMIUM
  if (named !== undefined && named !== '') {
    if (runs(named)) return named
    throw missing(`TROUPE_CHROMIUM names ${named}, which cannot be run`)
  }
  const folders = [...(env.PATH ?? '').split(delimiter), ...PLACES].filter((folder) => folder !== '')
  for (const folder of folders) {
    for (const name of [...NAMES, ...APP_NAMES]) if (runs(join(folder, name))) return join(folder, name)
  }
  throw missing('none found')
}

function missing(got: string): TroupeError {
  return new TroupeError('environment', {
    where: 'browser for pictures',
    got,
    expected: 'Chromium, Chrome or Edge (set TROUPE_CHROMIUM to its path), or the Share panel of `troupe watch`',
  })
}

function runs(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

interface Answer {
  readonly id?: number
  readonly result?: Record<string, unknown>
  readonly error?: { readonly message: string }
}

/** One page of a browser of its own. */
export class BrowserPage {
  readonly #process: ChildProcess
  readonly #profile: string
  readonly #socket: WebSocket
  #next = 1
  #page = ''
  readonly #waiting = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (e: Error) => void }
  >()

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = child
    this.#profile = profile
    this.#socket = socket
    socket.on('message', (data: Buffer) => {
      const { id, result, error } = JSON.parse(data.toString()) as Answer
      const waiting = id === undefined ? undefined : this.#waiting.get(id)
      if (id !== undefined) this.#waiting.delete(id)
      if (error !== undefined) waiting?.reject(new Error(error.message))
      else waiting?.resolve(result ?? {})
    })
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(missing('the browser ended early'))
      this.#waiting.clear()
    })
  }

  /** @throws TroupeError environment when the browser does not start */
  static async open(executable: string, size: { width: number; height: number; dark: boolean }): Promise<BrowserPage> {
    const profile = mkdtempSync(join(tmpdir(), 'troupe-render-'))
    const root = process.getuid?.() === 0 // browsers refuse their sandbox to root; only our own pages are opened
    const child = spawn(
      executable,
      [
        '--headless=new',
        '--remote-debugging-port=0',
        `--user-data-dir=${profile}`,
        `--window-size=${size.width},${size.height}`,
        '--hide-scrollbars',
        '--no-first-run',
        '--no-default-browser-check',
        '--disable-quic',
        '--disable-sync',
        '--disable-background-networking',
        '--disable-component-update',
        '--use-angle=swiftshader',
        '--enable-unsafe-swiftshader',
        ...(root ? ['--no-sandbox'] : []),
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    try {
      const address = await listening(child)
      const socket = new WebSocket(address, { maxPayload: 1 << 30 })
      await new Promise<void>((resolve, reject) => {
        socket.once('open', resolve)
        socket.once('error', () => reject(missing('the browser does not answer')))
      })
      const page = new BrowserPage(child, profile, socket)
      await page.#attach(size)
      return page
    } catch (error) {
      child.kill('SIGKILL')
      removeFolder(profile)
      throw error
    }
  }

  async #attach(size: { width: number; height: number; dark: boolean }): Promise<void> {
    const { targetId } = await this.#send('Target.createTarget', { url: 'about:blank' })
    const { sessionId } = await this.#send('Target.attachToTarget', { targetId, flatten: true })
    this.#page = sessionId as string
    await this.#send('Emulation.setDeviceMetricsOverride', {
      width: size.width,
      height: size.height,
      deviceScaleFactor: 1,
      mobile: false,
    })
    const features = [{ name: 'prefers-color-scheme', value: size.dark ? 'dark' : 'light' }]
    await this.#send('Emulation.setEmulatedMedia', { features })
    await this.#send('Page.enable', {})
  }

  async go(url: string): Promise<void> {
    await this.#send('Page.navigate', { url })
  }

  /** Runs code in the page and waits for its promise. @throws Error with what was thrown there */
  async run<T>(expression: string): Promise<T> {
    const answer = await this.#send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    const problem = answer.exceptionDetails as { exception?: { description?: string }; text: string } | undefined
    if (problem !== undefined) {
      const text = (problem.exception?.description ?? problem.text).split('\n')[0]
      throw new Error(text.replace(/^(Uncaught )?(\w*Error: )?/, ''))
    }
    return (answer.result as { value: T }).value
  }

  /** Never throws: what was made stays made, even where the system keeps a part of the browser's folder a while longer. */
  async close(): Promise<void> {
    const child = this.#process
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      // Killed at once, it would leave processes behind that still write into its folder.
      this.#page = ''
      this.#send('Browser.close', {}).catch(() => undefined)
      const late = setTimeout(() => child.kill('SIGKILL'), END_MS)
      await gone
      clearTimeout(late)
    }
    this.#socket.close()
    removeFolder(this.#profile)
  }

  #send(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    return new Promise((resolve, reject) => {
      const id = this.#next++
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(JSON.stringify({ id, method, params, ...(this.#page === '' ? {} : { sessionId: this.#page }) }))
    })
  }
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  } catch {
    // It is in the system's folder for temporary things.
  }
}

/** Where a starting browser listens, from what it says on stderr. */
function listening(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    const timer = setTimeout(() => reject(missing('the browser did not start in 30 seconds')), START_MS)
    const end = (then: () => void) => {
      clearTimeout(timer)
      then()
    }
    child.on('error', () => end(() => reject(missing('the browser cannot be started'))))
    child.on('exit', (code) => end(() => reject(missing(`the browser ended with ${code ?? 'a signal'}`))))
    child.stderr!.on('data', (data: Buffer) => {
      said += data.toString()
      const address = /DevTools listening on (ws:\/\/\S+)/.exec(said)?.[1]
      if (address !== undefined) end(() => resolve(address))
    })
  })
}
