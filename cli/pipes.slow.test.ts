import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { MAIN } from './spawned.ts'

test.runIf(existsSync('/dev/full'))('output into a full disk ends with one sentence, exit 3', () => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'list'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(full)
  expect([status, stderr]).toEqual([3, 'troupe: output: write: no space left on the disk\n'])
})
