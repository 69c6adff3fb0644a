/**
 * Epochs: the key that evaluation seeds come from is fixed and committed to when an epoch opens, secret while it runs,
 * and published when it is over and nobody plays on its seeds any more, so that everybody can check afterwards that no
 * seed was picked.
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

/** Those whose keys are secret, newest first: the one that runs, and those that somebody still plays on. */
const openEpochs = async (store: Store): Promise<EpochRow[]> =>
  (await store.epochs()).filter(({ closedAt }) => closedAt === null)

export interface EpochSettings {
  readonly store: Store
  readonly signer: Signer
  readonly epochMs: number
  readonly now: () => number
}

export class Epochs {
  private readonly all: EpochSettings
  /** Plays that go on, by epoch: its key stays secret until they have ended. */
  private readonly holds = new Map<number, number>()

  constructor(settings: EpochSettings) {
    this.all = settings
  }

  /** The epoch that runs; opened when there is none, changed when its time is over. Reveals what may be revealed. */
  async current(): Promise<EpochRow> {
    const { store, now } = this.all
    const runs = (newest: EpochRow | undefined) =>
      newest !== undefined && newest.closesAt > now() ? newest : undefined
    const [newest, ...older] = await openEpochs(store)
    const running = runs(newest) ?? (await this.turn(runs))
    if (older.length > 0) await this.reveal()
    return running
  }

  /** Takes the running epoch's key. It is not published before it is released. */
  async hold(): Promise<{ readonly id: number; readonly key: string; readonly commitment: string; release(): void }> {
    const { id, key, commitment } = await this.current()
    this.holds.set(id, (this.holds.get(id) ?? 0) + 1)
    let held = true
    const release = () => {
      if (held) this.holds.set(id, this.holds.get(id)! - 1)
      held = false
    }
    return { id, key, commitment, release }
  }

  /**
   * Ends the running epoch and opens the next.
   * @param key 32 bytes as hex digits, to repeat an epoch elsewhere; default drawn
   */
  async next(key?: string): Promise<EpochRow> {
    const made = await this.turn(() => undefined, key)
    await this.reveal()
    return made
  }

  /** Publishes the keys of all epochs that are over and that nobody plays on. Both acts are in the log. */
  async reveal(): Promise<void> {
    const { store, signer, now } = this.all
    await store.transaction(async (inside) => {
      const [, ...older] = await openEpochs(inside)
      for (const { id, commitment, key } of older.reverse()) {
        if ((this.holds.get(id) ?? 0) > 0) continue
        await inside.closeEpoch(id, now())
        await appendRecord(inside, signer, 'epoch-revealed', { epoch: id, commitment, key }, now())
      }
    })
  }

  /** @param keep the newest epoch where it is to stay: somebody else may have opened it meanwhile */
  private async turn(
    keep: (newest: EpochRow | undefined) => EpochRow | undefined,
    key = randomBytes(32).toString('hex'),
  ): Promise<EpochRow> {
    const { store, signer, epochMs, now } = this.all
    return store.transaction(async (inside) => {
      const [newest] = await openEpochs(inside)
      const kept = keep(newest)
      if (kept !== undefined) return kept
      const at = now()
      const commitment = commitmentOf(key)
      const made = await inside.addEpoch({ openedAt: at, closesAt: at + epochMs, closedAt: null, commitment, key })
      await appendRecord(inside, signer, 'epoch-opened', { epoch: made.id, commitment }, at)
      return made
    })
  }
}
