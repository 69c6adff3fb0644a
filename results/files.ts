/** Files that are whole or not there: written beside their place, flushed to disk, then renamed. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { TroupeError, shown } from '../envs/core/index.ts'
import { decodeSafetensors, encodeSafetensors, networksOf, type Checkpoint } from '../agents/core/checkpoint.ts'

const MAX_WEIGHTS = 1 << 30
const MAX_STATE = 1 << 28
const MAX_DATASET = 2 ** 31

/** Waits until a folder's entries are on disk; some systems cannot, and then the rename alone has to do. */
function flushFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    // Windows refuses to open folders; nothing is lost but the guarantee against a power cut.
  }
}

function writeFlushed(path: string, bytes: Uint8Array | string, mode = 0o666): void {
  const handle = openSync(path, 'w', mode)
  try {
    const data = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    for (let at = 0; at < data.length;) at += writeSync(handle, data, at)
    fsyncSync(handle)
  } catch (error) {
    // Errors of `write` do not say where; "no space left" without a place helps nobody.
    throw Object.assign(error as NodeJS.ErrnoException, { path })
  } finally {
    closeSync(handle)
  }
}

/**
 * Writes a file so that readers see the old one or the new one, never a part. The folder must be there.
 * Nothing is left behind when writing fails.
 * @param mode permissions of the new file, before the process's mask
 */
export function writeAtomic(path: string, bytes: Uint8Array | string, mode?: number): void {
  const beside = `${path}.new-${process.pid}`
  try {
    writeFlushed(beside, bytes, mode)
    renameSync(beside, path)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
  flushFolder(dirname(path))
}

/** `writeAtomic` of JSON with a newline at the end. */
export function writeJson(path: string, value: unknown): void {
  writeAtomic(path, `${JSON.stringify(value, null, 2)}\n`)
}

/**
 * Replaces a folder of files as a whole. At every moment the previous or the new one is there, under `folder` or, between
 * two renames, under `folder.old`; `presentFolder` finds it. Nothing is left behind when writing fails.
 */
export function replaceFolder(folder: string, files: Readonly<Record<string, Uint8Array | string>>): void {
  const fresh = `${folder}.new`
  const old = `${folder}.old`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { recursive: true })
  try {
    for (const [name, bytes] of Object.entries(files)) writeFlushed(join(fresh, name), bytes)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
  flushFolder(fresh)
  if (existsSync(folder)) {
    rmSync(old, { recursive: true, force: true })
    renameSync(folder, old)
  }
  renameSync(fresh, folder)
  flushFolder(dirname(folder))
  rmSync(old, { recursive: true, force: true })
}

/** The folder, or what `replaceFolder` had moved aside when the process died between its renames. */
export function presentFolder(folder: string): string | undefined {
  return [folder, `${folder}.old`].find((path) => existsSync(path))
}

/** Whether a process with this number is there, as far as this machine can tell; one of another user counts. */
export function isAlive(pid: number | undefined): boolean {
  if (pid === undefined || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Takes a folder for this process, so that two runs never write into one: `run.lock` in it holds the process number.
 * What a process that is gone (or an earlier one of our own number) left is taken over.
 * @returns gives the folder back
 * @throws TroupeError bad-usage while another process has it
 */
export function claimFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, 'run.lock')
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(path, `${process.pid}\n`, { flag: 'wx' })
      return () => rmSync(path, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || tries > 10) throw error
      const holder = Number.parseInt(existsSync(path) ? readFileSync(path, 'utf8') : '', 10)
      if (holder !== process.pid && holder > 0 && isAlive(holder)) {
        throw new TroupeError('bad-usage', {
          where: folder,
          got: `in use: process ${holder} is training into it`,
          expected: `another folder, or to wait (remove ${path} if that process is no run of troupe)`,
        })
      }
      rmSync(path, { force: true })
    }
  }
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Writes `folder`/weights.safetensors and state.json, replacing the checkpoint that was there as a whole. */
export function writeCheckpoint(folder: string, checkpoint: Checkpoint): void {
  writePair(folder, checkpoint.state, encodeSafetensors(checkpoint.weights, undefined, 'F32', true))
}

/** What only training needs: generators, what the lanes were doing, optimisers. */
const OF_TRAINING = ['generator', 'generators', 'optimisers', 'lanes']

/** A checkpoint to play from and not to go on from: networks in half precision, and what a policy reads of the state. */
export function writePlayable(folder: string, checkpoint: Checkpoint): void {
  const kept = Object.entries(checkpoint.state).filter(([name]) => !OF_TRAINING.includes(name))
  writePair(folder, Object.fromEntries(kept), encodeSafetensors(networksOf(checkpoint), undefined, 'F16', true))
}

function writePair(folder: string, rest: Checkpoint['state'], weights: Uint8Array): void {
  // Beside the learner's own fields, so that a torn pair is noticed.
  const state = { ...rest, weightsFile: sha256(weights) }
  replaceFolder(folder, { 'weights.safetensors': weights, 'state.json': `${JSON.stringify(state)}\n` })
}

function readCapped(path: string, limit: number, what = 'a file of a checkpoint'): Buffer {
  let size: number
  try {
    size = statSync(path).size
  } catch {
    throw new TroupeError('bad-file', { where: path, got: 'missing', expected: what })
  }
  if (size > limit)
    throw new TroupeError('bad-file', { where: path, got: `${size} bytes`, expected: `at most ${limit}` })
  return readFileSync(path)
}

/** The bytes of a file of recorded episodes. @throws TroupeError bad-file when it is missing or too large */
export function readDataset(path: string): Buffer {
  return readCapped(path, MAX_DATASET, 'a file of recorded episodes')
}

/**
 * Reads a checkpoint folder.
 * @throws TroupeError bad-file when a part is missing, unreadable or of another checkpoint
 */
export function readCheckpoint(folder: string): Checkpoint {
  const place = presentFolder(folder) ?? folder
  const weightsPath = join(place, 'weights.safetensors')
  const statePath = join(place, 'state.json')
  const bytes = readCapped(weightsPath, MAX_WEIGHTS)
  let state: Record<string, unknown>
  try {
    state = JSON.parse(readCapped(statePath, MAX_STATE).toString('utf8')) as Record<string, unknown>
  } catch (error) {
    if (error instanceof TroupeError) throw error
    throw new TroupeError('bad-file', { where: statePath, got: 'not JSON', expected: 'the state of a checkpoint' })
  }
  if (state === null || typeof state !== 'object' || Array.isArray(state)) {
    throw new TroupeError('bad-file', { where: statePath, got: shown(state), expected: 'the state of a checkpoint' })
  }
  const { weightsFile, ...rest } = state
  if (weightsFile !== sha256(bytes)) {
    throw new TroupeError('bad-file', {
      where: weightsPath,
      got: 'not the file that state.json was written with',
      expected: 'both files of one checkpoint',
    })
  }
  return { weights: decodeSafetensors(bytes, weightsPath), state: rest }
}
