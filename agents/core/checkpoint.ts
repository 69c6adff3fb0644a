/**
 * What training leaves behind: named float32 tensors (safetensors, no code inside) and a JSON-able state. Pure: bytes in,
 * bytes out; results/ puts them on disk.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { utf8 } from '@scure/base'
import { TroupeError, shown } from '../../envs/core/index.ts'
import { fromHalf, toHalf } from '../../envs/core/replay-bytes.ts'

export interface SavedTensor {
  readonly shape: readonly number[]
  readonly data: Float32Array
}

export type Tensors = Readonly<Record<string, SavedTensor>>

export interface Checkpoint {
  /**
   * Networks by slice name ('actor/layer0/weight'); what is not weights under names of its own: optimiser moments
   * ('optimiser/'), what recurrent networks remember of the training lanes ('memory/'), target networks ('target/'), and
   * what was played and is learned from ('store/').
   */
  readonly weights: Tensors
  /** Settings, normalisers, generators, counters, a snapshot of every lane; plain JSON. */
  readonly state: Readonly<Record<string, unknown>>
}

const HEADER_LIMIT = 1 << 20 // bytes of JSON; ours have a few thousand
const BYTES = { F32: 4, F16: 2 } as const
const BESIDE_WEIGHTS = ['optimiser/', 'memory/', 'target/', 'store/']

/**
 * safetensors: u64 length of the header, JSON header padded with spaces to 8 bytes, little-endian data.
 * Names are sorted, so equal tensors make equal bytes.
 * @param metadata words about the file, under `__metadata__` of its header
 * @param dtype F16: rounded to half precision, in half the room
 */
export function encodeSafetensors(
  tensors: Tensors,
  metadata?: Readonly<Record<string, string>>,
  dtype: 'F32' | 'F16' = 'F32',
): Uint8Array {
  const width = BYTES[dtype]
  const names = Object.keys(tensors).sort()
  const header: Record<string, unknown> = metadata === undefined ? {} : { __metadata__: metadata }
  let size = 0
  for (const name of names) {
    const { shape, data } = tensors[name]
    header[name] = { dtype, shape, data_offsets: [size, size + width * data.length] }
    size += width * data.length
  }
  let text = JSON.stringify(header)
  const head = utf8ToBytes(text).length
  text += ' '.repeat((8 - (head % 8)) % 8)
  const json = utf8ToBytes(text)
  const bytes = new Uint8Array(8 + json.length + size)
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, 8)
  let at = 8 + json.length
  for (const name of names) {
    const { data } = tensors[name]
    const stored = dtype === 'F32' ? data : Uint16Array.from(data, toHalf)
    bytes.set(new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength), at)
    at += stored.byteLength
  }
  return bytes
}

/** The header of a safetensors file, and where its data begin. @throws TroupeError bad-file */
function headerOf(bytes: Uint8Array, where: string): { header: Record<string, unknown>; start: number } {
  const bad = (got: string, expected: string) => new TroupeError('bad-file', { where, got, expected })
  if (bytes.length < 8) throw bad(`${bytes.length} bytes`, 'a safetensors file')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = view.getUint32(0, true)
  if (view.getUint32(4, true) !== 0 || length > HEADER_LIMIT || 8 + length > bytes.length) {
    throw bad('a header longer than the file or 1 MiB', 'a safetensors file')
  }
  let header: unknown
  try {
    header = JSON.parse(utf8.encode(bytes.subarray(8, 8 + length)))
  } catch {
    throw bad('a header that is not JSON', 'a safetensors file')
  }
  if (header === null || typeof header !== 'object' || Array.isArray(header)) throw bad(shown(header), 'a JSON object')
  return { header: header as Record<string, unknown>, start: 8 + length }
}

/** Words about a safetensors file; none when it has none. @throws TroupeError bad-file */
export function safetensorsMetadata(bytes: Uint8Array, where = 'safetensors'): Readonly<Record<string, string>> {
  const { __metadata__: words = {} } = headerOf(bytes, where).header
  const plain = words !== null && typeof words === 'object' && Object.values(words).every((x) => typeof x === 'string')
  if (plain) return words as Record<string, string>
  throw new TroupeError('bad-file', { where, got: 'metadata that is not words', expected: 'text by name' })
}

/**
 * Reads a safetensors file of float32 or float16 tensors. Everything is checked before anything is allocated.
 * @param where the door, for messages: usually the file's name
 * @throws TroupeError bad-file
 */
export function decodeSafetensors(bytes: Uint8Array, where = 'safetensors'): Tensors {
  const bad = (got: string, expected: string) => new TroupeError('bad-file', { where, got, expected })
  const { header, start } = headerOf(bytes, where)
  const room = bytes.length - start
  const found: { name: string; half: boolean; shape: number[]; from: number; to: number }[] = []
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue
    const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>
    if (dtype !== 'F32' && dtype !== 'F16') {
      throw bad(`tensor ${name} of type ${shown(dtype)}`, 'F32 or F16 tensors')
    }
    const whole = (x: unknown): x is number => Number.isInteger(x) && (x as number) >= 0
    if (!Array.isArray(shape) || shape.length > 8 || !shape.every(whole)) {
      throw bad(`tensor ${name} of shape ${shown(shape)}`, 'up to 8 whole numbers')
    }
    const size = BYTES[dtype] * (shape as number[]).reduce((product, dim) => product * dim, 1)
    const [from, to] = Array.isArray(offsets) && offsets.length === 2 && offsets.every(whole) ? offsets : [0, -1]
    if (to - from !== size || to > room) {
      throw bad(`tensor ${name} at ${shown(offsets)}`, `${size} bytes inside the ${room} bytes of data`)
    }
    found.push({ name, half: dtype === 'F16', shape: shape as number[], from, to })
  }
  found.sort((a, b) => a.from - b.from || a.to - b.to)
  let end = 0
  for (const { name, from, to } of found) {
    if (from !== end) throw bad(`tensor ${name} from byte ${from}`, `byte ${end}: tensors side by side`)
    end = to
  }
  if (end !== room) throw bad(`${room} bytes of data for tensors of ${end}`, 'tensors that fill the file')
  const entries = found.map(({ name, half, shape, from, to }): [string, SavedTensor] => {
    const { buffer } = new Uint8Array(bytes.subarray(start + from, start + to)) // a copy, aligned
    return [
      name,
      { shape, data: half ? Float32Array.from(new Uint16Array(buffer), fromHalf) : new Float32Array(buffer) },
    ]
  })
  return Object.fromEntries(entries)
}

/** The networks (policy and critic), and nothing beside them. */
export function networksOf({ weights }: Pick<Checkpoint, 'weights'>): Tensors {
  const own = ([name]: [string, SavedTensor]) => !BESIDE_WEIGHTS.some((prefix) => name.startsWith(prefix))
  return Object.fromEntries(Object.entries(weights).filter(own))
}

/** SHA-256 over `networksOf`: equal weights, equal hash. */
export function weightsHash(checkpoint: Pick<Checkpoint, 'weights'>): string {
  return bytesToHex(sha256(encodeSafetensors(networksOf(checkpoint))))
}
