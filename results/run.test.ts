import { mkdtempSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { episodeSeed } from '../envs/core/index.ts'
import { readReplay, verifyReplay } from '../envs/core/replay.ts'
import { ENVS } from '../envs/index.ts'
import { weightsHash } from '../agents/core/checkpoint.ts'
import { Memory } from '../agents/core/memory.ts'
import { LEARNERS } from '../agents/index.ts'
import { lights } from '../agents/core/toys.ts'
import { checkScenario, type Scenario } from '../scenarios/schema.ts'
import { readCheckpoint } from './files.ts'
import { readRecord } from './record.ts'
import { evaluationSteps, trainRun, type Progress, type RunRequest } from './run.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-run-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const scenario = checkScenario(
  {
    id: 'matrix/test',
    title: 'Stag hunt, eight rounds',
    env: 'matrix',
    version: '1',
    options: { game: 'stag-hunt', horizon: 8 },
    teamReward: 'none',
    evaluation: { points: 5, episodes: 6, absoluteEpisodes: 40, policy: 'sample' },
  },
  'test',
)

const settings = { lanes: 4, rolloutSteps: 10, hidden: 8, layers: 1, epochs: 1, minibatches: 1 }
let folders = 0

function request(change: Partial<RunRequest> = {}): RunRequest {
  return {
    scenario,
    algorithm: 'mappo',
    settings,
    seed: 'seed',
    steps: 400,
    out: join(home, `run-${folders++}`),
    backend: 'cpu',
    ...change,
  }
}

