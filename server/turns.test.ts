import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('every answer has a turn of the event loop of its own, in the order of asking', async () => {
  const turns = new Turns()
  const seen: string[] = []
  let turn = 0
  const count = () => {
    turn++
    if (seen.length < 4) setImmediate(count)
  }
  setImmediate(count)
  const answer = async (name: string) => {
    await turns.next()
    // What follows without waiting for anything outside belongs to the same turn.
    await Promise.resolve()
    seen.push(`${name} ${turn}`)
  }
  const first = Promise.all([answer('a'), answer('b'), answer('c')])
  await first
  await answer('d')
  const at = seen.map((text) => Number(text.split(' ')[1]))
  expect(seen.map((text) => text[0])).toEqual(['a', 'b', 'c', 'd'])
  expect(new Set(at).size).toBe(4)
  expect(at).toEqual([...at].sort((x, y) => x - y))
})
