/** A replay as bytes. Writing is deterministic: equal replays, equal files. */
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  CHAIN_EVERY,
  HEAD_BYTES,
  MAGIC,
  PREFIX_BYTES,
  REPLAY_FORMAT,
  REPLAY_LIMITS,
  SECTION,
  actionBytes,
  badReplay,
  chainEntries,
  checkHeader,
  choicesOf,
  sectionWeight,
  type Keyframe,
  type Replay,
  type ReplayHeader,
} from './replay-format.ts'
import { crc32, jsonBytes, squeeze, toHalf } from './replay-bytes.ts'
import { checkKeyframe, checkNote } from './replay-frames.ts'

/** Values of the widest per-step channel in one chunk; larger compresses better, smaller shows sooner while streaming. */
const CHUNK_VALUES = 16_384
const CHUNK_STEPS = 1024
/** JSON of keyframes put into one section before the next is begun. */
const KEYFRAME_BYTES = 1 << 18

const WHERE = 'replay to write'

/** Steps per chunk: whole chain intervals where they fit. */
function chunkSteps(valuesPerStep: number): number {
  const steps = Math.floor(CHUNK_VALUES / valuesPerStep)
  if (steps >= CHUNK_STEPS) return CHUNK_STEPS
  return steps >= CHAIN_EVERY ? steps - (steps % CHAIN_EVERY) : Math.max(1, steps)
}

class Sections {
  private readonly parts: Uint8Array[] = []
  private readonly header: ReplayHeader
  private bytes = 0
  private memory = 0

  constructor(header: ReplayHeader) {
    this.header = header
    const prefix = new Uint8Array(PREFIX_BYTES)
    prefix.set(MAGIC)
    prefix[MAGIC.length] = REPLAY_FORMAT
    this.push(prefix)
  }

  private push(part: Uint8Array): void {
    this.parts.push(part)
    this.bytes += part.length
  }

  add(type: number, raw: Uint8Array, step = 0, steps = 0): void {
    if (raw.length > REPLAY_LIMITS.sectionBytes) {
      throw badReplay(WHERE, `${raw.length} bytes in one section`, `${REPLAY_LIMITS.sectionBytes} at most`)
    }
    this.memory += sectionWeight(type, raw.length, this.header)
    if (this.memory > REPLAY_LIMITS.memoryBytes) {
      const expected = `${REPLAY_LIMITS.memoryBytes} at most; fewer frames or channels`
      throw badReplay(WHERE, `more than ${REPLAY_LIMITS.memoryBytes} bytes to read`, expected)
    }
    const { method, stored } = squeeze(raw, type === SECTION.actions)
    const head = new Uint8Array(HEAD_BYTES)
    const view = new DataView(head.buffer)
    head[0] = type
    head[1] = method
    view.setUint16(2, steps, true)
    view.setUint32(4, step, true)
    view.setUint32(8, raw.length, true)
    view.setUint32(12, stored.length, true)
    view.setUint32(16, crc32(stored, crc32(head.subarray(0, 16))), true)
    this.push(head)
    this.push(stored)
  }

  join(): Uint8Array {
    const file = new Uint8Array(this.bytes)
    let at = 0
    for (const part of this.parts) {
      file.set(part, at)
      at += part.length
    }
    return file
  }
}

function expectLength(name: string, got: number, expected: number): void {
  if (got !== expected) throw badReplay(`${WHERE}: ${name}`, `${got} values`, `${expected}`)
}

function checkReplay(replay: Replay): void {
  const { header, steps, actions, digests, chain, probability, value } = replay
  checkHeader(header, WHERE)
  if (!Number.isInteger(steps) || steps < 0 || steps > REPLAY_LIMITS.steps) {
    throw badReplay(`${WHERE}: steps`, String(steps), `0 to ${REPLAY_LIMITS.steps}`)
  }
  const N = header.agents.length
  const right = header.action.kind === 'box' ? actions instanceof Float32Array : actions instanceof Int32Array
  if (!right) throw badReplay(`${WHERE}: actions`, actions.constructor.name, 'Float32Array for box, else Int32Array')
  expectLength('actions', actions.length, steps * N * header.action.dims)
  expectLength('digests', digests.length, steps)
  expectLength('chain', chain.length, Math.ceil(steps / CHAIN_EVERY))
  if (probability !== undefined) expectLength('probability', probability.length, steps * N * choicesOf(header))
  if (value !== undefined) expectLength('value', value.length, steps * N)
  if (header.result !== undefined && header.result.steps !== steps) {
    throw badReplay(`${WHERE}: header: result steps`, String(header.result.steps), `${steps}, as recorded`)
  }
}

