import { expect, test } from 'vitest'
import { Generator, namedSeed } from '../../envs/core/index.ts'
import { decodeSafetensors, encodeSafetensors } from './checkpoint.ts'
import { Memory, Rows } from './memory.ts'

const SHAPES = {
  seen: { kind: 'float', width: 3 },
  chosen: { kind: 'int', width: 1 },
  legal: { kind: 'byte', width: 2 },
} as const

type Sequence = { seen: number[]; chosen: number; legal: number[] }[]

const rng = (name = 'x') => new Generator(namedSeed(1, name))

/** A sequence whose every number says where it comes from. */
function sequence(number: number, length: number): Sequence {
  return Array.from({ length }, (_, t) => ({
    seen: [number + t / 16, -t, 0.5],
    chosen: 100 * number - t,
    legal: [t % 2, number % 256],
  }))
}

function rowsOf(steps: Sequence): Rows<typeof SHAPES> {
  const rows = new Rows(SHAPES, 1)
  for (const { seen, chosen, legal } of steps) {
    const row = rows.add()
    rows.columns.seen.set(seen, row * 3)
    rows.columns.chosen[row] = chosen
    rows.columns.legal.set(legal, row * 2)
  }
  return rows
}

function everything(memory: Memory<typeof SHAPES>): Sequence[] {
  return Array.from({ length: memory.count }, (_, k) =>
    Array.from({ length: memory.lengthOf(k) }, (_, t) => {
      const place = Int32Array.of(memory.at(k, t))
      return {
        seen: [...memory.gather('seen', place)],
        chosen: memory.gather('chosen', place)[0],
        legal: [...memory.gather('legal', place)],
      }
    }),
  )
}

test('what goes in comes out, oldest first, and the oldest leave: like a list that is cut at the front', () => {
  const draws = rng()
  for (const limits of [{ sequences: 5 }, { sequences: 40, rows: 23 }, { sequences: 3, rows: 30 }]) {
    const memory = new Memory(SHAPES, limits)
    let list: Sequence[] = []
    for (let k = 0; k < 60; k++) {
      const steps = sequence(k, 1 + draws.below(7))
      memory.put(rowsOf(steps))
      list.push(steps)
      const rows = () => list.reduce((sum, each) => sum + each.length, 0)
      while (list.length > limits.sequences || rows() > (limits.rows ?? Infinity)) list = list.slice(1)
      expect(everything(memory)).toEqual(list)
      expect(memory.rows).toBe(rows())
      expect([...memory.all('chosen')]).toEqual(list.flatMap((each) => each.map(({ chosen }) => chosen)))
    }
  }
})

test('a saved memory has the same sequences under the same numbers, wherever its ring began', () => {
  const memory = new Memory(SHAPES, { sequences: 4 })
  for (let k = 0; k < 9; k++) memory.put(rowsOf(sequence(k, 1 + (k % 3))))
  const saved = decodeSafetensors(encodeSafetensors(memory.save()))
  const other = new Memory(SHAPES, { sequences: 4 })
  other.put(rowsOf(sequence(77, 2)))
  other.load(saved, 'here')()
  expect(everything(other)).toEqual(everything(memory))
  for (const each of [memory, other]) each.put(rowsOf(sequence(50, 6)))
  expect(everything(other)).toEqual(everything(memory))
  expect([...other.drawDistinct(rng(), 3)]).toEqual([...memory.drawDistinct(rng(), 3)])
  const empty = new Memory(SHAPES, { sequences: 4 })
  other.load(decodeSafetensors(encodeSafetensors(empty.save())), 'here')()
  expect([other.count, other.rows]).toEqual([0, 0])
})

test('what does not belong is refused, and nothing has changed', () => {
  const memory = new Memory(SHAPES, { sequences: 2, rows: 5 })
  memory.put(rowsOf(sequence(1, 2)))
  const before = everything(memory)
  const good = memory.save()
  const lengths = (...values: number[]) => ({ shape: [values.length], data: Float32Array.from(values) })
  const { seen, ...without } = good
  const cases = [
    [without, /store: seen is missing; expected of shape \[2, 3\]/],
    [{ ...good, lengths: lengths(1) }, /store: seen is of shape \[2, 3\]; expected of shape \[1, 3\]/],
    [{ ...good, lengths: lengths(2, 0) }, /store: lengths is 0/],
    [{ ...good, lengths: { shape: [], data: Float32Array.of(2) } }, /store: lengths is of shape/],
    [{ ...good, seen: { ...seen, shape: [3, 2] } }, /store: seen/],
    [rowsAsSaved(6), /1 sequences with 6 rows; expected at most 2 with 5/],
  ] as const
  for (const [bad, message] of cases) expect(() => memory.load(bad, 'store')).toThrow(message)
  expect(() => memory.put(rowsOf(sequence(2, 6)))).toThrow(/6 rows long; expected 1 to 5 rows/)
  expect(() => memory.at(1)).toThrow(/sequence is number 1; expected 0 to 0/)
  expect(everything(memory)).toEqual(before)
})

function rowsAsSaved(count: number) {
  const memory = new Memory(SHAPES, { sequences: 1 })
  memory.put(rowsOf(sequence(1, count)))
  return memory.save()
}

test('a batch holds no sequence twice, and every sequence as often as the next', () => {
  const memory = new Memory(SHAPES, { sequences: 10 })
  for (let k = 0; k < 10; k++) memory.put(rowsOf(sequence(k, 1)))
  const draws = rng('draws')
  const seen = new Int32Array(10)
  for (let k = 0; k < 3000; k++) {
    const batch = memory.drawDistinct(draws, 4)
    expect(new Set(batch).size).toBe(4)
    for (const sequence of batch) seen[sequence]++
  }
  // Each is in a batch with chance .4: 1200 ± 27; chi-square of 10 cells beyond 27.88 comes once in a thousand.
  const square = seen.reduce((sum, count) => sum + (count - 1200) ** 2 / (1200 * 0.6), 0)
  expect(square).toBeLessThan(27.88)
  expect([...memory.drawDistinct(draws, 99)].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  const repeated = memory.draw(draws, 5000)
  for (let k = 0; k < 10; k++) expect(Math.abs(repeated.filter((each) => each === k).length - 500)).toBeLessThan(90)
})

test('single transitions: a ring of rows', () => {
  const memory = new Memory(SHAPES, { sequences: 3, rows: 3 })
  const rows = rowsOf(sequence(4, 5))
  for (let row = 0; row < rows.length; row++) memory.put(rows, row, 1)
  expect([...memory.gather('chosen', memory.places(Int32Array.of(0, 1, 2)))]).toEqual([398, 397, 396])
})
