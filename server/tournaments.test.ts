import { afterAll, expect, test } from 'vitest'
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tournament } from '../results/tournament.ts'
import { POLICIES } from '../agents/index.ts'
import { loadScenario } from '../scenarios/load.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { LIMITS } from './limits.ts'
import { Tournaments } from './tournaments.ts'

const data = mkdtempSync(join(tmpdir(), 'troupe-tournaments-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const shipped = loadScenario('matrix/pd-last')
const scenario = { ...shipped, options: { ...shipped.options, horizon: 3 } }
const players = ['matrix-allc', 'matrix-alld']
const entrants = players.map((name) => ({ name, policy: POLICIES[name].create(scenarioSpec(scenario)) }))
const good = { scenario, seed: '1', ...tournament({ scenario, entrants, episodes: 2, seed: '1' }) }
const put = (name: string, content: string, at: number) => {
  mkdirSync(join(data, 'tournaments', name), { recursive: true })
  const file = join(data, 'tournaments', name, 'tournament.json')
  writeFileSync(file, content)
  utimesSync(file, at, at)
}
const broken = (patch: object) => JSON.stringify({ ...good, ...patch })

test('a data folder without tournaments has an empty list', async () => {
  expect(await new Tournaments(join(data, 'nowhere'), LIMITS).list()).toEqual({ tournaments: [], skipped: [] })
})

test('tournaments are listed newest first; what cannot be read is named with its reason', async () => {
  put('older', JSON.stringify(good), 1000)
  put('newer', JSON.stringify(good), 2000)
  put('not-json', '{', 3000)
  put('short', broken({ payoffs: [[1, 2]] }), 3000)
  put('stranger', broken({ ratings: [{ player: 'eve', rating: 1500, deviation: 1, games: 4 }] }), 3000)
  put('twice', broken({ order: [1, 1] }), 3000)
  put('unsure', broken({ wins: [[0, 1.5], [0, 0]] }), 3000) // prettier-ignore
  mkdirSync(join(data, 'tournaments', 'empty'))
  const tournaments = new Tournaments(data, LIMITS)
  const { tournaments: list, skipped } = await tournaments.list()
  const line = { scenario: 'matrix/pd-last', players: 2, best: 'matrix-alld', episodes: 2 }
  expect(list).toEqual([
    { id: 'newer', ...line, at: '1970-01-01T00:33:20.000Z' },
    { id: 'older', ...line, at: '1970-01-01T00:16:40.000Z' },
  ])
  const reasons = Object.fromEntries(skipped.map(({ id, reason }) => [id, reason]))
  expect(Object.keys(reasons)).toEqual(['empty', 'not-json', 'short', 'stranger', 'twice', 'unsure'])
  expect(reasons.empty).toMatch(/not there/)
  expect(reasons['not-json']).toMatch(/JSON/)
  expect(reasons.short).toMatch(/payoffs is of another size; expected 2 rows of 2/)
  expect(reasons.stranger).toMatch(/ratings is "eve"/)
  expect(reasons.twice).toMatch(/order is not every player once/)
  expect(reasons.unsure).toMatch(/wins/)
  expect(JSON.stringify(skipped)).not.toContain(data)
  await expect(tournaments.find('short')).rejects.toMatchObject({ code: 'bad-file' })
  await expect(tournaments.find('unsure')).rejects.toMatchObject({ code: 'bad-file' })
})

test('one is found by its name alone, and a name is never a path', async () => {
  const tournaments = new Tournaments(data, LIMITS)
  const { scenario: _, ...tables } = good
  expect(await tournaments.find('older')).toMatchObject({ id: 'older', ...tables, scenario: { id: 'matrix/pd-last' } })
  await expect(tournaments.find('oldr')).rejects.toMatchObject({ code: 'unknown-name', nearest: '"older"' })
  for (const id of ['../tournaments/older', '.', '..', 'older/', '']) {
    await expect(tournaments.find(id)).rejects.toMatchObject({ code: 'unknown-name' })
  }
})
