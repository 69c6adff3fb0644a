/** A reader checks an entry of a board: from the server's address, and offline from the files of its page. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { POLICIES } from '../agents/index.ts'
import { playEpisodes } from '../agents/core/play.ts'
import { openScenario, scenarioSpec, type Scenario } from '../scenarios/open.ts'
import { startServer, type RunningServer } from '../server/index.ts'
import { BUNDLE_TYPE, writeBundle } from '../server/protocol/bundle.ts'
import { type EntryDetail, type Submission } from '../server/protocol/rest.ts'
import { readReplay, writeReplay } from '../envs/core/replay.ts'
import { entryLine, verifyEntryAt, verifyEntryFile } from './verify-entry.ts'

const scenario: Scenario = {
  ...{
    id: 'matrix/test-pd',
    title: 'For tests',
    env: 'matrix',
    version: '1',
    options: { game: 'pd' },
    teamReward: 'mean',
  },
  evaluation: { points: 1, episodes: 32, absoluteEpisodes: 32, policy: 'greedy' },
}

const data = mkdtempSync(join(tmpdir(), 'troupe-verify-'))
let server: RunningServer
let id: string
let detail: EntryDetail
let bundle: Buffer

beforeAll(async () => {
  const boards = { scenarios: [scenario], workers: 1 }
  server = await startServer({ port: 0, data, log: pino({ level: 'silent' }), boards })
  if (!server.boards.on) throw new Error(server.boards.problem)
  const headers = { authorization: `Bearer ${server.boards.open.adminKey}` }
  const description = { name: 'somebody', algorithm: 'random', mode: 'sample', centralised: false }
  const opened = await fetch(`${server.url}/api/submissions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ scenario: scenario.id, level: 'replayed', description }),
  })
  const { id: made, seeds } = (await opened.json()) as Submission
  id = made
  const { episodes } = playEpisodes({
    batch: openScenario(scenario, { lanes: 16, autoreset: 'disabled' }),
    policy: POLICIES.random.create(scenarioSpec(scenario)),
    ...{ seeds: seeds!, rng: '1', teamReward: scenario.teamReward, channels: false },
    record: () => ({ scenario: { ...scenario }, policies: [{ name: 'random' }], package: '0' }),
  })
  await fetch(`${server.url}/api/submissions/${id}/bundle`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': BUNDLE_TYPE },
    body: writeBundle(episodes.map(({ replay }) => writeReplay(readReplay(replay!)))) as Uint8Array<ArrayBuffer>,
  })
  await server.boards.open.submissions.idle()
  detail = (await (await fetch(`${server.url}/api/entries/${id}`)).json()) as EntryDetail
  bundle = Buffer.from(await (await fetch(`${server.url}/api/entries/${id}/bundle`)).arrayBuffer())
})
afterAll(async () => {
  await server?.close()
  rmSync(data, { recursive: true, force: true })
})

test('an entry on a server is simulated again, its score computed anew, its record in the log checked', async () => {
  const result = await verifyEntryAt(`${server.url}/entry/${id}`)
  expect(result).toMatchObject({ ok: true, episodes: 32, checked: 32, scored: true, logged: true, seeded: false })
  expect(result.mean).toBeCloseTo(detail.row.score!.mean, 12)
  expect(entryLine(result)).toMatch(/^genuine .*32 episodes.*score and interval computed anew, its record is signed\)$/)
  // Once the key is out, the seeds are made anew, too.
  if (server.boards.on) await server.boards.open.submissions.epochs.next()
  expect(await verifyEntryAt(`${server.url}/api/entries/${id}`)).toMatchObject({ ok: true, seeded: true })
})

test('offline, the files of its page are enough; whatever was changed in them is named', () => {
  const file = join(data, 'entry.json')
  const write = (entry: EntryDetail, bytes: Uint8Array) => {
    writeFileSync(file, JSON.stringify(entry))
    writeFileSync(join(data, 'entry.replays'), bytes)
    return verifyEntryFile(file, entry)
  }
  expect(write(detail, bundle)).toMatchObject({ ok: true, checked: 32, scored: true })
  const raised = structuredClone(detail)
  raised.row.score!.mean += 1
  const found = write(raised, bundle)
  expect(found.ok).toBe(false)
  expect(found.differences.join('\n')).toContain(
    `mean: the entry says ${raised.row.score!.mean}, found ${detail.row.score!.mean}`,
  )
  expect(found.differences.join('\n')).toMatch(/log: record \d+ says mean/)
  const flipped = Buffer.from(bundle)
  flipped[flipped.length - 30] ^= 1
  expect(write(detail, flipped).ok).toBe(false)
  const forged = structuredClone(detail)
  ;(forged.receipt as { body: { mean: number } }).body.mean += 1
  expect(write(forged, bundle).differences[0]).toMatch(/^log: record \d+: hash/)
})

test('an address that is no entry, and a server that does not answer, are told in one sentence', async () => {
  await expect(verifyEntryAt(`${server.url}/boards`)).rejects.toThrow(/another page; expected the address of an entry/)
  await expect(verifyEntryAt(`${server.url}/entry/00000000000000000000`)).rejects.toThrow(/entry is "0+"/)
  await expect(verifyEntryAt('http://127.0.0.1:9/entry/abc')).rejects.toThrow(/not reached/)
})
