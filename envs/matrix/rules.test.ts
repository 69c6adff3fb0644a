import { describe, expect, test } from 'vitest'
import { refusal } from '../../testing.ts'
import { Generator, createBatch, namedSeed, type BatchSettings, type DigestibleBatch } from '../core/index.ts'
import { matrix } from './index.ts'

const open = (options: object = {}, settings: BatchSettings = {}) => createBatch(matrix, options, settings)

const C = 0
const D = 1

/** Plays joint actions in a fresh single lane. */
function play(options: object, rounds: readonly (readonly number[])[]): DigestibleBatch {
  const batch = open(options, { autoreset: 'disabled' })
  batch.reset()
  for (const round of rounds) batch.step(Int32Array.from(round))
  return batch
}

describe('rounds', () => {
  test('the first player chooses the row, the second the column', () => {
    // sucker's payoff 0 for the one who cooperates, temptation 5 for the one who defects
    expect(Array.from(play({ game: 'pd' }, [[C, D]]).reward)).toEqual([0, 5])
    expect(Array.from(play({ game: 'pd' }, [[D, C]]).reward)).toEqual([5, 0])
  })

  test('every reward and flag is written, whatever was there before', () => {
    const batch = open({ game: 'bos', horizon: null }, { lanes: 3 })
    batch.reset()
    batch.reward.fill(NaN)
    batch.terminated.fill(7)
    batch.truncated.fill(7)
    batch.step(Int32Array.of(0, 0, 1, 1, 0, 1))
    expect(Array.from(batch.reward)).toEqual([3, 2, 2, 3, 0, 0])
    expect(Array.from(batch.terminated)).toEqual([0, 0, 0])
    expect(Array.from(batch.truncated)).toEqual([0, 0, 0])
  })

  test('a one-shot game is over after its round: terminated, nothing to come', () => {
    const batch = play({ game: 'pd', horizon: 1, horizonEnds: 'termination' }, [[C, C]])
    expect(batch.terminated[0]).toBe(1)
    expect(batch.truncated[0]).toBe(0)
    expect(batch.finalLength[0]).toBe(1)
  })

  test('a repeated game is cut by the clock at exactly its horizon', () => {
    const batch = play({ game: 'pd', horizon: 7 }, new Array(6).fill([C, C]))
    expect(batch.truncated[0]).toBe(0)
    batch.step(Int32Array.of(C, C))
    expect(batch.truncated[0]).toBe(1)
    expect(batch.terminated[0]).toBe(0)
    expect(batch.finalLength[0]).toBe(7)
  })

  test('without a word a game is played 25 rounds', () => {
    expect(open().spec.horizon).toBe(25)
  })

  test('seats swapped in a symmetric game swap rewards, observations and metrics', () => {
    const rng = new Generator(namedSeed('mirror', 'matrix'))
    for (const game of ['pd', 'pd-lola', 'stag-hunt', 'chicken']) {
      const rounds = Array.from({ length: 20 }, () => [rng.below(2), rng.below(2)])
      const here = play({ game, observation: 'last' }, rounds)
      const there = play(
        { game, observation: 'last' },
        rounds.map(([a, b]) => [b, a]),
      )
      const width = here.spec.observationSize
      expect(Array.from(here.returns)).toEqual(Array.from(there.returns).reverse())
      expect(Array.from(here.observation.subarray(0, width))).toEqual(Array.from(there.observation.subarray(width)))
      expect(here.metrics(0).payoff0).toBe(there.metrics(0).payoff1)
      expect(here.metrics(0).welfare).toBe(there.metrics(0).welfare)
    }
  })

  test('a lane among 64 plays as it does alone, also when lanes end at different times', () => {
    const options = { game: 'climbing', observation: 'last', horizon: 5 }
    const lanes = 64
    const many = open(options, { lanes })
    const one = open(options)
    const odd = Uint8Array.from({ length: lanes }, (_, lane) => lane % 2)
    many.reset()
    one.reset()
    const rng = new Generator(namedSeed('lanes', 'matrix'))
    const lane = 37
    for (let step = 0; step < 40; step++) {
      if (step === 3) {
        many.reset(undefined, odd) // from here on odd lanes end three rounds later than even ones
        one.reset()
      }
      const action = Int32Array.from({ length: lanes * 2 }, () => rng.below(3))
      many.step(action)
      one.step(action.slice(lane * 2, lane * 2 + 2))
      for (const name of [
        'observation',
        'state',
        'reward',
        'terminated',
        'truncated',
        'returns',
        'stepCount',
        'finalObservation',
        'finalState',
        'finalReturns',
        'finalLength',
      ] as const) {
        const width = many[name].length / lanes
        expect(Array.from(many[name].subarray(lane * width, (lane + 1) * width)), `${name} at ${step}`).toEqual(
          Array.from(one[name]),
        )
      }
      expect(many.hash(lane)).toBe(one.hash(0))
      expect(many.finalMetrics(lane)).toEqual(one.finalMetrics(0))
    }
  })

  test('a saved lane loaded elsewhere has the same future and the same metrics', () => {
    const options = { game: 'rps', observation: 'last', horizon: 30 }
    const rng = new Generator(namedSeed('save', 'matrix'))
    const draw = () => Int32Array.of(rng.below(3), rng.below(3))
    const batch = open(options, { autoreset: 'disabled' })
    batch.reset()
    for (let round = 0; round < 11; round++) batch.step(draw())
    const snapshot = JSON.parse(JSON.stringify(batch.save(0)))
    const copy = open(options, { autoreset: 'disabled' })
    copy.load(0, snapshot)
    expect(copy.hash(0)).toBe(batch.hash(0))
    for (let round = 11; round < 30; round++) {
      const action = draw()
      batch.step(action)
      copy.step(action)
      expect(copy.hash(0)).toBe(batch.hash(0))
      expect(Array.from(copy.observation)).toEqual(Array.from(batch.observation))
    }
    expect(copy.truncated[0]).toBe(1)
    expect(copy.finalMetrics(0)).toEqual(batch.finalMetrics(0))
    expect(Array.from(copy.finalReturns)).toEqual(Array.from(batch.finalReturns))
  })

  test('the digest tells last choices and counts apart', () => {
    const a = play({ game: 'pd' }, [[C, C], [C, D]]) // prettier-ignore
    const b = play({ game: 'pd' }, [[C, D], [C, C]]) // prettier-ignore
    const c = play({ game: 'pd' }, [[D, C], [C, D]]) // prettier-ignore
    expect(new Set([a.hash(0), b.hash(0), c.hash(0)]).size).toBe(3)
  })
})

