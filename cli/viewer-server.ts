/** Starting the server from a command: the port, the viewer's files, the browser, and a clean end. */
import { existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startServer, type RunningServer, type ServerSettings } from '../server/index.ts'
import { TroupeError, shown } from '../envs/core/errors.ts'
import { type Session } from './command.ts'
import { whole } from './settings.ts'
import { isTroupeError } from './output.ts'

export const DEFAULT_PORT = 7340

/** How many ports after the first are tried when nobody asked for a certain one. */
const TRIES = 20

export type Served = RunningServer

export const parsePort = whole('--port', 0, 65535)

/** The built viewer; from source it lies in dist/ as well. */
export function viewerFolder(): string {
  const here = import.meta.url.endsWith('.ts') ? '../dist/viewer/' : '../viewer/'
  const folder = fileURLToPath(new URL(here, import.meta.url))
  if (!existsSync(`${folder}index.html`)) {
    throw new TroupeError('environment', {
      where: 'viewer',
      got: 'not built',
      expected: '`npm run build` first (an installed package has it built)',
    })
  }
  return folder
}

/** `--host` was wrong: not an address of this machine, or no address at all. */
function noSuchHost(host: string, error: NodeJS.ErrnoException): Error {
  if (!['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(error.code ?? '')) return error
  return new TroupeError('environment', {
    where: '--host',
    got: `${shown(host)}, where this machine cannot listen (${error.code})`,
    expected: 'an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all',
  })
}

/** Whether a port can be had. @throws the system's error when the port is not what is wrong */
function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((done, fail) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') done(false)
      else fail(noSuchHost(host, error))
    })
    probe.listen(port, host, () => probe.close(() => done(true)))
  })
}

/**
 * Starts the server.
 * @param port a certain one (taken = error), or undefined for the default one or the next that is free
 */
export async function serveViewer(
  wanted: { data: string; host?: string; port?: number; boards?: ServerSettings['boards'] },
  session: Session,
): Promise<Served> {
  const { data, host = '127.0.0.1', port, boards = false } = wanted
  const viewerDir = viewerFolder()
  if (existsSync(data) && !statSync(data).isDirectory()) {
    throw new TroupeError('environment', {
      where: `--data ${data}`,
      got: 'a file',
      expected: 'a folder of runs and replays (`troupe watch <file>` shows one replay)',
    })
  }
  if (port !== undefined) return startServer({ data, host, port, viewerDir, boards })
  for (let candidate = DEFAULT_PORT; candidate < DEFAULT_PORT + TRIES; candidate++) {
    if (!(await isFree(candidate, host))) continue
    try {
      const served = await startServer({ data, host, port: candidate, viewerDir, boards })
      if (candidate !== DEFAULT_PORT)
        session.out.warn(`Port ${DEFAULT_PORT} is in use; the viewer is on port ${candidate}.`)
      return served
    } catch (error) {
      // Somebody was faster: the next one.
      if (isTroupeError(error) && error.code === 'environment' && candidate < DEFAULT_PORT + TRIES - 1) continue
      throw error
    }
  }
  throw new TroupeError('environment', {
    where: 'port',
    got: `taken, and so are the next ${TRIES - 1}`,
    expected: `a free port from ${DEFAULT_PORT} on; choose one with --port`,
  })
}

/** Opens a link in the browser; says nothing when there is none. */
export async function openBrowser(url: string): Promise<void> {
  try {
    const { default: open } = await import('open')
    const child = await open(url)
    child.on('error', () => {})
    child.unref()
  } catch {
    // no browser here: the link was printed
  }
}

/** Waits for Ctrl-C (or SIGTERM); a second one ends at once. */
export function untilInterrupted(): Promise<void> {
  return new Promise((done) => {
    const stop = () => {
      process.once('SIGINT', () => process.exit(130))
      done()
    }
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  })
}
