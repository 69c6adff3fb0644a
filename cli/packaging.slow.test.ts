import { afterAll, beforeAll, expect, test } from 'vitest'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'troupe-package-'))
const home = join(folder, 'home')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const windows = process.platform === 'win32'

function npm(words: string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync('npm', words, {
    cwd,
    encoding: 'utf8',
    shell: windows,
    timeout: 240_000,
  })
  if (status !== 0) throw new Error(`npm ${words.join(' ')} failed: ${stderr}`)
  return stdout
}

/** The installed command, as a shell would find it. */
const installed = () => join(home, 'node_modules/.bin', windows ? 'troupe.cmd' : 'troupe')

function troupe(words: string[]) {
  return spawnSync(installed(), words, { cwd: home, encoding: 'utf8', shell: windows, timeout: 60_000 })
}

let packed: string[]

beforeAll(() => {
  const report = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root))[0]
  packed = report.files.map(({ path }: { path: string }) => path)
  mkdirSync(home)
  writeFileSync(join(home, 'package.json'), '{ "private": true }')
  npm(
    [
      'install',
      '--omit=dev',
      '--ignore-scripts',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      join(folder, report.filename),
    ],
    home,
  )
}, 300_000)

test('the package holds what it needs and no sources, tests or data', () => {
  for (const file of [
    'dist/cli/main.js',
    'dist/index.d.ts',
    'dist/viewer/index.html',
    'dist/viewer/replays/warehouse-tiny-4ag-greedy.replay',
    'dist/scenarios/warehouse/nano-2ag.json',
    'dist/scenarios/suites/games.json',
    'dist/cli/templates/env/NAME.js',
    'README.md',
    'LICENSE',
  ]) {
    expect(packed).toContain(file)
  }
  expect(packed.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))).toEqual([])
  expect(
    packed.filter((file) => /\.test\.|troupe-data|node_modules/.test(file) && !file.includes('/templates/')),
  ).toEqual([])
})

test('with production dependencies and without install scripts, troupe list works', () => {
  const { status, stdout, stderr } = troupe(['list', '--json'])
  expect([status, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout).map(({ id }: { id: string }) => id)).toContain('warehouse/tiny-2ag')
  expect(existsSync(join(home, 'node_modules/typescript'))).toBe(false)
})

test('the server of the package shows the viewer and the shipped replays', async () => {
  const child = spawn(installed(), ['serve', '--port', '0', '--json'], { cwd: home, shell: windows })
  try {
    const url = await new Promise<string>((done, fail) => {
      let text = ''
      child.stdout.on('data', (bytes) => {
        text += bytes
        const match = /"url": "([^"]+)"/.exec(text)
        if (match !== null) done(match[1])
      })
      child.on('exit', () => fail(new Error(`ended early: ${text}`)))
    })
    const page = await (await fetch(`${url}/`)).text()
    const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css|svg))"/g)].map((match) => match[1])
    expect(files.some((file) => file.endsWith('.js'))).toBe(true)
    for (const file of files) {
      const answer = await fetch(url + file)
      expect([file, answer.status]).toEqual([file, 200])
      expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(100)
    }
    const { replays } = (await (await fetch(`${url}/api/replays`)).json()) as { replays: { id: string }[] }
    expect(replays.map(({ id }) => id)).toContain('shipped:warehouse-tiny-4ag-greedy')
  } finally {
    child.kill('SIGINT')
  }
})

test('the package is a library, and a new plug-in finds it', () => {
  writeFileSync(
    join(home, 'use.mjs'),
    `import { makeBatch, parallelEnv, readReplay, playEpisodes, POLICIES, LEARNERS } from 'troupe'
     const batch = makeBatch('warehouse', { size: 'tiny', robots: 4 }, { lanes: 64 })
     batch.reset()
     batch.step(new Int32Array(64 * 4))
     const env = parallelEnv('warehouse', { size: 'tiny', robots: 2 })
     const { observations } = env.reset({ seed: 1 })
     console.log(batch.observation.length, Object.keys(observations).join(), Object.keys(LEARNERS).sort().join(),
       typeof readReplay, typeof playEpisodes, 'random' in POLICIES)`,
  )
  const { stdout, stderr } = spawnSync(process.execPath, ['use.mjs'], { cwd: home, encoding: 'utf8' })
  const learners = readdirSync(join(root, 'agents'))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'index.ts') // one file each
    .map((name) => name.slice(0, -'.ts'.length))
    .sort()
    .join()
  // 64 lanes of 4 robots with 71 numbers each
  expect([stdout.trim(), stderr]).toEqual([`${64 * 4 * 71} agent_0,agent_1 ${learners} function function true`, ''])
  expect(troupe(['new', 'env', 'lanterns']).status).toBe(0)
  expect(existsSync(join(home, 'lanterns/node_modules'))).toBe(false) // troupe is installed above it
  expect(spawnSync(process.execPath, ['--test'], { cwd: join(home, 'lanterns') }).status).toBe(0)
  expect(troupe(['check', './lanterns/lanterns.js']).status).toBe(0)
})
