/** Reading replays, whole or as the bytes arrive. Nothing in a file is believed before it is checked. */
import { bytesToHex } from '@noble/hashes/utils.js'
import { shown } from './errors.ts'
import {
  CHAIN_EVERY,
  HEAD_BYTES,
  MAGIC,
  METHOD,
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
  unknownFormat,
  type Keyframe,
  type Note,
  type Replay,
  type ReplayHeader,
  type ReplayLimits,
} from './replay-format.ts'
import { Growing, crc32, fromHalf, inflateExactly, parseJson, unpackDigits } from './replay-bytes.ts'
import { checkKeyframe, checkNote } from './replay-frames.ts'

/** The head of a section. */
interface Head {
  readonly type: number
  readonly method: number
  readonly steps: number
  readonly step: number
  readonly raw: number
  readonly stored: number
  readonly crc: number
}

const NAMES: Record<number, string> = Object.fromEntries(Object.entries(SECTION).map(([name, type]) => [type, name]))

/** A replay that fills up while it is read; `steps` counts the steps whose chunk is complete. */
class GrowingReplay implements Replay {
  readonly header: ReplayHeader
  steps = 0
  readonly chain: string[] = []
  readonly keyframes: Keyframe[] = []
  readonly notes: Note[] = []
  readonly actionPart: Growing<Int32Array> | Growing<Float32Array>
  readonly digestPart = new Growing((length) => new Uint16Array(length))
  readonly probabilityPart = new Growing((length) => new Float32Array(length))
  readonly valuePart = new Growing((length) => new Float32Array(length))

  constructor(header: ReplayHeader) {
    this.header = header
    this.actionPart =
      header.action.kind === 'box'
        ? new Growing((length) => new Float32Array(length))
        : new Growing((length) => new Int32Array(length))
  }

  get actions(): Int32Array | Float32Array {
    return this.actionPart.part.subarray(0, this.steps * this.header.agents.length * this.header.action.dims)
  }

  get digests(): Uint16Array {
    return this.digestPart.part.subarray(0, this.steps)
  }

  /** Channels cover every step or are left out; while streaming the last chunk's may be still to come. */
  get probability(): Float32Array | undefined {
    return this.probabilityPart.length === 0 ? undefined : this.probabilityPart.part
  }

  get value(): Float32Array | undefined {
    return this.valuePart.length === 0 ? undefined : this.valuePart.part
  }
}

/**
 * Takes a replay file in pieces of any size: `push` them in order, then `end`. The header is there first, then steps
 * chunk by chunk, so that a page can show the beginning while the rest is on its way.
 */
export class ReplayReader {
  private readonly limits: ReplayLimits
  private readonly where: string
  private pending = new Uint8Array(256)
  private pendingBytes = 0
  private readBytes = 0
  private memory = 0
  private sections = 0
  private head: Head | null = null
  private began = false
  private ended = false
  private broken = false
  private growing: GrowingReplay | null = null
  private halfway = 0 // steps whose actions are here and whose digests are not
  private halfwayFrom = 0

  /**
   * @param where name of the file for messages
   */
  constructor(limits: Partial<ReplayLimits> = {}, where = 'replay') {
    // A limit that is given as undefined is not lifted.
    const given = Object.entries(limits).filter(([, most]) => most !== undefined)
    this.limits = { ...REPLAY_LIMITS, ...Object.fromEntries(given) }
    this.where = where
  }

  get header(): ReplayHeader | null {
    return this.growing?.header ?? null
  }

  /** What has been read so far, null before the header. The object stays the same and fills up. */
  get replay(): Replay | null {
    return this.growing
  }

  /** True after the end section. */
  get done(): boolean {
    return this.ended
  }

  /**
   * @throws TroupeError bad-file or bad-version; the reader takes nothing after that
   */
  push(bytes: Uint8Array): void {
    if (this.broken) throw badReplay(this.where, 'more bytes after an error', 'a new reader')
    try {
      this.take(bytes)
    } catch (error) {
      this.broken = true
      throw error
    }
  }

  /**
   * Says that no more bytes come.
   * @throws TroupeError bad-file when the file is cut short
   */
  end(): Replay {
    if (!this.began || this.growing === null) {
      throw badReplay(this.where, `cut off after ${this.readBytes} bytes`, 'a replay file with its header')
    }
    if (!this.ended) {
      const at = `cut off after ${this.readBytes} bytes, ${this.growing.steps} steps`
      throw badReplay(this.where, at, 'a file with its end section')
    }
    return this.growing
  }

