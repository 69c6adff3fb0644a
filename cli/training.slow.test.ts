import { afterAll, expect, test } from 'vitest'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeStartMs, start, troupe } from './spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-training-'))
const at = { cwd: folder, timeoutMs: 800_000 } // seconds on a quiet machine
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const small = [
  '--set',
  'lanes=8',
  '--set',
  'hidden=16',
  '--evaluations',
  '4',
  '--evaluation-episodes',
  '8',
  '--seed',
  '1',
]

async function json(words: string[], code = 0) {
  const said = await troupe([...words, '--json'], at)
  expect(said.code, said.stderr).toBe(code)
  return JSON.parse(said.stdout)
}

const read = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8'))

test('train --json has every field of the contract, and the folder holds run, log, record, checkpoints, replays', async () => {
  const summary = await json([
    'train',
    'mappo',
    'matrix/stag-hunt-repeated',
    '--steps',
    '4000',
    '--out',
    'runs/a',
    ...small,
  ])
  expect(summary).toMatchObject({
    algorithm: 'mappo',
    scenario: 'matrix/stag-hunt-repeated',
    seed: '1',
    steps: expect.any(Number),
    seconds: expect.any(Number),
    stepsPerSecond: expect.any(Number),
    weightsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    status: 'finished',
  })
  expect(summary.steps).toBeGreaterThanOrEqual(4000)
  for (const {
    step,
    return: { mean, std, min, max },
    metrics,
  } of summary.evaluations) {
    expect([step, mean, std, min, max].every((number) => typeof number === 'number')).toBe(true)
    expect(typeof metrics).toBe('object')
  }
  for (const file of [
    'run.json',
    'log.jsonl',
    'record.json',
    'checkpoints/last/weights.safetensors',
    'checkpoints/best/state.json',
  ]) {
    expect(existsSync(join(folder, 'runs/a', file)), file).toBe(true)
  }
  expect(readdirSync(join(folder, 'runs/a/replays')).length).toBeGreaterThan(0)
  const lines = readFileSync(join(folder, 'runs/a/log.jsonl'), 'utf8').trim().split('\n')
  for (const line of lines) JSON.parse(line)
  const replays = readdirSync(join(folder, 'runs/a/replays')).map((name) => `runs/a/replays/${name}`)
  expect((await troupe(['verify', ...replays], at)).code).toBe(0)
  expect((await troupe(['verify', 'runs/a/record.json'], at)).code).toBe(0)
})

test('the same seed trains to the same weights, another seed to others', async () => {
  const words = (seed: string, out: string) => [
    'train',
    'mappo',
    'matrix/stag-hunt-repeated',
    '--steps',
    '4000',
    '--out',
    out,
    ...small,
    '--seed',
    seed,
  ]
  const first = read('runs/a/record.json')
  const again = await json(words('1', 'runs/b'))
  const other = await json(words('2', 'runs/c'))
  expect(first.weightsHash).toBe(again.weightsHash)
  expect(other.weightsHash).not.toBe(again.weightsHash)
})

test('steps are counted over all lanes: 1 and 10 copies stop at the same budget', async () => {
  const words = [
    'train',
    'ippo',
    'matrix/pd-repeated',
    '--steps',
    '3000',
    '--evaluations',
    '2',
    '--evaluation-episodes',
    '4',
  ]
  for (const lanes of [1, 10]) {
    const rollout = 50
    const set = ['--set', `lanes=${lanes}`, '--set', `rolloutSteps=${rollout}`, '--set', 'hidden=16']
    const summary = await json([...words, ...set, '--out', `runs/lanes${lanes}`])
    expect(summary.steps).toBe(3000) // 60 rollouts of 50, or 6 of 500
    expect(summary.evaluations.map(({ step }: { step: number }) => step)).toEqual([0, 3000])
    expect(read(`runs/lanes${lanes}/record.json`).steps).toMatchObject({ total: 3000, perLane: 3000 / lanes, lanes })
  }
})

test('Ctrl-C keeps a checkpoint and a record, exits 130, and resuming ends at the weights of an uninterrupted run', async () => {
  const words = ['train', 'mappo', 'warehouse/nano-2ag', '--steps', '12000', ...small]
  const whole = await json([...words, '--out', 'runs/whole'])
  const running = start([...words, '--out', 'runs/cut', '--json'], at)
  await running.says(/step .* of/)
  running.child.kill('SIGINT')
  const said = await running.ended
  expect(said.code, said.stderr).toBe(130)
  expect(said.stderr).toMatch(/keeping a checkpoint/)
  const cut = JSON.parse(said.stdout)
  expect(cut.status).toBe('interrupted')
  expect(cut.steps).toBeLessThan(12000)
  expect(read('runs/cut/record.json').weightsHash).toBe(cut.weightsHash)
  expect(read('runs/cut/run.json').status).toBe('interrupted')
  const resumed = await json(['resume', 'runs/cut'])
  expect(resumed.status).toBe('finished')
  expect(resumed.weightsHash).toBe(whole.weightsHash)
  expect(resumed.evaluations).toEqual(whole.evaluations)
})

