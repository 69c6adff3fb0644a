import { describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { createBatch, episodeSeed, Generator, namedSeed } from '../../envs/core/index.ts'
import { skirmish } from '../../envs/skirmish/index.ts'
import { type AnyPolicy, type PolicyDefinition } from '../core/policy.ts'
import { skirmishFocus } from './skirmish-focus.ts'
import { skirmishKite } from './skirmish-kite.ts'
import { skirmishNearest } from './skirmish-nearest.ts'

const recorded = fixtureJson<{ smaclite: Row[] }>('skirmish/reference.json')

interface Row {
  readonly map: string
  readonly policy: 'random' | 'nearest' | 'focus'
  readonly step_limit: number
  readonly episodes: number
  readonly win_rate: number
  readonly mean_return: number
  readonly sd_return: number
  readonly mean_length: number
}

interface Played {
  readonly wins: number
  readonly losses: number
  readonly mean: number
  readonly sd: number
  readonly length: number
}

const POLICIES: Record<string, PolicyDefinition | null> = {
  random: null,
  nearest: skirmishNearest,
  focus: skirmishFocus,
  kite: skirmishKite,
}

const EPISODES = 30

function playMany(options: Record<string, unknown>, name: string): Played {
  const batch = createBatch(skirmish, options, { lanes: EPISODES, autoreset: 'disabled' })
  batch.reset(Array.from({ length: EPISODES }, (_, lane) => episodeSeed('reference', 'eval', lane, 0)))
  const N = batch.spec.agents.length
  const A = batch.spec.actionSize
  const agents = Int32Array.from({ length: N }, (_, n) => n)
  const action = new Int32Array(EPISODES * N)
  const rng = new Generator(namedSeed('reference', name))
  const policy: AnyPolicy | null = POLICIES[name]?.create(batch.spec) ?? null
  const running = () => batch.terminated.some((_, lane) => batch.terminated[lane] + batch.truncated[lane] === 0)
  while (running()) {
    if (policy === null) {
      for (let i = 0; i < action.length; i++) {
        const row = batch.mask.subarray(i * A, (i + 1) * A)
        let pick = rng.below(row.reduce((sum, one) => sum + one, 0))
        let choice = 0
        while (row[choice] === 0 || pick-- > 0) choice++
        action[i] = choice
      }
    } else if (policy.privileged === true) policy.act(batch, agents, null, { action }, rng)
    batch.step(action)
  }
  const returns = Array.from({ length: EPISODES }, (_, lane) => batch.returns[lane * N])
  const mean = returns.reduce((a, b) => a + b) / EPISODES
  const metric = (which: string) =>
    returns.reduce((sum, _, lane) => sum + (batch.metrics(lane)[which] ?? 0), 0) / EPISODES
  return {
    wins: metric('won'),
    losses: metric('lost'),
    mean,
    sd: Math.sqrt(returns.reduce((sum, value) => sum + (value - mean) ** 2, 0) / EPISODES),
    length: metric('episodeLength'),
  }
}

describe('scripted play of SMAClite', () => {
  test.runIf(recorded)('at least 70 % of the recorded cells are met', () => {
    const { smaclite } = recorded!
    let met = 0
    let cells = 0
    for (const row of smaclite) {
      const own = playMany({ map: row.map, rules: 'smaclite', horizon: row.step_limit }, row.policy)
      const error = Math.sqrt((own.sd * own.sd) / EPISODES + (row.sd_return * row.sd_return) / row.episodes)
      const near = [
        Math.abs(own.wins - row.win_rate) <= 0.25,
        Math.abs(own.mean - row.mean_return) <= Math.max(1.5, 3 * error),
        Math.abs(own.length - row.mean_length) <= 0.2 * row.mean_length,
      ]
      cells += near.length
      met += near.filter(Boolean).length
    }
    console.log(`recorded cells met: ${met} of ${cells}`)
    expect(met / cells).toBeGreaterThanOrEqual(0.7)
  })
})

describe('the game itself (sc2)', () => {
  test('random play wins under 30 % and loses most games of 2c_vs_64zg', () => {
    for (const map of ['3m', '2s3z', '5m_vs_6m', '3s_vs_3z', '2m_vs_1z', '2s_vs_1sc']) {
      expect(playMany({ map }, 'random').wins, map).toBeLessThan(0.3)
    }
    const plateau = playMany({ map: '2c_vs_64zg', horizon: 150 }, 'random')
    expect(plateau.wins).toBeLessThan(0.3)
    expect(plateau.losses).toBeGreaterThan(0.5)
  })

  test('stalkers that step back beat zealots that they lose to standing', () => {
    expect(playMany({ map: '3s_vs_3z' }, 'kite').wins).toBeGreaterThan(0.9)
    expect(playMany({ map: '3s_vs_4z' }, 'kite').wins).toBeGreaterThan(playMany({ map: '3s_vs_4z' }, 'nearest').wins)
  })
})