  private take(bytes: Uint8Array): void {
    this.readBytes += bytes.length
    if (this.readBytes > this.limits.fileBytes) {
      throw badReplay(this.where, `more than ${this.limits.fileBytes} bytes`, `${this.limits.fileBytes} bytes at most`)
    }
    let from = 0
    while (from < bytes.length) {
      if (this.ended) {
        throw badReplay(this.where, `followed by ${bytes.length - from} more bytes`, 'nothing after the end section')
      }
      // Take what the next part needs, and no more, so that memory is bounded by checked lengths.
      const count = Math.min(this.needed() - this.pendingBytes, bytes.length - from)
      this.keep(bytes.subarray(from, from + count))
      from += count
      while (!this.ended && this.pendingBytes === this.needed()) this.advance()
    }
  }

  private needed(): number {
    if (!this.began) return PREFIX_BYTES
    return this.head === null ? HEAD_BYTES : HEAD_BYTES + this.head.stored
  }

  private keep(part: Uint8Array): void {
    const to = this.pendingBytes + part.length
    if (to > this.pending.length) {
      const larger = new Uint8Array(Math.max(to, Math.min(this.pending.length * 2, this.needed())))
      larger.set(this.pending.subarray(0, this.pendingBytes))
      this.pending = larger
    }
    this.pending.set(part, this.pendingBytes)
    this.pendingBytes = to
    if (!this.began) this.checkMagic()
  }

  /** Compares byte by byte as they come, so that a foreign file is refused at its first bytes. */
  private checkMagic(): void {
    for (let i = 0; i < Math.min(this.pendingBytes, MAGIC.length); i++) {
      if (this.pending[i] !== MAGIC[i]) throw badReplay(this.where, 'another kind of file', 'a replay file of troupe')
    }
  }

  private advance(): void {
    const { pending } = this
    const view = new DataView(pending.buffer, pending.byteOffset, this.pendingBytes)
    if (!this.began) {
      const format = view.getUint16(MAGIC.length, true)
      if (format !== REPLAY_FORMAT) throw unknownFormat(this.where, format)
      this.began = true
      this.pendingBytes = 0
      return
    }
    if (this.head === null) {
      this.head = {
        type: pending[0],
        method: pending[1],
        steps: view.getUint16(2, true),
        step: view.getUint32(4, true),
        raw: view.getUint32(8, true),
        stored: view.getUint32(12, true),
        crc: view.getUint32(16, true),
      }
      this.checkHead(this.head)
      return
    }
    const { head } = this
    const stored = pending.slice(HEAD_BYTES, HEAD_BYTES + head.stored)
    if (crc32(stored, crc32(pending.subarray(0, 16))) !== head.crc) {
      throw badReplay(this.at(head), 'damaged (its checksum differs)', 'bytes as they were written')
    }
    this.head = null
    this.pendingBytes = 0
    this.section(head, this.unpack(head, stored))
  }

  private unpack(head: Head, stored: Uint8Array): Uint8Array {
    if (head.method === METHOD.stored) return stored
    if (head.method === METHOD.digits) return unpackDigits(stored, head.raw, this.at(head))
    return inflateExactly(stored, head.raw, this.at(head))
  }

  private at(head: Head): string {
    const name = NAMES[head.type] ?? 'unknown'
    return `${this.where}: ${name}${head.steps > 0 ? ` of steps ${head.step} to ${head.step + head.steps}` : ''}`
  }

  /** Everything that can be known before a byte of the section is kept: kind, order, sizes. */
  private checkHead(head: Head): void {
    const at = this.at(head)
    const { limits, growing } = this
    if (NAMES[head.type] === undefined) {
      throw badReplay(`${this.where}: section`, `of type ${head.type}`, `one of ${Object.values(NAMES).join(', ')}`)
    }
    if (head.method > (head.type === SECTION.actions ? METHOD.digits : METHOD.deflate)) {
      throw badReplay(`${at}: packing`, `method ${head.method}`, '0 stored, 1 deflate or, for actions, 2 digits')
    }
    const most = head.type === SECTION.header ? limits.headerBytes : limits.sectionBytes
    if (head.raw > most) throw badReplay(at, `${head.raw} bytes long`, `${most} at most`)
    const packed = head.method === METHOD.stored ? head.stored === head.raw : head.stored < head.raw
    if (!packed) throw badReplay(at, `${head.stored} bytes stored for ${head.raw}`, 'no more than it unpacks to')
    if (++this.sections > limits.sections)
      throw badReplay(this.where, 'too many sections', `${limits.sections} at most`)
    if ((head.type === SECTION.header) !== (growing === null)) {
      throw badReplay(at, growing === null ? 'before the header' : 'a second header', 'one header, then the rest')
    }
    if (growing === null) return
    if (head.type !== SECTION.digests && this.halfway > 0) {
      throw badReplay(at, 'after actions without digests', 'digests after actions')
    }
    const exact = this.rawBytes(head, growing)
    if (exact !== undefined && head.raw !== exact) throw badReplay(at, `${head.raw} bytes long`, `${exact} bytes`)
    this.memory += sectionWeight(head.type, head.raw, growing.header)
    if (this.memory > limits.memoryBytes) {
      throw badReplay(this.where, `more than ${limits.memoryBytes} bytes in memory`, `${limits.memoryBytes} at most`)
    }
  }

