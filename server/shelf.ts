/** Replays as they are streamed: decoded once, cut into chunks, kept while there is room. */
import { ReplayReader, type Replay } from '../envs/core/replay.ts'
import { TroupeError } from '../envs/core/errors.ts'
import { WIRE_LIMITS } from './protocol/hello.ts'
import { encodeChunk, type ReplayOpened } from './protocol/replays.ts'
import { Refusal } from './refusal.ts'
import { type ReplayFile, type ReplayFiles } from './replays.ts'
import { type Limits } from './limits.ts'

const CHAIN_EVERY = 64

/** One replay, ready to be sent in chunks. */
export class ShelvedReplay {
  readonly file: ReplayFile
  readonly replay: Replay
  readonly chunkSteps: number
  readonly chunks: number
  /** Estimate of what it takes in memory, encoded chunks included. */
  readonly weight: number
  private readonly encoded: (Uint8Array | undefined)[]

  /** @throws TroupeError bad-file when one step alone is larger than a message may be */
  constructor(file: ReplayFile, replay: Replay, limits: Limits) {
    this.file = file
    this.replay = replay
    const { steps, actions, probability, value, keyframes, notes } = replay
    const sizes = keyframes.map((keyframe) => JSON.stringify(keyframe).length)
    const numbers = 4 * (actions.length + (probability?.length ?? 0) + (value?.length ?? 0)) + 2 * steps
    this.chunkSteps = chunkSteps(replay, numbers / Math.max(1, steps), sizes, limits)
    this.chunks = Math.max(1, Math.ceil(steps / this.chunkSteps))
    this.encoded = new Array<Uint8Array | undefined>(this.chunks)
    this.weight = file.bytes + 2 * numbers + 3 * sizes.reduce((a, b) => a + b, 0) + 200 * (notes?.length ?? 0)
  }

  opened(stream: number, subscription?: number): ReplayOpened {
    const { header, steps, keyframes, probability, value } = this.replay
    const { id, bytes } = this.file
    return {
      type: 'replay.opened',
      stream,
      replay: id,
      ...(subscription === undefined ? {} : { subscription }),
      header,
      bytes,
      steps,
      chunkSteps: this.chunkSteps,
      chunks: this.chunks,
      keyframes: keyframes.length,
      probabilities: probability === undefined || steps === 0 ? 0 : probability.length / steps / header.agents.length,
      values: value !== undefined && steps > 0,
    }
  }

  /** The chunk that is needed first to show the state after `step` steps: where its nearest keyframe lies. */
  firstNeeded(step: number): number {
    const { keyframes, steps, header } = this.replay
    const to = Math.min(step, steps)
    for (let i = keyframes.length - 1; i >= 0; i--) {
      const keyframe = keyframes[i]
      const use = header.plugin === undefined ? keyframe.snapshot : keyframe.frame
      if (keyframe.step <= to && use !== null) return this.chunkOf(keyframe.step)
    }
    return 0
  }

  /** Bytes of one chunk for one stream. */
  chunk(index: number, stream: number): Uint8Array {
    const chunk = (this.encoded[index] ??= this.encode(index)).slice()
    new DataView(chunk.buffer).setUint32(4, stream, true)
    return chunk
  }

  private chunkOf(step: number): number {
    return Math.min(this.chunks - 1, Math.floor(step / this.chunkSteps))
  }

  private encode(index: number): Uint8Array {
    const { header, steps: total, actions, digests, chain, probability, value, keyframes, notes = [] } = this.replay
    const first = index * this.chunkSteps
    const steps = Math.min(this.chunkSteps, total - first)
    const agents = header.agents.length
    const rows = <A extends Int32Array | Float32Array>(array: A, width: number): A =>
      array.subarray(first * width, (first + steps) * width) as A
    const probabilities = probability === undefined || total === 0 ? 0 : probability.length / total
    const here = ({ step }: { step: number }) => this.chunkOf(step) === index
    return encodeChunk({
      stream: 0,
      index,
      first,
      steps,
      actions: rows(actions, agents * header.action.dims),
      digests: digests.subarray(first, first + steps),
      probability: probability === undefined ? new Float32Array(0) : rows(probability, probabilities),
      value: value === undefined ? new Float32Array(0) : rows(value, agents),
      chain: chain
        .map((sha256, i) => ({ index: i, sha256, last: Math.min(total, (i + 1) * CHAIN_EVERY) - 1 }))
        .filter(({ last }) => this.chunkOf(last) === index)
        .map(({ index: i, sha256 }) => ({ index: i, sha256 })),
      keyframes: keyframes.filter(here),
      notes: notes.filter(here),
    })
  }
}

