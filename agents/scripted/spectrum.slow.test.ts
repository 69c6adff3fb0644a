/** Myopic play against simulated values: many slots, because slots of a Gilbert–Elliott channel resemble their neighbours. */
import { expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { createBatch, episodeSeed, Generator, namedSeed } from '../../envs/core/index.ts'
import { spectrum } from '../../envs/spectrum/index.ts'
import { POLICIES } from '../index.ts'

const known = fixtureJson('expected.json')?.spectrum

/** Slots per value; 2,000 each in so many lanes. */
const LANES = Number(process.env.TROUPE_MYOPIC_LANES ?? 200)

test.runIf(known).each(['spectrum-myopic', 'spectrum-whittle'])(
  '%s reaches the simulated throughput on three to five channels, and with p11 < p01',
  (name) => {
    const { monteCarlo } = known.myopicGilbertElliott as {
      monteCarlo: { tol: number; values: { K: number; p11: number; p01: number; thr: number }[] }
    }
    for (const { K, p11, p01, thr } of monteCarlo.values) {
      const options = { users: 1, channels: K, pu: 'gilbertElliott', p11, p01, reward: 'competitive', horizon: 2000 }
      const batch = createBatch(spectrum, options, { lanes: LANES, autoreset: 'disabled' })
      batch.reset(Array.from({ length: LANES }, (_, lane) => episodeSeed('myopic', 'eval', lane, 0)))
      const player = POLICIES[name].create(batch.spec)
      if (player.privileged !== true) throw new Error('it knows how the channels behave')
      const memory = player.memory(LANES, 1)
      const out = { action: new Int32Array(LANES) }
      const rng = new Generator(namedSeed('myopic', 'unused'))
      while (batch.truncated[0] === 0) {
        player.act(batch, Int32Array.of(0), memory, out, rng)
        batch.step(out.action)
      }
      const mean = batch.returns.reduce((sum, value) => sum + value, 0) / LANES / 2000
      expect(Math.abs(mean - thr), `K ${K}, p11 ${p11}, p01 ${p01}: ${mean}`).toBeLessThan(monteCarlo.tol)
    }
  },
)
