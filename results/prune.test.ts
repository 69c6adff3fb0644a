import { afterAll, expect, test } from 'vitest'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { planPrune, prune } from './prune.ts'

const data = mkdtempSync(join(tmpdir(), 'troupe-prune-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const DAY = 86_400_000
const now = Date.UTC(2026, 0, 31)
const replay = (folder: string, name: string, bytes: number, daysOld: number) => {
  mkdirSync(join(data, folder, 'replays'), { recursive: true })
  const file = join(data, folder, 'replays', name)
  writeFileSync(file, new Uint8Array(bytes))
  utimesSync(file, (now - daysOld * DAY) / 1000, (now - daysOld * DAY) / 1000)
}
replay('.', 'old.replay', 100, 40)
replay('.', 'new.replay', 100, 1)
replay('runs/a', 'evidence.replay', 100, 90)
replay('runs/a', 'watched.replay', 100, 50)
writeFileSync(join(data, 'runs/a/record.json'), '{"absolute":{"replays":[{"file":"replays/evidence.replay"}]}}')
writeFileSync(join(data, 'runs/a/replays/notes.txt'), 'no replay')
writeFileSync(join(data, 'elsewhere'), 'x')
symlinkSync(join(data, 'elsewhere'), join(data, 'replays/link.replay'))

const names = (request: Parameters<typeof planPrune>[0]) =>
  planPrune({ ...request, now }).remove.map(({ file }) => file.split('/').pop())

test('what is older goes, and the oldest go until the rest fits; a replay that a record points to always stays', () => {
  expect(planPrune({ data, now })).toMatchObject({ remove: [], replays: 4, bytes: 400, evidence: 1 })
  expect(names({ data, days: 30 })).toEqual(['watched.replay', 'old.replay'])
  expect(names({ data, bytes: 300 })).toEqual(['watched.replay'])
  expect(names({ data, bytes: 0 })).toEqual(['watched.replay', 'old.replay', 'new.replay'])
})

test('only what was planned is removed: no links, nothing else', () => {
  prune(planPrune({ data, days: 30, now }).remove)
  expect(readdirSync(join(data, 'replays')).sort()).toEqual(['link.replay', 'new.replay'])
  expect(readdirSync(join(data, 'runs/a/replays')).sort()).toEqual(['evidence.replay', 'notes.txt'])
  expect(planPrune({ data: join(data, 'nowhere') })).toMatchObject({ replays: 0, remove: [] })
})
