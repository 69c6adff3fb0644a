/**
 * Load figures of the leaderboard: `node dist/server/load/index.js [verify] [submit] [board]`, default all; TROUPE_ROWS,
 * TROUPE_READERS and TROUPE_SECONDS change the last. Prints one line of JSON each: episodes verified per second of one core, the way of a submission from its last byte to the board, and pages of a large
 * board under concurrent readers (a process of their own), first with nothing in memory, then again. The figures in README.md come from here.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { Generator, episodeSeed, namedSeed } from '../../envs/core/index.ts'
import { readReplay, writeReplay } from '../../envs/core/replay.ts'
import { playEpisodes } from '../../agents/core/play.ts'
import { POLICIES } from '../../agents/index.ts'
import { compiled } from '../../results/workers.ts'
import { loadScenario } from '../../scenarios/load.ts'
import { openScenario, scenarioHash, scenarioSpec, type Scenario } from '../../scenarios/open.ts'
import { BOARD_LIMITS } from '../board-limits.ts'
import { type Boards, startServer } from '../index.ts'
import { newId } from '../keys.ts'
import { BUNDLE_TYPE, writeBundle } from '../protocol/bundle.ts'
import { type Submission } from '../protocol/rest.ts'
import { type EntryRow } from '../store/store.ts'
import { judge } from '../verification/judge.ts'

const asked = process.argv.slice(2)
const wants = (what: string) => asked.length === 0 || asked.includes(what)
const setting = (name: string, usual: number) => Number(process.env[`TROUPE_${name}`] ?? usual)
const rows = setting('ROWS', 100_000)
const readers = setting('READERS', 50)
const seconds = setting('SECONDS', 10)
const say = (document: unknown) => process.stdout.write(`${JSON.stringify(document)}\n`)
const scenario = loadScenario('warehouse/tiny-4ag')
const quantile = (sorted: readonly number[], q: number) =>
  Math.round(10 * sorted[Math.floor((sorted.length - 1) * q)]) / 10

function replays(seeds: readonly string[]): Uint8Array[] {
  const batch = openScenario(scenario, { lanes: 32, autoreset: 'disabled' })
  const { episodes } = playEpisodes({
    batch,
    policy: POLICIES.random.create(scenarioSpec(scenario)),
    seeds,
    rng: 'load',
    teamReward: scenario.teamReward,
    record: () => ({ scenario: { ...scenario }, policies: [{ name: 'random' }], package: 'load' }),
  })
  return episodes.map(({ replay }) => {
    const { probability: _p, value: _v, ...rest } = readReplay(replay!)
    return writeReplay(rest)
  })
}

/** Episodes per second of processor time, files read and all. */
function verification(): Record<string, unknown> {
  const seeds = Array.from({ length: BOARD_LIMITS.jobEpisodes }, (_, k) => episodeSeed('load', 'eval', 0, k))
  const files = replays(seeds)
  const caps = { replayBytes: 1 << 20, memoryBytes: 1 << 24, steps: 500, agents: 8 }
  const rates: number[] = []
  for (let run = 0; run < 8; run++) {
    const began = process.cpuUsage()
    for (let k = 0; k < 12; k++) {
      const verdict = judge({ scenario, seeds, first: 0, caps }, files)
      if (!verdict.ok) throw new Error(verdict.failure.message)
    }
    const { user, system } = process.cpuUsage(began)
    rates.push((12 * files.length) / ((user + system) / 1e6))
  }
  const sorted = rates.slice(2).sort((a, b) => a - b)
  return {
    unit: 'episodes of 500 steps, 4 robots, per second of CPU',
    median: Math.round(sorted[3]),
    best: Math.round(sorted[5]),
  }
}

