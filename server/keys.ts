/**
 * API keys: shown once, stored hashed. A key is 32 random bytes, so a plain SHA-256 hides it as well as a slow hash would:
 * there is nothing to guess.
 */
import { createHash, randomBytes } from 'node:crypto'
import { TroupeError } from '../envs/core/errors.ts'
import { type Key, type KeyMade, type NewKey, type Scope } from './protocol/rest.ts'
import { Refusal } from './refusal.ts'
import { type KeyRow, type Store } from './store/store.ts'

const SHAPE = /^troupe_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/
/** `last used` is written at most this often. */
const USED_MS = 60_000
const DAY_MS = 86_400_000

export const hashOfKey = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const newId = (): string => {
  // 20 characters of 32: 100 bits.
  const letters = '0123456789abcdefghijkmnpqrstuvwx'
  return Array.from(randomBytes(20), (byte) => letters[byte & 31]).join('')
}

function secretOf(): { secret: string; prefix: string } {
  const prefix = `troupe_${randomBytes(4).toString('hex')}`
  return { prefix, secret: `${prefix}_${randomBytes(32).toString('base64url')}` }
}

export function shownKey(row: KeyRow): Key {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString())
  return {
    id: row.id,
    label: row.label,
    prefix: row.prefix,
    scopes: [...row.scopes],
    createdAt: new Date(row.createdAt).toISOString(),
    expiresAt: iso(row.expiresAt),
    revokedAt: iso(row.revokedAt),
    lastUsedAt: iso(row.lastUsedAt),
  }
}

export async function makeKey(store: Store, asked: NewKey, now: number): Promise<KeyMade> {
  const { secret, prefix } = secretOf()
  const row: KeyRow = {
    id: newId(),
    hash: hashOfKey(secret),
    prefix,
    label: asked.label,
    scopes: asked.scopes,
    createdAt: now,
    expiresAt: asked.days === undefined ? null : now + asked.days * DAY_MS,
    revokedAt: null,
    lastUsedAt: null,
  }
  await store.addKey(row)
  return { key: shownKey(row), secret }
}

/** A new secret for the same key: what it owns stays its own, the old secret is void. */
export async function rotateKey(store: Store, id: string): Promise<KeyMade> {
  const row = (await store.keys()).find((key) => key.id === id)
  if (row === undefined || row.revokedAt !== null) throw noSuchKey(id)
  const { secret, prefix } = secretOf()
  await store.changeKey(id, { hash: hashOfKey(secret), prefix })
  return { key: shownKey({ ...row, prefix }), secret }
}

export async function revokeKey(store: Store, id: string, now: number): Promise<Key> {
  const rows = await store.keys()
  const row = rows.find((key) => key.id === id)
  if (row === undefined) throw noSuchKey(id)
  const admins = rows.filter((key) => key.scopes.includes('admin') && isAlive(key, now))
  if (admins.length === 1 && admins[0].id === id) {
    throw new Refusal(
      409,
      'conflict',
      'key',
      'the last admin key',
      'another admin key first, or `troupe serve --new-admin-key`',
    )
  }
  await store.changeKey(id, { revokedAt: row.revokedAt ?? now })
  return shownKey({ ...row, revokedAt: row.revokedAt ?? now })
}

const noSuchKey = (id: string) =>
  new TroupeError('unknown-name', {
    where: 'key',
    got: JSON.stringify(id.slice(0, 40)),
    expected: 'an id from GET /api/keys',
  })

function isAlive(key: KeyRow, now: number): boolean {
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)
}

/**
 * Makes sure that an admin key exists.
 * @param anew void the admin keys that are there and make another
 * @returns the key's secret when one was made: the only time it is shown
 */
export async function ensureAdminKey(store: Store, now: number, anew = false): Promise<string | undefined> {
  const admins = (await store.keys()).filter((key) => key.scopes.includes('admin') && isAlive(key, now))
  if (admins.length > 0 && !anew) return undefined
  for (const { id } of admins) await store.changeKey(id, { revokedAt: now })
  const made = await makeKey(store, { label: 'admin', scopes: ['admin', 'submit', 'read'] }, now)
  return made.secret
}

/**
 * The key of a request's Authorization header.
 * @returns undefined when there is none
 * @throws Refusal 401 when it is malformed, unknown, expired or revoked
 */
export async function keyOf(store: Store, header: string | undefined, now: number): Promise<KeyRow | undefined> {
  if (header === undefined) return undefined
  const [, secret = ''] = /^Bearer +(\S+)$/i.exec(header) ?? []
  const refuse = (got: string) =>
    new Refusal(401, 'unauthorised', 'key', got, '`Authorization: Bearer troupe_…` with a key that works')
  if (!SHAPE.test(secret)) throw refuse('not a key of troupe')
  const row = await store.keyOfHash(hashOfKey(secret))
  if (row === undefined) throw refuse('unknown')
  if (row.revokedAt !== null) throw refuse('revoked')
  if (row.expiresAt !== null && row.expiresAt <= now) throw refuse('expired')
  if (row.lastUsedAt === null || now - row.lastUsedAt >= USED_MS) {
    // A disk that is full must not lock readers out.
    await store.changeKey(row.id, { lastUsedAt: now }).catch(() => undefined)
  }
  return row
}

/** @throws Refusal 401 without a key, 403 when it may not */
export function needScope(key: KeyRow | undefined, scope: Scope): KeyRow {
  if (key === undefined) {
    throw new Refusal(401, 'unauthorised', 'key', 'missing', `\`Authorization: Bearer troupe_…\` with scope ${scope}`)
  }
  if (key.scopes.includes(scope) || key.scopes.includes('admin')) return key
  throw new Refusal(403, 'forbidden', 'key', `one with scope ${key.scopes.join(', ')}`, `scope ${scope}`)
}