describe('observations', () => {
  test('with none, a player sees one constant, so that no space has size zero', () => {
    const batch = play({ game: 'climbing' }, [])
    expect(batch.spec.observationSize).toBe(1)
    batch.observation.fill(NaN)
    batch.step(Int32Array.of(2, 0))
    expect(Array.from(batch.observation)).toEqual([1, 1])
    expect(batch.spec.agents[0].observation[0].name).toBe('constant')
  })

  test('with last, a player sees its own choice first, then the other, and zeros in the first round', () => {
    const batch = play({ game: 'pd', observation: 'last' }, [])
    expect(batch.spec.agents[1].observation.map(({ name }) => name)).toEqual([
      'own.cooperate',
      'own.defect',
      'other.cooperate',
      'other.defect',
    ])
    expect(Array.from(batch.observation)).toEqual([0, 0, 0, 0, 0, 0, 0, 0])
    batch.observation.fill(NaN)
    batch.step(Int32Array.of(C, D))
    expect(Array.from(batch.observation)).toEqual([1, 0, 0, 1, /* the defector */ 0, 1, 1, 0])
  })

  test('the global state is the last joint action in player order, under both kinds of observation', () => {
    for (const observation of ['none', 'last']) {
      const batch = play({ game: 'rps', observation }, [[2, 1]])
      expect(Array.from(batch.state)).toEqual([0, 0, 1, 0, 1, 0])
      expect(batch.spec.world.state.map(({ name }) => name)).toEqual([
        'agent_0.rock',
        'agent_0.paper',
        'agent_0.scissors',
        'agent_1.rock',
        'agent_1.paper',
        'agent_1.scissors',
      ])
    }
  })

  test('in a table of unequal sides the narrower player is padded and cannot choose beyond its own', () => {
    const payoffs = [
      [[1, 2, 3], [4, 5, 6]], // prettier-ignore
      [[0, 0, 1], [0, 2, 0]], // prettier-ignore
    ]
    const batch = play({ game: 'custom', payoffs, observation: 'last' }, [])
    expect(batch.spec.actionSizes).toEqual([3])
    expect(Array.from(batch.mask)).toEqual([1, 1, 0, 1, 1, 1])
    batch.mask.fill(9)
    batch.step(Int32Array.of(1, 2))
    expect(Array.from(batch.mask)).toEqual([1, 1, 0, 1, 1, 1])
    expect(Array.from(batch.reward)).toEqual([6, 0])
    expect(Array.from(batch.observation)).toEqual([/* own */ 0, 1, /* other */ 0, 0, 1, /* own */ 0, 0, 1, 0, 1])
    const error = refusal(() => batch.step(Int32Array.of(2, 0)))
    expect(error.code).toBe('bad-action')
    expect(error.message).toContain('agent_0')
    expect(error.message).toContain('expected 0 choice 0, 1 choice 1')
  })
})

