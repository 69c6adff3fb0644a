import { expect, test } from 'vitest'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const envs = new URL('../dist/envs/index.js', import.meta.url).href

/** What another process prints. */
function process_(script: string): string {
  const words = ['--input-type=module', '-e', script]
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  })
  expect(status, stderr).toBe(0)
  return stdout.trim()
}

/** Plays every built-in environment in the batch and hashes every observation, state and reward. */
const BATCH = (seed: number) => `
import { createHash } from 'node:crypto'
import { ENVS, Generator, makeBatch, episodeSeed, namedSeed } from '${envs}'
for (const id of Object.keys(ENVS)) {
  const batch = makeBatch(id, {}, { lanes: 8, seeds: (lane, episode) => episodeSeed(${seed}, 'train', lane, episode) })
  const hash = createHash('sha256')
  const rng = new Generator(namedSeed(${seed}, 'actions'))
  const action = new Int32Array(8 * batch.spec.agents.length * batch.spec.actionDims)
  batch.reset()
  for (let step = 0; step < 600; step++) {
    hash.update(batch.observation).update(batch.state).update(batch.reward)
    for (let i = 0, from = 0; i < action.length; i++) {
      const size = batch.spec.actionSizes[i % batch.spec.actionDims]
      const legal = Array.from({ length: size }, (_, a) => a).filter((a) => batch.mask[from + a] === 1)
      action[i] = legal[rng.below(legal.length)]
      from += size
    }
    batch.step(action)
  }
  console.log(id, hash.digest('hex'))
}
`

/** The same through the Parallel view, with actions from the agents' own spaces. */
const PARALLEL = (seed: number) => `
import { createHash } from 'node:crypto'
import { ENVS, parallelEnv } from '${envs}'
for (const id of Object.keys(ENVS)) {
  const env = parallelEnv(id)
  const hash = createHash('sha256')
  for (const agent of env.possibleAgents) env.actionSpace(agent).seed(${seed})
  let { observations, infos } = env.reset({ seed: ${seed} })
  for (let step = 0; step < 300; step++) {
    for (const agent of env.possibleAgents) if (observations[agent]) hash.update(observations[agent])
    if (env.agents.length === 0) { ;({ observations, infos } = env.reset()); continue }
    ;({ observations, infos } = env.step(Object.fromEntries(env.agents.map((agent) => [agent, env.actionSpace(agent).sample(infos[agent].actionMask)]))))
  }
  console.log(id, hash.digest('hex'))
}
`

test('two processes with the same seed see the same observations to the bit, another seed shows others', () => {
  const [once, again, other] = [process_(BATCH(1)), process_(BATCH(1)), process_(BATCH(2))]
  expect(once).toMatch(/^warehouse [0-9a-f]{64}$/m)
  expect(again).toBe(once)
  expect(other).not.toBe(once)
})

test('so do two with actions sampled from seeded spaces', () => {
  const [once, again, other] = [process_(PARALLEL(1)), process_(PARALLEL(1)), process_(PARALLEL(2))]
  expect(once).toMatch(/^warehouse [0-9a-f]{64}$/m)
  expect(again).toBe(once)
  expect(other).not.toBe(once)
})
