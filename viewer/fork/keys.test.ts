import { describe, expect, it } from 'vitest'
import { actionKeys, actionOfKey } from './keys.ts'

describe('keys of actions', () => {
  it('follow what actions are called, in every kind of world', () => {
    expect(actionKeys(['noop', 'forward', 'left', 'right', 'toggle'])).toEqual(['q', 'w', 'a', 'd', 'e'])
    expect(actionKeys(['none', 'north', 'south', 'west', 'east', 'load'])).toEqual(['q', 'w', 's', 'a', 'd', 'e'])
    expect(actionKeys(['silent', 'channel 0', 'channel 1'])).toEqual(['q', '1', '2'])
    expect(actionKeys(['stop', 'north', 'attack enemy_0', 'attack enemy_1'])).toEqual(['1', 'w', 'e', '2'])
  })

  it('never give one key to two actions, and run out quietly', () => {
    const keys = actionKeys(Array.from({ length: 20 }, (_, k) => `choice ${k}`))
    expect(keys.filter((key) => key !== '')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
    expect(actionOfKey('z', keys)).toBe(-1)
    expect(actionOfKey('9', keys)).toBe(8)
  })

  it('are arrows as well, and capital letters', () => {
    const keys = actionKeys(['noop', 'forward', 'left', 'right', 'toggle'])
    expect(actionOfKey('ArrowUp', keys)).toBe(1)
    expect(actionOfKey('W', keys)).toBe(1)
    expect(actionOfKey('ArrowDown', keys)).toBe(-1)
  })
})
