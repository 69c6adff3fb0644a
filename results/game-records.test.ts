/** What the records of learners on climbing and penalty say, held to what is known of them: safe play, never the best corner. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRecord } from './record.ts'

const folder = join(import.meta.dirname, 'records/games/matrix')

const ON_POLICY = ['ippo', 'mappo', 'ia2c', 'maa2c']

const GAMES = [
  ...[...ON_POLICY, 'iql', 'vdn'].map((algorithm) => ['climbing', algorithm, [5, 6, 7]] as const),
  ...ON_POLICY.map((algorithm) => ['penalty-100', algorithm, [2]] as const),
]

test.each(GAMES)('%s: ten seeds of %s end safe, at one of %j', (game, algorithm, safe) => {
  const seeds = readdirSync(join(folder, game, algorithm))
  expect(seeds).toHaveLength(10)
  for (const seed of seeds) {
    const { absolute, evaluations } = readRecord(join(folder, game, algorithm, seed, 'record.json'))
    // A learner in climbing's best corner without optimism would see what the other is about to do.
    expect(safe).toContain(absolute!.return.mean)
    expect(evaluations.at(-1)!.return.mean).toBe(absolute!.return.mean)
  }
})
