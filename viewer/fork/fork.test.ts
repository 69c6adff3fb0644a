import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENVS } from '../../envs/index.ts'
import { readReplay, verifyReplay } from '../../envs/core/replay.ts'
import { POLICIES } from '../../agents/scripted/index.ts'
import { recordEpisode, greedy } from '../e2e/support.ts'
import { Fork, type Driver } from './fork.ts'

const recorded = (n: number): Driver[] => Array.from({ length: n }, () => ({ kind: 'recorded' }) as const)
const genuine = (fork: Fork) => verifyReplay(readReplay(fork.file(), {}, 'fork'), fork.definition)

/** One short episode of every kind of world: chance, cooperation, two teams, several agents, no chance at all. */
const WORLDS = {
  warehouse: { size: 'tiny', robots: 3, horizon: 60 },
  foraging: { rows: 6, columns: 6, players: 3, foods: 2, horizon: 40 },
  skirmish: { horizon: 40 },
  spectrum: { horizon: 40 },
  particles: { horizon: 25 },
  matrix: { game: 'pd', horizon: 20 },
}
const episodes = Object.entries(WORLDS).map(([env, options]) => {
  const { bytes } = recordEpisode({ env, options, scenario: `${env}/test` })
  return { env, replay: readReplay(bytes, {}, env), bytes }
})

const crew = () => {
  const { bytes } = recordEpisode({
    env: 'warehouse',
    options: { size: 'tiny', robots: 3, horizon: 80 },
    scenario: 'warehouse/test',
    act: greedy(),
  })
  return readReplay(bytes, {}, 'crew')
}

describe('a fork', () => {
  it('with everybody doing what was recorded is the recorded episode, wherever it leaves', () => {
    fc.assert(
      fc.property(fc.constantFrom(...episodes), fc.double({ min: 0, max: 1, noNaN: true }), ({ env, replay }, part) => {
        const at = Math.floor(part * replay.steps)
        const fork = new Fork(replay, ENVS[env], at, recorded(replay.header.agents.length), 'again')
        const played = fork.advance(replay.steps + 5)
        expect(played.over).toBe(true)
        expect(played.replaced).toBe(0)
        const file = readReplay(fork.file(), {}, 'fork')
        expect(file.actions).toEqual(replay.actions)
        expect([...file.digests]).toEqual([...replay.digests])
        expect(file.header.result).toEqual(replay.header.result)
      }),
      { numRuns: 40, seed: 1 },
    )
  })

  it('saved at any moment verifies, with choices, takebacks and policies mixed at will', () => {
    const move = fc.oneof(
      fc.record({ kind: fc.constant('step' as const), pick: fc.nat(30) }),
      fc.record({ kind: fc.constant('run' as const), steps: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ kind: fc.constant('cut' as const), part: fc.double({ min: 0, max: 1, noNaN: true }) }),
      fc.record({ kind: fc.constant('random' as const), agent: fc.nat(2) }),
    )
    fc.assert(
      fc.property(fc.constantFrom(...episodes), fc.array(move, { maxLength: 8 }), ({ env, replay }, moves) => {
        const { agents } = replay.header
        const fork = new Fork(replay, ENVS[env], Math.floor(replay.steps / 2), recorded(agents.length), 'mixed')
        for (const one of moves) {
          if (one.kind === 'run') fork.advance(one.steps)
          if (one.kind === 'cut') fork.cut(Math.floor(one.part * fork.steps))
          if (one.kind === 'random') {
            const random = POLICIES.random.create(fork.batch.spec)
            const drivers = fork.drivers.map((driver, n): Driver =>
              n === one.agent ? { kind: 'policy', policy: random } : driver,
            )
            fork.drive(drivers)
          }
          if (one.kind === 'step' && !fork.over) {
            const legal = [...fork.batch.mask.subarray(0, fork.batch.spec.actionSizes[0])].flatMap((m, k) =>
              m ? [k] : [],
            )
            const choice = fork.idle(0)
            choice[0] = legal[one.pick % legal.length]
            if (fork.batch.spec.actionDims === 1) fork.advance(1, new Map([[0, choice]]))
          }
        }
        expect(genuine(fork)).toMatchObject({ ok: true, steps: fork.steps })
        expect(fork.record(fork.steps).returns).toEqual(fork.batch.returns.slice())
      }),
      { numRuns: 40, seed: 2 },
    )
  })

  it('lets one agent be led by hand while the others do what was recorded', () => {
    const replay = crew()
    const drivers = recorded(3).map((driver, n): Driver => (n === 1 ? { kind: 'person' } : driver))
    const fork = new Fork(replay, ENVS.warehouse, 10, drivers, 'by hand')
    fork.advance(1, new Map([[1, [2]]])) // turns left
    fork.advance(1) // says nothing: idle
    const rows = (t: number) => [...fork.actions().subarray(t * 3, t * 3 + 3)]
    const before = (t: number) => [...replay.actions.subarray(t * 3, t * 3 + 3)]
    expect(rows(9)).toEqual(before(9))
    expect(rows(10)).toEqual([before(10)[0], 2, before(10)[2]])
    expect(rows(11)).toEqual([before(11)[0], 0, before(11)[2]])
    expect(readReplay(fork.file(), {}, 'x').header.policies).toEqual([
      { name: 'e2e-policy', agents: [0, 2] },
      { name: 'person', agents: [1] },
    ])
    expect(readReplay(fork.file(), {}, 'x').notes).toEqual([
      { step: 10, text: 'Forked here: what follows step 10 was played again.' },
    ])
  })

  it('played on by the policy that was recorded goes on as it was: it knows what it would have known', () => {
    const replay = crew()
    const policy = POLICIES['warehouse-greedy'].create(new Fork(replay, ENVS.warehouse, 0, recorded(3), '').batch.spec)
    for (const at of [0, 17, 41]) {
      const drivers = recorded(3).map((): Driver => ({ kind: 'policy', policy }))
      const fork = new Fork(replay, ENVS.warehouse, at, drivers, 'policy')
      fork.advance(replay.steps)
      expect(fork.actions()).toEqual(replay.actions)
    }
  })

  it('refuses what is not legal, and names the agent', () => {
    const { replay } = episodes.find(({ env }) => env === 'skirmish')!
    const fork = new Fork(replay, ENVS.skirmish, 0, recorded(replay.header.agents.length), '')
    const illegal = [...fork.batch.mask.subarray(0, fork.batch.spec.actionSize)].indexOf(0)
    const act = (choice: number[]) => () => fork.advance(1, new Map([[0, choice]]))
    expect(act([illegal])).toThrow(
      new RegExp(`fork: ${replay.header.agents[0]} is .*; expected one of the legal actions`),
    )
    expect(act([99])).toThrow('legal')
    expect(act([])).toThrow('legal')
    expect(act([0.5])).toThrow('legal')
    expect(fork.steps).toBe(0)
    expect(() => new Fork(replay, ENVS.skirmish, replay.steps + 1, [], '')).toThrow(`a step of 0 to ${replay.steps}`)
  })
})
