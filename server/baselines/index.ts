/**
 * Puts the baselines that come with troupe on the boards of a new server. Each goes the way of anyone's submission: its
 * replays are queued, played again by the verification threads, and published with a record in the log, or fail. What is
 * their own: seeds come from an epoch whose key everybody knows, rows say so, and replays are made again when somebody
 * asks for them instead of being kept.
 */
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { TroupeError, canonicalJson } from '../../envs/index.ts'
import { compiled } from '../../results/workers.ts'
import { type Boards } from '../boards.ts'
import { hashOfKey } from '../keys.ts'
import { appendRecord } from '../log.ts'
import { type Description } from '../protocol/rest.ts'
import { commitmentOf, panelSeeds } from '../seeds.ts'
import { SHIPPED_KEY, type EntryRow, type EpochRow } from '../store/store.ts'
import { type BaselineJob } from './play.ts'
import { shippedId, shippedList, type ShippedList, type ShippedRun } from './shipped.ts'

interface Answer {
  readonly bundle?: Uint8Array
  readonly error?: string
}

/** The thread ends when it has had nothing to do for this long. */
const IDLE_MS = 5_000

export class Baselines {
  private readonly boards: Boards
  private readonly list: ShippedList
  private worker: Worker | undefined
  private ending: NodeJS.Timeout | undefined
  private last: Promise<unknown> = Promise.resolve()
  private readonly making = new Map<string, Promise<void>>()
  private working: Promise<void> | undefined
  private closed = false

  constructor(boards: Boards, list: ShippedList = shippedList()) {
    this.boards = boards
    this.list = list
  }

  /**
   * Brings those to the boards that are not there yet; resolves when they are. What goes wrong is logged: a server without
   * them works.
   * @param most look at so many of the list only, from its start
   */
  start(most = Infinity): Promise<void> {
    const before = this.working ?? Promise.resolve()
    this.working = before
      .then(() => this.fill(most))
      .catch((error: unknown) => {
        if (!this.closed) this.boards.log.warn({ error }, 'the shipped baselines could not be put on the boards')
      })
    return this.working
  }

  private async fill(most: number): Promise<void> {
    const { boards, list } = this
    const epoch = list.runs.length === 0 ? undefined : await this.epoch()
    if (epoch === undefined) return
    for (const run of list.runs.slice(0, most)) {
      if (this.closed) return
      const task = this.taskOf(run)
      const id = shippedId(run)
      if (task === undefined) continue
      const known = await boards.store.entry(id)
      if (known === undefined) await this.submit(run, epoch)
      const entry = known ?? (await this.ended(id))
      // What is on the board can be played again at any time.
      if (entry?.state === 'published' && entry.bundle !== null && known === undefined) {
        await boards.blobs.remove(entry.bundle.sha256)
      }
    }
  }

  /** The scenario of a run, where this server has it as it was. */
  private taskOf(run: ShippedRun) {
    const { catalog } = this.boards
    try {
      const task = catalog.task(run.scenario)
      return task.hash === run.scenarioHash ? task : undefined
    } catch (error) {
      if (error instanceof TroupeError) return undefined
      throw error
    }
  }

  /** The epoch that everybody knows: over before it began. */
  private async epoch(): Promise<EpochRow> {
    const { store, signer, now } = this.boards
    const { key } = this.list
    const commitment = commitmentOf(key)
    const find = async () => (await store.epochs()).find((epoch) => epoch.commitment === commitment)
    return (
      (await find()) ??
      store.transaction(async (inside) => {
        const at = now()
        const made = await inside.addEpoch({ openedAt: at, closesAt: at, closedAt: at, commitment, key })
        const body = { epoch: made.id, commitment, shipped: true }
        await appendRecord(inside, signer, 'epoch-opened', body, at)
        await appendRecord(inside, signer, 'epoch-revealed', { ...body, key }, at)
        const keys = await inside.keys()
        if (!keys.some(({ id }) => id === SHIPPED_KEY)) {
          // Owns the rows; nobody has its secret, for there is none.
          await inside.addKey({
            ...{ id: SHIPPED_KEY, hash: hashOfKey(SHIPPED_KEY), prefix: SHIPPED_KEY, label: 'baselines of troupe' },
            ...{ scopes: ['read'], createdAt: at, expiresAt: at, revokedAt: at, lastUsedAt: null },
          })
        }
        return made
      })
    )
  }

  private jobOf(run: ShippedRun): BaselineJob {
    const task = this.taskOf(run)!
    const seeds = panelSeeds(this.list.key, task.hash, 'replayed', shippedId(run), task.episodes)
    return { scenario: task.scenario, seeds, run, version: this.boards.version }
  }

