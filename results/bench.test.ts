import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { episodeSeed } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { readReplay, verifyReplay } from '../envs/core/replay.ts'
import { readFileSync } from 'node:fs'
import { POLICIES } from '../agents/index.ts'
import { loadScenario, loadSuite } from '../scenarios/load.ts'
import { planBench, type BenchRequest } from './bench.ts'
import { inspectJob } from './bench/job.ts'
import { runPolicy } from './bench/policy-run.ts'
import { readRecord, recordText } from './record.ts'
import { trainRun } from './run.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-bench-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const nano = loadScenario('warehouse/nano-2ag')
const hunt = loadScenario('matrix/stag-hunt')
const request = (change: Partial<BenchRequest> = {}): BenchRequest => ({
  suite: 'test',
  scenarios: [hunt, nano],
  algorithms: ['mappo', 'random'],
  seeds: ['1', '2'],
  steps: 10_000,
  out: join(home, 'plan'),
  ...change,
})

describe('the plan', () => {
  test('holds every algorithm on every scenario with every seed, one seed of everything first', () => {
    const { jobs, leftOut } = planBench(request())
    expect(jobs.map(({ seed, scenario, algorithm }) => `${seed} ${scenario.id} ${algorithm}`)).toEqual(
      ['1', '2'].flatMap((seed) =>
        ['matrix/stag-hunt', 'warehouse/nano-2ag'].flatMap((id) => [`${seed} ${id} mappo`, `${seed} ${id} random`]),
      ),
    )
    expect(new Set(jobs.map(({ folder }) => folder)).size).toBe(jobs.length)
    expect(leftOut).toEqual([])
  })

  test('takes the protocol from the scenario: 100 evaluations of 32 episodes, 320 absolute ones', () => {
    const [learner, policy] = planBench(request()).jobs
    expect(learner.evaluation).toEqual({ points: 100, episodes: 32, absoluteEpisodes: 320, worst: 3 })
    expect(policy).toMatchObject({ steps: 0, evaluation: { points: 0, episodes: 0, absoluteEpisodes: 320 } })
  })

  test('evaluates every k steps when asked, from the start to the end', () => {
    const { jobs } = planBench(request({ evaluation: { every: 2500 } }))
    expect(jobs[0].evaluation.points).toBe(5) // 0, 2500, 5000, 7500, 10000
    expect(() => planBench(request({ evaluation: { every: 3000 } }))).toThrow(
      'bench: steps is 10000; expected a multiple of the 3000 steps between evaluations, such as 9000',
    )
  })

  test('leaves out what a policy cannot play, and says so', () => {
    const { jobs, leftOut } = planBench(request({ algorithms: ['warehouse-greedy'] }))
    expect(jobs.map(({ scenario }) => scenario.id)).toEqual(['warehouse/nano-2ag', 'warehouse/nano-2ag'])
    expect(leftOut).toEqual(['warehouse-greedy cannot play 1 of 2 scenarios (matrix/stag-hunt …)'])
    expect(() => planBench(request({ algorithms: ['warehouse-greedy'], scenarios: [hunt] }))).toThrow(
      'unable to play any scenario',
    )
  })

  test('refuses slips by name before anything runs', () => {
    expect(() => planBench(request({ algorithms: ['mapo'] }))).toThrow('did you mean "mappo"')
    expect(() => planBench(request({ algorithms: ['random', 'random'] }))).toThrow('"random" twice')
    expect(() => planBench(request({ seeds: [] }))).toThrow('bench: seed is none')
    expect(() => planBench(request({ settings: { mappo: { lr: -1 } } }))).toThrow('mappo settings')
    expect(() => planBench(request({ settings: { mappo: { lrr: 1 } } }))).toThrow('lr')
  })

  test('the shipped suite is planned whole with learners and policies', () => {
    const { jobs } = planBench(
      request({ scenarios: loadSuite('core').scenarios, algorithms: ['mappo', 'random', 'warehouse-greedy'] }),
    )
    expect(jobs.length).toBe(2 * (21 + 21 + 4))
  })
})

