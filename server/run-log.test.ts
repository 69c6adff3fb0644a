import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { LIMITS } from './limits.ts'
import { RunLog, readEntry, runReplayId } from './run-log.ts'
import { evaluationLine, updateLine, writeAtomically } from './testing.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-log-'))
  path = join(folder, 'log.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

const state = ({ updates, update, evaluations, problems }: RunLog) => ({
  updates,
  last: update?.step,
  evaluations: evaluations.map(({ step }) => step),
  problems,
})

describe('a log', () => {
  it('that is not there is empty, and is read once it is', async () => {
    const log = new RunLog('a', LIMITS)
    expect(await log.refresh(path)).toBe(false)
    await writeFile(path, updateLine(1))
    expect(await log.refresh(path)).toBe(true)
    expect(await log.refresh(path)).toBe(false)
    expect(state(log)).toEqual({ updates: 1, last: 1, evaluations: [], problems: [] })
  })

  it('is the same however its writing is cut into pieces', async () => {
    const text = updateLine(1) + evaluationLine(2, 1) + 'damaged\n\n' + updateLine(3).replace('loss', 'lösung')
    const bytes = Buffer.from(text)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 6 }), async (cuts) => {
        await rm(path, { force: true })
        const log = new RunLog('a', LIMITS)
        let from = 0
        for (const to of [...cuts.sort((a, b) => a - b), bytes.length]) {
          await appendFile(path, bytes.subarray(from, to))
          await log.refresh(path)
          from = to
        }
        expect(state(log)).toEqual({
          updates: 2,
          last: 3,
          evaluations: [2],
          problems: ['log.jsonl: 1 line could not be read'],
        })
        expect(log.update?.metrics).toEqual({ lösung: 3 })
      }),
      { numRuns: 30 },
    )
  })

  it('that was cut or replaced, longer or shorter, is read anew', async () => {
    const log = new RunLog('a', LIMITS)
    await writeFile(path, updateLine(1) + evaluationLine(2, 1) + updateLine(3))
    await log.refresh(path)
    await writeFile(path, updateLine(1)) // cut
    await log.refresh(path)
    expect([log.generation, state(log)]).toEqual([1, { updates: 1, last: 1, evaluations: [], problems: [] }])
    await writeAtomically(path, updateLine(1) + evaluationLine(2, 5) + updateLine(4)) // as resuming does
    await log.refresh(path)
    expect([log.generation, state(log)]).toEqual([2, { updates: 2, last: 4, evaluations: [2], problems: [] }])
  })

  it('with endless lines or endless length costs no memory beyond the limits', async () => {
    const small = { ...LIMITS, logLineBytes: 500, logBytes: 2000 }
    await writeFile(path, `${'x'.repeat(5000)}\n${updateLine(1)}`)
    const log = new RunLog('a', small)
    await log.refresh(path)
    expect(state(log)).toEqual({
      updates: 1,
      last: 1,
      evaluations: [],
      problems: [expect.stringMatching(/only its last 2000 of \d+ bytes/), 'log.jsonl: 1 line could not be read'],
    })
  })
})

describe('an entry', () => {
  it('keeps what is known and finite', () => {
    const line =
      '{"kind":"update","step":5,"steps":10,"stepsPerSecond":"fast","metrics":{"a":1,"b":null,"c":"x"},"more":1}'
    expect(readEntry(line, 'r')).toEqual({
      kind: 'update',
      step: 5,
      steps: 10,
      stepsPerSecond: null,
      metrics: { a: 1, b: null, c: null },
    })
    expect(readEntry('{"kind":"evaluation","step":5,"return":2,"replay":"replays/0005-0.replay"}', 'r')).toEqual({
      kind: 'evaluation',
      step: 5,
      return: { mean: 2 },
      metrics: {},
      replay: 'run:r:0005-0',
    })
  })

  it('of another kind is passed over, a damaged one is told apart', () => {
    expect(readEntry('{"kind":"status"}', 'r')).toBeNull()
    for (const line of ['{', '[]', 'null', '7', '{"kind":"update"}', '{"kind":"update","step":-1}']) {
      expect(readEntry(line, 'r')).toBeUndefined()
    }
  })

  it('names a replay by its file only, whatever the path', () => {
    expect(runReplayId('r', '/a/b/1-0.replay')).toBe('run:r:1-0')
    expect(runReplayId('r', 'C:\\a\\1-0.replay')).toBe('run:r:1-0')
    for (const path of ['', '.replay', 'a/', 'x.txt', 'a:b.replay', 7, null])
      expect(runReplayId('r', path)).toBeUndefined()
  })
})
