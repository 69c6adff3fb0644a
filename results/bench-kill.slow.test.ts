/** A bench that is killed again and again, at moments nobody chose, ends as one that never was. Needs a build. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { Generator, namedSeed } from '../envs/core/index.ts'
import { readRecord } from './record.ts'

/** More kills for a long run by hand: TROUPE_KILLS=100. */
const KILLS = Number(process.env.TROUPE_KILLS ?? 3)
const SEED = process.env.TROUPE_KILL_SEED ?? '1'
const MAIN = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

const home = mkdtempSync(join(tmpdir(), 'troupe-kill-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const WORDS = [
  ...['bench', 'matrix/stag-hunt-repeated', '--algorithms', 'mappo,random', '--seeds', '3', '--parallel', '2'],
  ...['--steps', '8000', '--evaluations', '9', '--evaluation-episodes', '8', '--absolute-episodes', '40'],
  ...['--set', 'lanes=8', '--set', 'rolloutSteps=25', '--set', 'hidden=16', '--backend', 'simd', '--quiet', '--json'],
]

function bench(out: string) {
  const child = spawn(process.execPath, [MAIN, ...WORDS, '--out', out], {
    detached: true, // a process group of its own, so that it can be killed with all its workers
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
  child.stderr.on('data', (bytes: Buffer) => (said += bytes.toString()))
  // 'exit', not 'close': workers that outlive a killed bench keep its pipes open, and the next bench shall meet them.
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)))
  return { child, ended, said: () => said }
}

/** Paths of files of a name under a folder, sorted. */
function find(folder: string, name: string): string[] {
  if (!existsSync(folder)) return []
  for (let tries = 0; ; tries++) {
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith(name))
        .sort()
    } catch (error) {
      // A worker that is still stopping replaces a checkpoint folder under our eyes.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || tries > 50) throw error
    }
  }
}

/** What must not depend on how often a run was killed. */
function lasting(out: string) {
  return find(out, 'record.json').map((path) => {
    const { seconds: _s, stepsPerSecond: _p, ...rest } = readRecord(join(out, path))
    return { path, ...rest }
  })
}

test(
  `killed ${KILLS} times, a bench loses no run, repeats none, and measures what it would have`,
  async () => {
    const whole = bench(join(home, 'whole'))
    const began = performance.now()
    expect(await whole.ended, whole.said()).toBe(0)
    const usual = performance.now() - began
    const expected = lasting(join(home, 'whole'))
    expect(expected).toHaveLength(6)

    const out = join(home, 'killed')
    const rng = new Generator(namedSeed(SEED, 'kills'))
    const finished = new Map<string, { mtimeMs: number; bytes: string }>()
    const steps = new Map<string, number>()
    const look = () => {
      for (const path of find(out, 'record.json')) {
        const file = join(out, path)
        if (readRecord(file).status === 'interrupted') continue
        const seen = { mtimeMs: statSync(file).mtimeMs, bytes: readFileSync(file, 'utf8') }
        // A finished run is never touched again.
        if (finished.has(path)) expect(seen).toEqual(finished.get(path))
        finished.set(path, seen)
      }
      for (const path of find(out, 'run.json')) {
        const { step } = JSON.parse(readFileSync(join(out, path), 'utf8')) as { step: number }
        // No step that was on disk is trained again.
        expect(step).toBeGreaterThanOrEqual(steps.get(path) ?? 0)
        steps.set(path, step)
      }
    }
    for (let kill = 0; kill < KILLS; kill++) {
      const { child, ended } = bench(out)
      await Promise.race([wait(rng.float() * usual), ended])
      // Now the bench with its workers, now the bench alone: its workers notice and stop.
      const group = rng.below(2) === 0
      if (child.exitCode === null) process.kill(group ? -child.pid! : child.pid!, 'SIGKILL')
      await ended
      look()
    }
    const last = bench(out)
    expect(await last.ended, last.said()).toBe(0)
    look()
    expect(finished.size).toBe(6)
    expect(lasting(out)).toEqual(expected)
    // Every update is in the log once.
    for (const path of find(out, 'log.jsonl')) {
      const lines = readFileSync(join(out, path), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { kind: string; step: number }) // prettier-ignore
      const updates = lines.filter(({ kind }) => kind === 'update').map(({ step }) => step)
      expect(updates).toEqual(Array.from({ length: 40 }, (_, k) => 200 * (k + 1)))
      expect(lines.filter(({ kind }) => kind === 'evaluation')).toHaveLength(9)
    }
  },
  60_000 + 30_000 * KILLS,
)