describe('metrics', () => {
  test('are means over the rounds played, all from the joint actions', () => {
    // payoffs 3,3 then 0,5 then 5,0 then 1,1
    const batch = play({ game: 'pd' }, [[C, C], [C, D], [D, C], [D, D]]) // prettier-ignore
    expect(batch.metrics(0)).toEqual({
      payoff0: 9 / 4,
      payoff1: 9 / 4,
      welfare: 18 / 4,
      cooperationRate: 4 / 8,
      equilibriumRate: 1 / 4,
      optimumRate: 1 / 4,
      episodeLength: 4,
    })
  })

  test('of an episode know nothing of the one before', () => {
    const batch = open({ game: 'pd', horizon: 2 })
    batch.reset()
    for (const choice of [D, D, C, C]) batch.step(Int32Array.of(choice, choice))
    expect(batch.finalMetrics(0).cooperationRate).toBe(1)
    expect(batch.finalMetrics(0).payoff0).toBe(3)
    expect(batch.frame(0).layers![0].cells).toEqual([0, 0, 0, 0])
  })

  test('are undefined before the first round', () => {
    expect(play({ game: 'pd' }, []).metrics(0).welfare).toBe(null)
  })

  test('leave out what a game does not have', () => {
    // no action of these helps the other; matching pennies has no pure equilibrium and the same welfare everywhere
    expect(open({ game: 'mp' }).spec.metrics).toEqual(['payoff0', 'payoff1', 'welfare', 'episodeLength'])
    expect(open({ game: 'climbing' }).spec.metrics).toEqual([
      'payoff0',
      'payoff1',
      'welfare',
      'equilibriumRate',
      'optimumRate',
      'episodeLength',
    ])
  })
})

describe('uniform play', () => {
  /** Mean payoff of agent_0 over many rounds of uniformly random choices. */
  function sampled(options: object): { mean: number; rounds: number } {
    const batch = open({ ...options, horizon: null }, { lanes: 1024 })
    batch.reset()
    const rng = new Generator(namedSeed('uniform', JSON.stringify(options)))
    const action = new Int32Array(2048)
    const rounds = 200
    for (let round = 0; round < rounds; round++) {
      for (let i = 0; i < action.length; i++) action[i] = rng.below(3)
      batch.step(action)
    }
    let sum = 0
    for (let lane = 0; lane < 1024; lane++) sum += batch.returns[lane * 2]
    return { mean: sum / (1024 * rounds), rounds: 1024 * rounds }
  }

  test('earns -31/9 a round in climbing and (22 - 2k)/9 in penalty', () => {
    // standard errors: payoff deviation (14.6 in climbing, at most about 50 in penalty-100) over sqrt(204,800)
    const climbing = sampled({ game: 'climbing' })
    expect(Math.abs(climbing.mean - -31 / 9)).toBeLessThan((4.5 * 14.6) / Math.sqrt(climbing.rounds))
    for (const k of [0, 25, 50, 75, 100]) {
      const penalty = sampled({ game: 'penalty', k })
      expect(Math.abs(penalty.mean - (22 - 2 * k) / 9)).toBeLessThan((4.5 * 50) / Math.sqrt(penalty.rounds))
    }
  })

  test('is what the seat that nobody controls plays, from its own seed', () => {
    const settings = { lanes: 512, control: ['agent_0'] }
    const batch = open({ game: 'mp', horizon: 100 }, settings)
    const again = open({ game: 'mp', horizon: 100 }, settings)
    batch.reset()
    again.reset()
    const heads = new Int32Array(512)
    for (let round = 0; round < 50; round++) {
      batch.step(heads)
      again.step(heads)
    }
    // 25,600 fair coins: standard error 1/160
    const mean = batch.returns.reduce((a, b) => a + b, 0) / (512 * 50)
    expect(Math.abs(mean)).toBeLessThan(4.5 / 160)
    expect(new Set(batch.returns).size).toBeGreaterThan(5)
    expect(Array.from(again.returns)).toEqual(Array.from(batch.returns))
  })

  test('makes the third action look best in climbing, row by row, as relative over-generalisation needs', () => {
    // row means -19/3, -23/3, 11/3 against a uniform partner
    const { payoffs } = open({ game: 'climbing' }).spec.world.scene as { payoffs: number[][][] }
    const means = payoffs[0].map((line) => line.reduce((a, b) => a + b) / 3)
    expect(means.map((mean) => Number(mean.toFixed(2)))).toEqual([-6.33, -7.67, 3.67])
  })
})

