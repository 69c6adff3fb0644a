import { expect, test } from 'vitest'
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ENVS } from '../envs/index.ts'
import { definitionOf, readReplay, verifyReplay } from '../envs/core/replay.ts'

const folder = fileURLToPath(new URL('../viewer/public/replays/', import.meta.url))
const files = readdirSync(folder).filter((name) => name.endsWith('.replay'))

test('replays ship with the viewer, so that something moves before anything was trained', () => {
  const families = files.map((file) => readReplay(readFileSync(folder + file)).header.env)
  expect(families).toEqual(expect.arrayContaining(['warehouse', 'matrix']))
})

test.each(files)('%s verifies with this build (else: node scripts/shipped-replays.mjs)', (file) => {
  const replay = readReplay(readFileSync(folder + file), {}, file)
  expect(verifyReplay(replay, definitionOf(replay.header, ENVS, file))).toMatchObject({ ok: true, complete: true })
})
