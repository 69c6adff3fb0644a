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
const BYTES = { F32: 4, F16: 2, U8: 1 } as const
const BESIDE_WEIGHTS = ['optimiser/', 'memory/', 'target/', 'store/']

/** A tensor of which at least this part is 0 is packed, if it has as many numbers as this. Both ours. */
const SPARSE = { part: 0.75, numbers: 256 }

/** What stands in a file under one name. */
interface Stored {
  readonly dtype: keyof typeof BYTES
  readonly shape: readonly number[]
  readonly bytes: Uint8Array
}

/** Numbers as they are stored. */
type Precision = 'F32' | 'F16'

function bytesOf(data: Float32Array, dtype: Precision): Uint8Array {
  const { buffer, byteOffset, byteLength } = dtype === 'F32' ? data : Uint16Array.from(data, toHalf)
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** The tensors as they are stored, and the shapes of those that are packed. */
function stored(
  tensors: Tensors,
  dtype: Precision,
  packs: boolean,
): { parts: Record<string, Stored>; shapes: Record<string, readonly number[]> } {
  const parts: Record<string, Stored> = {}
  const shapes: Record<string, readonly number[]> = {}
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    const kept = packs && data.length >= SPARSE.numbers ? placesOf(data) : undefined
    if (kept === undefined || kept.count > (1 - SPARSE.part) * data.length) {
      parts[name] = { dtype, shape, bytes: bytesOf(data, dtype) }
      continue
    }
    const values = new Float32Array(kept.count)
    let at = 0
    for (let i = 0; i < data.length; i++) if ((kept.places[i >> 3] >> (i & 7)) & 1) values[at++] = data[i]
    shapes[name] = shape
    parts[`${name}.values`] = { dtype, shape: [kept.count], bytes: bytesOf(values, dtype) }
    parts[`${name}.places`] = { dtype: 'U8', shape: [kept.places.length], bytes: kept.places }
  }
  return { parts, shapes }
}

/** A bit for every number that is not 0, the lowest bit first; −0 is not 0 here. */
function placesOf(data: Float32Array): { places: Uint8Array; count: number } {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.length)
  const places = new Uint8Array(Math.ceil(words.length / 8))
  let count = 0
  for (let i = 0; i < words.length; i++) {
    if (words[i] === 0) continue
    places[i >> 3] |= 1 << (i & 7)
    count++
  }
  return { places, count }
}

/**
 * safetensors: u64 length of the header, JSON header padded with spaces to 8 bytes, little-endian data.
 * Names are sorted, so equal tensors make equal bytes.
 * @param metadata words about the file, under `__metadata__` of its header
 * @param dtype F16: rounded to half precision, in half the room
 * @param packs tensors that are mostly 0 are stored as `<name>.places`, U8, a bit for every number that is not 0, lowest bit first,
 *   and `<name>.values`, those numbers; `__metadata__.packed` has their shapes as JSON
 */