  /** The raw length that the header and the steps before prescribe; undefined for JSON. */
  private rawBytes(head: Head, growing: GrowingReplay): number | undefined {
    const { header, steps } = growing
    const N = header.agents.length
    const at = this.at(head)
    const perStep: Record<number, number> = {
      [SECTION.actions]: N * header.action.dims * actionBytes(header),
      [SECTION.digests]: 2,
      [SECTION.probability]: N * choicesOf(header) * 2,
      [SECTION.value]: N * 4,
    }
    if (head.type === SECTION.end) {
      if (head.step !== steps) throw badReplay(at, `at step ${head.step}`, `step ${steps}, as far as the chunks go`)
      return steps % CHAIN_EVERY === 0 ? 0 : 32
    }
    const each = perStep[head.type]
    if (each === undefined) return undefined
    if (head.steps === 0) throw badReplay(at, 'without steps', 'one step or more')
    // Actions open a chunk, digests complete it, channels follow it.
    const [from, count] =
      head.type === SECTION.actions
        ? [steps, head.steps]
        : this.halfway > 0
          ? [steps, this.halfway]
          : [this.halfwayFrom, steps - this.halfwayFrom]
    if (head.type === SECTION.digests && this.halfway === 0) throw badReplay(at, 'without actions', 'actions first')
    if (head.step !== from || head.steps !== count) {
      throw badReplay(at, 'out of order', `steps ${from} to ${from + count}`)
    }
    if (head.type === SECTION.actions && steps + count > this.limits.steps) {
      throw badReplay(this.where, `more than ${this.limits.steps} steps long`, `${this.limits.steps} at most`)
    }
    if (head.type === SECTION.probability || head.type === SECTION.value) {
      const have =
        head.type === SECTION.value ? growing.valuePart.length / N : growing.probabilityPart.length / (each * 0.5)
      if (each === 0 || have !== from) throw badReplay(at, 'out of order', 'the channel from the first step on, once')
    }
    return head.type === SECTION.digests ? count * 2 + chainEntries(from, from + count) * 32 : count * each
  }

  private section(head: Head, raw: Uint8Array): void {
    if (head.type === SECTION.header) {
      this.growing = new GrowingReplay(checkHeader(parseJson(raw, this.at(head)), this.where, this.limits))
      return
    }
    const growing = this.growing!
    const N = growing.header.agents.length
    switch (head.type) {
      case SECTION.actions:
        this.unpackActions(growing, raw, head.steps)
        this.halfwayFrom = growing.steps
        this.halfway = head.steps
        break
      case SECTION.digests: {
        const room = growing.digestPart.add(head.steps)
        for (let t = 0; t < head.steps; t++) room[t] = raw[2 * t] | (raw[2 * t + 1] << 8)
        for (let at = head.steps * 2; at < raw.length; at += 32)
          growing.chain.push(bytesToHex(raw.subarray(at, at + 32)))
        growing.steps += this.halfway
        this.halfway = 0
        break
      }
      case SECTION.probability: {
        const count = raw.length / 2
        const room = growing.probabilityPart.add(count)
        for (let i = 0; i < count; i++) room[i] = fromHalf(raw[i] | (raw[count + i] << 8))
        break
      }
      case SECTION.value: {
        const room = growing.valuePart.add(head.steps * N)
        const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
        for (let i = 0; i < room.length; i++) room[i] = view.getFloat32(i * 4, true)
        break
      }
      case SECTION.keyframes:
        this.addKeyframes(growing, this.jsonList(head, raw))
        break
      case SECTION.notes:
        for (const item of this.jsonList(head, raw)) {
          const note = checkNote(item, this.at(head))
          if (note.step > growing.steps)
            throw badReplay(`${this.where}: note`, `at step ${note.step}`, `0 to ${growing.steps}`)
          growing.notes.push(note)
        }
        break
      default:
        if (raw.length > 0) growing.chain.push(bytesToHex(raw))
        this.checkWhole(growing)
        this.ended = true
    }
  }

  private jsonList(head: Head, raw: Uint8Array): unknown[] {
    const list = parseJson(raw, this.at(head))
    if (!Array.isArray(list)) throw badReplay(this.at(head), shown(list), 'a list')
    return list
  }

  private addKeyframes(growing: GrowingReplay, list: unknown[]): void {
    for (const item of list) {
      const keyframe = checkKeyframe(item, `${this.where}: keyframe`)
      const last = growing.keyframes.at(-1)?.step ?? -1
      if (keyframe.step <= last || keyframe.step > growing.steps) {
        throw badReplay(
          `${this.where}: keyframe`,
          `at step ${keyframe.step}`,
          `a step of ${last + 1} to ${growing.steps}`,
        )
      }
      growing.keyframes.push(keyframe)
    }
  }

