/** `troupe doctor`: what works on this machine, what does not, and what to do about it. */
import { createRequire } from 'node:module'
import { accessSync, constants, existsSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism, cpus, freemem, totalmem } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { type Command } from 'commander'
import { type CommandFile } from './command.ts'
import { effective } from './settings.ts'
import { printed } from './print-config.ts'
import { EXIT, table } from './output.ts'

interface Check {
  readonly name: string
  /** 'fine', 'missing' for an optional part that is not there, 'broken' for one that troupe needs. */
  readonly state: 'fine' | 'missing' | 'broken'
  readonly detail: string
  readonly fix?: string
}

/** The smallest module with a vector instruction, as wasm-feature-detect has it. */
const SIMD_MODULE = Uint8Array.of(
  0,
  97,
  115,
  109,
  1,
  0,
  0,
  0,
  1,
  5,
  1,
  96,
  0,
  1,
  123,
  3,
  2,
  1,
  0,
  10,
  10,
  1,
  8,
  0,
  65,
  0,
  253,
  15,
  253,
  98,
  11,
)

const MINIMUM = [20, 19, 0]

function node(): Check {
  const version = process.versions.node.split('.').map(Number)
  const order = version.map((part, i) => part - MINIMUM[i]).find((difference) => difference !== 0) ?? 0
  const detail = `${process.version} on ${process.platform} ${process.arch}`
  return order >= 0
    ? { name: 'Node', state: 'fine', detail }
    : { name: 'Node', state: 'broken', detail, fix: `install Node ${MINIMUM.join('.')} or newer` }
}

