import { expect, test } from 'vitest'
import { ENVS } from '../envs/index.ts'
import { type AgentView, type ActionBatch, type PolicyDefinition } from '../agents/core/policy.ts'
import { POLICIES } from '../agents/index.ts'
import { type Generator } from '../envs/core/index.ts'
import { loadScenario } from '../scenarios/load.ts'
import { policyContract } from './policy-contract.ts'

const game = loadScenario('matrix/pd-repeated')

type Act = (view: AgentView, memory: { turn: number }, out: ActionBatch, rng: Generator) => void

function policy(act: Act, privileged = false): PolicyDefinition {
  const create = () => ({ name: 'odd', memory: () => ({ turn: 0 }), act: act as never })
  return { name: 'odd', kind: 'scripted', summary: 'Odd.', privileged, create }
}

const broken = (definition: PolicyDefinition) =>
  policyContract(definition, game, ENVS)
    .filter(({ ok }) => !ok)
    .map(({ name, detail }) => `${name.replace('matrix/pd-repeated: ', '')}: ${detail}`)

test('the shipped policies keep every promise', () => {
  for (const id of ['matrix/pd-repeated', 'warehouse/nano-2ag']) {
    const findings = policyContract(POLICIES.random, loadScenario(id), ENVS)
    expect(findings.length).toBe(5)
    expect(findings.filter(({ ok }) => !ok)).toEqual([])
  }
  const greedy = policyContract(POLICIES['warehouse-greedy'], loadScenario('warehouse/nano-2ag'), ENVS)
  expect(greedy.filter(({ ok }) => !ok)).toEqual([])
})

test('chance from elsewhere, or memory outside memory, is found', () => {
  let calls = 0
  expect(broken(policy((_view, _memory, out) => out.action.fill(calls++ % 3 === 0 ? 1 : 0)))).toEqual([
    'the same seed gives the same actions: two plays differ at step 0: chance must come from rng, memory from memory',
  ])
})

test('an agent that gets no action, and an action that does not exist, are found', () => {
  const lazy = broken(policy((_view, _memory, out) => void (out.action[0] = 0)))
  expect(lazy[0]).toBe('every agent gets a legal action at every step: no action for agent_1 in lane 0 at step 0')
  const wild = broken(policy((_view, _memory, out) => out.action.fill(9)))
  expect(wild[0]).toMatch(/^every agent gets a legal action at every step: matrix: action .* is 9; expected/)
})

test('writing into what is shown is found', () => {
  const scribble = policy((view, _memory, out) => {
    view.observation[0] = 5
    out.action.fill(0)
  })
  expect(broken(scribble)).toEqual(['what it is shown stays as it was: wrote into view.observation at step 0'])
})

test('a policy that works for one lane only is found', () => {
  const single = policy((view, _memory, out) => {
    out.action.fill(0)
    if (view.lanes > 3) throw new Error('too many')
  })
  expect(broken(single)).toEqual(['one lane and many lanes both work: too many'])
})

test('privilege must be declared', () => {
  expect(broken(policy((_view, _memory, out) => out.action.fill(0), true))[0]).toMatch(
    /the definition says privileged: true/,
  )
})
