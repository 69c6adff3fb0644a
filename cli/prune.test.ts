import { afterAll, expect, test } from 'vitest'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { type Work } from './command.ts'
import { createOutput } from './output.ts'
import { define } from './prune.ts'
import { addSharedOptions } from './settings.ts'

const data = mkdtempSync(join(tmpdir(), 'troupe-prune-command-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

const replays = join(data, 'replays')
mkdirSync(replays)
for (let k = 0; k < 13; k++) {
  const file = join(replays, `${String(k).padStart(2, '0')}.replay`)
  writeFileSync(file, new Uint8Array(250_000))
  const at = Date.now() / 1000 - k * 86_400 - 60
  utimesSync(file, at, at)
}
const left = () => readdirSync(replays).length

/** What the command says on a terminal, and as JSON. */
async function said(...words: string[]) {
  const command = new Command('troupe prune').exitOverride().configureOutput({ writeErr: () => {} })
  let work: Work = () => {}
  define(command, async (asked) => void (work = asked))
  addSharedOptions(command)
  await command.parseAsync(['--data', data, ...words], { from: 'user' })
  let json: unknown
  let text = ''
  const out = createOutput({ json: true, quiet: true })
  const heard = { ...out, result: (value: unknown, page: () => string) => void ([json, text] = [value, page()]) }
  await work({ out: heard, foreign: [], version: 'test' })
  return { json: json as Record<string, unknown> & { files: string[] }, text }
}

test('troupe prune shows what would go, names ten of it, and removes nothing before --yes', async () => {
  const { json, text } = await said('--days', '2')
  expect(json).toMatchObject({ removed: false, replays: 13, kept: 2, evidence: 0, bytes: 11 * 250_000 })
  expect(json.files.map((file) => file.slice(-9))).toContain('12.replay')
  expect(text.split('\n')).toHaveLength(13)
  expect(text).toMatch(/… and 1 more\nWould remove 11 of 13 replays/)
  expect(text).toMatch(/Nothing was removed yet: add --yes\.$/)
  expect(left()).toBe(13)
})

test('with --yes the oldest go until the rest takes no more than the megabytes said', async () => {
  const { json, text } = await said('--megabytes', '2', '--yes')
  expect(json).toMatchObject({ removed: true, replays: 13, kept: 8, bytes: 5 * 250_000 })
  expect(text).toMatch(/Removed 5 of 13 replays/)
  expect(text).not.toMatch(/add --yes/)
  expect(readdirSync(replays).sort()).toEqual(Array.from({ length: 8 }, (_, k) => `0${k}.replay`))
})

test('without days or megabytes it says what is missing, and odd numbers are refused', async () => {
  await expect(said('--yes')).rejects.toMatchObject({ code: 'bad-usage', message: expect.stringMatching(/--days or --megabytes/) }) // prettier-ignore
  await expect(said('--days', '-1')).rejects.toThrow(/--days/)
  expect(left()).toBe(8)
})
