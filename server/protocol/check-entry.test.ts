import { createHash, createHmac } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { ENVS, Generator, namedSeed, randomActions } from '../../envs/index.ts'
import { ReplayRecorder, readReplay, writeReplay, type Replay } from '../../envs/core/replay.ts'
import { meanInterval, meanOf, iqmOf } from '../../results/statistics.ts'
import { openScenario, scenarioHash, type Scenario } from '../../scenarios/open.ts'
import { checkEntry, type EntryClaim } from './check-entry.ts'

const SCENARIO: Scenario = {
  id: 'warehouse/tiny-2ag',
  title: 'Tiny',
  env: 'warehouse',
  version: ENVS.warehouse.version,
  options: { size: 'tiny', robots: 2, horizon: 40 },
  teamReward: 'sum',
  evaluation: { points: 1, episodes: 1, absoluteEpisodes: 1, policy: 'greedy' },
}
const TASK = scenarioHash(SCENARIO)
const KEY = 'ab'.repeat(32)
const ENTRY = 'k3v9w2m4q8x7c6n5b1z0'

/** By the words of server/protocol/README.md, with Node's own functions. */
const seedOf = (panel: string, episode: number) =>
  createHmac('sha256', Buffer.from(KEY, 'hex'))
    .update(`troupe-panel-1|${TASK}|${panel}|${panel === 'shared' ? '' : ENTRY}|${episode}`)
    .digest('hex')
    .slice(0, 32)
const COMMITMENT = createHash('sha256').update(`troupe-epoch-1|${KEY}`).digest('hex')

function played(seed: string, scenario = SCENARIO): Uint8Array {
  const batch = openScenario(scenario, { autoreset: 'disabled' })
  batch.reset([seed])
  const recorder = new ReplayRecorder(batch, 0, { scenario: { ...scenario }, policies: [], package: '0' })
  const rng = new Generator(namedSeed(seed, 'x'))
  const action = new Int32Array(2)
  while (batch.truncated[0] === 0 && batch.terminated[0] === 0) {
    randomActions(batch, rng, action)
    batch.step(action)
    recorder.record(action)
  }
  return recorder.finish('sum')
}

let replays: Uint8Array[]
let honest: EntryClaim
beforeAll(() => {
  const places = [...Array(3).keys()]
    .flatMap((k) => [`shared ${k}`, `fresh ${k}`])
    .sort()
    .reverse()
  const rows = places.map((place) => ({ panel: place.split(' ')[0], episode: Number(place.split(' ')[1]) }))
  replays = rows.map(({ panel, episode }) => played(seedOf(panel, episode)))
  const read = replays.map((bytes) => readReplay(bytes))
  const episodes = rows.map((row, i) => ({
    ...row,
    seed: read[i].header.seed,
    return: read[i].header.result!.return,
    chain: read[i].chain.at(-1)!,
  }))
  const ordered = episodes.map(({ return: value }) => value)
  const interval = meanInterval(ordered, { seed: ENTRY })
  honest = {
    entry: ENTRY,
    scenarioHash: TASK,
    // Listed worst first or however: the score is of the order played.
    episodes: [...episodes].reverse(),
    replays: [...replays].reverse(),
    score: {
      mean: meanOf(ordered),
      iqm: iqmOf(Float64Array.from(ordered).sort()),
      interval: [interval.low, interval.high],
    },
    epoch: { key: KEY, commitment: COMMITMENT },
  }
})

/** The same entry with one replay changed. */
function edited(k: number, change: (replay: Replay) => Replay): EntryClaim {
  const changed = [...honest.replays]
  changed[k] = writeReplay(change(readReplay(changed[k]!)))
  return { ...honest, replays: changed }
}

describe('checking an entry', () => {
  it('agrees with an honest one in every episode, the score, and the seeds', () => {
    const told: number[] = []
    const verdict = checkEntry(honest, ENVS, (done, of) => told.push(done, of))
    expect(verdict).toEqual({
      ok: true,
      checked: 6,
      secret: 0,
      steps: 240,
      mean: honest.score!.mean,
      scored: true,
      seeded: true,
      differences: [],
    })
    expect(told).toEqual([6, 6])
  })

  it('names episode and step of an action that was not played', () => {
    const claim = edited(2, (replay) => {
      const actions = replay.actions.slice()
      actions[2 * 17] = (actions[2 * 17] + 1) % 5
      return { ...replay, actions }
    })
    const { ok, differences } = checkEntry(claim, ENVS)
    expect(ok).toBe(false)
    const { panel, episode } = honest.episodes[2]
    expect(differences[0]).toMatchObject({ panel, episode, what: 'state', step: 17 })
  })

  it('tells a return, a mean and an interval that the episodes do not give', () => {
    const claim: EntryClaim = {
      ...honest,
      episodes: honest.episodes.map((row, k) => (k === 1 ? { ...row, return: 0.999 } : row)),
      score: { mean: 0.999, iqm: honest.score!.iqm, interval: [0.5, honest.score!.interval![1]] },
    }
    const { ok, differences } = checkEntry(claim, ENVS)
    expect(ok).toBe(false)
    expect(differences.map(({ what, expected }) => [what, expected])).toEqual([
      ['return', '0.999'],
      ['mean', '0.999'],
      ['lower end of the interval', '0.5'],
    ])
  })

  it('tells replays of other seeds, of another task, and one that stands for two episodes', () => {
    const other = [...honest.replays]
    other[0] = played('0'.repeat(32))
    expect(checkEntry({ ...honest, replays: other }, ENVS).differences.map(({ what }) => what)).toContain('seed')
    const task = [...honest.replays]
    task[0] = played(honest.episodes[0].seed!, { ...SCENARIO, options: { ...SCENARIO.options, horizon: 20 } })
    expect(checkEntry({ ...honest, replays: task }, ENVS).differences[0]).toMatchObject({
      what: 'scenario',
      expected: TASK,
    })
    const twice = [...honest.replays]
    twice[1] = twice[0]
    const { differences } = checkEntry({ ...honest, replays: twice }, ENVS)
    expect(differences.some(({ what, expected }) => what === 'seed' && expected === 'one of its own')).toBe(true)
  })

  it('tells a key that is not the one committed to, and seeds that do not follow from it', () => {
    const verdict = checkEntry({ ...honest, epoch: { key: 'cd'.repeat(32), commitment: COMMITMENT } }, ENVS)
    expect(verdict.ok).toBe(false)
    expect(verdict.differences[0]).toMatchObject({ what: 'epoch key', expected: COMMITMENT })
    expect(verdict.differences.filter(({ what }) => what === 'seed')).toHaveLength(6)
  })

  it('checks what is public while the rest is secret, and says so', () => {
    const claim: EntryClaim = {
      ...honest,
      episodes: honest.episodes.map((row) => (row.panel === 'shared' ? { ...row, seed: null } : row)),
      replays: honest.replays.map((bytes, k) => (honest.episodes[k].panel === 'shared' ? null : bytes)),
      epoch: null,
    }
    const verdict = checkEntry(claim, ENVS)
    expect(verdict).toMatchObject({ ok: true, checked: 3, secret: 3, scored: false, seeded: false })
    expect(checkEntry({ ...claim, replays: claim.replays.map(() => null) }, ENVS).ok).toBe(false)
  })

  it('refuses what is no replay in one sentence', () => {
    const broken = [...honest.replays]
    broken[3] = Uint8Array.of(1, 2, 3)
    const { ok, differences } = checkEntry({ ...honest, replays: broken }, ENVS)
    expect([ok, differences.length]).toEqual([false, 1])
    expect(differences[0].actual).not.toBe('')
  })
})