describe('a policy that is not learned', async () => {
  const out = join(home, 'policy')
  const ask = { scenario: nano, environments: ENVS, seed: '7', episodes: 40, worst: 2 }
  const record = (await runPolicy({ ...ask, policy: POLICIES.random, out }))!

  test('has a record with the absolute metric and nothing of training', () => {
    expect(readRecord(join(out, 'record.json'))).toEqual(record)
    expect(record).toMatchObject({
      evaluations: [],
      best: null,
      weightsHash: null,
      settings: {},
      policy: { privileged: false },
    })
    expect(record.protocol).toEqual({
      policy: 'scripted',
      return: 'sum over agents',
      teamReward: 'sum',
      points: 0,
      episodes: 0,
      absoluteEpisodes: 40,
    })
    expect(record.absolute!.returns).toHaveLength(40)
  })

  test('keeps its worst episodes, which re-simulate to the returns in the record', () => {
    const { returns, replays } = record.absolute!
    const worst = returns.map((_, k) => k).sort((a, b) => returns[a] - returns[b] || a - b).slice(0, 2) // prettier-ignore
    expect(replays.map(({ episode }) => episode)).toEqual(worst.sort((a, b) => a - b))
    for (const { file, episode } of replays) {
      const replay = readReplay(readFileSync(join(out, file)))
      expect(verifyReplay(replay, ENVS.warehouse)).toMatchObject({ ok: true })
      expect(replay.header.seed).toBe(episodeSeed('7', 'absolute', 0, episode))
      expect(replay.header.result!.return).toBe(returns[episode])
    }
  })

  test('is the same again for the same seed and another for another; who sees the world is marked', async () => {
    const again = await runPolicy({ ...ask, policy: POLICIES.random, out: join(home, 'again') })
    expect(again!.absolute).toEqual(record.absolute)
    const other = await runPolicy({ ...ask, seed: '8', policy: POLICIES.random, out: join(home, 'other') })
    expect(other!.absolute!.returns).not.toEqual(record.absolute!.returns)
    const greedy = await runPolicy({
      ...ask,
      episodes: 3,
      policy: POLICIES['warehouse-greedy'],
      out: join(home, 'greedy'),
    })
    expect(greedy!.policy).toEqual({ privileged: true })
    expect(greedy!.absolute!.return.mean).toBeGreaterThan(10)
  })

  test('writes nothing when it is interrupted, and refuses what it cannot play', async () => {
    const signal = AbortSignal.abort()
    const stopped = join(home, 'stopped')
    expect(await runPolicy({ ...ask, policy: POLICIES.random, out: stopped, signal })).toBeUndefined()
    expect(() => readRecord(join(stopped, 'record.json'))).toThrow()
    await expect(
      runPolicy({ ...ask, scenario: hunt, policy: POLICIES['warehouse-greedy'], out: stopped }),
    ).rejects.toThrow('policy warehouse-greedy is for warehouse; expected one that plays matrix')
  })

  test('a record is one line per field, and reads back the same', () => {
    const text = recordText(record)
    expect(JSON.parse(text)).toEqual(record)
    expect(text.split('\n')).toHaveLength(Object.keys(record).length + 3)
    const odd = { ...record, paper: '[\n  1,\n  2\n]' }
    expect(JSON.parse(recordText(odd))).toEqual(odd)
  })
})

describe('what a folder says', () => {
  const settings = { lanes: 4, rolloutSteps: 10, hidden: 8, layers: 1, epochs: 1, minibatches: 1 }
  const plan = (change: Partial<BenchRequest> = {}) =>
    planBench(
      request({
        scenarios: [hunt],
        algorithms: ['mappo'],
        seeds: ['1'],
        steps: 400,
        settings: { mappo: settings },
        evaluation: { points: 3, episodes: 4, absoluteEpisodes: 8 },
        out: join(home, 'folder'),
        ...change,
      }),
    ).jobs[0]

  test('new, started with a checkpoint, done; and never a run that was measured in another way', async () => {
    const job = plan()
    expect(inspectJob(job)).toEqual({ kind: 'new' })
    mkdirSync(job.folder, { recursive: true })
    writeFileSync(join(job.folder, 'log.jsonl'), '')
    expect(inspectJob(job)).toEqual({ kind: 'new' })
    const controller = new AbortController()
    const ask = { ...job, algorithm: 'mappo', out: job.folder, backend: 'cpu', workers: 1 }
    await trainRun({
      ...ask,
      signal: controller.signal,
      onProgress: (event) => event.kind === 'update' && event.step >= 120 && controller.abort(),
    })
    expect(inspectJob(job)).toEqual({ kind: 'started', step: 120 })
    await trainRun({ ...ask, resume: true })
    expect(inspectJob(job)).toMatchObject({ kind: 'done', record: { status: 'finished' } })
    const refused = (change: Partial<BenchRequest>, message: string | RegExp) =>
      expect(() => inspectJob({ ...plan(change), folder: job.folder })).toThrow(message)
    refused({ steps: 800 }, 'steps is 400 in the run that is there; expected 800 as asked for now')
    refused({ evaluation: { points: 5, episodes: 4, absoluteEpisodes: 8 } }, 'points is 3')
    refused({ evaluation: { points: 3, episodes: 4, absoluteEpisodes: 9 } }, 'absoluteEpisodes is 8')
    refused(
      { settings: { mappo: { ...settings, lr: 0.1 } } },
      /setting lr is .* in the run that is there; expected 0.1/,
    )
    refused({ scenarios: [loadScenario('matrix/pd')] }, 'scenario is')
    refused({ seeds: ['2'] }, 'seed is "1"')
    refused({ algorithms: ['ippo'], settings: {} }, 'algorithm is "mappo"')
  })
})