  /** Turns [N, D, steps] bytes back into [steps, N, D] numbers. */
  private unpackActions(growing: GrowingReplay, raw: Uint8Array, steps: number): void {
    const { header } = growing
    const width = header.agents.length * header.action.dims
    const unit = actionBytes(header)
    const room = growing.actionPart.add(steps * width)
    const words = new Uint32Array(room.buffer, room.byteOffset, room.length)
    words.fill(0)
    for (let plane = 0; plane < unit; plane++) {
      for (let column = 0; column < width; column++) {
        const row = (plane * width + column) * steps
        for (let t = 0; t < steps; t++) words[t * width + column] |= raw[row + t] << (8 * plane)
      }
    }
  }

  private checkWhole(growing: GrowingReplay): void {
    const { header, steps, keyframes } = growing
    const N = header.agents.length
    if (header.result !== undefined && header.result.steps !== steps) {
      throw badReplay(`${this.where}: steps`, String(steps), `${header.result.steps}, as its header says`)
    }
    const missing =
      (growing.value !== undefined && growing.valuePart.length !== steps * N) ||
      (growing.probability !== undefined && growing.probabilityPart.length !== steps * N * choicesOf(header))
    if (missing) throw badReplay(`${this.where}: channels`, 'there for some steps only', 'every step or none')
    if (header.plugin === undefined) return
    // The page never loads foreign code, so a plug-in's replay must bring every picture.
    const frames = keyframes.filter((keyframe) => keyframe.frame !== null).length
    if (frames !== steps + 1) {
      throw badReplay(
        `${this.where}: frames`,
        `${frames} frames`,
        `${steps + 1}, one per step, as the plug-in's replay`,
      )
    }
  }
}

/**
 * Reads a whole replay file.
 * @param where name of the file for messages
 * @throws TroupeError bad-file (truncated, oversized, damaged, foreign) or bad-version (another format)
 */
export function readReplay(bytes: Uint8Array, limits: Partial<ReplayLimits> = {}, where = 'replay'): Replay {
  const reader = new ReplayReader(limits, where)
  reader.push(bytes)
  const { header, steps, actions, digests, chain, keyframes, probability, value, notes } = reader.end()
  return {
    header,
    steps,
    actions: actions.slice(),
    digests: digests.slice(),
    chain,
    keyframes,
    ...(probability === undefined ? {} : { probability: probability.slice() }),
    ...(value === undefined ? {} : { value: value.slice() }),
    ...(notes === undefined || notes.length === 0 ? {} : { notes }),
  }
}

/**
 * Reads the header from the beginning of a file; the rest may be missing.
 * @throws TroupeError as readReplay
 */
export function readReplayHeader(
  bytes: Uint8Array,
  limits: Partial<ReplayLimits> = {},
  where = 'replay',
): ReplayHeader {
  const end = Math.min(bytes.length, firstSectionEnd(bytes))
  const reader = new ReplayReader(limits, where)
  reader.push(bytes.subarray(0, end))
  if (reader.header === null)
    throw badReplay(where, `cut off after ${bytes.length} bytes`, 'a replay file with its header')
  return reader.header
}

function firstSectionEnd(bytes: Uint8Array): number {
  const start = PREFIX_BYTES + HEAD_BYTES
  if (bytes.length < start) return start
  return start + new DataView(bytes.buffer, bytes.byteOffset, start).getUint32(PREFIX_BYTES + 12, true)
}

/** Where the chunks of a file lie, so that a server can send the header and then ranges in step order. */
export interface ReplayIndex {
  readonly headerBytes: number
  /** `from` and `to` are byte offsets; steps `step` to `step + steps` with all their channels. */
  readonly chunks: readonly {
    readonly step: number
    readonly steps: number
    readonly from: number
    readonly to: number
  }[]
}

/**
 * Byte ranges of a file that `readReplay` accepts: header first, then chunks; the last chunk includes the end.
 * Sent in this order they make the file again.
 */
export function indexReplay(bytes: Uint8Array): ReplayIndex {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const headerBytes = firstSectionEnd(bytes)
  const chunks: { step: number; steps: number; from: number; to: number }[] = []
  for (let at = headerBytes; at + HEAD_BYTES <= bytes.length;) {
    const to = at + HEAD_BYTES + view.getUint32(at + 12, true)
    const opens = bytes[at] === SECTION.actions || chunks.length === 0
    if (opens) chunks.push({ step: view.getUint32(at + 4, true), steps: view.getUint16(at + 2, true), from: at, to })
    else chunks[chunks.length - 1].to = to
    at = to
  }
  return { headerBytes, chunks }
}
