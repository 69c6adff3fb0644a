/**
 * Epochs: the key that evaluation seeds come from is fixed and committed to when an epoch opens, secret while it runs,
 * and published when it closes, so that everybody can check afterwards that no seed was picked.
 */
import { randomBytes } from 'node:crypto'
import { type Epoch } from './protocol/rest.ts'
import { appendRecord, type Signer } from './log.ts'
import { commitmentOf } from './seeds.ts'
import { type EpochRow, type Store } from './store/store.ts'

export function shownEpoch(row: EpochRow): Epoch {
  const { id, openedAt, closesAt, closedAt, commitment, key } = row
  return {
    id,
    openedAt: new Date(openedAt).toISOString(),
    closesAt: new Date(closesAt).toISOString(),
    closedAt: closedAt === null ? null : new Date(closedAt).toISOString(),
    commitment,
    key: closedAt === null ? null : key,
  }
}

export interface EpochSettings {
  readonly store: Store
  readonly signer: Signer
  readonly epochMs: number
  readonly now: () => number
}

/** The epoch that runs; opened when there is none, and changed when its time is over. */
export async function currentEpoch(settings: EpochSettings): Promise<EpochRow> {
  const runs = (newest: EpochRow | undefined) =>
    newest !== undefined && newest.closedAt === null && newest.closesAt > settings.now() ? newest : undefined
  const [newest] = await settings.store.epochs()
  return runs(newest) ?? turn(settings, runs, randomBytes(32).toString('hex'))
}

/**
 * Closes and reveals the epoch that runs, and opens the next; both acts are in the log.
 * @param key 32 bytes as hex digits, to repeat an epoch elsewhere; default drawn
 */
export async function nextEpoch(settings: EpochSettings, key = randomBytes(32).toString('hex')): Promise<EpochRow> {
  return turn(settings, () => undefined, key)
}

/** @param keep the newest epoch where it is to stay: somebody else may have opened it meanwhile */
async function turn(
  { store, signer, epochMs, now }: EpochSettings,
  keep: (newest: EpochRow | undefined) => EpochRow | undefined,
  key: string,
): Promise<EpochRow> {
  return store.transaction(async (inside) => {
    const [newest] = await inside.epochs()
    const kept = keep(newest)
    if (kept !== undefined) return kept
    const at = now()
    if (newest !== undefined && newest.closedAt === null) {
      await inside.closeEpoch(newest.id, at)
      const { id, commitment } = newest
      await appendRecord(inside, signer, 'epoch-revealed', { epoch: id, commitment, key: newest.key }, at)
    }
    const commitment = commitmentOf(key)
    const made = await inside.addEpoch({ openedAt: at, closesAt: at + epochMs, closedAt: null, commitment, key })
    await appendRecord(inside, signer, 'epoch-opened', { epoch: made.id, commitment }, at)
    return made
  })
}
