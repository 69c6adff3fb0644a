import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ENVS } from '../../envs/index.ts'
import { readReplay, verifyReplay } from '../../envs/core/replay.ts'
import { POLICIES } from '../../agents/index.ts'
import { type Policy } from '../../agents/core/policy.ts'
import { scenarioHash, scenarioSpec } from '../../scenarios/open.ts'
import { Client, SMALL, description } from '../board-testing.ts'
import { startServer, type RunningServer } from '../index.ts'
import { type EntryDetail } from '../protocol/rest.ts'
import { commitmentOf, panelSeeds } from '../seeds.ts'
import { quiet } from '../testing.ts'
import { playLive } from './client.ts'
import { Caller } from './testing.ts'

const SIZES = { shared: 20, fresh: 20 }

let data: string
let server: RunningServer
let anybody: Client
let admin: Client
let secret: string

const open = () =>
  startServer({
    port: 0,
    data,
    log: quiet,
    boards: { scenarios: [SMALL], workers: 1, limits: { openPerKey: 2 } },
    live: { episodes: SIZES, graceMs: 30, graceTotalMs: 30 },
  })

function boardsOf({ boards }: RunningServer) {
  if (!boards.on) throw new Error(boards.problem)
  return boards.open
}

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'troupe-live-'))
  server = await open()
  anybody = new Client(server.port)
  admin = anybody.with(boardsOf(server).adminKey)
  const made = await admin.ask('POST', '/api/keys', { label: 'player', scopes: ['submit'] })
  secret = made.json.secret
})
afterAll(async () => {
  await server.close()
  await rm(data, { recursive: true, force: true })
})

const random = () => POLICIES.random.create(scenarioSpec(SMALL)) as Policy
const play = (name: string, more: { blind?: boolean } = {}) =>
  playLive({
    server: server.url,
    scenario: SMALL.id,
    policy: random,
    description: description(name),
    key: secret,
    lanes: 40,
    rng: name,
    ...more,
  })

const detailOf = async (id: string): Promise<EntryDetail> => (await anybody.get(`/api/entries/${id}`)).json

