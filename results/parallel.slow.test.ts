/** Shards shared out over threads. The other workers run from dist/: Node's threads cannot load TypeScript. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkScenario } from '../scenarios/schema.ts'
import { readCheckpoint } from './files.ts'
import { loadEnvPlugin } from './plugins.ts'
import { readRecord } from './record.ts'
import { trainRun, type RunRequest } from './run.ts'
import { shardsOf } from './thread-group.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-parallel-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const settings = { lanes: 8, shards: 4, rolloutSteps: 10, hidden: 16, epochs: 2, minibatches: 3 }
let folders = 0

function request(workers: number, change: Partial<RunRequest> = {}, env = 'matrix'): RunRequest {
  const scenario = checkScenario(
    {
      id: `${env}/test`,
      title: 'Stag hunt, eight rounds',
      env,
      version: '1',
      options: { game: 'stag-hunt', horizon: 8 },
      teamReward: 'none',
      evaluation: { points: 2, episodes: 4, absoluteEpisodes: 1, policy: 'sample' },
    },
    'test',
  )
  const out = join(home, `run-${folders++}`)
  return { scenario, algorithm: 'mappo', settings, seed: 's', steps: 480, out, backend: 'simd', workers, ...change }
}

/** Updates of a log, times left out. */
const metricsOf = (out: string) =>
  readFileSync(join(out, 'log.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"update"'))
    .map((line) => (JSON.parse(line) as { metrics: unknown }).metrics)

/** The stag hunt with a trap: steps beyond `patience` in a thread that is not the main one. */
async function trapped(patience: number, then: string) {
  const path = join(home, `trap-${folders++}.mjs`)
  writeFileSync(
    path,
    `import { isMainThread } from 'node:worker_threads'
import { ENVS } from '${new URL('../dist/envs/index.js', import.meta.url).href}'
const { matrix } = ENVS
let steps = 0
export default {
  ...matrix,
  id: 'trap',
  create(options, port) {
    return new Proxy(matrix.create(options, port), {
      get(rules, key) {
        const value = Reflect.get(rules, key)
        if (typeof value !== 'function') return value
        return (...words) => {
          if (key === 'step' && !isMainThread && ++steps > ${patience}) { ${then} }
          return value.apply(rules, words)
        }
      },
    })
  },
}
`,
  )
  const { definition, sha256 } = await loadEnvPlugin(path)
  return { definition, sha256, name: 'trap', path }
}

test('shards are dealt out one after the other, as even as can be', () => {
  const dealt = [0, 1, 2].map((worker) => shardsOf(worker, 3, 4))
  expect(dealt.flat()).toEqual([0, 1, 2, 3])
  expect(dealt.map((own) => own.length).sort()).toEqual([1, 1, 2])
})

const GRU = { ...settings, network: 'gru', criticNetwork: 'gru', chunk: 5 }

for (const [kind, change] of Object.entries({
  'mappo, mlp': { algorithm: 'mappo', settings },
  'mappo, gru': { algorithm: 'mappo', settings: GRU },
  'ippo, gru': { algorithm: 'ippo', settings: GRU },
})) {
  test(`one, two, three and four workers end with the same weights, metrics and checkpoint: ${kind}`, async () => {
    const runs = []
    for (const workers of [1, 2, 3, 4]) {
      const asked = request(workers, change)
      const { weightsHash, status, record } = await trainRun(asked)
      const checkpoint = readCheckpoint(join(asked.out, 'checkpoints/last'))
      const { run: _times, ...state } = checkpoint.state
      runs.push({ weightsHash, status, state, weights: checkpoint.weights, metrics: metricsOf(asked.out) })
      expect(readRecord(record).hardware).toMatchObject({ workers, portable: true })
      expect(readRecord(record).settings.shards).toBe(4)
    }
    expect(runs[0].status).toBe('finished')
    expect(runs[0].metrics).toHaveLength(6)
    for (const run of runs.slice(1)) expect(run).toEqual(runs[0])
  })
}

test('cut off in the middle and resumed by another number of workers, memories go on where they were', async () => {
  const whole = await trainRun(request(1, { settings: GRU }))
  for (const [first, second] of [
    [1, 3],
    [3, 2],
  ]) {
    const stop = new AbortController()
    const onProgress: RunRequest['onProgress'] = (progress) => {
      if (progress.kind === 'update' && progress.step === 240) stop.abort()
    }
    const cut = request(first, { settings: GRU, signal: stop.signal, onProgress })
    expect(await trainRun(cut)).toMatchObject({ status: 'interrupted', steps: 240 })
    const { weights } = readCheckpoint(join(cut.out, 'checkpoints/last'))
    expect(weights['memory/actor'].shape).toEqual([16, 16]) // 8 lanes of 2 agents
    const { signal: _signal, onProgress: _on, ...rest } = cut
    const resumed = await trainRun({ ...rest, workers: second, resume: true })
    expect(resumed).toMatchObject({ status: 'finished', weightsHash: whole.weightsHash })
  }
})

test('other numbers of shards give other weights: the number is a setting', async () => {
  const hash = async (shards: number) => (await trainRun(request(1, { settings: { ...settings, shards } }))).weightsHash
  expect(await hash(2)).not.toBe(await hash(4))
})

test('a worker that throws is named with its error; the last checkpoint stays and goes on', async () => {
  const plugin = await trapped(30, `throw new Error('the floor gave way')`)
  const asked = request(2, { plugin }, 'trap')
  await expect(trainRun(asked)).rejects.toThrow(/training worker 2 of 2 is the floor gave way/)
  expect(readCheckpoint(join(asked.out, 'checkpoints/last')).state.steps).toBe(0)
  const resumed = await trainRun({ ...asked, resume: true, workers: 1 })
  const whole = await trainRun(request(1, { plugin }, 'trap'))
  expect(resumed).toMatchObject({ status: 'finished', weightsHash: whole.weightsHash })
})

test('a worker that dies without a word is named too, and nobody waits for it', async () => {
  const plugin = await trapped(30, 'process.exit(7)')
  await expect(trainRun(request(3, { plugin }, 'trap'))).rejects.toThrow(/training worker \d of 3 is ended with code 7/)
})

test('a world that workers cannot load is trained by one', async () => {
  const { path: _path, ...plugin } = await trapped(0, `throw new Error('never here')`)
  expect(await trainRun(request(4, { plugin }, 'trap'))).toMatchObject({ status: 'finished' })
})