/** From the first byte of the upload to the row on the board. */
async function submission(url: string, key: string): Promise<Record<string, unknown>> {
  const ask = async (method: string, path: string, body?: Uint8Array<ArrayBuffer> | object) => {
    const bytes = body instanceof Uint8Array
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': bytes ? BUNDLE_TYPE : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: bytes ? body : JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(await answer.text())
    return (await answer.json()) as Submission
  }
  const taken: number[] = []
  for (let run = 0; run < 2; run++) {
    const description = { name: 'load', algorithm: 'random', mode: 'sample', centralised: false }
    const opened = await ask('POST', '/submissions', { scenario: scenario.id, level: 'replayed', description })
    const bundle = writeBundle(replays(opened.seeds!)) as Uint8Array<ArrayBuffer>
    await new Promise((resolve) => setTimeout(resolve, 50)) // the connection that went stale meanwhile is noticed
    const began = performance.now()
    await ask('PUT', `/submissions/${opened.id}/bundle`, bundle)
    for (;;) {
      const { state, failure } = await ask('GET', `/submissions/${opened.id}`)
      if (state === 'published') break
      if (state === 'failed') throw new Error(failure!.message)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    taken.push(Math.round(performance.now() - began))
  }
  return { unit: 'ms from upload to board, 320 episodes', first: taken[0], second: taken[1] }
}

/** Rows as they would be after a long life: means from a normal-like spread, errors of a few percent. */
async function fill(boards: Boards, task: Scenario): Promise<void> {
  const { store } = boards
  const [owner] = await store.keys()
  const rng = new Generator(namedSeed('load', 'rows'))
  const at = Date.now()
  const hash = scenarioHash(task)
  await store.transaction(async (inside) => {
    for (let k = 0; k < rows; k++) {
      const mean = 10 * (rng.float() + rng.float() + rng.float())
      const error = 0.05 + 0.2 * rng.float()
      const row: EntryRow = {
        ...{
          id: newId(),
          scenario: task.id,
          scenarioHash: hash,
          task: { ...task },
          level: 'replayed',
          state: 'published',
        },
        ...{ since: at, until: null, createdAt: at + k, publishedAt: at + k, keyId: owner.id, address: 'load' },
        description: {
          name: `row ${k}`,
          algorithm: `algorithm ${k % 500}`,
          mode: 'sample',
          centralised: false,
          compute: { steps: k },
        },
        ...{
          group: `g${k % 20_000}`,
          trainingSeed: String(k),
          settingsHash: 'x',
          claim: null,
          blind: false,
          hidden: null,
        },
        ...{
          disputed: false,
          epoch: null,
          episodes: 320,
          done: 320,
          failure: null,
          history: [],
          tries: 0,
          refunded: false,
        },
        score: { mean, iqm: mean, std: error * 18, low: mean - 2 * error, high: mean + 2 * error, error },
        ...{ bundle: null, flags: [], panels: null, latency: null, log: null, idempotencyKey: null, requestHash: null },
      }
      await inside.addEntry(row)
    }
  })
  boards.standings.changed({ id: '', scenarioHash: hash, level: 'replayed' })
}

/**
 * Pages under concurrent readers, which are a process of their own: the processor time is the server's alone.
 * @param all every page is read once before time is taken
 */
async function pages(port: number, task: Scenario, all: boolean): Promise<Record<string, unknown>> {
  const path = `/api/boards/${encodeURIComponent(task.id)}?level=replayed`
  const child = fork(compiled('./readers.ts', import.meta.url), [], { execArgv: [] })
  let used = process.cpuUsage()
  const times = await new Promise<number[]>((done, fail) => {
    child.on('message', (said: 'begins' | number[]) => {
      if (said === 'begins') used = process.cpuUsage()
      else done(said)
    })
    child.once('error', fail)
    child.once('exit', () => fail(new Error('the readers ended early')))
    child.send({ port, path, rows, readers, seconds, all })
  })
  const { user, system } = process.cpuUsage(used)
  times.sort((a, b) => a - b)
  return {
    rows,
    readers,
    pages: times.length,
    perSecond: Math.round(times.length / seconds),
    p50ms: quantile(times, 0.5),
    p95ms: quantile(times, 0.95),
    p99ms: quantile(times, 0.99),
    longestMs: quantile(times, 1),
    serverCpuMsPerPage: Math.round((user + system) / times.length / 10) / 100,
  }
}

const data = mkdtempSync(join(tmpdir(), 'troupe-load-'))
const limits = { requestsPerMinute: 1e9, writesPerMinute: 1e9 }
const server = await startServer({
  port: 0,
  data,
  log: pino({ level: 'error' }, pino.destination(2)),
  boards: { limits },
})
try {
  if (!server.boards.on) throw new Error(server.boards.problem)
  const { open } = server.boards
  if (wants('verify')) say({ verify: verification() })
  if (wants('submit')) say({ submit: await submission(server.url, open.adminKey!) })
  if (wants('board')) {
    const board = loadScenario('warehouse/tiny-2ag')
    await fill(open, board)
    say({ board: await pages(server.port, board, false), read: 'for the first time' })
    say({ board: await pages(server.port, board, true), read: 'again' })
  }
} finally {
  await server.close()
  rmSync(data, { recursive: true, force: true })
}