describe('a live run on the board', () => {
  it('is published with its evidence, both panels, and how fast it answered', async () => {
    const done = await play('first')
    const detail = await detailOf(done.entry)
    expect(detail.row).toMatchObject({
      level: 'live',
      name: 'first',
      standing: 'ranked',
      episodes: 40,
      disputed: false,
    })
    expect(detail.row.score?.mean).toBeCloseTo(done.return.mean, 12)
    expect(detail.row.panels).toEqual({
      shared: { mean: done.return.shared, episodes: 20 },
      fresh: { mean: done.return.fresh, episodes: 20 },
    })
    expect(detail.latency).toMatchObject({ late: 0, limitMs: 1000 })
    expect(detail.latency!.counts.reduce((a, b) => a + b)).toBe(done.turns)
    expect(detail.receipt).toMatchObject({ kind: 'accepted' })
    expect(detail.history.map(({ state }) => state)).toEqual(['open', 'running', 'scored', 'published'])
    const board = await anybody.get(`/api/boards/${encodeURIComponent(SMALL.id)}`)
    expect(board.json.board.level).toBe('live')
    expect(board.json.rows.map((row: { id: string }) => row.id)).toContain(done.entry)
  })

  it('shows replays of the fresh panel at once, those of the shared panel once the key is published', async () => {
    const { entry } = await play('second')
    const before = await detailOf(entry)
    expect(before.epoch).toMatchObject({ revealed: false })
    for (const { panel, seed, replay } of before.episodes) {
      expect([panel, seed === null, replay === null]).toEqual([panel, panel === 'shared', panel === 'shared'])
    }
    const hidden = await anybody.get(`/api/replays/${encodeURIComponent(`board:${entry}:shared-0`)}`)
    expect(hidden.status).toBe(404)
    expect((await anybody.get(`/api/entries/${entry}/bundle`)).status).toBe(409)
    const fresh = before.episodes.find(({ panel }) => panel === 'fresh')!
    const bytes = await fetch(`${server.url}/api/replays/${encodeURIComponent(fresh.replay!)}`)
    const replay = readReplay(new Uint8Array(await bytes.arrayBuffer()))
    expect(verifyReplay(replay, ENVS.warehouse)).toMatchObject({ ok: true, complete: true })
    expect(replay.header.result!.return).toBe(fresh.return)

    // A run that goes on keeps the key secret after its epoch is over.
    const going = await Caller.open(server.url)
    const start = { type: 'live.start', protocol: 1, scenario: SMALL.id, description: description('slow'), key: secret }
    going.say(start)
    await going.until(() => going.frames.length > 0)
    const told = JSON.stringify(going.texts)
    await admin.ask('POST', '/api/epochs', {})
    expect((await detailOf(entry)).epoch).toMatchObject({ revealed: false })
    going.say({ type: 'live.leave' })
    await going.until(() => going.first('live.done'))
    const { epochs } = (await anybody.get('/api/epochs')).json
    const { id, commitment } = before.epoch!
    const key = epochs.find((epoch: { id: number }) => epoch.id === id).key
    expect(commitmentOf(key)).toBe(commitment)
    expect(told).not.toContain(key)

    const after = await detailOf(entry)
    expect(after.epoch).toMatchObject({ revealed: true })
    for (const panel of ['shared', 'fresh'] as const) {
      const seeds = after.episodes.filter((one) => one.panel === panel).sort((a, b) => a.episode - b.episode)
      expect(seeds.map(({ seed }) => seed)).toEqual(panelSeeds(key, scenarioHash(SMALL), panel, entry, 20))
    }
    expect((await anybody.get(`/api/entries/${entry}/bundle`)).status).toBe(200)
  })

  it('counts when its client is killed, and says so beside the row', async () => {
    const caller = await Caller.open(server.url)
    caller.say({ type: 'live.start', protocol: 1, scenario: SMALL.id, description: description('killed'), key: secret })
    await caller.until(() => caller.frames.length > 0)
    const { entry } = caller.first('live.started')!
    const begun = await boardsOf(server).store.episodes(entry)
    expect(begun).toHaveLength(40)
    expect(begun.every(({ startedAt, endedAt }) => startedAt > 0 && endedAt === null)).toBe(true)
    caller.socket.terminate()
    expect((await anybody.settled(entry)).state).toBe('published')
    const detail = await detailOf(entry)
    expect(detail.row).toMatchObject({
      standing: 'ranked',
      episodes: 40,
      flags: expect.arrayContaining(['client was lost before the end']),
    })
    expect(detail.episodes.every(({ return: value }) => value !== null)).toBe(true)
  })

  it('needs a key that may submit, within its quota', async () => {
    const refusals: string[] = []
    const { json: reader } = await admin.ask('POST', '/api/keys', { label: 'reader', scopes: ['read'] })
    for (const key of [undefined, 'nonsense', reader.secret]) {
      const ask = playLive({
        server: server.url,
        scenario: SMALL.id,
        policy: random,
        description: description(),
        ...(key === undefined ? {} : { key }),
      })
      await ask.catch((error: Error) => refusals.push(error.message))
    }
    expect(refusals).toEqual([
      expect.stringMatching(/^key is missing/),
      expect.stringMatching(/^key is not a key of troupe/),
      expect.stringMatching(/^key is one with scope read; expected scope submit/),
    ])
    const start = { type: 'live.start', protocol: 1, scenario: SMALL.id, description: description('many'), key: secret }
    const callers = [await Caller.open(server.url), await Caller.open(server.url), await Caller.open(server.url)]
    for (const caller of callers) {
      caller.say(start)
      await caller.until(() => caller.frames.length + caller.texts.length > 0)
    }
    expect(callers[2].first('error')?.error.message).toMatch(/2 of this key under way; expected fewer than 2/)
    const list = (await anybody.get('/api/live')).json
    expect(list.runs.map(({ name }: { name: string }) => name)).toEqual(['many', 'many'])
    expect(list.rules).toMatchObject({ shared: 20, fresh: 20, stepMs: 1000 })
    for (const caller of callers.slice(0, 2)) {
      caller.say({ type: 'live.leave' })
      await caller.until(() => caller.first('live.done'))
    }
  })

  it('tells no name of a blind entry, in the list, the row and the replays', async () => {
    const { entry } = await play('secret name', { blind: true })
    const detail = await detailOf(entry)
    expect(JSON.stringify(detail)).not.toContain('secret name')
    const { replay } = detail.episodes.find(({ panel }) => panel === 'fresh')!
    const bytes = new Uint8Array(
      await (await fetch(`${server.url}/api/replays/${encodeURIComponent(replay!)}`)).arrayBuffer(),
    )
    expect(JSON.stringify(readReplay(bytes).header)).not.toContain('secret name')
  })

  it('is void when the server stops, and uses up no quota', async () => {
    const caller = await Caller.open(server.url)
    caller.say({ type: 'live.start', protocol: 1, scenario: SMALL.id, description: description('void'), key: secret })
    await caller.until(() => caller.frames.length > 0)
    const { entry } = caller.first('live.started')!
    await server.close()
    server = await open()
    const again = new Client(server.port)
    const { json } = await again.get(`/api/entries/${entry}`)
    expect(json.failure).toMatchObject({ code: 'infrastructure', fault: 'server' })
    expect((await boardsOf(server).store.entry(entry))!.refunded).toBe(true)
    anybody = again
  })
})
