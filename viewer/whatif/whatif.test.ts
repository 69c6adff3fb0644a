import { describe, expect, it } from 'vitest'
import { ENVS } from '../../envs/index.ts'
import { readReplay } from '../../envs/core/replay.ts'
import { type AnyPolicy } from '../../agents/core/policy.ts'
import { POLICIES } from '../../agents/scripted/index.ts'
import { greedy, recordEpisode } from '../e2e/support.ts'
import { meanInterval95, student975 } from './interval.ts'
import { WhatIf } from './whatif.ts'

/** Always the same choice. */
const always = (choice: number): AnyPolicy => ({
  name: `always ${choice}`,
  memory: () => null,
  act: (_view, _memory, out) => void out.action.fill(choice),
})

describe('what if', () => {
  // Prisoner's dilemma, 10 rounds: payoffs by hand from the game's own table.
  const game = recordEpisode({
    env: 'matrix',
    options: { game: 'pd', horizon: 10 },
    scenario: 'matrix/pd-test',
    teamReward: 'none',
  })
  const replay = readReplay(game.bytes, {}, 'pd')

  it('tells exactly what each action pays where nothing is left to chance', () => {
    const step = 4
    const parts = [{ policy: always(1), agents: [0, 1] }]
    const asked = new WhatIf(replay, ENVS.matrix, parts, { step, agent: 0, depth: 3, discount: 0.5 })
    const { outcomes } = asked.round()
    expect(outcomes.map(({ action }) => action)).toEqual([[0], [1]])
    const other = replay.actions[step * 2 + 1]
    const pays = (mine: number, theirs: number) => {
      const batch = game.simulate()
      batch.step(Int32Array.of(mine, theirs))
      return batch.reward[0]
    }
    for (const { action, mean, interval, taken } of outcomes) {
      const expected = pays(action[0], other) + 0.5 * pays(1, 1) + 0.25 * pays(1, 1)
      expect(mean).toBeCloseTo(expected, 6)
      expect(interval![1] - interval![0]).toBeCloseTo(0, 6)
      expect(taken).toBe(action[0] === replay.actions[step * 2])
    }
  })

  it('looks no further than the episode goes, and not at all when it is over', () => {
    const parts = [{ policy: always(0), agents: [0, 1] }]
    const near = new WhatIf(replay, ENVS.matrix, parts, { step: 9, agent: 1, depth: 100, discount: 1 })
    const batch = game.simulate()
    batch.step(Int32Array.of(replay.actions[18], 1))
    expect(near.round().outcomes[1].mean).toBeCloseTo(batch.reward[1], 6)
    const at = { step: 10, agent: 0, depth: 5, discount: 1 }
    expect(() => new WhatIf(replay, ENVS.matrix, parts, at)).toThrow('the end of the episode; expected an earlier step')
  })

  it('sees that delivering beats standing still: the crew knows the worth of one action', () => {
    const crew = recordEpisode({
      env: 'warehouse',
      options: { size: 'tiny', robots: 2, horizon: 120 },
      scenario: 'warehouse/test',
      act: greedy(),
      recording: { channels: true },
    })
    const floor = readReplay(crew.bytes, {}, 'crew')
    // The step that brings a shelf home: the reward of the next state tells.
    const batch = crew.simulate()
    let step = -1
    let agent = -1
    crew.actions.forEach((row, t) => {
      batch.step(row)
      const paid = [...batch.reward].findIndex((value) => value > 0)
      if (step < 0 && paid >= 0) [step, agent] = [t, paid]
    })
    expect(step).toBeGreaterThan(0)
    const policy = POLICIES['warehouse-greedy'].create(batch.spec)
    const asked = new WhatIf(floor, ENVS.warehouse, [{ policy, agents: [0, 1] }], {
      step,
      agent,
      depth: 1,
      discount: 1,
    })
    const { outcomes, futures, critic } = asked.round()
    expect(futures).toBeGreaterThan(1)
    expect(outcomes.find(({ taken }) => taken)!.mean).toBe(1)
    expect(outcomes.filter(({ taken }) => !taken).every(({ mean }) => mean === 0)).toBe(true)
    expect(critic).toBeCloseTo(agent + step / 100, 5) // what recordEpisode wrote
    // More rounds, more futures; the same question gives the same answers.
    asked.round()
    const again = new WhatIf(floor, ENVS.warehouse, [{ policy, agents: [0, 1] }], asked.settings)
    again.round()
    expect(again.round()).toEqual(asked.estimate())
  })
})

describe('an interval of a mean', () => {
  it('is Student’s: wide for few, as tables say', () => {
    // t(0.975): 4 degrees 2.776, 10 degrees 2.228, 30 degrees 2.042, 120 degrees 1.980
    expect(student975(4)).toBeCloseTo(2.776, 3)
    expect(student975(10)).toBeCloseTo(2.228, 2)
    expect(student975(30)).toBeCloseTo(2.042, 3)
    expect(student975(120)).toBeCloseTo(1.98, 3)
    // 1, 2, 3, 4, 5: mean 3, s = sqrt 2.5, half = 2.776 * sqrt 0.5
    const { mean, low, high } = meanInterval95([1, 2, 3, 4, 5])!
    expect(mean).toBe(3)
    expect(high - mean).toBeCloseTo(2.776 * Math.SQRT1_2, 3)
    expect(mean - low).toBeCloseTo(high - mean, 9)
    expect(meanInterval95([7])).toBeNull()
  })
})
