import { describe, expect, it } from 'vitest'
import { type Entity, type Frame } from '../envs/core/types.ts'
import { deadlocks, queueOf, waits } from './waiting.ts'

const HEADING: Record<string, number> = { '^': 0, '>': Math.PI / 2, v: Math.PI, '<': (3 * Math.PI) / 2 }

/**
 * A floor as text: letters are shelves, `>a` a robot and its heading, `!>a` one that was blocked, `#>a` one that carries
 * a shelf as well, `.` nothing. One cell per word.
 */
function world(text: string): Frame {
  const entities: Entity[] = []
  text
    .trim()
    .split('\n')
    .forEach((row, y) =>
      row
        .trim()
        .split(/\s+/)
        .forEach((word, x) => {
          const match = /^([!#]*)([<>^v])([a-z])$/.exec(word)
          if (match !== null) {
            const [, flags, heading, id] = match
            const carrying = flags.includes('#') ? `load_${id}` : null
            const state = { blocked: flags.includes('!'), carrying }
            entities.push({ id, kind: 'robot', x, y, heading: HEADING[heading], state })
          } else if (/^[A-Z]$/.test(word)) {
            entities.push({ id: word, kind: 'shelf', x, y, state: { carriedBy: null } })
          }
        }),
    )
  return { step: 1, entities, events: [], counters: {} }
}

describe('who is in whose way', () => {
  it('a robot that stands is the root of the queue behind it', () => {
    const now = world('!>a !>b >c .')
    const all = waits(now, now)
    expect(all.map(({ agent, obstacle }) => [agent, obstacle])).toEqual([
      ['a', { kind: 'agent', id: 'b', came: false }],
      ['b', { kind: 'agent', id: 'c', came: false }],
    ])
    expect(queueOf(all, 'a')).toEqual({ chain: ['a', 'b', 'c'], root: { kind: 'stands', id: 'c' } })
    expect(queueOf(all, 'c')).toBe(null)
  })

  it('two that face each other are a deadlock, and the root of those behind', () => {
    const all = waits(world('!>a !>b !<c'), null)
    expect(deadlocks(all)).toEqual([['b', 'c']])
    expect(queueOf(all, 'a')).toEqual({
      chain: ['a', 'b', 'c'],
      root: { kind: 'faceToFace', agents: ['b', 'c'] },
    })
  })

  it('somebody who took the cell first is told from somebody who stayed', () => {
    const before = world('!>a . .\n. ^b .')
    const now = world('!>a ^b .\n. . .')
    expect(queueOf(waits(now, before), 'a')).toEqual({ chain: ['a', 'b'], root: { kind: 'came', id: 'b' } })
    expect(queueOf(waits(now, now), 'a')!.root).toEqual({ kind: 'stands', id: 'b' })
  })

  it('a loaded robot is stopped by a shelf, an empty one passes under it', () => {
    expect(queueOf(waits(world('!#>a S'), null), 'a')).toEqual({
      chain: ['a'],
      root: { kind: 'thing', agent: 'a', id: 'S' },
    })
    expect(queueOf(waits(world('!>a S'), null), 'a')!.root).toEqual({ kind: 'unknown' })
  })

  it('looks where the robot faces, in all four directions', () => {
    for (const [text, id] of [
      ['. ^x .\n^w !^a >y\n. vz .', 'x'],
      ['. ^x .\n^w !>a >y\n. vz .', 'y'],
      ['. ^x .\n^w !va >y\n. vz .', 'z'],
      ['. ^x .\n^w !<a >y\n. vz .', 'w'],
    ]) {
      expect(waits(world(text), null)[0].obstacle).toMatchObject({ id })
    }
  })
})
