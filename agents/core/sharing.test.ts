import { expect, test } from 'vitest'
import { type EnvSpec } from '../../envs/core/index.ts'
import { LEARNERS } from '../index.ts'
import { apart, sharedBy } from './sharing.ts'
import { fingerprint, lit, open, outFor, start, train, viewOf, written } from './testing.ts'

const world = lit({ agents: 3 })
const spec = { agents: ['left', 'right', 'goalkeeper'].map((id) => ({ id, kind: id.length > 5 ? 'keeper' : 'field' })) } as unknown as EnvSpec // prettier-ignore
const ids = spec.agents.map(({ id }) => id)

test('networks are counted in the order in which their first agent comes', () => {
  expect([...sharedBy('full', spec, ids)]).toEqual([0, 0, 0])
  expect([...sharedBy('kind', spec, ids)]).toEqual([0, 0, 1])
  expect([...sharedBy('none', spec, ids)]).toEqual([0, 1, 2])
  expect([...sharedBy([['right'], ['goalkeeper', 'left']], spec, ids)]).toEqual([0, 1, 0])
  expect([...sharedBy([['right'], ['goalkeeper']], spec, ids.slice(1))]).toEqual([0, 1])
  expect([apart('none'), apart('full'), apart([['a'], ['b']]), apart([['a', 'b']])]).toEqual([true, false, true, false])
})

test('groups that leave an agent out, have one twice or name a stranger are refused before training', () => {
  const of = (groups: string[][]) => () => sharedBy(groups, spec, ids)
  expect(of([['left', 'right']])).toThrow(/sharing is groups without goalkeeper; expected every learning agent in one/)
  expect(
    of([
      ['left', 'right'],
      ['goalkeeper', 'left'],
    ]),
  ).toThrow(/sharing is left 2 times/)
  expect(of([ids, ['rihgt']])).toThrow(/"rihgt", who does not learn.*did you mean "right"/)
  const start1 = (sharing: unknown) => () => start(LEARNERS.qmix, world, { sharing })
  expect(start1([['agent_0', 'agent_1']])).toThrow(/groups without agent_2/)
  expect(start1([])).toThrow(/sharing/)
})

test.each(['ippo', 'maa2c', 'iql'])(
  '%s: groups of ids are the words where they mean the same, and else networks of their own',
  (name) => {
    const trained = (sharing: unknown) => {
      const learner = start(LEARNERS[name], world, { sharing, agentId: false })
      train(learner, 3)
      const checkpoint = written(learner.save())
      learner.dispose()
      return checkpoint
    }
    const networks = (sharing: unknown) => fingerprint({ ...trained(sharing), state: {} })
    expect(networks([['agent_2', 'agent_0', 'agent_1']])).toEqual(networks('full'))
    expect(networks([['agent_2'], ['agent_0'], ['agent_1']])).toEqual(networks('none'))
    const pairs = trained([['agent_1'], ['agent_0', 'agent_2']])
    const actors = Object.keys(pairs.weights).filter((tensor) => /^(actor|agent)\d*\/layer0\/weight$/.test(tensor))
    expect(actors).toHaveLength(2)
    const batch = open(world, 2)
    const policy = LEARNERS[name].policy(batch.spec, pairs, 'greedy')
    const out = outFor(batch)
    batch.reset()
    policy.act(viewOf(batch), policy.memory(2, 3), out, undefined as never)
    expect([...out.action].every((action) => action >= 0)).toBe(true)
    policy.dispose?.()
  },
)