  private async submit(run: ShippedRun, epoch: EpochRow): Promise<void> {
    const { store, blobs, limits, now, submissions } = this.boards
    const bundle = await blobs.take(chunks(await this.play(this.jobOf(run))), limits.uploadBytes)
    const task = this.taskOf(run)!
    const at = now()
    const description = this.describe(run)
    const hash = (value: unknown) => createHash('sha256').update(canonicalJson(value)).digest('hex')
    const entry: EntryRow = {
      ...{ id: shippedId(run), scenario: task.scenario.id, scenarioHash: task.hash, level: 'replayed' },
      ...{ task: task.scenario as unknown as Record<string, unknown>, state: 'received', since: at },
      ...{ until: at + limits.receivedMs, createdAt: at, publishedAt: null, keyId: SHIPPED_KEY, address: 'shipped' },
      ...{ description, group: hash([SHIPPED_KEY, run.algorithm, '']).slice(0, 32), trainingSeed: run.seed },
      ...{ settingsHash: hash(description.settings ?? {}), claim: { mean: run.mean, episodes: task.episodes } },
      ...{ blind: false, hidden: null, disputed: false, epoch: epoch.id, episodes: task.episodes, done: 0 },
      ...{ failure: null, history: [{ state: 'received', at }], tries: 0, refunded: false, bundle, score: null },
      ...{ flags: [], panels: null, latency: null, log: null, idempotencyKey: null, requestHash: null },
    }
    await store.addEntry(entry)
    submissions.wake()
  }

  private describe(run: ShippedRun): Description {
    const { algorithm, mode, seed, recordMean, policyHash, paper, compute, privileged } = run
    const settings = this.list.settings[`${run.scenario} ${algorithm}`]
    return {
      ...{ name: `${algorithm}, run ${seed}`, authors: 'troupe', algorithm, mode, centralised: false },
      ...{ privileged: privileged === true, package: this.boards.version, trainingSeed: seed },
      notes: `Comes with troupe. \`troupe bench\` measured ${recordMean} for this run, on seeds of its own.`,
      ...(settings === undefined ? {} : { settings }),
      ...(policyHash === undefined ? {} : { policyHash }),
      ...(paper === undefined ? {} : { paper }),
      compute: compute ?? { steps: 0 },
    }
  }

  /** Waits until an entry has come to its end. */
  private async ended(id: string): Promise<EntryRow | undefined> {
    for (;;) {
      await this.boards.submissions.idle()
      const entry = await this.boards.store.entry(id)
      if (entry === undefined || entry.state === 'published' || entry.state === 'failed' || this.closed) return entry
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }

  /** Sees to it that the replays of a shipped entry are there; of others they always are. @throws TroupeError */
  async provide(entry: EntryRow): Promise<void> {
    const { bundle, keyId, id } = entry
    if (keyId !== SHIPPED_KEY || bundle === null || (await this.boards.blobs.has(bundle))) return
    const making =
      this.making.get(id) ??
      this.remake(entry, bundle.sha256).finally(() => {
        this.making.delete(id)
      })
    this.making.set(id, making)
    await making
  }

  private async remake(entry: EntryRow, sha256: string): Promise<void> {
    const gone = (got: string) =>
      new TroupeError('bad-version', {
        where: `entry ${entry.id}: its replays`,
        got,
        expected: 'the troupe that made it',
      })
    const run = this.list.runs.find((one) => shippedId(one) === entry.id)
    if (run === undefined || this.taskOf(run) === undefined) throw gone('not with this troupe any more')
    // As they were when they were verified, the version in their headers too.
    const job = { ...this.jobOf(run), version: entry.description?.package ?? this.boards.version }
    const made = await this.boards.blobs.take(chunks(await this.play(job)), this.boards.limits.uploadBytes)
    if (made.sha256 === sha256) return
    await this.boards.blobs.remove(made.sha256)
    throw gone('played otherwise by this troupe')
  }

  /** One run after the other in the thread. */
  private play(job: BaselineJob): Promise<Uint8Array> {
    const next = this.last.then(() => this.inThread(job))
    this.last = next.catch(() => undefined)
    return next
  }

  private inThread(job: BaselineJob): Promise<Uint8Array> {
    if (this.closed)
      throw new TroupeError('environment', { where: 'server', got: 'closing', expected: 'one that runs' })
    clearTimeout(this.ending)
    const worker = (this.worker ??= new Worker(compiled('./worker.ts', import.meta.url), { execArgv: [] }))
    worker.unref()
    return new Promise<Uint8Array>((resolve, reject) => {
      const failed = (got: string) =>
        reject(new TroupeError('environment', { where: 'baselines', got, expected: 'a thread that plays them' }))
      const over = () => failed('ended')
      worker.once('exit', over)
      worker.once('error', (error) => failed(error.message))
      worker.once('message', ({ bundle, error = 'nothing' }: Answer) => {
        worker.off('exit', over)
        worker.removeAllListeners('error')
        this.ending = setTimeout(() => void this.stop(), IDLE_MS)
        this.ending.unref()
        if (bundle === undefined) failed(error)
        else resolve(bundle)
      })
      worker.postMessage(job)
    })
  }

  private async stop(): Promise<void> {
    const { worker } = this
    this.worker = undefined
    await worker?.terminate()
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.ending)
    await this.stop()
    await this.working
  }
}

async function* chunks(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1 << 20) yield bytes.subarray(at, at + (1 << 20))
}