/** Steps per chunk so that no chunk is much larger than the target: halved until the heaviest one fits. */
function chunkSteps(replay: Replay, bytesPerStep: number, sizes: readonly number[], limits: Limits): number {
  for (let count = limits.chunkSteps; ; count = count >> 1) {
    const chunks = Math.max(1, Math.ceil(replay.steps / count))
    const weight = new Float64Array(chunks).fill(bytesPerStep * Math.min(count, replay.steps))
    replay.keyframes.forEach(({ step }, i) => (weight[Math.min(chunks - 1, Math.floor(step / count))] += sizes[i]))
    const heaviest = weight.reduce((a, b) => Math.max(a, b), 0)
    if (heaviest <= limits.chunkBytes) return count
    if (count > 1) continue
    // JSON of non-ASCII text takes up to three bytes per character.
    if (3 * heaviest + 1000 <= WIRE_LIMITS.chunkBytes) return 1
    throw new TroupeError('bad-file', {
      where: 'replay: one step',
      got: `about ${Math.ceil(heaviest)} bytes`,
      expected: `${Math.floor(WIRE_LIMITS.chunkBytes / 3)} or less; the file itself can be downloaded`,
    })
  }
}

/** Opens replays and keeps the ones used last. Viewers of the same replay share it. */
export class Shelf {
  private readonly files: ReplayFiles
  private readonly limits: Limits
  private readonly kept = new Map<string, ShelvedReplay>()
  private readonly opening = new Map<string, Promise<ShelvedReplay>>()
  private weight = 0
  /** Streams per replay, and what those replays weigh together. */
  private readonly held = new Map<ShelvedReplay, number>()
  private heldWeight = 0
  private readonly queue: (() => void)[] = []
  private decoding = 0

  constructor(files: ReplayFiles, limits: Limits) {
    this.files = files
    this.limits = limits
  }

  /** @throws TroupeError unknown-name, bad-file or bad-version; the system's error when the file cannot be read */
  async open(id: string): Promise<ShelvedReplay> {
    const file = await this.files.find(id)
    const key = `${file.id}|${file.bytes}|${file.modifiedMs}`
    const known = this.kept.get(key)
    if (known !== undefined) {
      this.kept.delete(key)
      this.kept.set(key, known)
      return known
    }
    let opening = this.opening.get(key)
    if (opening === undefined) {
      opening = this.read(file, key).finally(() => this.opening.delete(key))
      this.opening.set(key, opening)
    }
    return opening
  }

  /** Counts a stream of the replay. @throws Refusal busy when the open replays would take too much memory */
  hold(shelved: ShelvedReplay): void {
    const streams = this.held.get(shelved) ?? 0
    if (streams === 0) {
      if (this.heldWeight + shelved.weight > this.limits.openBytes) {
        const expected = `${this.limits.openBytes} or fewer; try again when others are through`
        throw new Refusal(503, 'busy', 'open replays', `${this.heldWeight + shelved.weight} bytes`, expected)
      }
      this.heldWeight += shelved.weight
    }
    this.held.set(shelved, streams + 1)
  }

  /** The opposite of `hold`. */
  release(shelved: ShelvedReplay): void {
    const streams = this.held.get(shelved) ?? 0
    if (streams > 1) this.held.set(shelved, streams - 1)
    else if (this.held.delete(shelved)) this.heldWeight -= shelved.weight
  }

  private async read(file: ReplayFile, key: string): Promise<ShelvedReplay> {
    const shelved = await this.inTurn(async () => {
      const bytes = await this.files.bytes(file)
      return new ShelvedReplay(file, await decode(bytes, file.id, this.limits), this.limits)
    })
    if (shelved.weight > this.limits.cacheBytes) return shelved
    this.kept.set(key, shelved)
    this.weight += shelved.weight
    for (const [oldest, { weight }] of this.kept) {
      if (this.weight <= this.limits.cacheBytes) break
      this.kept.delete(oldest)
      this.weight -= weight
    }
    return shelved
  }

  /** A few at a time; the rest wait. */
  private async inTurn<T>(task: () => Promise<T>): Promise<T> {
    if (this.decoding >= this.limits.decoding) await new Promise<void>((turn) => this.queue.push(turn))
    else this.decoding++
    try {
      return await task()
    } finally {
      const next = this.queue.shift()
      if (next === undefined) this.decoding--
      else next()
    }
  }
}

/** Bytes given to the reader at once. */
const BITE = 16_384

/** Reads a replay in bites, so that others are served meanwhile. */
async function decode(bytes: Uint8Array, name: string, limits: Limits): Promise<Replay> {
  const reader = new ReplayReader({ fileBytes: limits.replayBytes, memoryBytes: limits.decodedBytes }, name)
  let since = performance.now()
  for (let at = 0; at < bytes.length; at += BITE) {
    reader.push(bytes.subarray(at, at + BITE))
    if (performance.now() - since < limits.decodingMs) continue
    await new Promise((turn) => setImmediate(turn))
    since = performance.now()
  }
  // The reader's arrays are views that it makes anew at every look.
  const { header, steps, actions, digests, chain, keyframes, probability, value, notes } = reader.end()
  return { header, steps, actions, digests, chain, keyframes, probability, value, notes }
}
