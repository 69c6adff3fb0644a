import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Blobs } from './blobs.ts'
import { openSqlite } from './sqlite.ts'
import { type EntryRow, type EpisodeRecord, type Store } from './store.ts'

let folder: string
let store: Store

const key = {
  id: 'k',
  hash: 'h',
  prefix: 'troupe_x',
  label: 'l',
  scopes: ['submit'] as const,
  createdAt: 1,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
}

function entry(id: string, patch: Partial<EntryRow> = {}): EntryRow {
  return {
    ...{
      id,
      scenario: 's',
      scenarioHash: 'h',
      task: { id: 's' },
      level: 'replayed',
      state: 'open',
      since: 1,
      until: 9,
    },
    ...{ createdAt: 1, publishedAt: null, keyId: 'k', address: 'a', description: null, group: 'g', trainingSeed: null },
    ...{
      settingsHash: 'x',
      claim: { mean: 0.5 },
      blind: false,
      hidden: null,
      disputed: false,
      epoch: null,
      episodes: 2,
    },
    ...{ done: 0, failure: null, history: [{ state: 'open', at: 1 }], tries: 0, refunded: false, bundle: null },
    ...{ score: null, flags: ['a'], panels: null, latency: null, log: null, idempotencyKey: null, requestHash: null },
    ...patch,
  }
}

const episode = (number: number, value: number | null): EpisodeRecord => ({
  ...{ panel: 'replayed', episode: number, seed: 's', startedAt: 1, endedAt: 2, return: value, length: 3 },
  ...{
    terminated: true,
    truncated: false,
    returns: [1, 2],
    metrics: { a: null },
    chain: null,
    from: 0,
    bytes: 9,
    note: null,
  },
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-store-'))
  store = await openSqlite(join(folder, 'one.sqlite'))
  await store.addKey(key)
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

describe('the store', () => {
  it('gives back what it was given', async () => {
    const row = entry('a', {
      score: { mean: 1, iqm: 2, std: 3, low: null, high: null, error: null },
      bundle: { sha256: 'f', bytes: 7 },
    })
    await store.addEntry(row)
    expect(await store.entry('a')).toEqual(row)
    await store.putEpisodes('a', [episode(0, 2), episode(1, -1), episode(2, null)])
    await store.putEpisodes('a', [episode(0, 5)]) // as a live one ends
    expect((await store.episodes('a', { order: 'worst' })).map((one) => one.return)).toEqual([null, -1, 5])
    expect((await store.episodes('a'))[0]).toEqual(episode(0, 5))
    expect(await store.countEpisodes('a')).toBe(3)
  })

  it('changes an entry only from the state that was meant, and knows a request again', async () => {
    await store.addEntry(entry('b', { idempotencyKey: 'i' }))
    expect(await store.changeEntry('b', { state: 'received' }, 'queued')).toBe(false)
    expect(await store.changeEntry('b', { state: 'received' }, 'open')).toBe(true)
    expect((await store.entryOfRequest('k', 'i'))?.id).toBe('b')
    await expect(store.addEntry(entry('c', { idempotencyKey: 'i' }))).rejects.toThrow()
  })

  it('does all of a transaction or nothing', async () => {
    const broken = store.transaction(async (inside) => {
      await inside.addEntry(entry('d'))
      throw new Error('half way')
    })
    await expect(broken).rejects.toThrow('half way')
    expect(await store.entry('d')).toBeUndefined()
  })

  it('keeps foreign keys, and refuses to change or delete what was logged', async () => {
    await expect(store.addEntry(entry('e', { keyId: 'nobody' }))).rejects.toThrow(/FOREIGN KEY/)
    await store.appendLog({ seq: 1, at: 'now', kind: 'accepted', body: {}, previous: '0', hash: '1', signature: 's' })
    const { default: Driver } = await import('better-sqlite3')
    const raw = new Driver(join(folder, 'one.sqlite'))
    expect(() => raw.exec("UPDATE log SET at = 'then'")).toThrow(/nothing is changed or deleted/)
    expect(() => raw.exec('DELETE FROM log')).toThrow(/nothing is changed or deleted/)
    expect(() => raw.exec('DELETE FROM entries')).toThrow(/nothing is changed or deleted/)
    raw.close()
  })

  it('says what is wrong with a damaged file, and what a copy holds', async () => {
    expect(await store.check()).toEqual([])
    await store.backup(join(folder, 'copy.sqlite'))
    const copy = await openSqlite(join(folder, 'copy.sqlite'))
    expect((await copy.entry('a'))?.id).toBe('a')
    await copy.close()
    await writeFile(join(folder, 'noise.sqlite'), 'this is no database at all, whatever its name says'.repeat(50))
    await expect(openSqlite(join(folder, 'noise.sqlite'))).rejects.toThrow(/store is damaged; expected the backup/)
  })
})

describe('files named by their content', () => {
  it('are whole or not there, and never larger than allowed', async () => {
    const blobs = new Blobs(folder)
    await blobs.open()
    async function* parts(count: number) {
      for (let k = 0; k < count; k++) yield new Uint8Array(1000).fill(k)
    }
    const blob = await blobs.take(parts(3), 3000)
    expect(blob.bytes).toBe(3000)
    expect(await blobs.isSound(blob)).toBe(true)
    expect([...(await blobs.read(blob.sha256, 999, 2))]).toEqual([0, 1])
    await expect(blobs.take(parts(4), 3000)).rejects.toThrow(/more than 3000 bytes/)
    async function* broken() {
      yield new Uint8Array(10)
      throw new Error('the line went dead')
    }
    await expect(blobs.take(broken(), 3000)).rejects.toThrow('the line went dead')
    expect(await readdir(join(folder, 'incoming'))).toEqual([])
    expect(() => blobs.path('../../etc/passwd')).toThrow(/not a hash/)
    await writeFile(blobs.path(blob.sha256), new Uint8Array(3000))
    expect(await blobs.isSound(blob)).toBe(false)
    await blobs.remove(blob.sha256)
    expect(existsSync(blobs.path(blob.sha256))).toBe(false)
  })
})