describe('frames', () => {
  test('show both players, the chosen cell and what it paid', () => {
    const frame = play({ game: 'bos' }, [[0, 0], [1, 0]]).frame(0) // prettier-ignore
    expect(frame.step).toBe(2)
    expect(frame.entities).toEqual([
      {
        id: 'agent_0',
        kind: 'player',
        team: 'row',
        x: -1,
        y: 1,
        state: { number: 0, action: 1, actionName: 'football', payoff: 0, total: 3 },
      },
      {
        id: 'agent_1',
        kind: 'player',
        team: 'column',
        x: 0,
        y: -1,
        state: { number: 1, action: 0, actionName: 'opera', payoff: 0, total: 2 },
      },
      { id: 'choice', kind: 'choice', x: 0, y: 1 },
    ])
    expect(frame.layers).toEqual([{ name: 'counts', width: 2, height: 2, cells: [1, 0, 1, 0] }])
    expect(frame.events.map(({ kind, value }) => [kind, value])).toEqual([
      ['payoff', 0],
      ['payoff', 0],
    ])
    expect(frame.counters).toEqual({ rounds: 2, total0: 3, total1: 2, welfare: 5 })
  })

  test('have no chosen cell before the first round', () => {
    const frame = play({ game: 'bos' }, []).frame(0)
    expect(frame.entities.map(({ id }) => id)).toEqual(['agent_0', 'agent_1'])
    expect(frame.events).toEqual([])
  })

  test('come with a scene that names actions, payoffs and equilibria, as plain JSON', () => {
    const { scene, size } = open({ game: 'stag-hunt' }).spec.world
    expect(JSON.parse(JSON.stringify(scene))).toEqual({
      game: 'stag-hunt',
      title: 'Stag hunt',
      actions: [['stag', 'hare'], ['stag', 'hare']], // prettier-ignore
      payoffs: [[[4, 1], [3, 2]], [[4, 3], [1, 2]]], // prettier-ignore
      equilibria: [[0, 0], [1, 1]], // prettier-ignore
      best: [[0, 0]],
    })
    expect(size).toEqual({ width: 2, height: 2 })
  })

  test('players with one common payoff are one team, others are rivals', () => {
    const teams = (game: string) => open({ game }).spec.agents.map(({ team }) => team)
    expect(teams('climbing')).toEqual(['players', 'players'])
    expect(teams('pd')).toEqual(['row', 'column'])
  })
})

describe('options', () => {
  test.each([
    [{ gmae: 'pd' }, 'gmae', '"game"'],
    [{ game: 'stag-hnt' }, 'game', '"stag-hunt"'],
    [{ observation: 'lst' }, 'observation', '"last"'],
    [{ game: 'pd', k: 3 }, 'k', undefined],
    [{ game: 'penalty', k: -1 }, 'k', undefined],
    [{ game: 'custom' }, 'payoffs', undefined],
    [{ game: 'pd', payoffs: [[[1, 1], [1, 1]], [[1, 1], [1, 1]]] }, 'payoffs', undefined], // prettier-ignore
    [{ game: 'custom', payoffs: [[[1, 1], [1, 1]]] }, 'payoffs', undefined], // prettier-ignore
    [{ game: 'custom', payoffs: [[[1, 1], [1, 1]], [[1, 1], [1]]] }, 'payoffs', undefined], // prettier-ignore
    [{ game: 'custom', payoffs: [[[1, 1], [1, 1]], [[1, 1], [1, 1, 1]]] }, 'payoffs.1.1', undefined], // prettier-ignore
    [{ game: 'custom', payoffs: [[[1, 1], [1, 1]], [[1, 1], [1, 1], [1, 1]]] }, 'payoffs.1', undefined], // prettier-ignore
    [{ game: 'custom', payoffs: [[[1, NaN], [1, 1]], [[1, 1], [1, 1]]] }, 'payoffs', undefined], // prettier-ignore
    [{ horizon: 0 }, 'horizon', undefined],
    [{ rounds: 3 }, 'rounds', undefined],
  ])('%j is refused by name', (options, field, nearest) => {
    const error = refusal(() => open(options))
    expect(error.code).toBe('bad-option')
    expect(error.where).toContain(`matrix options: ${field}`)
    expect(error.nearest).toBe(nearest)
  })
})
