/** Careful reading: only plain files, only so much of them, and no name that leads elsewhere. */
import { open, readdir } from 'node:fs/promises'
import { constants, type Dirent } from 'node:fs'
import { TroupeError } from '../envs/core/errors.ts'

/** A file as it was when read: size and time tell versions apart. */
export interface Version {
  readonly bytes: number
  readonly modifiedMs: number
}

/** Names that may become part of an id: no separators, no control characters, not hidden. */
export function isPlainName(name: string): boolean {
  return name.length > 0 && name.length <= 180 && !name.startsWith('.') && !/[\u0000-\u001f\u007f/\\:]/.test(name)
}

/** Open for reading; neither waits for a pipe nor follows a link, where the system can say so. */
const PLAIN = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Entries of a folder; a folder that is not there is empty. */
export async function entries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

/**
 * Reads a part of a plain file.
 * @param from first byte; negative counts from the end
 * @param limit largest part read
 * @throws TroupeError bad-file when it is no plain file, the system's error otherwise
 */
export async function readPart(
  path: string,
  name: string,
  from: number,
  limit: number,
): Promise<Version & { inode: number; start: number; part: Uint8Array }> {
  const file = await open(path, PLAIN)
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new TroupeError('bad-file', { where: name, got: 'not a file', expected: 'a plain file' })
    const start = from < 0 ? Math.max(0, stat.size + from) : Math.min(from, stat.size)
    const part = new Uint8Array(Math.min(limit, stat.size - start))
    let have = 0
    while (have < part.length) {
      const { bytesRead } = await file.read(part, have, part.length - have, start + have)
      if (bytesRead === 0) break
      have += bytesRead
    }
    return { bytes: stat.size, modifiedMs: stat.mtimeMs, inode: stat.ino, start, part: part.subarray(0, have) }
  } finally {
    await file.close()
  }
}

/** Reads a whole plain file. @throws TroupeError bad-file when it is larger than `limit` bytes */
export async function readWhole(path: string, name: string, limit: number): Promise<Version & { part: Uint8Array }> {
  const read = await readPart(path, name, 0, limit)
  if (read.bytes > limit) {
    throw new TroupeError('bad-file', { where: name, got: `${read.bytes} bytes`, expected: `${limit} or less` })
  }
  return read
}

/** Reads a JSON object. @throws TroupeError bad-file, SyntaxError or the system's error */
export async function readObject(
  path: string,
  name: string,
  limit: number,
): Promise<Version & { value: Record<string, unknown> }> {
  const { part, bytes, modifiedMs } = await readWhole(path, name, limit)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(part))
  } catch {
    throw new TroupeError('bad-file', { where: name, got: 'not JSON', expected: 'a JSON object' })
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new TroupeError('bad-file', { where: name, got: 'not an object', expected: 'a JSON object' })
  }
  return { bytes, modifiedMs, value: value as Record<string, unknown> }
}

/** Runs a task over items, a few at a time, and keeps their order. */
export async function inOrder<T, R>(items: readonly T[], task: (item: T) => Promise<R>, width = 16): Promise<R[]> {
  const results = new Array<R>(items.length)
  let next = 0
  const worker = async () => {
    while (next < items.length) {
      const i = next++
      results[i] = await task(items[i])
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
  return results
}
