/** What the records of learners on climbing say, held to what is known of them: safe play, never the best corner. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRecord } from './record.ts'

const folder = join(import.meta.dirname, 'records/games/matrix/climbing')

test.each(['ippo', 'mappo', 'ia2c', 'maa2c', 'iql', 'vdn'])('ten seeds of %s end at 5, 6 or 7', (algorithm) => {
  const seeds = readdirSync(join(folder, algorithm))
  expect(seeds).toHaveLength(10)
  for (const seed of seeds) {
    const { absolute, evaluations } = readRecord(join(folder, algorithm, seed, 'record.json'))
    // The three stable payoffs. A learner at 11 without optimism would see what the other is about to do.
    expect([5, 6, 7]).toContain(absolute!.return.mean)
    expect(evaluations.at(-1)!.return.mean).toBe(absolute!.return.mean)
  }
})
