/**
 * Breaks one line of a learner at a time, in a copy of the repository, and sees which test notices:
 * `node scripts/mutations.mjs [part of a name ...]`. The list is agents/mutations.json; a test holds its lines and its tests to the
 * sources. Exits 1 when a fault goes unnoticed.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const all = JSON.parse(readFileSync(join(root, 'agents/mutations.json'), 'utf8'))
const wanted = process.argv.slice(2)
const chosen = all.filter(({ fault }) => wanted.length === 0 || wanted.some((part) => fault.includes(part)))

const copy = mkdtempSync(join(tmpdir(), 'troupe-mutations-'))
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], { cwd: root, encoding: 'utf8' })
for (const file of files.split('\0').filter((name) => name !== '' && !name.startsWith('results/records/'))) {
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  cpSync(join(root, file), join(copy, file))
}
// Kernels are built anew where their sources change, so the copy has built files of its own.
cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
const fixtures = process.env.TROUPE_FIXTURES ?? resolve(root, '../shared/fixtures')

let unnoticed = 0
try {
  for (const { fault, file, from, to, tests, title } of chosen.filter((one) => one.from !== undefined)) {
    const path = join(copy, file)
    const before = readFileSync(path, 'utf8')
    if (before.split(from).length !== 2)
      throw new Error(`${fault}: ${file} has ${before.split(from).length - 1} such places`)
    writeFileSync(
      path,
      before.replace(from, () => to),
    )
    const pattern = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const run = spawnSync('npx', ['vitest', 'run', '--project', 'fast', tests, '-t', pattern], {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, TROUPE_FIXTURES: fixtures },
    })
    writeFileSync(path, before)
    const failed = / (\d+) failed/.exec(
      run.stdout
        .replace(/\u001b\[[0-9;]*m/g, '')
        .split('Tests')
        .at(-1),
    )
    if (failed === null) unnoticed++
    console.log(`${failed === null ? 'UNNOTICED' : 'noticed  '}  ${fault}  (${tests}: ${title})`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
process.exitCode = unnoticed > 0 ? 1 : 0
