import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

test('the machine is byte for byte what its sources compile to', () => {
  const build = fileURLToPath(new URL('./assembly/build.mjs', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [build, '--check'], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})
