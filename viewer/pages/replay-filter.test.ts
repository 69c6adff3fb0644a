import { describe, expect, it } from 'vitest'
import { type ReplayInfo } from '../../server/protocol/index.ts'
import { filtered, filterOf, filterSearch } from './replay-filter.ts'

const row = (id: string, more: Partial<ReplayInfo>) =>
  ({
    id,
    origin: 'file',
    env: 'warehouse',
    scenario: 'warehouse/tiny-4ag',
    policies: [],
    steps: 10,
    return: 0,
    ...more,
  }) as ReplayInfo

const rows = [
  row('file:a', { policies: ['mappo'], return: 3, steps: 500 }),
  row('run:x:1', { origin: 'run', policies: ['random'], return: null, steps: null }),
  row('file:b', { env: 'matrix', scenario: 'matrix/pd', policies: ['random'], return: 7, label: 'Worth a look' }),
]
const ids = (search: string) => filtered(rows, filterOf(search)).map(({ id }) => id)

describe('the list of replays', () => {
  it('is narrowed by words, world and origin, all at once', () => {
    expect(ids('')).toEqual(['file:a', 'run:x:1', 'file:b'])
    expect(ids('?text=RANDOM')).toEqual(['run:x:1', 'file:b'])
    expect(ids('?text=random+worth')).toEqual(['file:b'])
    expect(ids('?env=warehouse')).toEqual(['file:a', 'run:x:1'])
    expect(ids('?origin=run&env=warehouse')).toEqual(['run:x:1'])
    expect(ids('?text=nothing')).toEqual([])
  })

  it('is ordered by what is known, the unknown last', () => {
    expect(ids('?order=return')).toEqual(['file:b', 'file:a', 'run:x:1'])
    expect(ids('?order=steps')).toEqual(['file:a', 'file:b', 'run:x:1'])
    expect(ids('?order=banana')).toEqual(ids(''))
  })

  it('has an address', () => {
    for (const search of ['', '?text=a+b&env=matrix&origin=run&order=steps']) {
      expect(filterSearch(filterOf(search))).toBe(search)
    }
  })
})
