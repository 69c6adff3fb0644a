import { Type } from '#typebox'
import { describe, expect, it } from 'vitest'
import { TroupeError, nearestName, shown, unknownName } from './errors.ts'
import { canonicalJson, check, withDefaults } from './schema.ts'
import { actionChoices, actionDims, actionSizes, actionWidth, choiceName, paddedSizes } from './spaces.ts'
import { type ActionSpace, type AgentSpec } from './types.ts'

const schema = Type.Object(
  {
    size: Type.Integer({ minimum: 1, maximum: 9, default: 3 }),
    mode: Type.Union([Type.Literal('slow'), Type.Literal('fast')], { default: 'slow' }),
    names: Type.Optional(Type.Array(Type.String({ maxLength: 5 }))),
  },
  { additionalProperties: false },
)

function failure(value: unknown): TroupeError {
  try {
    withDefaults(schema, value, 'lamps options')
  } catch (error) {
    if (error instanceof TroupeError) return error
    throw error
  }
  throw new Error('accepted')
}

describe('options', () => {
  it('get their defaults and keep what is given', () => {
    expect(withDefaults(schema, {}, 'x')).toEqual({ size: 3, mode: 'slow' })
    expect(withDefaults(schema, { size: 9, mode: undefined, names: ['a'] }, 'x')).toEqual({
      size: 9,
      mode: 'slow',
      names: ['a'],
    })
  })

  it('are refused in one sentence that says where, what, what would do and the nearest good choice', () => {
    const cases: [unknown, string][] = [
      [{ size: 10 }, 'lamps options: size is 10; expected a whole number of 1 to 9'],
      [{ size: '3' }, 'lamps options: size is "3"; expected a whole number of 1 to 9'],
      [{ size: NaN }, 'lamps options: size is NaN; expected a whole number of 1 to 9'],
      [{ mode: 'fsat' }, 'lamps options: mode is "fsat"; expected one of slow, fast; did you mean "fast"?'],
      [{ siez: 3 }, 'lamps options: siez is not known here; expected one of size, mode, names; did you mean "size"?'],
      [{ names: ['a', 'abcdef'] }, 'lamps options: names.1 is "abcdef"; expected a string of 5 characters or less'],
      [[], 'lamps options is []; expected an object of options'],
      [null, 'lamps options is null; expected an object of options'],
      ['size=3', 'lamps options is "size=3"; expected an object of options'],
    ]
    for (const [value, message] of cases) expect(failure(value).message).toBe(message)
    expect(failure({ size: 10 }).code).toBe('bad-option')
  })

  it('cannot reach prototypes', () => {
    for (const text of ['{"__proto__":{"size":5}}', '{"constructor":1}', '{"toString":1}', '{"hasOwnProperty":1}']) {
      expect(failure(JSON.parse(text)).code).toBe('bad-option')
    }
    expect(({} as Record<string, unknown>).size).toBeUndefined()
  })

  it('are checked without coercion', () => {
    expect(() => check(Type.Boolean(), 1, 'x')).toThrow(/x is 1; expected a boolean/)
    expect(() => check(Type.Number(), null, 'x')).toThrow(/expected a number/)
  })
})

describe('canonical JSON', () => {
  it('is the same text for the same data in any order', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).toBe('{"a":true,"b":[1,{"c":"x","d":null}]}')
    expect(canonicalJson({ a: undefined, b: 1 })).toBe('{"b":1}')
    expect(canonicalJson([undefined, -0, 1e21, '\u2028"'])).toBe(JSON.stringify([null, 0, 1e21, '\u2028"']))
    expect(JSON.parse(canonicalJson({ é: 1, z: 2, A: 3 }))).toEqual({ é: 1, z: 2, A: 3 })
  })

  it('refuses numbers that JSON would turn into null', () => {
    for (const value of [NaN, Infinity, { a: [-Infinity] }])
      expect(() => canonicalJson(value)).toThrow(/finite numbers only/)
  })
})

describe('errors', () => {
  it('find the nearest name, and none where nothing is near', () => {
    const known = ['warehouse', 'matrix', 'spectrum', 'skirmish']
    expect(nearestName('warehose', known)).toBe('warehouse')
    expect(nearestName('Matrix', known)).toBe('matrix')
    expect(nearestName('martix', known)).toBe('matrix')
    expect(nearestName('skirm', known)).toBe('skirmish')
    expect(nearestName('foraging', known)).toBeUndefined()
    expect(nearestName('', known)).toBeUndefined()
    expect(nearestName('x'.repeat(1e6), known)).toBeUndefined()
    expect(unknownName('environment', 'warehuose', known).message).toBe(
      'environment is "warehuose"; expected one of warehouse, matrix, spectrum, skirmish; did you mean "warehouse"?',
    )
  })

  it('show values briefly and tell kinds apart', () => {
    expect([0, -0, NaN, '0', null, undefined, true].map(shown)).toEqual([
      '0',
      '-0',
      'NaN',
      '"0"',
      'null',
      'undefined',
      'true',
    ])
    expect(shown('x'.repeat(1000)).length).toBeLessThan(90)
    expect(shown(new Float32Array(3))).toBe('Float32Array(3)')
    expect(shown(Array.from({ length: 100 }))).toBe('an array of 100')
    expect(shown({ a: 1 })).toBe('an object with a')
    expect(shown(() => 1)).toBe('a function')
    expect(shown(10n)).toBe('a bigint')
  })

  it('are plain objects in JSON', () => {
    const error = new TroupeError('bad-file', { where: 'a', got: 'b', expected: 'c', nearest: 'd' })
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'bad-file',
      message: 'a is b; expected c; did you mean d?',
      where: 'a',
      got: 'b',
      expected: 'c',
      nearest: 'd',
    })
  })
})

describe('action spaces', () => {
  const discrete: ActionSpace = { kind: 'discrete', names: ['stay', 'left', 'right'] }
  const multi: ActionSpace = {
    kind: 'multi-discrete',
    dimensions: [
      { name: 'move', values: ['stay', 'go'] },
      { name: 'say', values: ['a', 'b', 'c'] },
    ],
  }
  const box: ActionSpace = { kind: 'box', dimensions: [{ name: 'push', low: -1, high: 1 }] }
  const agent = (id: string, action: ActionSpace): AgentSpec => ({ id, team: 'a', kind: 'k', observation: [], action })

  it('know their sizes and the names of their choices', () => {
    expect([discrete, multi, box].map(actionWidth)).toEqual([3, 5, 0])
    expect([discrete, multi, box].map(actionSizes)).toEqual([[3], [2, 3], []])
    expect([discrete, multi, box].map(actionDims)).toEqual([1, 2, 1])
    expect(actionChoices(multi, 1)).toBe('0 a, 1 b, 2 c')
    expect(actionChoices(box, 0)).toBe('a number of -1 to 1')
    expect(choiceName(discrete, 0, 2)).toBe('2 right')
  })

  it('are padded to the widest agent and must be of one kind', () => {
    const narrow: ActionSpace = { kind: 'discrete', names: ['stay'] }
    expect(paddedSizes([agent('a', narrow), agent('b', discrete)], 'x')).toEqual([3])
    expect(() => paddedSizes([agent('a', narrow), agent('b', multi)], 'x')).toThrow(
      /action of b is multi-discrete with 2 dimensions; expected the same/,
    )
  })
})
