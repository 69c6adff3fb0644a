import { MessageChannel } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { GroupLost, loseWorker, shareGroup, stopGroup, ThreadGroup } from './thread-group.ts'

test('sums of shared slots go in the order of shards, and long vectors in pieces', () => {
  const group = new ThreadGroup(shareGroup(1, 4), 0, [])
  const order = new Float64Array(1)
  group.sum(
    [1e16, 1, -1e16, 1].map((value) => Float64Array.of(value)),
    order,
  )
  expect(order[0]).toBe(1) // other orders give 0 or 2
  const size = 600_000 // floats; a slot holds 262,144
  const long = new Float32Array(size)
  group.sum(
    [1, 2, 3, 4].map((factor) => Float32Array.from({ length: size }, (_, i) => factor * (i % 1000))),
    long,
  )
  for (const i of [0, 262_143, 262_144, 524_287, 524_288, 599_999]) expect(long[i]).toBe(10 * (i % 1000))
})

test('who waits for a lost worker is told its number and its last words; others that the group has ended', () => {
  const shared = shareGroup(2, 2)
  const [toWorker, toWatcher] = [new MessageChannel(), new MessageChannel()]
  const first = new ThreadGroup(shared, 0, [toWorker.port1, toWatcher.port1])
  toWatcher.port2.postMessage({ kind: 'failed', worker: 1, message: 'ended with code 1' })
  toWorker.port2.postMessage({ kind: 'failed', worker: 1, message: 'out of patience' })
  loseWorker(shared, 1)
  expect(() => first.meet()).toThrow(/training worker 2 of 2 is out of patience/)
  const stopped = shareGroup(2, 2)
  stopGroup(stopped)
  expect(() => new ThreadGroup(stopped, 1, [toWorker.port2]).nextOrder()).toThrow(GroupLost)
  for (const { port1, port2 } of [toWorker, toWatcher]) [port1, port2].forEach((port) => port.close())
})
