import { expect, test } from 'vitest'
import { TroupeError, type ErrorCode } from '../envs/core/errors.ts'
import { describeFailure, duration, readable, table } from './output.ts'

const parts = { where: 'here', got: 'this', expected: 'that' }

test('every error code has the exit code that the documentation promises', () => {
  const exits: Record<ErrorCode, number> = {
    'unknown-name': 2,
    'bad-option': 2,
    'bad-action': 2,
    'bad-file': 2,
    'bad-version': 2,
    'bad-message': 2,
    'bad-usage': 2,
    'not-genuine': 1,
    diverged: 1,
    environment: 3,
  }
  for (const [code, exit] of Object.entries(exits)) {
    expect(describeFailure(new TroupeError(code as ErrorCode, parts))).toMatchObject({ exit, code })
  }
})

test("the system's refusals are one sentence and exit code 3", () => {
  const error = Object.assign(new Error('EACCES: permission denied, mkdir'), {
    code: 'EACCES',
    path: '/readonly/x',
    syscall: 'mkdir',
  })
  expect(describeFailure(error)).toMatchObject({ exit: 3, message: '/readonly/x: permission denied (mkdir)' })
})

test("a crash inside a plug-in is the plug-in's, with its line; any other is ours", () => {
  const error = new TypeError('lamp is undefined')
  error.stack = `TypeError: lamp is undefined\n    at Object.step (file:///home/me/mine.js:42:7)\n    at Batch.step (x.js:1:1)`
  expect(describeFailure(error, ['/home/me/mine.js'])).toMatchObject({
    exit: 2,
    message: '/home/me/mine.js:42 threw TypeError: lamp is undefined',
  })
  expect(describeFailure(error)).toMatchObject({ exit: 3, code: 'defect' })
})

test('columns line up and lines end without blanks', () => {
  const text = table(
    [{ title: 'name' }, { title: 'n', align: 'right' }, { title: '' }],
    [
      ['a', '1', ''],
      ['long', '12', 'x'],
    ],
  )
  expect(text.split('\n')).toEqual(['name   n', 'a      1', 'long  12  x'])
})

test('numbers and times are short', () => {
  expect([0.31234, 12.345, 123.456, 1204, 1204.6, 2_410_000, null, NaN].map(readable)).toEqual([
    '0.312',
    '12.35',
    '123.5',
    '1,204',
    '1,205',
    '2.41 M',
    '–',
    '–',
  ])
  expect([8.4, 59.6, 200, 7500].map(duration)).toEqual(['8 s', '1 min 00 s', '3 min 20 s', '2 h 05 min'])
})
