/** What tests of all rooms share. No build holds it. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { TroupeError } from './envs/core/errors.ts'
import { type EnvBatch } from './envs/core/types.ts'

/** The error with which `work` is refused. @throws Error when nothing is refused, and whatever else `work` throws */
export function refusal(work: () => unknown): TroupeError {
  try {
    work()
  } catch (error) {
    if (error instanceof TroupeError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

/** Recorded behaviour of other programs and exact vectors: beside the checkout, or where TROUPE_FIXTURES says. */
const FIXTURES = process.env.TROUPE_FIXTURES ?? resolve(import.meta.dirname, '../shared/fixtures')

/**
 * The path of a file or folder of the fixtures, or undefined where it is not at hand: tests that need it are then
 * skipped, and one line says so.
 * @throws Error in CI, where they are required
 */
export function fixture(name: string): string | undefined {
  const path = join(FIXTURES, name)
  if (existsSync(path)) return path
  if (process.env.CI) throw new Error(`fixtures are required in CI, and there is no ${path}`)
  console.warn(`no ${path}: tests that compare with it are skipped (TROUPE_FIXTURES names another folder)`)
  return undefined
}

/** What a JSON file of the fixtures holds; the rest as `fixture` has it. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each test knows what its file holds
export function fixtureJson<T = any>(name: string): T | undefined {
  const path = fixture(name)
  return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as T)
}

/** A file of recorded transitions. */
export interface Recording<T> {
  /** Folder and file, such as given/lbf_small.json.gz. */
  readonly name: string
  read(): T
}

/** Every recording of a grid or particle world whose file begins with `prefix`; none where fixtures are not at hand. */
export function recordings<T>(prefix: string): Recording<T>[] {
  const folder = fixture('gridworlds')
  if (folder === undefined) return []
  const names = ['given', 'hidden']
    .filter((part) => existsSync(join(folder, part)))
    .flatMap((part) => readdirSync(join(folder, part)).map((file) => ({ part, file })))
    .filter(({ file }) => file.startsWith(prefix))
    .map(({ part, file }) => `${part}/${file}`)
  if (names.length === 0) throw new Error(`no recording in ${folder} begins with ${prefix}`)
  return names.map((name) => ({
    name,
    read: () => JSON.parse(gunzipSync(readFileSync(join(folder, name))).toString()) as T,
  }))
}

/** SHA-256 of the AssemblyScript in a folder, as `scripts/assembly.mjs` writes it beside what it compiled. */
export function sourcesOf(folder: string): string {
  const digest = createHash('sha256')
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith('.ts')) digest.update(`${name}\n${readFileSync(join(folder, name), 'utf8')}`)
  }
  return digest.digest('hex')
}

const bytesOf = (array: ArrayBufferView) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)

/**
 * Plays two implementations of one world side by side, and compares states and all that they show, bit by bit.
 * @param twins the fast and the plain one, with the same options and seats
 * @param choose the joint action of a step
 * @throws Error naming the first number that differs
 */
export function playTwins<A extends Int32Array | Float32Array>(
  [fast, plain]: readonly [EnvBatch, EnvBatch],
  steps: number,
  choose: (fast: EnvBatch, step: number) => A,
): void {
  const shown = [
    'observation',
    'state',
    'mask',
    'alive',
    'reward',
    'terminated',
    'truncated',
    'finalObservation',
  ] as const
  for (const batch of [fast, plain]) {
    batch.observation.fill(NaN)
    batch.state.fill(NaN)
    batch.reset()
  }
  for (let step = 0; step < steps; step++) {
    for (let lane = 0; lane < fast.lanes; lane++) {
      if (fast.hash(lane) !== plain.hash(lane)) throw new Error(`step ${step}: the states of lane ${lane} differ`)
    }
    for (const name of shown) {
      if (bytesOf(fast[name]).equals(bytesOf(plain[name]))) continue
      const at = fast[name].findIndex((value, i) => !Object.is(value, plain[name][i]))
      throw new Error(`step ${step}: ${name}[${at}] is ${fast[name][at]}, ${plain[name][at]} in plain rules`)
    }
    const action = choose(fast, step)
    fast.step(action)
    plain.step(action)
  }
}
