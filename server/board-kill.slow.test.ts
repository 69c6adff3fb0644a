/**
 * A server that is killed at random moments (kill -9) while submissions come in loses none that it accepted, and starts
 * clean. TROUPE_KILLS sets how often; the disk tests need a small file system in TROUPE_TMPFS (default: one is mounted where that is allowed).
 */
import { afterAll, expect, test } from 'vitest'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { Client, GAME, bundleOf, description, replaysOf } from './board-testing.ts'
import { LOG_START, checkRecords } from './log.ts'
import { type Submission } from './protocol/rest.ts'

const KILLS = Number(process.env.TROUPE_KILLS ?? 3)
const folder = mkdtempSync(join(tmpdir(), 'troupe-kill-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const scenario = GAME
let key: string | undefined

/** The built server, as `npm test` builds it first. */
const BUILT = new URL('../dist/server/index.js', import.meta.url)
const SCRIPT = `
  const [, data] = process.argv
  const { startServer } = await import(${JSON.stringify(BUILT.href)})
  const limits = { openPerKey: 1000, perEpoch: 1e6, perDay: 1e6, perDayPerAddress: 1e6, writesPerMinute: 1e6, requestsPerMinute: 1e6 }
  const { port, boards } = await startServer({ port: 0, data, boards: { limits, workers: 1, scenarios: [${JSON.stringify(GAME)}] } })
  console.log(JSON.stringify({ port, key: boards.on ? boards.open.adminKey : undefined }))
`

interface Serving {
  readonly child: ChildProcess
  readonly client: Client
}

async function serve(data: string): Promise<Serving> {
  expect(existsSync(fileURLToPath(BUILT)), 'npm run build').toBe(true)
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const said = JSON.parse(line.toString()) as { port: number; key?: string }
  key ??= said.key
  return { child, client: new Client(said.port, key) }
}

async function kill({ child }: Serving): Promise<void> {
  const gone = once(child, 'close')
  child.kill('SIGKILL')
  await gone
}

/** Numbers without chance of their own: where the next kill falls, 0 to 1. */
let state = 12345
const draw = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32

test(
  `a server killed ${KILLS} times loses no submission it accepted`,
  { timeout: 60_000 + 20_000 * KILLS },
  async () => {
    const data = join(folder, 'killed')
    const accepted = new Set<string>()
    for (let k = 0; k < KILLS; k++) {
      const serving = await serve(data)
      let stopped = false
      // Half of them whenever it comes, half soon after something was accepted: while it is checked, played or published.
      let strike = () => {}
      const struck = new Promise<void>((done) => (strike = done))
      const early = setTimeout(strike, k % 2 === 0 ? 30 + 1500 * draw() : 30_000)
      const dying = struck.then(async () => {
        stopped = true
        clearTimeout(early)
        await kill(serving)
      })
      // One after the other, as fast as they go, until the line is dead.
      while (!stopped) {
        try {
          const { id, seeds } = await serving.client.open({ scenario: scenario.id })
          const bundle = bundleOf(replaysOf(scenario, seeds!))
          await serving.client.upload(id, bundle)
          accepted.add(id) // answered: from here on it must not be lost
          if (k % 2 === 1) setTimeout(strike, 400 * draw())
        } catch (error) {
          // The line went dead, or the server refused, which it never should.
          if ((error as { status?: number }).status !== undefined) throw error
        }
      }
      await dying
    }
    expect(accepted.size).toBeGreaterThan(0)
    const last = await serve(data)
    try {
      const { json: health } = await last.client.get('/api/boards')
      expect(health).toMatchObject({ on: true, problem: null })
      for (const id of accepted) {
        const { state } = (await last.client.settled(id, 60_000)) as Submission
        expect([id, state]).toEqual([id, 'published'])
        expect((await last.client.get(`/api/entries/${id}/bundle`)).status).toBe(200)
      }
      const { json } = await last.client.get('/api/log?limit=1000')
      checkRecords(json.records, LOG_START, json.head.publicKey)
      // A second server of the same folder shows replays and says who has the boards.
      const second = await serve(data)
      expect((await second.client.get('/api/boards')).json.problem).toMatch(/in use by another server/)
      await kill(second)
    } finally {
      await kill(last)
    }
  },
)

/** A file system of three megabytes, where we may mount one; else the folder in TROUPE_TMPFS, or none. */
function smallDisk(): string | undefined {
  if (process.env.TROUPE_TMPFS !== undefined) return process.env.TROUPE_TMPFS
  const at = join(folder, 'small')
  mkdirSync(at)
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', at]).status === 0 ? at : undefined
}

const disk = process.platform === 'linux' ? smallDisk() : undefined
if (disk === undefined) console.log('no small file system to be had: the tests of a full disk are left out')
afterAll(() => {
  if (disk !== undefined && process.env.TROUPE_TMPFS === undefined) spawnSync('umount', ['-l', disk])
})

test.runIf(disk !== undefined)(
  'a full disk refuses submissions in a sentence, keeps what there is, and goes on when there is room',
  async () => {
    key = undefined
    const serving = await serve(join(disk!, 'data'))
    const { client } = serving
    try {
      const first = await client.open({ scenario: scenario.id })
      await client.upload(first.id, bundleOf(replaysOf(scenario, first.seeds!)))
      expect((await client.settled(first.id)).state).toBe('published')
      const second = await client.open({ scenario: scenario.id })
      const bundle = bundleOf(replaysOf(scenario, second.seeds!))
      const { bavail, bsize } = statfsSync(disk!)
      writeFileSync(join(disk!, 'filler'), new Uint8Array(bavail * bsize))
      const refused = await client.ask('PUT', `/api/submissions/${second.id}/bundle`, bundle)
      expect([refused.status, refused.json.error.message]).toEqual([
        503,
        expect.stringMatching(/full|no room|no space/i),
      ])
      expect(refused.text).not.toContain(disk!)
      // What is there is still served, the submission is as it was.
      expect((await client.get(`/api/entries/${first.id}`)).json.row.score).not.toBeNull()
      expect((await client.get(`/api/submissions/${second.id}`)).json.state).toBe('open')
      const third = await client.ask('POST', '/api/submissions', {
        scenario: scenario.id,
        level: 'replayed',
        description: description(),
      })
      expect([third.status, third.json.error?.code]).toEqual([503, 'environment'])
      rmSync(join(disk!, 'filler'))
      await client.upload(second.id, bundle)
      expect((await client.settled(second.id)).state).toBe('published')
    } finally {
      await kill(serving)
    }
  },
)

test.runIf(disk !== undefined && process.env.TROUPE_TMPFS === undefined)(
  'a read-only disk shows what is wrong, and the rest is served',
  async () => {
    spawnSync('mount', ['-o', 'remount,ro', disk!])
    const serving = await serve(join(disk!, 'data'))
    try {
      expect((await serving.client.get('/api/boards')).json).toMatchObject({
        on: false,
        problem: expect.stringMatching(/not writable/),
      })
      expect((await serving.client.get('/api/runs')).status).toBe(200)
      const refused = await serving.client.ask('POST', '/api/submissions', {
        scenario: scenario.id,
        level: 'replayed',
        description: description(),
      })
      expect([refused.status, refused.json.error.message]).toEqual([503, expect.stringMatching(/^boards is off/)])
    } finally {
      await kill(serving)
      spawnSync('mount', ['-o', 'remount,rw', disk!])
    }
  },
)
