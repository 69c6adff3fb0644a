import { describe, expect, it } from 'vitest'
import { ENVS } from '../../envs/index.ts'
import { readReplay } from '../../envs/core/replay.ts'
import { type Frame } from '../../envs/core/types.ts'
import { greedy, recordEpisode } from '../e2e/support.ts'
import { counted, differences, firstAction, firstState } from './divergence.ts'

const plan = (seed: number) => ({
  env: 'warehouse',
  options: { size: 'tiny', robots: 3, horizon: 60 },
  scenario: 'warehouse/test',
  seed,
  act: greedy(),
})
const open = (recorded: { bytes: Uint8Array }) => readReplay(recorded.bytes, {}, 'test')
const shown = (replay: ReturnType<typeof open>) => ({ ...replay, agents: replay.header.agents })

/** The same crew, but from a step on robot 1 does one thing else. */
function strayed(at: number, action: number) {
  const crew = greedy()
  return open(
    recordEpisode({
      ...plan(1),
      act: (batch) => {
        const row = crew(batch)
        if (batch.stepCount[0] === at) row[1] = action
        return row
      },
    }),
  )
}

describe('where two episodes part', () => {
  const base = open(recordEpisode(plan(1)))

  it('nowhere, when they are the same', () => {
    const again = open(recordEpisode(plan(1)))
    expect(firstAction(shown(base), shown(again))).toBeNull()
    expect(firstState([base, ENVS.warehouse], [again, ENVS.warehouse], 0)).toBeNull()
  })

  it('at the first other action; the worlds part when it has had an effect', () => {
    const at = 12
    const before = base.actions[at * 3 + 1]
    const other = strayed(at, before === 2 ? 3 : 2)
    expect(firstAction(shown(base), shown(other))).toBe(at)
    // A turn to the other side shows in the state that follows.
    expect(firstState([base, ENVS.warehouse], [other, ENVS.warehouse], at)).toBe(at + 1)
    expect(firstState([base, ENVS.warehouse], [other, ENVS.warehouse], 0)).toBe(at + 1)
  })

  it('at the end of the shorter one, when it is a beginning of the other', () => {
    const short = { ...shown(base), steps: 20, actions: base.actions.slice(0, 60) }
    expect(firstAction(short, shown(base))).toBe(20)
    expect(firstState([{ ...base, steps: 20 }, ENVS.warehouse], [base, ENVS.warehouse], 0)).toBeNull()
  })

  it('at the start, when the seeds differ', () => {
    const other = open(recordEpisode(plan(2)))
    expect(firstState([base, ENVS.warehouse], [other, ENVS.warehouse], 0)).toBe(0)
  })
})

describe('what differs in a step', () => {
  const frame = (entities: Frame['entities'], counters = {}): Frame => ({ step: 3, entities, events: [], counters })

  it('is what stands elsewhere, is turned, is in another condition, or is there only once', () => {
    const a = frame([
      { id: 'still', kind: 'robot', x: 1, y: 1, heading: 0, state: { load: null } },
      { id: 'moved', kind: 'robot', x: 2, y: 1 },
      { id: 'turned', kind: 'robot', x: 3, y: 1, heading: 0 },
      { id: 'loaded', kind: 'robot', x: 4, y: 1, state: { load: 'shelf_1' } },
      { id: 'gone', kind: 'food', x: 5, y: 1 },
    ])
    const b = frame([
      { id: 'new', kind: 'food', x: 9, y: 9 },
      { id: 'still', kind: 'robot', x: 1, y: 1, state: { load: null } },
      { id: 'moved', kind: 'robot', x: 2, y: 2 },
      { id: 'turned', kind: 'robot', x: 3, y: 1, heading: 1 },
      { id: 'loaded', kind: 'robot', x: 4, y: 1, state: { load: null } },
    ])
    expect(differences(a, b)).toEqual([
      { id: 'moved', a: { x: 2, y: 1 }, b: { x: 2, y: 2 } },
      { id: 'turned', a: { x: 3, y: 1 }, b: { x: 3, y: 1 } },
      { id: 'loaded', a: { x: 4, y: 1 }, b: { x: 4, y: 1 } },
      { id: 'gone', a: { x: 5, y: 1 }, b: null },
      { id: 'new', a: null, b: { x: 9, y: 9 } },
    ])
    expect(differences(a, a)).toEqual([])
  })

  it('totals stand side by side, also those that only one world keeps', () => {
    expect(counted(frame([], { deliveries: 3 }), frame([], { deliveries: 5, wins: 1 }))).toEqual([
      { name: 'deliveries', a: 3, b: 5 },
      { name: 'wins', a: null, b: 1 },
    ])
  })
})
