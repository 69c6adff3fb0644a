/** Every command and snippet of the README, typed in an empty folder as a newcomer would. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { start, troupe, type Running } from './spawned.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'troupe-readme-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = (language: string) =>
  [...readme.matchAll(new RegExp('```' + language + '\n([\\s\\S]*?)```', 'g'))].map((match) => match[1])

/** Lines that start with `npx troupe`, without their comments. */
const commands = blocks('sh')
  .flatMap((block) => block.split('\n'))
  .filter((line) => line.startsWith('npx troupe '))
  .map((line) => line.replace(/\s+#.*$/, '').slice('npx troupe '.length))

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/troupe'), 'dir')
})

/** `replays/*.replay` as a shell would spell it out; `some` stands for any. */
function spelled(word: string): string[] {
  const stars = /^(.*)\/(?:\*|some)\.replay$/.exec(word)
  if (stars === null) return [word]
  const files = readdirSync(join(folder, stars[1])).filter((name) => name.endsWith('.replay'))
  return files.slice(0, word.includes('*') ? undefined : 1).map((name) => `${stars[1]}/${name}`)
}

/** Training for a figure in a README takes its time; here the same command trains a little. */
const SHORT: Record<string, string[]> = {
  train: ['--steps', '2500', '--evaluations', '2', '--evaluation-episodes', '4'],
  bench: [
    '--steps',
    '2500',
    '--evaluations',
    '2',
    '--evaluation-episodes',
    '4',
    '--absolute-episodes',
    '8',
    '--seeds',
    '2',
  ],
}

/** The server that the README has running when it submits, and the key that it showed. */
let board: { readonly running: Running; readonly url: string; readonly key: string } | undefined
afterAll(async () => {
  board?.running.child.kill('SIGINT')
  await board?.running.ended
})

async function openBoard(): Promise<NonNullable<typeof board>> {
  if (board !== undefined) return board
  const running = start(['serve', '--port', '0', '--data', 'board'], { cwd: folder, timeoutMs: 600_000 })
  const key = /troupe_\S+/.exec(await running.says(/shown this once: \S+/))![0]
  const url = /http\S+/.exec(await running.says(/Viewer: http\S+/))![0]
  board = { running, url, key }
  return board
}

test('there are commands to try', () => {
  expect(commands.length).toBeGreaterThan(8)
})

test.sequential.each(commands)('npx troupe %s', async (line) => {
  const words = line.split(/\s+/).flatMap(spelled)
  const [command] = words
  if (command === 'serve' || command === 'watch') {
    const running = start(command === 'watch' ? [...words, '--no-open'] : words, { cwd: folder })
    await running.says(/Viewer: http/)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(0)
    return
  }
  if (command === 'submit') {
    const { url, key } = await openBoard()
    const { code, stdout, stderr } = await troupe([...words, '--server', url], {
      cwd: folder,
      env: { TROUPE_KEY: key },
    })
    expect([code, stderr]).toEqual([0, expect.not.stringMatching(/^troupe: /m)])
    expect(stdout).toMatch(/\/entry\/\w+/)
    return
  }
  // The short run is finished; going on with it needs somewhere to go.
  const more = command === 'resume' ? ['--steps', '5000'] : (SHORT[command] ?? [])
  const { code, stderr } = await troupe([...words, ...more], { cwd: folder })
  expect([code, stderr]).toEqual([0, expect.not.stringMatching(/^troupe: /m)])
})

test.each(blocks('js').map((text, i) => [i + 1, text] as const))('JavaScript snippet %i runs', (i, text) => {
  writeFileSync(join(folder, `snippet${i}.mjs`), text)
  const { status, stderr } = spawnSync(process.execPath, [`snippet${i}.mjs`], { cwd: folder, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
