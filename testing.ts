/** What tests of all rooms share. No build holds it. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { TroupeError } from './envs/core/errors.ts'

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