export function encodeSafetensors(
  tensors: Tensors,
  metadata?: Readonly<Record<string, string>>,
  dtype: Precision = 'F32',
  packs = false,
): Uint8Array {
  const { parts, shapes } = stored(tensors, dtype, packs)
  const names = Object.keys(parts).sort()
  const packed = Object.keys(shapes).length === 0 ? {} : { packed: JSON.stringify(shapes) }
  const words = metadata === undefined && packed.packed === undefined ? undefined : { ...metadata, ...packed }
  const header: Record<string, unknown> = words === undefined ? {} : { __metadata__: words }
  let size = 0
  for (const name of names) {
    const { dtype, shape, bytes } = parts[name]
    header[name] = { dtype, shape, data_offsets: [size, size + bytes.length] }
    size += bytes.length
  }
  let text = JSON.stringify(header)
  const head = utf8ToBytes(text).length
  text += ' '.repeat((8 - (head % 8)) % 8)
  const json = utf8ToBytes(text)
  const out = new Uint8Array(8 + json.length + size)
  new DataView(out.buffer).setUint32(0, json.length, true)
  out.set(json, 8)
  let at = 8 + json.length
  for (const name of names) {
    out.set(parts[name].bytes, at)
    at += parts[name].bytes.length
  }
  return out
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
 * Reads a safetensors file of float32 or float16 tensors, packed ones among them. Everything is checked before anything is allocated.
 * @param where the door, for messages: usually the file's name
 * @throws TroupeError bad-file
 */
export function decodeSafetensors(bytes: Uint8Array, where = 'safetensors'): Tensors {
  const bad = (got: string, expected: string) => new TroupeError('bad-file', { where, got, expected })
  const { header, start } = headerOf(bytes, where)
  const shapes = packedShapes(bytes, where)
  const room = bytes.length - start
  const found: { name: string; half: boolean; shape: number[]; from: number; to: number }[] = []
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue
    const { dtype, shape, data_offsets: offsets } = (entry ?? {}) as Record<string, unknown>
    const places = name.endsWith('.places') && Object.hasOwn(shapes, name.slice(0, -7))
    const fit = places ? dtype === 'U8' : dtype === 'F32' || dtype === 'F16'
    if (!fit) throw bad(`tensor ${name} of type ${shown(dtype)}`, 'F32 or F16 tensors')
    const sized = shapeOf(shape)
    if (sized === undefined) throw bad(`tensor ${name} of shape ${shown(shape)}`, 'up to 8 whole numbers')
    const size = BYTES[dtype as keyof typeof BYTES] * sized.reduce((product, dim) => product * dim, 1)
    const [from, to] = Array.isArray(offsets) && offsets.length === 2 && offsets.every(isCount) ? offsets : [0, -1]
    if (to - from !== size || to > room) {
      throw bad(`tensor ${name} at ${shown(offsets)}`, `${size} bytes inside the ${room} bytes of data`)
    }
    found.push({ name, half: dtype === 'F16', shape: sized, from, to })
  }
  found.sort((a, b) => a.from - b.from || a.to - b.to)
  let end = 0
  for (const { name, from, to } of found) {
    if (from !== end) throw bad(`tensor ${name} from byte ${from}`, `byte ${end}: tensors side by side`)
    end = to
  }
  if (end !== room) throw bad(`${room} bytes of data for tensors of ${end}`, 'tensors that fill the file')
  const cut = new Map(
    found.map((part) => [part.name, { ...part, bytes: bytes.subarray(start + part.from, start + part.to) }]),
  )
  const packed = Object.entries(shapes).map(([name, shape]): [string, SavedTensor] => {
    const [places, values] = [cut.get(`${name}.places`), cut.get(`${name}.values`)]
    cut.delete(`${name}.places`)
    cut.delete(`${name}.values`)
    const size = shape.reduce((product, dim) => product * dim, 1)
    const kept = values === undefined ? -1 : values.bytes.length / BYTES[values.half ? 'F16' : 'F32']
    if (places?.bytes.length !== Math.ceil(size / 8) || bitsIn(places.bytes, size) !== kept) {
      throw bad(`packed tensor ${name} with other places than values`, 'a bit for each value')
    }
    return [name, { shape, data: unpacked(places.bytes, numbersOf(values!), size) }]
  })
  const entries = [...cut].map(([name, part]): [string, SavedTensor] => [
    name,
    { shape: part.shape, data: numbersOf(part) },
  ])
  return Object.fromEntries([...entries, ...packed])
}

function numbersOf({ bytes, half }: { readonly bytes: Uint8Array; readonly half: boolean }): Float32Array {
  const { buffer } = new Uint8Array(bytes) // a copy, aligned
  return half ? Float32Array.from(new Uint16Array(buffer), fromHalf) : new Float32Array(buffer)
}

const isCount = (x: unknown): x is number => Number.isInteger(x) && (x as number) >= 0

function shapeOf(shape: unknown): number[] | undefined {
  return Array.isArray(shape) && shape.length <= 8 && shape.every(isCount) ? (shape as number[]) : undefined
}

/** Shapes of the packed tensors of a file, by name. */
function packedShapes(bytes: Uint8Array, where: string): Record<string, number[]> {
  const { packed } = safetensorsMetadata(bytes, where)
  if (packed === undefined) return {}
  let shapes: unknown
  try {
    shapes = JSON.parse(packed)
  } catch {
    shapes = undefined
  }
  const plain = shapes !== null && typeof shapes === 'object' && Object.values(shapes).every((one) => shapeOf(one) !== undefined) // prettier-ignore
  if (plain) return shapes as Record<string, number[]>
  throw new TroupeError('bad-file', {
    where,
    got: 'packed tensors without shapes',
    expected: 'shapes by name, as JSON',
  })
}

/** Bits that are set; NaN when one stands beyond the last number. */
function bitsIn(places: Uint8Array, size: number): number {
  let count = 0
  for (let i = 0; i < 8 * places.length; i++) {
    if (((places[i >> 3] >> (i & 7)) & 1) === 0) continue
    if (i >= size) return NaN
    count++
  }
  return count
}

function unpacked(places: Uint8Array, values: Float32Array, size: number): Float32Array {
  const from = new Uint32Array(values.buffer)
  const words = new Uint32Array(size)
  let at = 0
  for (let i = 0; i < size; i++) if ((places[i >> 3] >> (i & 7)) & 1) words[i] = from[at++]
  return new Float32Array(words.buffer)
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