/** Bytes of actions: one row of `steps` values per agent and dimension; floats as four planes of such rows. */
function packActions(replay: Replay, from: number, to: number): Uint8Array {
  const width = replay.header.agents.length * replay.header.action.dims
  const unit = actionBytes(replay.header)
  const steps = to - from
  const words = new Uint32Array(replay.actions.buffer, replay.actions.byteOffset, replay.actions.length)
  const out = new Uint8Array(steps * width * unit)
  const most = unit === 4 ? 0xffffffff : 256 ** unit - 1
  for (let plane = 0; plane < unit; plane++) {
    for (let column = 0; column < width; column++) {
      const row = (plane * width + column) * steps
      for (let t = 0; t < steps; t++) {
        const word = words[(from + t) * width + column]
        if (word > most) throw badReplay(`${WHERE}: action at step ${from + t}`, String(word | 0), `0 to ${most}`)
        out[row + t] = word >>> (8 * plane)
      }
    }
  }
  return out
}

function packDigests(replay: Replay, from: number, to: number): Uint8Array {
  const steps = to - from
  const entries = chainEntries(from, to)
  const out = new Uint8Array(steps * 2 + entries * 32)
  for (let t = 0; t < steps; t++) {
    out[2 * t] = replay.digests[from + t]
    out[2 * t + 1] = replay.digests[from + t] >>> 8
  }
  const first = Math.floor(from / CHAIN_EVERY)
  for (let k = 0; k < entries; k++) out.set(hexToBytes(replay.chain[first + k]), steps * 2 + k * 32)
  return out
}

function packHalves(values: Float32Array): Uint8Array {
  const out = new Uint8Array(values.length * 2)
  for (let i = 0; i < values.length; i++) {
    const half = toHalf(values[i])
    out[i] = half
    out[values.length + i] = half >>> 8 // high bytes together compress better
  }
  return out
}

function packFloats(values: Float32Array): Uint8Array {
  const out = new Uint8Array(values.length * 4)
  const view = new DataView(out.buffer)
  for (let i = 0; i < values.length; i++) view.setFloat32(i * 4, values[i], true)
  return out
}

/** Adds keyframes up to step `to` in sections of a bounded size; returns the index of the first one left. */
function addKeyframes(file: Sections, frames: readonly Keyframe[], next: number, to: number): number {
  let texts: string[] = []
  let size = 0
  const flush = () => {
    if (texts.length > 0) file.add(SECTION.keyframes, utf8ToBytes(`[${texts.join(',')}]`), to)
    texts = []
    size = 0
  }
  while (next < frames.length && frames[next].step <= to) {
    const text = JSON.stringify(checkKeyframe(frames[next++], `${WHERE}: keyframe`))
    if (size + text.length > KEYFRAME_BYTES) flush()
    texts.push(text)
    size += text.length
  }
  flush()
  return next
}

/**
 * The file of a replay. Actions are always in it; channels that the replay lacks are left out.
 * @throws TroupeError bad-file when the parts do not fit together (lengths, header, frames that JSON cannot hold)
 */
export function writeReplay(replay: Replay): Uint8Array {
  checkReplay(replay)
  const { header, steps, probability, value, keyframes } = replay
  const N = header.agents.length
  const A = choicesOf(header)
  const file = new Sections(header)
  file.add(SECTION.header, jsonBytes(header))
  const notes = (replay.notes ?? []).map((note) => checkNote(note, `${WHERE}: note`)).sort((a, b) => a.step - b.step)
  const late = notes.find((note) => note.step > steps)
  if (late !== undefined) throw badReplay(`${WHERE}: note`, `at step ${late.step}`, `a step of 0 to ${steps}`)
  keyframes.forEach((keyframe, i) => {
    if (keyframe.step > steps || (i > 0 && keyframe.step <= keyframes[i - 1].step)) {
      throw badReplay(`${WHERE}: keyframes`, `step ${keyframe.step}`, `rising steps of 0 to ${steps}`)
    }
  })
  const chunk = chunkSteps(N * Math.max(header.action.dims, probability === undefined ? 0 : A))
  let keyframe = steps === 0 ? addKeyframes(file, keyframes, 0, 0) : 0
  let note = 0
  for (let from = 0; from < steps; from += chunk) {
    const to = Math.min(steps, from + chunk)
    file.add(SECTION.actions, packActions(replay, from, to), from, to - from)
    file.add(SECTION.digests, packDigests(replay, from, to), from, to - from)
    if (probability !== undefined && A > 0) {
      file.add(SECTION.probability, packHalves(probability.subarray(from * N * A, to * N * A)), from, to - from)
    }
    if (value !== undefined) file.add(SECTION.value, packFloats(value.subarray(from * N, to * N)), from, to - from)
    keyframe = addKeyframes(file, keyframes, keyframe, to)
    const first = note
    while (note < notes.length && notes[note].step <= to) note++
    if (note > first) file.add(SECTION.notes, jsonBytes(notes.slice(first, note)), to)
  }
  const odd = steps % CHAIN_EVERY !== 0
  file.add(SECTION.end, odd ? hexToBytes(replay.chain[replay.chain.length - 1]) : new Uint8Array(0), steps)
  return file.join()
}
