/** The built `troupe` as a child process, for tests: what a person or a script would see. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The built command; `npm test` builds it first. */
export const MAIN = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/cli/main.js' : './main.js', import.meta.url),
)

export interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly seconds: number
}

export interface SpawnSettings {
  readonly cwd?: string
  readonly env?: Record<string, string>
  /** The process is killed after this long; default two minutes. */
  readonly timeoutMs?: number
}

export interface Running {
  readonly child: ChildProcess
  readonly ended: Promise<Said>
  /** Waits for text on stdout or stderr. */
  says(pattern: RegExp, timeoutMs?: number): Promise<string>
}

/** Starts `troupe` with these words. */
export function start(words: readonly string[], settings: SpawnSettings = {}): Running {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is not built: run npm run build`)
  const { cwd, env = {}, timeoutMs = 120_000 } = settings
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TROUPE_')))
  const began = performance.now()
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd,
    env: { ...clean, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  const waiting = new Set<() => void>()
  const heard = () => waiting.forEach((look) => look())
  child.stdout!.on('data', (bytes: Buffer) => {
    stdout += bytes.toString()
    heard()
  })
  child.stderr!.on('data', (bytes: Buffer) => {
    stderr += bytes.toString()
    heard()
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  const ended = new Promise<Said>((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => {
      clearTimeout(timer)
      done({ code, stdout, stderr, seconds: (performance.now() - began) / 1000 })
    })
  })
  const says = (pattern: RegExp, patienceMs = 30_000) =>
    new Promise<string>((done, fail) => {
      const late = setTimeout(() => {
        waiting.delete(look)
        fail(new Error(`never said ${pattern}: ${stdout}\n${stderr}`))
      }, patienceMs)
      const look = () => {
        const match = pattern.exec(stdout) ?? pattern.exec(stderr)
        if (match === null) return
        clearTimeout(late)
        waiting.delete(look)
        done(match[0])
      }
      waiting.add(look)
      look()
    })
  return { child, ended, says }
}

/** Runs `troupe` to its end. */
export function troupe(words: readonly string[], settings: SpawnSettings = {}): Promise<Said> {
  return start(words, settings).ended
}

/** What Node takes to start and end here and now: the measure of how busy the machine is. */
export function nodeStartMs(): number {
  const began = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - began
}
