import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { mkdtemp, rm, writeFile, chmod, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, GAME, SMALL, bundleOf, description, replaysOf } from './board-testing.ts'
import { backupBoards } from './backup.ts'
import { type BoardsSettings } from './boards.ts'
import { type RunningServer } from './index.ts'
import { panelSeeds } from './seeds.ts'
import { sandbox, start } from './testing.ts'

const box = await sandbox()
const modules = await mkdtemp(join(tmpdir(), 'troupe-workers-'))
/** Worker modules that misbehave. */
const BROKEN = join(modules, 'broken.mjs')
const HANGING = join(modules, 'hanging.mjs')
let server: RunningServer | undefined
let clock = Date.now()

beforeAll(async () => {
  await writeFile(BROKEN, 'export default () => { throw new Error("/home/me/secret.ts:1") }')
  await writeFile(HANGING, 'export default () => { for (;;); }')
})
afterEach(async () => {
  await server?.close()
  server = undefined
})
afterAll(async () => {
  await box.remove()
  await rm(modules, { recursive: true, force: true })
})

const usual = { openPerKey: 10, perDay: 50, retryMs: 5, sweepMs: 20 }

async function serve(data: string, more: Partial<BoardsSettings> = {}) {
  server = await start({
    data: join(box.folder, data),
    viewerDir: box.viewerDir,
    boards: { scenarios: [GAME, SMALL], newAdminKey: true, ...more, limits: { ...usual, ...more.limits } },
  })
  if (!server.boards.on) throw new Error(server.boards.problem)
  const { open } = server.boards
  return { boards: open, client: new Client(server.port, open.adminKey) }
}

/** Opens and uploads; what becomes of it is looked at later. */
async function uploaded(client: Client): Promise<string> {
  const { id, seeds } = await client.open({ scenario: GAME.id })
  await client.upload(id, bundleOf(replaysOf(GAME, seeds!)))
  return id
}

describe('when the machine fails', () => {
  it('a submission is tried again, then given back with a sentence, and uses up no quota', async () => {
    const { client } = await serve('broken', { workerFile: BROKEN, limits: { ...limitsOf({ perDay: 1 }) } })
    const id = await uploaded(client)
    const { state, failure, history } = await client.settled(id)
    expect(state).toBe('failed')
    expect(failure).toMatchObject({ code: 'infrastructure', fault: 'server' })
    expect(failure!.message).toBe('verification is ended by an error, 3 times; it does not count, submit it again')
    expect(history.filter((one) => one.state === 'running')).toHaveLength(3)
    // One a day: another may be opened all the same; and after that one, none.
    await client.open({ scenario: GAME.id })
    await expect(client.open({ scenario: GAME.id })).rejects.toMatchObject({ status: 429 })
  })

  it('a worker that hangs is stopped by the clock', async () => {
    const { client } = await serve('hanging', {
      workerFile: HANGING,
      limits: { ...limitsOf({ jobMs: 100, tries: 1 }) },
    })
    const { failure } = await client.settled(await uploaded(client))
    expect(failure!.message).toMatch(/^verification is not done after 0 s, 1 times/)
  })

  it('while a worker is stuck others see their place in the queue, and after a restart all are done', async () => {
    const { client } = await serve('stuck', { workerFile: HANGING, limits: { ...limitsOf({ jobMs: 60_000 }) } })
    const ids = [await uploaded(client), await uploaded(client), await uploaded(client)]
    const states = await Promise.all(ids.map(async (id) => (await client.get(`/api/submissions/${id}`)).json))
    expect(states.map(({ state }) => state)).toEqual(['running', 'received', 'received'])
    expect(states.map(({ queuePosition }) => queuePosition)).toEqual([null, 0, 1])
    expect(states.every(({ until }) => until !== null)).toBe(true)
    await server!.close()
    const again = await serve('stuck')
    for (const id of ids) expect((await again.client.settled(id)).state).toBe('published')
  })
})

function limitsOf(more: NonNullable<BoardsSettings['limits']>) {
  return { ...usual, ...more }
}

