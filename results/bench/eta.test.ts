import { expect, test } from 'vitest'
import { Estimator, type Task } from './eta.ts'

const tasks: Task[] = [
  { key: 'a small', group: 'a', work: 100 },
  { key: 'a small', group: 'a', work: 100 },
  { key: 'a large', group: 'a', work: 1000 },
  { key: 'b small', group: 'b', work: 100 },
]

test('nothing is promised before anything has been seen', () => {
  const estimator = new Estimator(tasks)
  expect(estimator.secondsLeft(2)).toBeUndefined()
  estimator.running(0, 0.001, 1)
  expect(estimator.secondsLeft(2)).toBeUndefined()
})

test('one finished run says how long its like take, and by work how long the others do', () => {
  const estimator = new Estimator(tasks)
  estimator.over(0, 10) // 0.1 s per step
  expect(estimator.secondsLeft(1)).toBeCloseTo(10 + 100 + 10, 9)
  expect(estimator.secondsLeft(3)).toBeCloseTo(100, 9) // never shorter than the longest
  estimator.over(1, 30) // mean of two is 20 for its like; 0.2 s per step
  expect(estimator.secondsLeft(1)).toBeCloseTo(200 + 20, 9)
})

test('a running run is believed by its own pace, and helps to guess its group', () => {
  const estimator = new Estimator(tasks.slice(0, 3))
  estimator.running(0, 0.25, 5) // 20 s in all, 0.2 s per step
  expect(estimator.secondsLeft(1)).toBeCloseTo(15 + 20 + 200, 9)
})

test('what earlier sittings did counts neither as time nor as pace', () => {
  const estimator = new Estimator(tasks.slice(0, 1))
  estimator.running(0, 0.75, 5, 0.5) // a quarter in 5 s: another quarter is left
  expect(estimator.secondsLeft(1)).toBeCloseTo(5, 9)
  const other = new Estimator(tasks.slice(0, 2))
  other.over(0, 5, 0.5) // half a run in 5 s
  expect(other.secondsLeft(1)).toBeCloseTo(10, 9)
})

test('at the end nothing is left, and runs found done teach their pace', () => {
  const estimator = new Estimator(tasks.slice(0, 2))
  estimator.over(0)
  estimator.over(1)
  expect(estimator.secondsLeft(2)).toBe(0)
})