const json = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8'))
const lines = (out: string) =>
  readFileSync(join(out, 'log.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** The parts of a record that must not depend on how the run was cut into sittings. */
const lasting = (out: string) => {
  const { seconds: _s, stepsPerSecond: _p, ...rest } = readRecord(join(out, 'record.json'))
  return rest
}

test('evaluations are spread evenly from the start to the end', () => {
  expect(evaluationSteps(5, 400)).toEqual([0, 100, 200, 300, 400])
  expect(evaluationSteps(2, 7)).toEqual([0, 7])
  expect(evaluationSteps(1, 7)).toEqual([7])
})

describe('a whole run', async () => {
  const events: Progress[] = []
  const asked = request({ onProgress: (event) => void events.push(event) })
  const summary = await trainRun(asked)
  const record = readRecord(summary.record)

  test('is finished, counts its steps over all lanes, and says how returns were measured', () => {
    expect(summary).toMatchObject({ algorithm: 'mappo', scenario: 'matrix/test', seed: 'seed', status: 'finished' })
    expect(summary.steps).toBe(400)
    expect(record.steps).toEqual({ requested: 400, total: 400, perLane: 100, lanes: 4 })
    expect(record.protocol).toEqual({
      policy: 'sample',
      return: 'sum over agents',
      teamReward: 'none',
      points: 5,
      episodes: 6,
      absoluteEpisodes: 40,
    })
    expect(summary.protocol).toEqual({ policy: 'sample', episodes: 6, return: 'sum over agents' })
    for (const event of events) if (event.kind === 'evaluation') expect(event.protocol).toEqual(summary.protocol)
    expect(record.settings).toEqual({ ...json(asked.out, 'run.json').settings })
    expect(record.settings).toMatchObject({ ...settings, gamma: 0.99 })
  })

  test('evaluates at each planned step, on seeds that training never sees and that differ each time', () => {
    expect(record.evaluations.map((point) => point.step)).toEqual([0, 120, 200, 320, 400]) // updates come in 40s
    for (const point of record.evaluations) {
      expect(point.returns).toHaveLength(6)
      expect(point.return.mean).toBeCloseTo(point.returns.reduce((a, b) => a + b, 0) / 6, 9)
      const replay = readReplay(readFileSync(join(asked.out, point.replays[0].file)))
      expect(replay.header.seed).toBe(episodeSeed('seed', 'eval', point.point, 0))
    }
    expect(new Set(record.evaluations.map((point) => point.returns.join())).size).toBeGreaterThan(1)
  })

  test('writes one verified replay per evaluation, with probabilities and values, and names it everywhere', () => {
    for (const point of record.evaluations) {
      expect(point.replays).toHaveLength(1)
      const replay = readReplay(readFileSync(join(asked.out, point.replays[0].file)))
      expect(verifyReplay(replay, ENVS.matrix)).toMatchObject({ ok: true })
      expect(replay.header.result!.return).toBe(point.returns[0])
      expect(replay.header.label).toBe(`mappo, seed seed, after ${point.step} steps, sample`)
      expect(replay.probability).toHaveLength(8 * 2 * 2)
      expect(replay.value).toHaveLength(8 * 2)
    }
    expect(json(asked.out, 'run.json').latestReplay).toBe('0000000400-0.replay')
    const seen = events.filter((event) => event.kind === 'evaluation').map((event) => event.replay)
    expect(seen).toEqual(record.evaluations.map((point) => join(asked.out, point.replays[0].file)))
  })

  test('measures the best checkpoint anew, on absolute seeds', () => {
    const best = record.evaluations.reduce((a, b) => (b.return.mean > a.return.mean ? b : a))
    expect(record.best).toEqual({ step: best.step, mean: best.return.mean })
    expect(record.absolute!.step).toBe(best.step)
    expect(record.absolute!.returns).toHaveLength(40)
    expect(readCheckpoint(join(asked.out, 'checkpoints/best')).state.steps).toBe(best.step)
    expect(readCheckpoint(join(asked.out, 'checkpoints/last')).state.steps).toBe(400)
  })

  test('keeps the worst absolute episodes when asked, and what they return is what was measured', async () => {
    const out = join(home, `run-${folders++}`)
    await trainRun(request({ out, evaluation: { replays: 0, worst: 3 } }))
    const { absolute, evaluations } = readRecord(join(out, 'record.json'))
    expect(evaluations.flatMap((point) => point.replays)).toEqual([])
    const ranked = absolute!.returns
      .map((_, k) => k)
      .sort((a, b) => absolute!.returns[a] - absolute!.returns[b] || a - b)
    expect(absolute!.replays.map(({ episode }) => episode).sort((a, b) => a - b)).toEqual(
      ranked.slice(0, 3).sort((a, b) => a - b),
    )
    expect(absolute!.returns).toEqual(record.absolute!.returns)
    for (const { file, episode } of absolute!.replays) {
      const replay = readReplay(readFileSync(join(out, file)))
      expect(verifyReplay(replay, ENVS.matrix)).toMatchObject({ ok: true })
      expect(replay.header.seed).toBe(episodeSeed('seed', 'absolute', 0, episode))
      expect(replay.header.result!.return).toBe(absolute!.returns[episode])
    }
  })

  test('logs every update and evaluation, in order', () => {
    const log = lines(asked.out)
    expect(log.filter((line) => line.kind === 'update').map((line) => line.step)).toEqual(
      Array.from({ length: 10 }, (_, k) => 40 * (k + 1)),
    )
    expect(log.filter((line) => line.kind === 'evaluation')).toHaveLength(5)
    const steps = log.map((line) => line.step)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    for (const line of log) if (line.kind === 'update') expect(line.metrics.maskViolations).toBe(0)
  })

  test('leaves nothing half-written', () => {
    const names = readdirSync(asked.out, { recursive: true }) as string[]
    expect(names.filter((name) => /\.new|\.old/.test(name))).toEqual([])
    expect(json(asked.out, 'run.json')).toMatchObject({ format: 1, status: 'finished', step: 400, steps: 400 })
  })

  test('a folder in which another process trains is left alone', async () => {
    const out = join(home, 'busy')
    mkdirSync(out)
    writeFileSync(join(out, 'run.lock'), `${process.ppid}\n`)
    await expect(trainRun(request({ out }))).rejects.toThrow(/in use: process/)
    expect(readdirSync(out)).toEqual(['run.lock'])
  })

  test('its folder is not taken by another run', async () => {
    await expect(trainRun({ ...asked, seed: 'other' })).rejects.toThrow(/folder of another run.*resume/)
    await expect(trainRun({ ...asked, seed: 'other', resume: true })).rejects.toThrow(
      /seed is "other"; expected "seed"/,
    )
  })
})

test('a stopped run keeps checkpoint and record, and resumed it ends as one never stopped', async () => {
  const whole = await trainRun(request())
  const controller = new AbortController()
  const out = join(home, 'stopped')
  const first = await trainRun(
    request({
      out,
      signal: controller.signal,
      onProgress: (event) => event.kind === 'update' && event.step === 240 && controller.abort(),
    }),
  )
  expect(first).toMatchObject({ status: 'interrupted', steps: 240 })
  expect(readRecord(first.record)).toMatchObject({ status: 'interrupted', absolute: null, steps: { total: 240 } })
  expect(json(out, 'run.json').status).toBe('interrupted')
  expect(readCheckpoint(join(out, 'checkpoints/last')).state.steps).toBe(240)

  const second = await trainRun(request({ out, resume: true }))
  expect(second.weightsHash).toBe(whole.weightsHash)
  expect(lasting(out)).toEqual(lasting(whole.out))
  const timeless = (folder: string) => lines(folder).map(({ stepsPerSecond: _p, secondsLeft: _l, ...rest }) => rest)
  expect(timeless(out)).toEqual(timeless(whole.out))
})

test('a killed run goes on from its last checkpoint; what was logged after it is done again', async () => {
  const whole = await trainRun(request())
  const out = join(home, 'killed')
  // Everything of a run that died between the checkpoint of step 200 and the update of step 320.
  const controller = new AbortController()
  await trainRun(
    request({
      out,
      signal: controller.signal,
      onProgress: (e) => e.kind === 'update' && e.step === 200 && controller.abort(),
    }),
  )
  rmSync(join(out, 'record.json'))
  writeFileSync(join(out, 'run.json'), JSON.stringify({ ...json(out, 'run.json'), status: 'running' }))
  writeFileSync(
    join(out, 'log.jsonl'),
    `${readFileSync(join(out, 'log.jsonl'), 'utf8')}{"kind":"update","step":240,"metrics":{}}\n{"kind":"upd`,
  )
  mkdirSync(join(out, 'checkpoints/last.new'))
  const resumed = await trainRun(request({ out, resume: true }))
  expect(resumed.weightsHash).toBe(whole.weightsHash)
  expect(lasting(out)).toEqual(lasting(whole.out)) // the evaluation that was due at 200 included
  expect(lines(out).filter((line) => line.step === 240 && line.kind === 'update')).toHaveLength(1)
  expect(lines(out).find((line) => line.step === 240).metrics).not.toEqual({})
})

test('resumed to more steps it equals a run of that many', async () => {
  const out = join(home, 'longer')
  await trainRun(request({ out, steps: 200 }))
  const more = await trainRun(request({ out, steps: 400, resume: true }))
  const whole = await trainRun(request())
  expect(more.weightsHash).toBe(whole.weightsHash)
})

test('the same request gives the same record, another seed another', async () => {
  const runs = await Promise.all([request(), request(), request({ seed: 'x' })].map((each) => trainRun(each)))
  expect(lasting(runs[0].out)).toEqual(lasting(runs[1].out))
  expect(runs[2].weightsHash).not.toBe(runs[0].weightsHash)
})

test('a run that diverges says which tensor and step, and keeps the last good checkpoint', async () => {
  const asked = request({ settings: { ...settings, lr: 1, gradientNorm: 1e9, valueNorm: false }, steps: 4000 })
  // Payoffs of an environment that breaks after a while.
  const sick = {
    ...lights,
    id: 'sick-lights',
    create: (options: never, port: never) => {
      const rules = lights.create(options, port)
      let steps = 0
      const { reward } = port as { reward: Float32Array }
      return {
        ...rules,
        step: (list: Int32Array, count: number) => {
          rules.step(list, count)
          if (++steps > 25) reward.fill(NaN)
        },
      }
    },
  }
  const plugin = { definition: sick as never, name: 'sick', sha256: 'a'.repeat(64) }
  const ill: Scenario = { ...scenario, env: 'sick-lights', options: {} }
  const summary = await trainRun({
    ...asked,
    settings: { ...settings },
    scenario: { ...ill, evaluation: { ...ill.evaluation, points: 1 } },
    plugin,
  })
  expect(summary.status).toBe('diverged')
  const record = readRecord(summary.record)
  expect(record.diverged!.message).toMatch(/gradient of (actor|critic)\/layer\d.* is NaN at environment step 120/)
  expect(record.diverged!.step).toBe(120)
  expect(record.plugin).toEqual({ name: 'sick', sha256: 'a'.repeat(64) })
  const kept = readCheckpoint(join(asked.out, 'checkpoints/last'))
  for (const { data } of Object.values(kept.weights)) expect(data.every(Number.isFinite)).toBe(true)
  expect(kept.state.steps).toBe(0) // from before the run, the only evaluation being at its end
  expect(record.weightsHash).toBe(weightsHash(kept))
  expect(json(asked.out, 'run.json').status).toBe('diverged')
})

test('a run that an error ends says so and why, and can go on', async () => {
  const whole = request()
  await trainRun(whole)
  const asked = request()
  const full = new Error('no space left on the disk')
  const fills = (progress: Progress) => {
    if (progress.kind === 'evaluation' && progress.step > 100) throw full
  }
  await expect(trainRun({ ...asked, onProgress: fills })).rejects.toBe(full)
  expect(json(asked.out, 'run.json')).toMatchObject({ status: 'failed', problem: 'no space left on the disk' })
  expect(lines(asked.out).at(-1)).toMatchObject({ kind: 'failed', message: 'no space left on the disk' })
  expect(existsSync(join(asked.out, 'run.lock'))).toBe(false)
  await trainRun({ ...asked, resume: true })
  expect(json(asked.out, 'run.json')).toMatchObject({ status: 'finished' })
  expect(json(asked.out, 'run.json').problem).toBeUndefined()
  expect(lines(asked.out).some(({ kind }) => kind === 'failed')).toBe(false)
  expect(lasting(asked.out)).toEqual(lasting(whole.out))
})

test('impossible requests are refused before anything is written', async () => {
  const cases: [Partial<RunRequest>, RegExp][] = [
    [{ algorithm: 'mapo' }, /did you mean "mappo"/],
    [{ steps: 0 }, /steps is 0; expected a whole number of 1 or more/],
    [{ settings: { rollout: 3 } }, /rollout is not known here/],
    [{ evaluation: { points: 0 } }, /points is 0/],
    [{ scenario: { ...scenario, env: 'matrx' } }, /did you mean "matrix"/],
    [{ resume: true }, /no run to resume/],
    [{ backend: 'gpu' }, /backend is "gpu"/],
  ]
  for (const [change, message] of cases) {
    const asked = request(change)
    await expect(trainRun(asked)).rejects.toThrow(message)
    expect(existsSync(asked.out)).toBe(false)
  }
})

test('evaluation and absolute episodes have seeds of their own purpose', async () => {
  const warehouse = {
    ...scenario,
    id: 'warehouse/test',
    env: 'warehouse',
    options: { layout: ['.....', '.xx..', '..g..'], robots: 2, requests: 1, horizon: 5 },
  }
  const { out } = await trainRun(request({ scenario: warehouse, steps: 80, evaluation: { points: 2, episodes: 2 } }))
  const names = readdirSync(join(out, 'replays')).sort()
  const seeds = names.map((name) => readReplay(readFileSync(join(out, 'replays', name))).header.seed)
  const step = names.findIndex((name) => name.includes('absolute'))
  expect(names).toHaveLength(3)
  expect(seeds[step]).toBe(episodeSeed('seed', 'absolute', 0, 0))
  expect(seeds.filter((_, k) => k !== step)).toEqual([
    episodeSeed('seed', 'eval', 0, 0),
    episodeSeed('seed', 'eval', 1, 0),
  ])
  expect(new Set([...seeds, episodeSeed('seed', 'train', 0, 0)]).size).toBe(4) // the same lane and episode
})

test('every learner runs, with those of these settings that it has', async () => {
  const place = {
    ...scenario,
    id: 'warehouse/test',
    env: 'warehouse',
    teamReward: 'sum' as const, // one team with one reward, as some ask for
    options: { layout: ['.....', '.xx..', '..g..'], robots: 2, requests: 1, horizon: 5 },
  }
  const short = { scenario: place, steps: 40, evaluation: { points: 1, episodes: 1 } }
  const known = ({ properties }: { properties: object }) =>
    Object.fromEntries(Object.entries(settings).filter(([name]) => name in properties))
  const dataset = join(home, 'episodes.safetensors')
  const run = (algorithm: string, more: Partial<RunRequest>) =>
    trainRun(request({ ...short, algorithm, settings: known(LEARNERS[algorithm].settings), ...more }))
  await run('iql', { exportDataset: dataset })
  for (const [algorithm, { offline }] of Object.entries(LEARNERS)) {
    const { status } = await run(algorithm, offline === true ? { dataset } : {})
    expect(status, algorithm).toBe('finished')
  }
})

test('while masks still grow no checkpoint is the best one; at the final sparsity the highest mean is', async () => {
  const small = { lanes: 4, rolloutSteps: 10, hidden: 8, network: 'mlp', criticNetwork: 'mlp', chunk: null }
  const settings = { ...small, sparsity: 0.9, sparsitySchedule: 'linear', pruneEvery: 1, pruneFrom: 0, pruneTo: 0.5 }
  const asked = request({ algorithm: 'iagc', settings, seed: 'd', out: join(home, 'pruned') })
  const stop = new AbortController()
  const onProgress = (event: Progress) => event.kind === 'update' && event.step >= 120 && stop.abort()
  await trainRun({ ...asked, signal: stop.signal, onProgress })
  expect(json(asked.out, 'record.json').status).toBe('interrupted')
  await trainRun({ ...asked, resume: true })
  const { evaluations, best, absolute } = readRecord(join(asked.out, 'record.json'))
  expect(evaluations.map(({ step }) => step)).toEqual([0, 120, 200, 320, 400])
  const count = evaluations.filter(({ step }) => step >= 200)
  const [high] = count.toSorted((a, b) => b.return.mean - a.return.mean)
  expect(best).toEqual({ step: high.step, mean: high.return.mean, from: 200 })
  expect(absolute!.step).toBe(high.step)
  const whole = await trainRun({ ...asked, settings: { ...settings, pruneTo: 1 }, out: join(home, 'pruned-late') })
  const late = readRecord(whole.record)
  expect(Math.max(...late.evaluations.map(({ return: { mean } }) => mean))).toBeGreaterThan(late.best!.mean)
  expect(late.best).toEqual({ step: 400, mean: late.evaluations[4].return.mean, from: 400 })
})

test('only what is there to go on from holds the memory of a learner: evaluations and best checkpoints leave it alone', async () => {
  const saves = vi.spyOn(Memory.prototype, 'save')
  const out = join(home, 'remembers')
  await trainRun(request({ algorithm: 'iql', settings: { lanes: 4, hidden: 8, batchEpisodes: 2 }, out }))
  const evaluations = lines(out).filter(({ kind }) => kind === 'evaluation').length
  expect(evaluations).toBe(5)
  expect(saves.mock.calls.length).toBeLessThanOrEqual(evaluations + 1) // with each the last checkpoint, and one at the end
  expect(Object.keys(readCheckpoint(join(out, 'checkpoints/best')).weights).some((name) => name.startsWith('store/'))).toBe(false) // prettier-ignore
  saves.mockRestore()
})
