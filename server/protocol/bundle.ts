/**
 * Many replays as one body: what a submission uploads and what a reader downloads to check an entry. Pure.
 *
 * Bytes: 8 of magic, u32 version (1), u32 count, then count lengths (u32), then the replay files one after the other, in
 * the order of their episodes. Little-endian. Nothing is compressed here: replays are.
 */
import { TroupeError } from '../../envs/core/errors.ts'

export const BUNDLE_TYPE = 'application/vnd.troupe.replays'
const MAGIC = Uint8Array.of(0x89, 0x54, 0x52, 0x50, 0x42, 0x0a, 0x1a, 0x0a)
const HEAD = MAGIC.length + 8
const VERSION = 1

export interface BundlePart {
  /** Byte offset of the replay in the bundle. */
  readonly from: number
  readonly bytes: number
}

/** Whether these are the first bytes of a bundle. */
export const isBundle = (bytes: Uint8Array): boolean => MAGIC.every((byte, i) => bytes[i] === byte)

/** Bytes of the head of a bundle with that many replays. */
export function bundleHeadBytes(count: number): number {
  return HEAD + 4 * count
}

export function writeBundle(replays: readonly Uint8Array[]): Uint8Array {
  const start = bundleHeadBytes(replays.length)
  const out = new Uint8Array(replays.reduce((sum, replay) => sum + replay.length, start))
  const view = new DataView(out.buffer)
  out.set(MAGIC)
  view.setUint32(MAGIC.length, VERSION, true)
  view.setUint32(MAGIC.length + 4, replays.length, true)
  let at = start
  replays.forEach((replay, k) => {
    view.setUint32(HEAD + 4 * k, replay.length, true)
    out.set(replay, at)
    at += replay.length
  })
  return out
}

const bad = (got: string, expected: string) => new TroupeError('bad-file', { where: 'bundle', got, expected })

/**
 * Where the replays of a bundle lie. Needs its head only.
 * @param head the first bytes, at least `bundleHeadBytes(most)` or all
 * @param total bytes of the whole bundle
 * @param most replays accepted
 * @throws TroupeError bad-file or bad-version
 */
export function bundleParts(head: Uint8Array, total: number, most: number): BundlePart[] {
  if (head.length < HEAD || MAGIC.some((byte, i) => head[i] !== byte)) {
    throw bad('not a bundle of replays', `${BUNDLE_TYPE}, as writeBundle makes it`)
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  const version = view.getUint32(MAGIC.length, true)
  if (version !== VERSION) {
    throw new TroupeError('bad-version', { where: 'bundle: version', got: String(version), expected: String(VERSION) })
  }
  const count = view.getUint32(MAGIC.length + 4, true)
  if (count > most) throw bad(`${count} replays`, `${most} or fewer`)
  if (head.length < bundleHeadBytes(count)) throw bad('cut off in its head', `${count} lengths`)
  const parts: BundlePart[] = []
  let at = bundleHeadBytes(count)
  for (let k = 0; k < count; k++) {
    const bytes = view.getUint32(HEAD + 4 * k, true)
    if (at + bytes > total) throw bad(`cut off in replay ${k}`, `${bytes} bytes from byte ${at} on`)
    parts.push({ from: at, bytes })
    at += bytes
  }
  if (at !== total) throw bad(`${total} bytes`, `${at} bytes, as its head says`)
  return parts
}

/** The replays of a whole bundle, without copying. @throws TroupeError bad-file or bad-version */
export function readBundle(bytes: Uint8Array, most = 100_000): Uint8Array[] {
  return bundleParts(bytes, bytes.length, most).map(({ from, bytes: size }) => bytes.subarray(from, from + size))
}