describe('clocks', () => {
  it('an opening that is never used expires and counts; time in the queue runs out with a sentence and does not', async () => {
    clock = Date.now()
    const now = () => clock
    const { client } = await serve('clocks', {
      now,
      workerFile: HANGING,
      limits: limitsOf({ perDay: 3, jobMs: 60_000 }),
    })
    const unused = await client.open({ scenario: GAME.id })
    const running = await uploaded(client)
    const waiting = await uploaded(client)
    clock += 23 * 3_600_000
    expect((await client.settled(running)).failure).toMatchObject({ fault: 'server', code: 'infrastructure' })
    expect((await client.settled(waiting)).failure!.message).toMatch(
      /it found no worker within 360 min; it does not count/,
    )
    clock += 3_600_001
    expect((await client.settled(unused.id)).state).toBe('expired')
    expect(
      (await client.get(`/api/submissions/${unused.id}`)).json.history.map((one: { state: string }) => one.state),
    ).toEqual(['open', 'expired'])
    await expect(client.upload(unused.id, new Uint8Array(9))).rejects.toThrow(/submission is expired/)
  })

  it('of attempts: a key may open so many on a board in an epoch, other keys and boards stay free, the next epoch counts anew', async () => {
    clock = Date.now()
    const { client } = await serve('attempts', { now: () => clock, limits: limitsOf({ perEpoch: 2 }) })
    const asked = (who: Client, scenario: string) =>
      who.ask('POST', '/api/submissions', { scenario, level: 'replayed', description: description('try') })
    expect((await asked(client, GAME.id)).status).toBe(201)
    expect((await asked(client, GAME.id)).status).toBe(201)
    const third = await asked(client, GAME.id)
    expect([third.status, third.json.error.code]).toEqual([429, 'quota'])
    expect(third.json.error.message).toMatch(/2 of this key on this board in epoch 1.*2 or fewer; the next epoch/)
    expect((await asked(client, SMALL.id)).status).toBe(201)
    const made = await client.ask('POST', '/api/keys', { label: 'Ada', scopes: ['submit', 'read'] })
    expect((await asked(new Client(server!.port, made.json.secret), GAME.id)).status).toBe(201)
    clock += 31 * 86_400_000
    expect((await asked(client, GAME.id)).status).toBe(201)
  })

  it('of an address: whatever keys it has, it may open so many in a day; a key says when it was used last', async () => {
    clock = Date.now()
    const { client } = await serve('address', { now: () => clock, limits: limitsOf({ perDayPerAddress: 2 }) })
    const made = await client.ask('POST', '/api/keys', { label: 'Ada', scopes: ['submit', 'read'] })
    const second = new Client(server!.port, made.json.secret)
    const used = async () => {
      const { keys } = (await client.get('/api/keys')).json as { keys: { label: string; lastUsedAt: string | null }[] }
      return keys.find(({ label }) => label === 'Ada')!.lastUsedAt
    }
    expect(await used()).toBeNull()
    const asked = (who: Client) =>
      who.ask('POST', '/api/submissions', { scenario: GAME.id, level: 'replayed', description: description('try') })
    expect((await asked(client)).status).toBe(201)
    expect((await asked(second)).status).toBe(201)
    expect(await used()).toBe(new Date(clock).toISOString())
    for (const who of [client, second]) {
      const refused = await asked(who)
      expect([refused.status, refused.json.error.code]).toEqual([429, 'quota'])
      expect(refused.json.error.message).toMatch(/2 of this address in a day.*2 or fewer in 24 hours/)
    }
    clock += 86_400_001
    expect((await asked(second)).status).toBe(201)
  })

  it('of an epoch: its key is committed to, secret while it runs, and published when it is over', async () => {
    clock = Date.now()
    const { client, boards } = await serve('epochs', { now: () => clock })
    const { json } = await client.get('/api/epochs')
    expect(json.epochs).toEqual([expect.objectContaining({ id: 1, key: null, closedAt: null })])
    const held = await boards.submissions.epochs.hold()
    clock += 31 * 86_400_000
    // Somebody still plays on its seeds.
    expect((await client.get('/api/epochs')).json.epochs.map((e: { key: unknown }) => e.key)).toEqual([null, null])
    held.release()
    const [second, first] = (await client.get('/api/epochs')).json.epochs
    expect([second.id, second.key, first.key, first.commitment]).toEqual([2, null, held.key, json.epochs[0].commitment])
    expect((await client.ask('POST', '/api/epochs', {})).json.id).toBe(3)
    const kinds = (await client.get('/api/log')).json.records.map((r: { kind: string }) => r.kind)
    expect(kinds).toEqual(['epoch-opened', 'epoch-opened', 'epoch-revealed', 'epoch-opened', 'epoch-revealed'])
  })
})

