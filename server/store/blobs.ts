/**
 * Files named by their content. A file is written beside its place, flushed, and renamed, so it is whole or not there;
 * it never changes afterwards, so it may be read, copied and linked without asking.
 */
import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TroupeError } from '../../envs/core/errors.ts'
import { Refusal } from '../refusal.ts'

export interface Blob {
  readonly sha256: string
  readonly bytes: number
}

const NAME = /^[0-9a-f]{64}$/

export class Blobs {
  private readonly folder: string
  private readonly incoming: string

  /** @param folder made by `open` */
  constructor(folder: string) {
    this.folder = join(folder, 'blobs')
    this.incoming = join(folder, 'incoming')
  }

  async open(): Promise<void> {
    await mkdir(this.folder, { recursive: true })
    await mkdir(this.incoming, { recursive: true })
  }

  /** Where the content of that hash lies; the hash is checked, so that it leads nowhere else. */
  path(sha256: string): string {
    if (!NAME.test(sha256)) {
      throw new TroupeError('bad-usage', { where: 'blob', got: 'not a hash', expected: '64 hex digits' })
    }
    return join(this.folder, sha256.slice(0, 2), sha256)
  }

  /** Folder and file name, for senders that want both. */
  place(sha256: string): { folder: string; file: string } {
    this.path(sha256)
    return { folder: join(this.folder, sha256.slice(0, 2)), file: sha256 }
  }

  /**
   * Takes bytes as they come. When it returns, they are on disk for good.
   * @param most bytes accepted
   * @throws Refusal too-large; the system's error when the disk is full
   */
  async take(source: AsyncIterable<Uint8Array>, most: number): Promise<Blob> {
    const beside = join(this.incoming, randomBytes(12).toString('hex'))
    const hash = createHash('sha256')
    let bytes = 0
    let file: FileHandle | undefined
    try {
      file = await open(beside, 'wx', 0o640)
      for await (const part of source) {
        bytes += part.length
        if (bytes > most) throw new Refusal(413, 'too-large', 'upload', `more than ${most} bytes`, `${most} or less`)
        hash.update(part)
        for (let at = 0; at < part.length;) at += (await file.write(part, at)).bytesWritten
      }
      await file.sync()
      await file.close()
      file = undefined
      const sha256 = hash.digest('hex')
      const { folder } = this.place(sha256)
      if ((await mkdir(folder, { recursive: true })) !== undefined) await flush(this.folder)
      await rename(beside, join(folder, sha256))
      await flush(folder)
      return { sha256, bytes }
    } catch (error) {
      await file?.close().catch(() => undefined)
      await rm(beside, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async has({ sha256, bytes }: Blob): Promise<boolean> {
    const found = await stat(this.path(sha256)).catch(() => undefined)
    return found?.isFile() === true && found.size === bytes
  }

  /** Whether the bytes are still those of their name. */
  async isSound({ sha256, bytes }: Blob): Promise<boolean> {
    if (!(await this.has({ sha256, bytes }))) return false
    const hash = createHash('sha256')
    const file = await open(this.path(sha256))
    try {
      for await (const part of file.createReadStream()) hash.update(part as Uint8Array)
    } finally {
      await file.close().catch(() => undefined)
    }
    return hash.digest('hex') === sha256
  }

  /** @param from first byte; negative is refused @throws the system's error when it is gone */
  async read(sha256: string, from = 0, bytes?: number): Promise<Uint8Array> {
    const file = await open(this.path(sha256))
    try {
      const { size } = await file.stat()
      const part = new Uint8Array(Math.max(0, Math.min(bytes ?? size, size - from)))
      for (let have = 0; have < part.length;) {
        const { bytesRead } = await file.read(part, have, part.length - have, from + have)
        if (bytesRead === 0) break
        have += bytesRead
      }
      return part
    } finally {
      await file.close()
    }
  }

  async remove(sha256: string): Promise<void> {
    await rm(this.path(sha256), { force: true })
  }

  /** All hashes that are there. */
  async *all(): AsyncGenerator<string> {
    for (const entry of await readdir(this.folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue
      for (const name of await readdir(join(this.folder, entry.name))) if (NAME.test(name)) yield name
    }
  }

  /** Removes what uploads left that never ended. Only while no other server works here. */
  async sweepIncoming(): Promise<number> {
    const left = await readdir(this.incoming)
    for (const name of left) await rm(join(this.incoming, name), { force: true })
    return left.length
  }

  /** Puts a copy of one file into another folder of blobs: a second name where the disk allows it, else a copy. */
  async copyTo(other: Blobs, blob: Blob): Promise<void> {
    if (await other.has(blob)) return
    const { folder, file } = other.place(blob.sha256)
    await mkdir(folder, { recursive: true })
    try {
      await link(this.path(blob.sha256), join(folder, file))
      await flush(folder)
    } catch {
      const source = await open(this.path(blob.sha256))
      try {
        await other.take(source.createReadStream() as AsyncIterable<Uint8Array>, blob.bytes)
      } finally {
        await source.close().catch(() => undefined)
      }
    }
  }
}

/** Waits until a folder's entries are on disk; some systems cannot, and then the rename alone has to do. */
async function flush(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // Windows refuses to open folders; nothing is lost but the guarantee against a power cut.
  }
}
