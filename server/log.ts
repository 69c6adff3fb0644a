/**
 * The public log: every accepted result and every act of moderation, each record bound to the one before by its hash and
 * signed. Whoever has seen a head can tell when anything before it was changed.
 */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { TroupeError } from '../envs/core/errors.ts'
import { canonicalJson } from '../envs/core/schema.ts'
import { writeAtomic } from '../results/files.ts'
import { type LogHead, type LogKind } from './protocol/rest.ts'
import { type LogRow, type Store } from './store/store.ts'

const FIRST = '0'.repeat(64)
const DOMAIN = 'troupe-log-1|'
/** SubjectPublicKeyInfo of Ed25519 before the 32 bytes of the key (RFC 8410). */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Signs with the server's key. */
export interface Signer {
  /** Raw public key, base64. */
  readonly publicKey: string
  sign(text: string): string
}

/**
 * The signing key of a data folder, made at first start.
 * @throws the system's error when it cannot be written or read
 */
export function openSigner(path: string): Signer {
  if (!existsSync(path)) {
    const { privateKey } = generateKeyPairSync('ed25519')
    writeAtomic(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600)
  }
  return signerOf(createPrivateKey(readFileSync(path)))
}

export function signerOf(privateKey: KeyObject): Signer {
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return {
    publicKey: spki.subarray(SPKI.length).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  }
}

/** Whether a signature of the log's kind is that key's. */
export function isSigned(publicKey: string, hash: string, signature: string): boolean {
  const raw = Buffer.from(publicKey, 'base64')
  if (raw.length !== 32) return false
  const key = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(DOMAIN + hash), key, Buffer.from(signature, 'base64'))
}

type Unsigned = Pick<LogRow, 'seq' | 'at' | 'kind' | 'body'>

export function recordHash(previous: string, { seq, at, kind, body }: Unsigned): string {
  return createHash('sha256')
    .update(`${DOMAIN}${previous}|${canonicalJson({ at, body, kind, seq })}`)
    .digest('hex')
}

/**
 * Adds a record at the end. Call it inside the transaction of what it records.
 * @param body plain data with finite numbers; personal data stay out of it, since nothing leaves the log again
 */
export async function appendRecord(
  store: Store,
  signer: Signer,
  kind: LogKind,
  body: Record<string, unknown>,
  now: number,
): Promise<LogRow> {
  const head = await store.logHead()
  const previous = head?.hash ?? FIRST
  // As it will be read again: without undefined, without -0.
  const plain = JSON.parse(JSON.stringify(body)) as Record<string, unknown>
  const record = { seq: (head?.seq ?? 0) + 1, at: new Date(now).toISOString(), kind, body: plain }
  const hash = recordHash(previous, record)
  const row = { ...record, previous, hash, signature: signer.sign(DOMAIN + hash) }
  await store.appendLog(row)
  return row
}

export function headOf(row: LogRow | undefined, signer: Signer): LogHead {
  return {
    seq: row?.seq ?? 0,
    hash: row?.hash ?? FIRST,
    at: row?.at ?? null,
    signature: row?.signature ?? null,
    publicKey: signer.publicKey,
  }
}

/**
 * Checks records in order: links and hashes of all, signatures of all when a key is given.
 * @param before hash of the record before the first
 * @throws TroupeError not-genuine naming the first record that is not what it should be
 */
export function checkRecords(rows: readonly LogRow[], before: { seq: number; hash: string }, publicKey?: string): void {
  let { seq, hash } = before
  const refuse = (what: string, got: unknown, expected: unknown) =>
    new TroupeError('not-genuine', {
      where: `log: record ${seq}: ${what}`,
      got: String(got),
      expected: String(expected),
    })
  for (const row of rows) {
    seq++
    if (row.seq !== seq) throw refuse('number', row.seq, seq)
    if (row.previous !== hash) throw refuse('hash of the record before', row.previous, hash)
    hash = recordHash(hash, row)
    if (row.hash !== hash) throw refuse('hash', row.hash, hash)
    if (publicKey !== undefined && !isSigned(publicKey, hash, row.signature)) {
      throw refuse('signature', 'not made with the key', publicKey)
    }
  }
}

export const LOG_START = { seq: 0, hash: FIRST }