describe('seeds', () => {
  it('are the same on two servers with the same key, and others for every panel, entry and scenario', async () => {
    const key = 'ab'.repeat(32)
    const seeds = panelSeeds(key, 'f'.repeat(64), 'shared', 'entry', 3)
    // printf 'troupe-panel-1|ff…ff|shared||0' | openssl dgst -sha256 -mac hmac -macopt hexkey:abab…ab
    expect(seeds[0]).toBe('4addaaa29728696e920614690219da27')
    expect(panelSeeds(key, 'f'.repeat(64), 'shared', 'another entry', 3)).toEqual(seeds)
    const all = new Set([
      ...seeds,
      ...panelSeeds(key, 'f'.repeat(64), 'fresh', 'entry', 3),
      ...panelSeeds(key, 'f'.repeat(64), 'replayed', 'entry', 3),
      ...panelSeeds(key, 'f'.repeat(64), 'fresh', 'another', 3),
      ...panelSeeds(key, 'e'.repeat(64), 'shared', 'entry', 3),
      ...panelSeeds('cd'.repeat(32), 'f'.repeat(64), 'shared', 'entry', 3),
    ])
    expect(all.size).toBe(18)
    const chains: unknown[] = []
    for (const data of ['twin-a', 'twin-b']) {
      const { boards } = await serve(data)
      await boards.submissions.epochs.next(key)
      const { id } = await boards.submissions.epochs.current()
      const epoch = (await boards.store.epochs()).find((one) => one.id === id)!
      const own = panelSeeds(epoch.key, boards.catalog.task(SMALL.id).hash, 'replayed', 'same', 3)
      chains.push([epoch.commitment, own, replaysOf(SMALL, own).map((replay) => [replay.chain, replay.header.result])])
      await server!.close()
    }
    expect(chains[0]).toEqual(chains[1])
  })
})

describe('where boards cannot be opened, the rest of the server goes on and says why', () => {
  const state = async (running: RunningServer) => (await new Client(running.port).get('/api/boards')).json

  it('a folder that may not be written', async () => {
    const data = join(box.folder, 'locked')
    await mkdir(data, { recursive: true })
    await writeFile(join(data, 'board'), 'a file where the folder should be')
    server = await start({ data, viewerDir: box.viewerDir, boards: true })
    expect(await state(server)).toMatchObject({ on: false, log: null })
    const client = new Client(server.port)
    const refused = await client.ask('POST', '/api/submissions', {
      scenario: GAME.id,
      level: 'replayed',
      description: description(),
    })
    expect(refused.status).toBe(503)
    expect(refused.json.error.message).toMatch(/^boards is off \(/)
    expect(refused.text).not.toContain(data)
    expect((await client.get('/api/runs')).status).toBe(200)
    expect((await client.get('/api/openapi.json')).json.openapi).toBe('3.1.0')
  })

  it('a server started without them', async () => {
    server = await start({ data: join(box.folder, 'none'), viewerDir: box.viewerDir })
    expect((await state(server)).problem).toMatch(/troupe serve/)
  })
})

describe('a backup', () => {
  it('made while the server runs can take its place, and is refused when a file in it is damaged', async () => {
    const { client, boards } = await serve('original')
    const { id } = await client.submit(GAME)
    const data = join(box.folder, 'original')
    const result = await backupBoards(data, join(box.folder, 'restored', 'board'))
    expect(result).toMatchObject({ entries: 1, files: 1 })
    const head = (await client.get('/api/log/head')).json
    const bundle = (await boards.entry(id)).bundle!
    await expect(backupBoards(data, join(box.folder, 'restored', 'board'))).rejects.toThrow(/is not empty/)
    await chmod(boards.blobs.path(bundle.sha256), 0o600)
    await server!.close()
    const restored = await serve('restored')
    expect((await restored.client.get('/api/log/head')).json).toEqual(head)
    expect((await restored.client.get(`/api/entries/${id}`)).json.row.standing).toBe('ranked')
    expect(await restored.boards.soundness()).toEqual([])
    await writeFile(boards.blobs.path(bundle.sha256), new Uint8Array(bundle.bytes))
    await expect(backupBoards(data, join(box.folder, 'second'))).rejects.toThrow(
      /its replays is other bytes than their hash says/,
    )
  })
})
