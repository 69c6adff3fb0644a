/** What the server's tests share: small replays, run folders, and a viewer on a real socket. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { WebSocket, type ClientOptions } from 'ws'
import { writeReplay, type Replay } from '../envs/core/replay.ts'
import { type ClientMessage, type ServerMessage, readServerMessage } from './protocol/index.ts'
import { type ReplayChunk, decodeChunk } from './protocol/replays.ts'
import { startServer, type RunningServer, type ServerSettings } from './index.ts'

export interface Sketch {
  steps?: number
  agents?: number
  /** Steps between keyframes; 0 for none. */
  keyframeEvery?: number
  label?: string
  probability?: boolean
  value?: boolean
  box?: boolean
  plugin?: boolean
  /** Size of an action; above 256 each takes two bytes. */
  sizes?: number
  notes?: Replay['notes']
}

/** Numbers that differ from place to place, without chance. */
const pattern = (i: number) => (Math.imul(i + 1, 2654435761) >>> 8) & 0xffff

/** A replay whose content is a pattern: enough to be read, sent and compared, not to be re-simulated. */
export function sketchReplay(sketch: Sketch = {}): Replay {
  const { steps = 100, agents = 2, keyframeEvery = 0, label, sizes = 5, box = false, plugin = false } = sketch
  const width = steps * agents
  const actions = box
    ? Float32Array.from({ length: width }, (_, i) => Math.fround(pattern(i) / 7))
    : new Int32Array(width)
  if (!box) for (let i = 0; i < width; i++) actions[i] = pattern(i) % sizes
  const frame = (step: number) => ({ step, entities: [], events: [], counters: { deliveries: step } })
  const snapshot = (step: number) => ({
    format: 1 as const,
    env: 'lanterns',
    version: '1',
    generator: 'xoshiro128**',
    seed: null,
    episode: 0,
    step,
    terminated: false,
    truncated: false,
    returns: '',
    arrays: {},
  })
  const keyframes = []
  const every = plugin ? 1 : keyframeEvery
  if (every > 0) {
    for (let step = 0; step <= steps; step += every) {
      keyframes.push({ step, snapshot: plugin ? null : snapshot(step), frame: frame(step) })
    }
  }
  return {
    header: {
      format: 1,
      env: 'lanterns',
      version: '1',
      scenario: { id: 'lanterns/corridor' },
      options: { horizon: steps },
      control: Array.from({ length: agents }, (_, i) => i),
      agents: Array.from({ length: agents }, (_, i) => `carrier_${i}`),
      generator: 'xoshiro128**',
      seed: '0123456789abcdef0123456789abcdef',
      policies: [{ name: 'random' }],
      action: { kind: box ? 'box' : 'discrete', sizes: box ? [] : [sizes], dims: 1 },
      package: '0.1.0',
      ...(plugin ? { plugin: { name: 'mine', sha256: 'a'.repeat(64) } } : {}),
      ...(label === undefined ? {} : { label }),
      result: {
        steps,
        terminated: false,
        truncated: true,
        returns: Array.from({ length: agents }, () => 1),
        return: agents,
        metrics: { deliveries: agents },
        digest: '0'.repeat(32),
      },
    },
    steps,
    actions,
    digests: Uint16Array.from({ length: steps }, (_, i) => pattern(i)),
    chain: Array.from({ length: Math.ceil(steps / 64) }, (_, i) => String(i).padStart(64, '0')),
    keyframes,
    ...(sketch.probability ? { probability: new Float32Array(width * sizes).fill(0.25) } : {}),
    ...(sketch.value ? { value: Float32Array.from({ length: width }, (_, i) => i / 2) } : {}),
    ...(sketch.notes === undefined ? {} : { notes: sketch.notes }),
  }
}

export const replayBytes = (sketch: Sketch = {}): Uint8Array => writeReplay(sketchReplay(sketch))

