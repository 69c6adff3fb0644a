import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { type Checkpoint } from '../agents/core/checkpoint.ts'
import { claimFolder, readCheckpoint, replaceFolder, writeAtomic, writeCheckpoint, writePlayable } from './files.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-files-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const place = (name: string) => {
  const folder = join(home, name)
  mkdirSync(folder)
  return folder
}

const checkpoint = (value: number): Checkpoint => ({
  weights: { 'actor/layer0/weight': { shape: [2], data: Float32Array.of(value, -value) } },
  state: { format: 1, steps: value },
})

test('a file is replaced as a whole and nothing lies beside it', () => {
  const folder = place('whole')
  writeAtomic(join(folder, 'a.json'), 'first')
  writeAtomic(join(folder, 'a.json'), new TextEncoder().encode('second'))
  expect(readFileSync(join(folder, 'a.json'), 'utf8')).toBe('second')
  expect(readdirSync(folder)).toEqual(['a.json'])
})

test('a write that fails leaves the old file and no scraps', () => {
  const folder = place('failing')
  mkdirSync(join(folder, 'taken/inside'), { recursive: true }) // a folder cannot be replaced by a file
  expect(() => writeAtomic(join(folder, 'taken'), 'text')).toThrow()
  expect(readdirSync(folder)).toEqual(['taken'])
  expect(() => writeAtomic(join(folder, 'missing/a.json'), 'text')).toThrow(/ENOENT/)
})

test('a full disk is named with the file, and leaves no scraps', () => {
  const folder = place('full')
  const path = join(folder, 'a.json')
  symlinkSync('/dev/full', `${path}.new-${process.pid}`) // what is written there finds no room
  expect(() => writeAtomic(path, 'text')).toThrow(expect.objectContaining({ code: 'ENOSPC', path: expect.any(String) }))
  expect(readdirSync(folder)).toEqual([])
})

test('a checkpoint that cannot be written leaves the old one and no scraps', () => {
  const folder = join(place('half'), 'last')
  writeCheckpoint(folder, checkpoint(1))
  expect(() => replaceFolder(folder, { 'weights.safetensors': 'new', 'no/such/folder.json': '{}' })).toThrow(/ENOENT/)
  expect(readCheckpoint(folder)).toEqual(checkpoint(1))
  expect(readdirSync(join(folder, '..'))).toEqual(['last'])
})

test('a checkpoint comes back to the bit, and the next one replaces it', () => {
  const folder = join(place('checkpoint'), 'last')
  writeCheckpoint(folder, checkpoint(1))
  expect(readCheckpoint(folder)).toEqual(checkpoint(1))
  writeCheckpoint(folder, checkpoint(2))
  expect(readCheckpoint(folder)).toEqual(checkpoint(2))
  expect(readdirSync(folder).sort()).toEqual(['state.json', 'weights.safetensors'])
  expect(readdirSync(join(folder, '..'))).toEqual(['last'])
})

test('wherever a writer dies, a whole checkpoint can be read, and the next write cleans up', () => {
  const folder = join(place('dying'), 'last')
  writeCheckpoint(folder, checkpoint(1))
  // While the new folder is written:
  mkdirSync(`${folder}.new`)
  writeFileSync(join(`${folder}.new`, 'weights.safetensors'), 'half')
  expect(readCheckpoint(folder)).toEqual(checkpoint(1))
  // Between the two renames:
  renameSync(folder, `${folder}.old`)
  expect(readCheckpoint(folder)).toEqual(checkpoint(1))
  writeCheckpoint(folder, checkpoint(2))
  expect(readCheckpoint(folder)).toEqual(checkpoint(2))
  // Before the old one is removed:
  mkdirSync(`${folder}.old`)
  writeCheckpoint(folder, checkpoint(3))
  expect(readCheckpoint(folder)).toEqual(checkpoint(3))
  expect(existsSync(`${folder}.new`)).toBe(false)
  expect(existsSync(`${folder}.old`)).toBe(false)
})

test('a checkpoint to play from has the networks in half precision and nothing that only training needs', () => {
  const folder = join(place('playable'), 'best')
  const weights = { 'actor/bias': { shape: [2], data: Float32Array.of(0.5, 1 / 3) } }
  const moments = { 'optimiser/actor/bias': { shape: [2], data: Float32Array.of(1, 2) } }
  const state = {
    format: 2,
    algorithm: 'mappo',
    settings: { hidden: 4 },
    normalisers: {},
    lanes: [1, 2],
    generators: [3],
  }
  writePlayable(folder, { weights: { ...weights, ...moments }, state })
  const read = readCheckpoint(folder)
  expect(read.state).toEqual({ format: 2, algorithm: 'mappo', settings: { hidden: 4 }, normalisers: {} })
  expect(read.weights).toEqual({ 'actor/bias': { shape: [2], data: Float32Array.of(0.5, 0.333251953125) } }) // 1365 / 4096
})

test('files of two checkpoints are not taken for one; missing and broken ones are named', () => {
  const folder = join(place('torn'), 'last')
  writeCheckpoint(folder, checkpoint(1))
  const older = readFileSync(join(folder, 'weights.safetensors'))
  writeCheckpoint(folder, checkpoint(2))
  writeFileSync(join(folder, 'weights.safetensors'), older)
  expect(() => readCheckpoint(folder)).toThrow(/weights.safetensors is not the file that state.json was written with/)
  writeFileSync(join(folder, 'state.json'), '{"format":1')
  expect(() => readCheckpoint(folder)).toThrow(/state.json is not JSON/)
  rmSync(join(folder, 'weights.safetensors'))
  expect(() => readCheckpoint(folder)).toThrow(/weights.safetensors is missing/)
})

test('an interrupted replacement of any folder keeps all its files together', () => {
  const folder = join(place('folder'), 'set')
  replaceFolder(folder, { a: '1', b: '1' })
  replaceFolder(folder, { a: '2', c: '2' })
  expect(readdirSync(folder).sort()).toEqual(['a', 'c'])
})

test('a folder belongs to one living process at a time', () => {
  const folder = place('claimed')
  const lock = join(folder, 'run.lock')
  const release = claimFolder(folder)
  expect(readFileSync(lock, 'utf8')).toBe(`${process.pid}\n`)
  release()
  expect(readdirSync(folder)).toEqual([])
  writeFileSync(lock, `${process.ppid}\n`)
  expect(() => claimFolder(folder)).toThrow(`in use: process ${process.ppid} is training into it`)
  expect(readFileSync(lock, 'utf8')).toBe(`${process.ppid}\n`)
  // Left by one that died, or cut short: taken over.
  for (const left of [String(spawnSync(process.execPath, ['-e', '0']).pid), '', 'rubbish']) {
    writeFileSync(lock, left)
    claimFolder(folder)()
    expect(readdirSync(folder)).toEqual([])
  }
})
