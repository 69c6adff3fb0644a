/** `troupe tournament` and `troupe dynamics` as a person types them. */
import { afterAll, describe, expect, test } from 'vitest'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { troupe } from './spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-games-'))
const at = { cwd: folder }
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function json(words: string[], code = 0) {
  const said = await troupe([...words, '--json'], at)
  expect(said.code, said.stderr).toBe(code)
  return JSON.parse(said.stdout)
}

describe('tournament', () => {
  test('prints a table, and writes data and a picture', async () => {
    const words = ['tournament', '--players', 'matrix-tft,matrix-alld,matrix-allc', '--episodes', '2', '--out', 'cup']
    const result = await json(words)
    // ALLD takes 5 from ALLC, (5 + 199) / 200 from TFT, 1 from itself
    const alld = result.players.indexOf('matrix-alld')
    expect(result.payoffs[alld][result.players.indexOf('matrix-allc')]).toBe(5)
    expect(JSON.parse(readFileSync(join(folder, result.files.data), 'utf8')).payoffs).toEqual(result.payoffs)
    expect(readFileSync(join(folder, result.files.picture), 'utf8')).toContain('alld')
    const page = await troupe(words, at)
    expect(page.stdout).toMatch(/1 +matrix-alld/)
  })

  test('refuses twice the same player, unknown ones and chances beyond 1, exit 2', async () => {
    expect((await json(['tournament', '--players', 'random,random'], 2)).error.where).toContain('--players')
    expect((await json(['tournament', '--players', 'matrix-tif'], 2)).error.nearest).toContain('matrix-tft')
    expect((await json(['tournament', '--error', '2'], 2)).error.where).toContain('--error')
  })
})

describe('dynamics', () => {
  test('basins are the same for one thread and two, and written as data and a picture', async () => {
    const words = ['dynamics', 'donation', '--starts', '300', '--eta', '0,0.5', '--out', 'pictures']
    const one = await json([...words, '--workers', '1'])
    const two = await json([...words, '--workers', '2'])
    expect(two.rows).toEqual(one.rows)
    expect(one.rows).toHaveLength(2)
    for (const row of one.rows) expect(row.ALLD + (row.GRIM ?? 0) + row.ALLC).toBeCloseTo(1, 4)
    const picture = readFileSync(join(folder, one.files.picture), 'utf8')
    expect(picture).toMatch(/^<svg [\s\S]*<\/svg>\n$/)
    expect(JSON.parse(readFileSync(join(folder, one.files.data), 'utf8')).settings.etas).toEqual([0, 0.5])
  })

  test.each([
    ['two-state-pennies', ['--eta', '0.05', '--gamma', '0.9', '--time', '200']],
    ['two-state-pennies', ['--study', 'separation', '--time', '50']],
    ['two-state-pennies', ['--study', 'agents', '--eta', '0.05']],
    ['two-state-pennies', ['--study', 'trajectory', '--starts', '1']],
    ['stag-hunt', ['--study', 'separatrix', '--gamma', '0']],
    ['donation', ['--study', 'stability']],
    ['rps', ['--gamma', '0', '--geometry', 'vanilla']],
    ['climbing-3p', ['--gamma', '0', '--starts', '3']],
  ])('%s %j draws a picture', async (game, words) => {
    const result = await json(['dynamics', game, ...words, '--out', 'more'])
    expect(result.rows.length).toBeGreaterThan(0)
    const picture = readFileSync(join(folder, result.files.picture), 'utf8')
    expect(picture).not.toMatch(/NaN|Infinity|undefined/)
  })

  test('the exponent under entropy is minus its coefficient', async () => {
    const { rows } = await json(['dynamics', 'two-state-pennies', '--eta', '0.05', '--gamma', '0.9', '--time', '300'])
    expect(rows[0].exponent).toBeCloseTo(-0.05, 3)
  })

  test('refuses unknown games, numbers and starts by name, exit 2', async () => {
    expect((await json(['dynamics', 'donaton'], 2)).error.nearest).toContain('donation')
    expect((await json(['dynamics', 'donation', '--number', 'benfit=3'], 2)).error.nearest).toContain('benefit')
    expect((await json(['dynamics', 'pd', '--number', 'benefit=3'], 2)).error.where).toContain('pd')
    expect((await json(['dynamics', 'climbing', '--study', 'basins'], 2)).error.expected).toContain('two actions')
    expect((await json(['dynamics', 'two-state-pennies', '--from', '0.5'], 2)).error.where).toContain('--from')
    expect((await json(['dynamics', 'pd', '--gamma', '1'], 2)).error.where).toContain('--gamma')
  })
})
