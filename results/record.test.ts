import { expect, test } from 'vitest'
import { checkRecord, hardware, packageVersion, type ResultRecord } from './record.ts'

const statistics = { mean: 1, std: 0, min: 1, max: 1, interval: [1, 1] }
const record = {
  format: 1,
  scenario: {
    id: 'matrix/test',
    title: 'Test',
    env: 'matrix',
    version: '1',
    options: {},
    teamReward: 'none',
    evaluation: { points: 1, episodes: 1, absoluteEpisodes: 1, policy: 'greedy' },
  },
  scenarioHash: 'a'.repeat(64),
  environment: { id: 'matrix', version: '1' },
  algorithm: 'mappo',
  paper: 'a paper',
  settings: { lr: 1e-3, valueClip: null },
  seed: '1',
  status: 'finished',
  protocol: {
    policy: 'greedy',
    return: 'sum over agents',
    teamReward: 'none',
    points: 1,
    episodes: 1,
    absoluteEpisodes: 1,
  },
  steps: { requested: 10, total: 12, perLane: 3, lanes: 4 },
  evaluations: [
    { step: 12, point: 0, return: statistics, returns: [1], lengths: [5], metrics: { wins: null }, replays: [] },
  ],
  best: { step: 12, mean: 1 },
  absolute: null,
  weightsHash: 'b'.repeat(64),
  seconds: 1,
  stepsPerSecond: 12,
  hardware: hardware({ detail: 'nothing', portable: true }, 2),
  package: packageVersion(),
  evidence: 0,
} satisfies Record<keyof Omit<ResultRecord, 'plugin' | 'diverged' | 'policy'>, unknown>

test('a whole record passes, here and through JSON', () => {
  expect(checkRecord(record)).toBe(record)
  expect(checkRecord(JSON.parse(JSON.stringify(record)))).toEqual(record)
  expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/)
})

test('unknown, missing and wrong fields are named', () => {
  const { weightsHash: _w, ...without } = record
  const point = record.evaluations[0]
  const cases: [unknown, RegExp][] = [
    [{ ...record, format: 2 }, /r.json is format 2; expected a record of format 1/],
    [null, /r.json is null/],
    [[], /format undefined/],
    [{ ...record, score: 3 }, /score is not known here/],
    [{ ...record, steps: { ...record.steps, total: -1 } }, /steps.total is -1/],
    [without, /weightsHash is missing/],
    [{ ...record, weightsHash: 'B'.repeat(64) }, /weightsHash/],
    [{ ...record, evaluations: [{ ...point, seed: 1 }] }, /evaluations.0.seed is not known here/],
    [{ ...record, evaluations: [{ ...point, returns: ['1'] }] }, /returns/],
    [{ ...record, evaluations: [{ ...point, returns: [NaN] }] }, /returns/],
    [{ ...record, protocol: { ...record.protocol, policy: 'best' } }, /protocol.policy is "best"; expected one of greedy, sample, scripted, planner/], // prettier-ignore
    [{ ...record, evidence: 3 }, /evidence/],
  ]
  for (const [value, message] of cases) expect(() => checkRecord(value, 'r.json')).toThrow(message)
})