/** Writes as trainers do: a temporary name in the same folder, then a rename. */
export async function writeAtomically(path: string, bytes: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.tmp`, bytes)
  await rename(`${path}.tmp`, path)
}

/** run.json of a run as a trainer writes it. */
export function runJson(id: string, patch: Record<string, unknown> = {}): string {
  return JSON.stringify({
    format: 1,
    id,
    algorithm: 'mappo',
    scenario: { id: 'lanterns/corridor', title: 'Corridor', env: 'lanterns', version: '1', options: {} },
    seed: '1',
    settings: { lr: 0.001 },
    startedAt: '2026-01-02T03:04:05.000Z',
    status: 'running',
    step: 0,
    steps: 1000,
    pid: process.pid,
    ...patch,
  })
}

export const updateLine = (step: number) =>
  `${JSON.stringify({ kind: 'update', step, steps: 1000, stepsPerSecond: 10, secondsLeft: 5, metrics: { loss: step } })}\n`
export const evaluationLine = (step: number, mean: number, replay?: string) =>
  `${JSON.stringify({ kind: 'evaluation', step, return: { mean, std: 0, min: mean, max: mean }, metrics: { deliveries: mean }, replay })}\n`

/** A folder of its own with a built page in it, and the way to remove everything. */
export async function sandbox(): Promise<{ folder: string; data: string; viewerDir: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-server-'))
  const viewerDir = join(folder, 'viewer')
  await mkdir(join(viewerDir, 'assets'), { recursive: true })
  await writeFile(join(viewerDir, 'index.html'), '<!doctype html><title>troupe</title>')
  await writeFile(join(viewerDir, 'assets', 'main-1a2b3c.js'), 'export {}')
  await mkdir(join(viewerDir, 'replays'))
  await writeFile(join(viewerDir, 'replays', 'welcome.replay'), replayBytes({ label: 'shipped' }))
  return { folder, data: join(folder, 'data'), viewerDir, remove: () => rm(folder, { recursive: true, force: true }) }
}

export const quiet = pino({ level: 'silent' })

export function start(settings: ServerSettings): Promise<RunningServer> {
  return startServer({ port: 0, log: quiet, ...settings })
}

/** A viewer: keeps everything it hears, in order. */
export class Viewer {
  readonly socket: WebSocket
  readonly heard: (ServerMessage | ReplayChunk)[] = []
  closed: { code: number; reason: string } | undefined
  private readonly waiting = new Set<() => void>()

  constructor(url: string, options: ClientOptions = {}) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, options)
    this.socket.on('message', (data, isBinary) => {
      const bytes = data as Buffer
      this.heard.push(isBinary ? decodeChunk(bytes) : readServerMessage(bytes.toString()))
      for (const wake of this.waiting) wake()
    })
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
      for (const wake of this.waiting) wake()
    })
    this.socket.on('error', () => undefined)
  }

  static async greeted(url: string, options: ClientOptions = {}): Promise<Viewer> {
    const viewer = new Viewer(url, options)
    await viewer.open()
    viewer.send({ type: 'hello', protocol: 1 })
    await viewer.next('hello')
    return viewer
  }

  open(): Promise<void> {
    return new Promise((done, fail) => {
      this.socket.once('open', done)
      this.socket.once('error', fail)
    })
  }

  send(message: ClientMessage | string | Buffer): void {
    this.socket.send(typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message))
  }

  get messages(): ServerMessage[] {
    return this.heard.filter((one): one is ServerMessage => 'type' in one)
  }

  get chunks(): ReplayChunk[] {
    return this.heard.filter((one): one is ReplayChunk => !('type' in one))
  }

  /** Waits until a condition on what was heard holds. */
  async until<T>(condition: () => T | undefined | false, what: string, ms = 8000): Promise<T> {
    const deadline = Date.now() + ms
    for (;;) {
      const value = condition()
      if (value !== undefined && value !== false) return value
      const left = deadline - Date.now()
      if (left <= 0) throw new Error(`waited for ${what}; heard ${JSON.stringify(this.messages).slice(0, 2000)}`)
      await new Promise<void>((done) => {
        const wake = () => {
          clearTimeout(timer)
          this.waiting.delete(wake)
          done()
        }
        const timer = setTimeout(wake, left)
        this.waiting.add(wake)
      })
    }
  }

  /** The first message of a type that passes; heard already or to come. */
  next<K extends ServerMessage['type']>(
    type: K,
    passes: (message: Extract<ServerMessage, { type: K }>) => boolean = () => true,
    ms?: number,
  ): Promise<Extract<ServerMessage, { type: K }>> {
    type Wanted = Extract<ServerMessage, { type: K }>
    return this.until(() => this.messages.find((m): m is Wanted => m.type === type && passes(m as Wanted)), type, ms)
  }

  gone(ms?: number): Promise<{ code: number; reason: string }> {
    return this.until(() => this.closed, 'the connection to close', ms)
  }

  async close(): Promise<void> {
    this.socket.close()
    await this.gone()
  }
}
