/** What comes with troupe is on the boards of a new server, and has gone the way of anyone's submission. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { loadScenario, loadSuite } from '../../scenarios/load.ts'
import { scenarioHash } from '../../scenarios/open.ts'
import { Client } from '../board-testing.ts'
import { startServer, type RunningServer } from '../index.ts'
import { type Boards } from '../boards.ts'
import { panelSeeds } from '../seeds.ts'
import { Baselines } from './index.ts'
import { shippedId, shippedList } from './shipped.ts'

const list = shippedList()
const { scenarios } = loadSuite('core')
const task = loadScenario('matrix/pd')

test('the list has runs enough to be ranked: of random play everywhere, of a learner on all games and a warehouse', () => {
  const runs = (scenario: string, algorithm: string) =>
    list.runs.filter((run) => run.scenario === scenario && run.algorithm === algorithm).length
  for (const { id, env } of scenarios) {
    expect([id, runs(id, 'random')]).toEqual([id, 5])
    if (env === 'warehouse') expect([id, runs(id, 'warehouse-greedy')]).toEqual([id, 5])
    if (env === 'matrix' || id === 'warehouse/nano-2ag') expect([id, runs(id, 'mappo')]).toEqual([id, 5])
  }
  expect(new Set(list.runs.map(shippedId)).size).toBe(list.runs.length)
})

test('its tasks are those of this version, and it takes less than 20 MB', () => {
  const hashes = new Map(scenarios.map((scenario) => [scenario.id, scenarioHash(scenario)]))
  for (const run of list.runs)
    expect([run.scenario, run.scenarioHash]).toEqual([run.scenario, hashes.get(run.scenario)])
  const folder = fileURLToPath(new URL('./data', import.meta.url))
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  expect(bytes).toBeLessThan(20e6)
})

describe('a new server', () => {
  const data = mkdtempSync(join(tmpdir(), 'troupe-baselines-'))
  let server: RunningServer
  let boards: Boards
  let client: Client
  const some = list.runs.filter((run) => run.scenario === task.id && run.seed === '1' && run.algorithm !== 'ippo')
  const idOf = (algorithm: string) => shippedId(some.find((run) => run.algorithm === algorithm)!)

  beforeAll(async () => {
    const log = pino({ level: 'silent' })
    server = await startServer({ port: 0, data, log, boards: { scenarios: [task], workers: 1 } })
    if (!server.boards.on) throw new Error(server.boards.problem)
    boards = server.boards.open
    client = new Client(server.port, boards.adminKey)
    const baselines = new Baselines(boards, { ...list, runs: some })
    await baselines.start()
    await baselines.close()
  })
  afterAll(async () => {
    await server?.close()
    rmSync(data, { recursive: true, force: true })
  })

  test('shows them ranked, marked, with the mean that the list says, and a record in the log', async () => {
    const { json } = await client.get(`/api/boards/${encodeURIComponent(task.id)}?level=replayed`)
    expect(json.rows).toHaveLength(2)
    for (const row of json.rows) {
      const run = some.find((one) => shippedId(one) === row.id)!
      expect([row.standing, row.flags]).toEqual(['ranked', ['comes with troupe, on seeds that everybody knows']])
      expect(row.score.mean).toBeCloseTo(run.mean, 9)
      expect(row.compute.steps).toBe(run.compute?.steps ?? 0)
    }
    const log = await client.get('/api/log?limit=1000')
    const bodies = (kind: string) => log.json.records.filter((one: { kind: string }) => one.kind === kind)
    expect(bodies('accepted').map(({ body }: { body: { entry: string } }) => body.entry).sort()).toEqual(some.map(shippedId).sort()) // prettier-ignore
    expect(bodies('epoch-revealed')[0].body).toMatchObject({ key: list.key, shipped: true })
  })

  test('makes replays again when they are asked for, to the byte', async () => {
    for (const algorithm of ['random', 'mappo']) {
      const entry = await boards.entry(idOf(algorithm))
      expect(await boards.blobs.has(entry.bundle!)).toBe(false)
      const { status, headers } = await client.get(`/api/entries/${entry.id}/bundle`)
      expect([status, headers['content-length']]).toEqual([200, String(entry.bundle!.bytes)])
      expect(await boards.blobs.isSound(entry.bundle!)).toBe(true)
      expect((await client.get(`/api/replays/${encodeURIComponent(`board:${entry.id}:replayed-3`)}`)).status).toBe(200)
    }
  })

  test("plays nobody else on the seeds that everybody knows: submissions have the running epoch's, which is secret", async () => {
    const { id, seeds } = await client.open({ scenario: task.id })
    expect(seeds).not.toEqual(panelSeeds(list.key, scenarioHash(task), 'replayed', id, seeds!.length))
    const { epochs } = (await client.get('/api/epochs')).json
    expect(epochs.map(({ key }: { key: string | null }) => key)).toEqual([null, list.key])
    // Ending an epoch publishes its key and opens one more; the known one changes nothing.
    await client.ask('POST', '/api/epochs', {})
    const after = (await client.get('/api/epochs')).json.epochs.map(({ key }: { key: string | null }) => key === null)
    expect(after).toEqual([true, false, false])
  })

  test('refuses a baseline whose list says more than its actions are worth', async () => {
    const [run] = list.runs.filter(({ scenario, algorithm, seed }) => scenario === task.id && algorithm === 'ippo' && seed === '1') // prettier-ignore
    const baselines = new Baselines(boards, { ...list, runs: [{ ...run, mean: run.mean + 0.5 }] })
    await baselines.start()
    await baselines.close()
    const entry = await boards.entry(shippedId(run))
    expect([entry.state, entry.failure?.message]).toEqual([
      'failed',
      expect.stringContaining(`claimed mean is ${run.mean + 0.5}; the replays are worth ${run.mean}`),
    ])
  })

  test('puts nothing on its boards twice', async () => {
    const before = (await boards.head()).seq
    const baselines = new Baselines(boards, { ...list, runs: some })
    await baselines.start()
    await baselines.close()
    expect((await boards.head()).seq).toBe(before)
  })
})