function machine(): Check {
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GB`
  const model = cpus()[0]?.model.trim() ?? 'unknown processor'
  const memory = `${gigabytes(totalmem())} memory, ${gigabytes(freemem())} free`
  return { name: 'machine', state: 'fine', detail: `${availableParallelism()} cores, ${model}, ${memory}` }
}

function simd(): Check {
  // Node's types for this room leave the WebAssembly namespace out.
  const wasm = (globalThis as { WebAssembly?: { validate(bytes: Uint8Array): boolean } }).WebAssembly
  return wasm?.validate(SIMD_MODULE) === true
    ? { name: 'WebAssembly SIMD', state: 'fine', detail: 'available' }
    : {
        name: 'WebAssembly SIMD',
        state: 'missing',
        detail: 'not available: training will be slow',
        fix: 'use a newer processor or Node',
      }
}

async function workers(): Promise<Check> {
  const worker = new Worker("require('node:worker_threads').parentPort.postMessage(1)", { eval: true })
  try {
    await new Promise((done, fail) => {
      const timer = setTimeout(() => fail(new Error('no answer within 5 s')), 5000)
      worker.once('message', () => {
        clearTimeout(timer)
        done(undefined)
      })
      worker.once('error', fail)
    })
    return { name: 'worker threads', state: 'fine', detail: 'start and answer' }
  } catch (error) {
    return {
      name: 'worker threads',
      state: 'broken',
      detail: (error as Error).message,
      fix: 'allow threads (container limits?)',
    }
  } finally {
    await worker.terminate()
  }
}

const require = createRequire(import.meta.url)

/** Version of an installed package without loading it. */
function installed(name: string): string | undefined {
  for (const folder of require.resolve.paths(name) ?? []) {
    const path = join(folder, name, 'package.json')
    if (existsSync(path)) return (require(path) as { version: string }).version
  }
  return undefined
}

async function tensors(): Promise<Check[]> {
  const native = installed('@tensorflow/tfjs-node-gpu') ?? installed('@tensorflow/tfjs-node')
  return [
    await backend(),
    native === undefined
      ? {
          name: 'tfjs-node',
          state: 'missing',
          detail: 'not installed; not needed',
          fix: 'npm install @tensorflow/tfjs-node (or -gpu), then --backend tensorflow',
        }
      : { name: 'tfjs-node', state: 'fine', detail: native },
  ]
}

/** What would compute tensors, found out by making it current. */
async function backend(): Promise<Check> {
  try {
    const { useBackend } = await import('../results/backend.ts')
    const { name, detail } = await useBackend('auto', { notice: () => {} })
    return { name: 'tensors', state: 'fine', detail: `${name}: ${detail}` }
  } catch (error) {
    return { name: 'tensors', state: 'broken', detail: (error as Error).message, fix: 'npm ci' }
  }
}

function store(): Check {
  const version = installed('better-sqlite3')
  return version === undefined
    ? { name: 'better-sqlite3', state: 'missing', detail: 'not installed; replays and runs do not need it' }
    : { name: 'better-sqlite3', state: 'fine', detail: version }
}

function browser(): Check {
  const names = [
    'chromium',
    'chromium-browser',
    'google-chrome',
    'google-chrome-stable',
    'firefox',
    'microsoft-edge',
    'xdg-open',
  ]
  if (process.platform === 'darwin' || process.platform === 'win32') {
    return { name: 'browser', state: 'fine', detail: "the system's default browser opens links" }
  }
  const places = (process.env.PATH ?? '').split(delimiter)
  const found = names.find((name) => places.some((place) => existsSync(join(place, name))))
  return found === undefined
    ? {
        name: 'browser',
        state: 'missing',
        detail: 'none found here',
        fix: 'open the printed link on another machine (troupe serve --host 0.0.0.0)',
      }
    : { name: 'browser', state: 'fine', detail: found }
}

function viewer(): Check {
  const here = dirname(fileURLToPath(import.meta.url))
  const page = join(here, '../viewer/index.html')
  return here.endsWith(join('dist', 'cli')) && existsSync(page)
    ? { name: 'viewer', state: 'fine', detail: 'built' }
    : { name: 'viewer', state: 'broken', detail: 'not built', fix: 'npm run build' }
}

/** Tries to write into the data folder, or into the folder it would be made in; leaves nothing behind. */
function disk(data: string): Check {
  const folder = resolve(data)
  let at = folder
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at)
  const probe = join(at, `.troupe-doctor-${process.pid}`)
  try {
    accessSync(at, constants.W_OK)
    mkdirSync(probe)
    writeFileSync(join(probe, 'probe'), 'x')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    return {
      name: 'disk',
      state: 'broken',
      detail: `${at} cannot be written (${code})`,
      fix: 'choose another folder with --data',
    }
  } finally {
    rmSync(probe, { recursive: true, force: true })
  }
  const { bavail, bsize } = statfsSync(at)
  const free = (bavail * bsize) / 2 ** 30
  const detail = `${folder}${at === folder ? '' : ' (not made yet)'} is writable, ${free.toFixed(1)} GB free`
  return free < 0.2
    ? { name: 'disk', state: 'broken', detail, fix: 'free some space or choose another folder with --data' }
    : { name: 'disk', state: 'fine', detail }
}

function port(number: number): Promise<Check> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      done({ name: 'port', state: 'missing', detail: `${number} is taken (${error.code}); the next free one is used` }),
    )
    server.listen(number, '127.0.0.1', () =>
      server.close(() => done({ name: 'port', state: 'fine', detail: `${number} is free` })),
    )
  })
}

const WORDS = { fine: 'ok', missing: '-', broken: 'BROKEN' } as const

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .addHelpText('after', '\nExit code 0 when everything that troupe needs works, 3 when something does not.')
    .action(() =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const checks = [
          node(),
          machine(),
          simd(),
          await workers(),
          ...(await tensors()),
          viewer(),
          browser(),
          disk(String(options.values.data)),
          await port(7340),
          store(),
        ]
        const ok = checks.every(({ state }) => state !== 'broken')
        session.out.result({ ok, version: session.version, checks }, () => {
          const rows = checks.map(({ name, state, detail, fix }) => [
            WORDS[state],
            name,
            fix === undefined || state === 'fine' ? detail : `${detail}; ${fix}`,
          ])
          const verdict = ok
            ? 'Everything that troupe needs works here.'
            : 'Something that troupe needs does not work here.'
          return `${table([{ title: '' }, { title: `troupe ${session.version}` }, { title: '' }], rows)}\n\n${verdict}`
        })
        return ok ? EXIT.fine : EXIT.environment
      }),
    )
}
