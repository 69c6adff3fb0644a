import { spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAIN, troupe } from './spawned.ts'

test.runIf(existsSync('/dev/full'))('output into a full disk ends with one sentence, exit 3', () => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'list'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  })
  closeSync(full)
  expect([status, stderr]).toEqual([3, 'troupe: output: write: no space left on the disk\n'])
})

test.skipIf(process.platform === 'win32')(
  'training whose reader goes away keeps a checkpoint and a record',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'troupe-pipe-'))
    try {
      const folder = join(home, 'runs/gone')
      const words = `train mappo matrix/stag-hunt --steps 100000000 --evaluations 2 --lanes 4 --out "${folder}"`
      const line = `"${process.execPath}" "${MAIN}" ${words} --data "${home}" 2>&1 | head -1`
      const { status, stdout } = spawnSync('sh', ['-c', line], { encoding: 'utf8', timeout: 60_000 })
      expect([status, stdout.split('\n').length]).toEqual([0, 2])
      expect(JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8')).status).toBe('interrupted')
      expect(existsSync(join(folder, 'checkpoints/last/weights.safetensors'))).toBe(true)
      expect((await troupe(['verify', join(folder, 'record.json'), '--data', home])).code).toBe(0)
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
)