test('evaluate plays fresh episodes of the best checkpoint, the same ones for the same seed', async () => {
  const words = ['evaluate', 'runs/a', '--episodes', '10', '--seed', '7']
  const report = await json([...words, '--record', 'evaluated'])
  expect(report).toMatchObject({ scenario: 'matrix/stag-hunt-repeated', policy: 'mappo', episodes: 10, seed: '7' })
  expect(report.protocol).toMatch(/^sample policy, 10 episodes, absolute seeds of root 7/)
  expect(report.replays).toHaveLength(10)
  expect((await troupe(['verify', ...report.replays], at)).code).toBe(0)
  expect((await json(words)).returns).toEqual(report.returns)
  const played = await json(['run', 'matrix/stag-hunt-repeated', '--policy', 'runs/a', '--episodes', '3'])
  expect(played.policyHash).toBe(report.policyHash)
})

test('a run that is there is not trained over, and a finished one has nothing left to resume', async () => {
  const again = await troupe(['train', 'mappo', 'matrix/stag-hunt-repeated', '--steps', '4000', '--out', 'runs/a'], at)
  expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/a run already.*troupe resume runs\/a/)])
  const resumed = await troupe(['resume', 'runs/a'], at)
  expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringMatching(/nothing is left to do/)])
})

test('a run that a learner refuses leaves no folder behind', async () => {
  const to = ['--steps', '1000', '--out', 'runs/refused']
  const refused = await troupe(['train', 'vdn', 'matrix/stag-hunt-repeated', ...to], at)
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringMatching(/^troupe: vdn: agents is of 2 teams/m)])
  expect(existsSync(join(folder, 'runs/refused'))).toBe(false)
})

test('a plug-in environment trains, and its record names it', async () => {
  await json(['new', 'env', 'lamps'])
  const summary = await json([
    'train',
    'ippo',
    '--env',
    './lamps/lamps.js',
    '--steps',
    '2000',
    '--out',
    'runs/lamps',
    ...small,
  ])
  expect(summary.scenario).toBe('lamps/default')
  const [replay] = readdirSync(join(folder, 'runs/lamps/replays'))
  expect((await troupe(['verify', `runs/lamps/replays/${replay}`, '--env', './lamps/lamps.js'], at)).code).toBe(0)
})

test('settings come from every layer, and --print-config says from which', async () => {
  const words = ['train', 'mappo', '--preset', 'quick', '--set', 'lr=0.5', '--print-config', '--json']
  const { stdout } = await troupe(words, { ...at, env: { TROUPE_LANES: '3', TROUPE_LR: '0.1' } })
  expect(JSON.parse(stdout).settings).toMatchObject({
    lr: { value: 0.5, source: 'set' },
    lanes: { value: 3, source: 'environment' },
    steps: { value: 20000, source: 'preset' },
    seed: { value: '1', source: 'default' },
    hidden: { source: 'default' },
  })
})

test('demo without a server trains, compares, writes and ends', async () => {
  const report = await json(['demo', '--no-serve'])
  expect(report).toMatchObject({
    url: null,
    status: 'finished',
    record: expect.any(String),
    replay: expect.any(String),
  })
  expect(report.timesRandom).toBeGreaterThanOrEqual(10)
  expect(report.policies.map(({ policy }: { policy: string }) => policy)).toEqual([
    'random',
    'warehouse-greedy',
    'mappo',
  ])
  expect((await troupe(['verify', report.record, report.replay], at)).code).toBe(0)
}, 900_000)

test('demo says where the viewer is within two seconds, shows the run, and ends with Ctrl-C', async () => {
  const patience = nodeStartMs()
  const began = performance.now()
  const running = start(['demo', '--no-open', '--steps', '4000', '--evaluations', '2'], at)
  const url = /http\S+/.exec(await running.says(/Viewer: http\S+/))![0]
  // Two seconds; on a busy machine, as many times what Node itself takes to start (40 ms on a quiet one).
  expect(performance.now() - began).toBeLessThan(Math.max(2000, 50 * patience))
  expect((await fetch(url)).status).toBe(200)
  const { replays } = (await (await fetch(`${url}/api/replays`)).json()) as { replays: unknown[] }
  expect(replays.length).toBeGreaterThan(0) // something moves before anything was trained
  await running.says(/The viewer stays at/, 600_000)
  const { runs } = (await (await fetch(`${url}/api/runs`)).json()) as { runs: unknown[] }
  expect(runs[0]).toMatchObject({ algorithm: 'mappo', status: 'finished' })
  running.child.kill('SIGINT')
  const { code } = await running.ended
  expect([0, 1]).toContain(code) // 4,000 steps are too few for ten times random
}, 900_000)
