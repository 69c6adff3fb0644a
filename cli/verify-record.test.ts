import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readReplay, verifyReplay } from '../envs/core/replay.ts'
import { ENVS } from '../envs/index.ts'
import { statistics } from '../agents/core/evaluate.ts'
import { POLICIES } from '../agents/index.ts'
import { runPolicy } from '../results/bench/policy-run.ts'
import { trainRun } from '../results/run.ts'
import { type ResultRecord } from '../results/record.ts'
import { checkScenario } from '../scenarios/schema.ts'
import { verifyRecord } from './verify-record.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-record-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const scenario = checkScenario(
  {
    id: 'warehouse/test',
    title: 'Two robots, a few steps',
    env: 'warehouse',
    version: '1',
    options: { layout: ['.....', '.xx..', '.xx..', '..g..'], robots: 2, requests: 2, horizon: 12 },
    teamReward: 'sum',
    evaluation: { points: 2, episodes: 4, absoluteEpisodes: 4, policy: 'sample' },
  },
  'test',
)

async function train(name: string, horizon: number): Promise<string> {
  const { record } = await trainRun({
    scenario: { ...scenario, options: { ...scenario.options, horizon } },
    algorithm: 'mappo',
    settings: { lanes: 2, rolloutSteps: 12, hidden: 8, layers: 1, epochs: 1, minibatches: 1 },
    seed: name,
    steps: 24,
    out: join(home, name),
    evaluation: { replays: 2 },
    backend: 'cpu',
  })
  return record
}

let record: string
beforeAll(async () => {
  record = await train('own', 12)
})

const judged = (path: string) =>
  verifyRecord(path, (_path, bytes) => {
    const replay = readReplay(bytes)
    return { ...verifyReplay(replay, ENVS.warehouse), return: replay.header.result?.return }
  })

/** The verdict on the record after a change to its parts. */
function changed(change: (record: ResultRecord, replays: ResultRecord['evaluations'][number]['replays']) => void) {
  const copy = JSON.parse(readFileSync(record, 'utf8')) as ResultRecord
  change(copy, copy.evaluations[0].replays)
  const path = join(home, 'own', 'changed.json')
  writeFileSync(path, JSON.stringify(copy))
  return judged(path)
}

test('a record as it was written is genuine, with every replay re-simulated', () => {
  expect(judged(record)).toMatchObject({ ok: true, replays: 6 })
})

test('a genuine replay of another task does not support it', async () => {
  await train('other', 13)
  const name = 'replays/0000000000-0.replay'
  copyFileSync(join(home, 'other', name), join(home, 'own/replays/borrowed.replay'))
  const sha256 = createHash('sha256')
    .update(readFileSync(join(home, 'other', name)))
    .digest('hex')
  const verdict = changed((_, replays) => Object.assign(replays[0], { file: 'replays/borrowed.replay', sha256 }))
  expect(verdict).toMatchObject({ ok: false, what: 'replays/borrowed.replay: scenario hash' })
})

test('nor does one of another episode, evaluation or root seed', () => {
  const seed = { ok: false, what: expect.stringMatching(/: episode seed$/) }
  expect(changed((_, replays) => Object.assign(replays[1], { ...replays[0], episode: 1 }))).toMatchObject(seed)
  expect(changed(({ evaluations }) => (evaluations[0].point = 1))).toMatchObject(seed)
  expect(changed((copy) => (copy.seed = 'luckier'))).toMatchObject(seed)
})

test('a replay outside the run is not looked at', () => {
  for (const file of ['../other/run.json', '/dev/zero', 'replays/../../../../dev/zero', 'replays/no.replay']) {
    expect(() => changed((_, replays) => (replays[0].file = file))).toThrow(/expected the replay of an episode/)
  }
})

test('what a policy that does not learn scored is played again, whole, and a raised return is named', async () => {
  for (const name of ['random', 'warehouse-greedy']) {
    const out = join(home, name)
    const request = { scenario, environments: ENVS, policy: POLICIES[name], seed: '3', out, episodes: 40, worst: 1 }
    const own = (await runPolicy(request))!
    const path = join(out, 'record.json')
    expect(judged(path)).toMatchObject({ ok: true, played: 40, replays: 1 })
    const returns = own.absolute!.returns.map((value, k) => (k === 17 ? value + 1 : value))
    const { interval: _, ...numbers } = statistics(returns)
    const raised = { ...own, absolute: { ...own.absolute, returns, return: { ...own.absolute!.return, ...numbers } } }
    writeFileSync(path, JSON.stringify(raised))
    expect(judged(path)).toMatchObject({
      ok: false,
      what: `absolute metric: episode 17 as ${name} plays it`,
      expected: `${returns[17]} in 12 steps`,
      actual: `${returns[17] - 1} in 12 steps`,
    })
  }
})
