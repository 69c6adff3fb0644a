import { describe, expect, it } from 'vitest'
import { TOO_MANY, type StepEvent } from './sources/messages.ts'
import { EMPTY, gather, marksOf, neighbourEvent, notable, teamReturn, teamRewardOf } from './survey.ts'

const event = (step: number, kind = 'delivery'): StepEvent => ({ step, kind, agents: [], at: null, value: null })
const part = (from: number, rewards: number[], events: StepEvent[] = [], done = false) => ({
  from,
  rewards: Float32Array.from(rewards),
  events,
  done,
  stopped: null,
})

describe('the survey of an episode', () => {
  it('adds rewards up to returns by step, over parts', () => {
    // two agents, three steps: (1, 0), (0, 2), (3, 1)
    let overview = gather(EMPTY, part(0, [1, 0, 0, 2]), 2, 3)
    expect(overview).toMatchObject({ steps: 2, done: false })
    overview = gather(overview, part(2, [3, 1], [event(3)], true), 2, 3)
    expect([...overview.returns]).toEqual([0, 0, 1, 0, 1, 2, 4, 3])
    expect(overview).toMatchObject({ steps: 3, done: true, events: [event(3)] })
  })

  it('says when it ends before the episode does', () => {
    const overview = gather(EMPTY, { ...part(0, [1, 0]), limited: true }, 2, 3)
    expect(overview).toMatchObject({ steps: 1, done: false, limited: true })
    expect(gather(EMPTY, part(0, [1, 0]), 2, 3).limited).toBe(false)
  })

  it("makes the scenario's one number of the agents' returns", () => {
    expect(teamReturn('sum', [1, 2, 6])).toBe(9)
    expect(teamReturn('none', [1, 2, 6])).toBe(9)
    expect(teamReturn('mean', [1, 2, 6])).toBe(3)
    expect(teamReturn('mean', [9, 9, 4, 8], 2, 2)).toBe(6)
    expect(teamRewardOf({ teamReward: 'mean' })).toBe('mean')
    expect(teamRewardOf({})).toBe('sum')
  })

  it('marks what is rare, not what happens all the time', () => {
    const payoffs = Array.from({ length: 60 }, (_, i) => event(i + 1, 'payoff'))
    const deliveries = [event(10), event(30)]
    expect(notable([...payoffs, ...deliveries], 60)).toEqual(deliveries)
    expect(notable([event(1, 'payoff')], 1)).toHaveLength(1)
  })

  it('marks no kind of which later events may have been left out', () => {
    const blocked = Array.from({ length: TOO_MANY }, (_, i) => event(1 + Math.floor(i / 50), 'blocked'))
    const deliveries = [event(10), event(1400)]
    expect(notable([...blocked, ...deliveries], 1500)).toEqual(deliveries)
    expect(notable(blocked.slice(1), 1500)).toHaveLength(TOO_MANY - 1)
  })

  it('draws one mark where many events of a kind lie close, and counts them', () => {
    expect(marksOf([event(1), event(2), event(9), event(2, 'blocked')], 5)).toEqual([
      { step: 1, kind: 'delivery', count: 2 },
      { step: 9, kind: 'delivery', count: 1 },
      { step: 2, kind: 'blocked', count: 1 },
    ])
  })

  it('finds the event before and after a step', () => {
    const events = [event(3), event(3), event(7)]
    expect(neighbourEvent(events, 3, 1)).toBe(7)
    expect(neighbourEvent(events, 5, -1)).toBe(3)
    expect(neighbourEvent(events, 7, 1)).toBeUndefined()
    expect(neighbourEvent(events, 3, -1)).toBeUndefined()
  })
})
