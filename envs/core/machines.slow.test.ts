import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const folder = resolve(import.meta.dirname, '..')
const worlds = readdirSync(folder).filter((world) => existsSync(join(folder, world, 'assembly/build.mjs')))

test('skirmish and particles have machines', () => expect(worlds).toEqual(['particles', 'skirmish']))

test.each(worlds)('%s: the machine is byte for byte what its sources compile to', (world) => {
  const build = join(folder, world, 'assembly/build.mjs')
  const { status, stderr } = spawnSync(process.execPath, [build, '--check'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
