/**
 * What happens to a submission: opened with seeds, uploaded, checked, queued, played again, scored, published or failed.
 * The store is the only memory: a server that was killed at any moment goes on from what is written there. An upload is
 * answered once its bytes and its state are on disk.
 */
import { createHash, createHmac } from 'node:crypto'
import { type Logger } from 'pino'
import { TroupeError, canonicalJson, shown } from '../envs/index.ts'
import { type Scenario } from '../scenarios/open.ts'
import { bundleHeadBytes, bundleParts, type BundlePart } from './protocol/bundle.ts'
import {
  type Failure,
  type NewSubmission,
  type Submission,
  type SubmissionList,
  type SubmissionState,
} from './protocol/rest.ts'
import { type BoardLimits } from './board-limits.ts'
import { type Catalog } from './catalog.ts'
import { Epochs } from './epochs.ts'
import { newId } from './keys.ts'
import { appendRecord, type Signer } from './log.ts'
import { Refusal } from './refusal.ts'
import { panelSeeds } from './seeds.ts'
import { type Blob, type Blobs } from './store/blobs.ts'
import {
  SHIPPED_KEY,
  type EntryRow,
  type EpisodeRecord,
  type KeyRow,
  type Store,
  type StoredScore,
} from './store/store.ts'
import { type JudgedEpisode } from './verification/judge.ts'
import { type VerificationPool } from './verification/pool.ts'

export interface SubmissionsSettings {
  readonly store: Store
  readonly blobs: Blobs
  readonly signer: Signer
  readonly pool: VerificationPool
  readonly catalog: Catalog
  readonly limits: BoardLimits
  readonly log: Logger
  readonly version: string
  readonly now: () => number
  /** An entry has come to its board, as it is in the store now. */
  entered(entry: EntryRow): void
}

/** States that a submission leaves by itself. */
const UNDER_WAY = ['received', 'checked', 'queued', 'running', 'scored'] as const
const OPEN: readonly SubmissionState[] = ['open', ...UNDER_WAY]
const DAY_MS = 86_400_000
const SHIPPED_FLAG = 'comes with troupe, on seeds that everybody knows'

/** What is published about an entry once its episodes are known. */
export interface Outcome {
  readonly episodes: readonly EpisodeRecord[]
  readonly score: StoredScore
  readonly bundle: Blob | null
  readonly flags?: readonly string[]
  readonly panels?: Record<string, { mean: number; episodes: number }>
  readonly latency?: Record<string, unknown>
}

export class Submissions {
  private readonly all: SubmissionsSettings
  /** Episodes done of what runs now: worth nothing after a restart, so it is not written. */
  private readonly progress = new Map<string, number>()
  readonly epochs: Epochs
  private readonly salt: string
  private pumping: Promise<void> | undefined
  private again = false
  private timer: NodeJS.Timeout | undefined
  private sweeper: NodeJS.Timeout | undefined
  private closed = false

  constructor(settings: SubmissionsSettings) {
    this.all = settings
    const { store, signer, limits, now } = settings
    this.epochs = new Epochs({ store, signer, epochMs: limits.epochMs, now })
    this.salt = settings.signer.sign('troupe-address-1')
  }

  /** Takes up what an earlier process left, and starts the clocks. */
  async start(): Promise<void> {
    const { store, limits, now } = this.all
    for (const row of await store.entries({ states: [...UNDER_WAY], order: 'oldest-first-in-state', limit: 1e6 })) {
      if (row.level !== 'replayed') continue // live evaluations have their own way to go on
      // Time that no server was running does not count against anybody; the place in the queue stays.
      const state = row.state === 'received' ? 'received' : 'queued'
      const until = now() + (state === 'received' ? limits.receivedMs : limits.queuedMs)
      const history = row.state === state ? row.history : [...row.history, { state, at: now() } as const]
      await store.changeEntry(row.id, { state, until, history })
    }
    this.sweeper = setInterval(() => void this.sweep(), limits.sweepMs)
    this.sweeper.unref()
    this.wake()
  }

  async close(): Promise<void> {
    this.closed = true
    clearInterval(this.sweeper)
    clearTimeout(this.timer)
    await this.all.pool.close()
    await this.pumping
  }

  addressHash(address: string): string {
    return createHmac('sha256', this.salt).update(address).digest('hex').slice(0, 32)
  }

  // --- opening

  /**
   * Opens a submission: seeds for a replayed or live one, a row for a claimed one.
   * @returns the entry, and whether it is new (else it was opened by the same request before)
   */
  async open(
    asked: NewSubmission,
    key: KeyRow,
    address: string,
    idempotencyKey: string | null,
  ): Promise<{ entry: EntryRow; made: boolean }> {
    const { store, catalog, limits, now, signer } = this.all
    const requestHash = createHash('sha256').update(canonicalJson(asked)).digest('hex')
    if (idempotencyKey !== null) {
      const before = await store.entryOfRequest(key.id, idempotencyKey)
      if (before !== undefined) return { entry: sameRequest(before, requestHash), made: false }
    }
    const task = catalog.task(asked.scenario)
    if (asked.scenarioHash !== undefined && asked.scenarioHash !== task.hash) {
      throw new Refusal(
        409,
        'wrong-task',
        'scenarioHash',
        asked.scenarioHash,
        `${task.hash}: this server has another ${task.scenario.id}`,
      )
    }
    const claim = asked.claim ?? null
    if (claim !== null && (Object.is(claim.mean, -0) || !Number.isFinite(claim.mean))) {
      throw new TroupeError('bad-option', { where: 'claim.mean', got: shown(claim.mean), expected: 'a finite number' })
    }
    if (asked.level === 'claimed' && claim === null) {
      throw new TroupeError('bad-option', { where: 'claim', got: 'missing', expected: 'the mean that is claimed' })
    }
    const steps = task.episodes * (task.horizon ?? limits.stepsPerEpisode)
    if (steps > limits.stepsPerSubmission || task.agents > limits.agents) {
      throw new Refusal(
        422,
        'too-large',
        'scenario',
        `${steps} steps of ${task.agents} agents in all`,
        `${limits.stepsPerSubmission} steps of ${limits.agents} agents at most on this server`,
      )
    }
    const epoch = await this.epochs.current()
    const at = now()
    const claimed = asked.level === 'claimed'
    const state: SubmissionState = claimed ? 'published' : 'open'
    const { algorithm, recipe = '', trainingSeed = null, settings = {} } = asked.description
    const entry: EntryRow = {
      id: newId(),
      scenario: task.scenario.id,
      scenarioHash: task.hash,
      task: task.scenario as unknown as Record<string, unknown>,
      level: asked.level,
      state,
      since: at,
      until: claimed ? null : at + limits.openMs,
      createdAt: at,
      publishedAt: claimed ? at : null,
      keyId: key.id,
      address: this.addressHash(address),
      description: asked.description,
      group: createHash('sha256')
        .update(canonicalJson([key.id, algorithm, recipe]))
        .digest('hex')
        .slice(0, 32),
      trainingSeed,
      settingsHash: createHash('sha256').update(canonicalJson(settings)).digest('hex'),
      claim,
      blind: asked.blind ?? false,
      hidden: null,
      disputed: false,
      epoch: epoch.id,
      episodes: claimed ? (claim?.episodes ?? 0) : task.episodes,
      done: 0,
      failure: null,
      history: [{ state, at }],
      tries: 0,
      refunded: false,
      bundle: null,
      score: null,
      flags: [],
      panels: null,
      latency: null,
      log: null,
      idempotencyKey,
      requestHash,
    }
    return store.transaction(async (inside) => {
      if (idempotencyKey !== null) {
        const before = await inside.entryOfRequest(key.id, idempotencyKey)
        if (before !== undefined) return { entry: sameRequest(before, requestHash), made: false }
      }
      await this.checkQuotas(inside, entry)
      await checkRecipe(inside, entry)
      await inside.addEntry(entry)
      if (!claimed) return { entry, made: true }
      const record = await appendRecord(inside, signer, 'accepted', this.receipt(entry, null, epoch.commitment), at)
      await inside.changeEntry(entry.id, { log: record.seq })
      const made = { ...entry, log: record.seq }
      this.all.entered(made)
      return { entry: made, made: true }
    })
  }

  private async checkQuotas(store: Store, { keyId, address, scenarioHash, level, epoch }: EntryRow): Promise<void> {
    const { limits, now } = this.all
    const since = now() - DAY_MS
    const refuse = (got: string, expected: string) => new Refusal(429, 'quota', 'submissions', got, expected)
    const open = await store.countEntries({ states: OPEN, keyId })
    if (open >= limits.openPerKey) {
      throw refuse(`${open} of this key under way`, `fewer than ${limits.openPerKey}: wait until one is done`)
    }
    const ofKey = await store.countEntries({ keyId, since, refunded: false })
    if (ofKey >= limits.perDay) throw refuse(`${ofKey} of this key in a day`, `${limits.perDay} or fewer in 24 hours`)
    if (epoch !== null) {
      const tried = await store.countEntries({ keyId, scenarioHash, level, epoch, refunded: false })
      if (tried >= limits.perEpoch) {
        throw refuse(`${tried} of this key on this board in epoch ${epoch}`, `${limits.perEpoch} or fewer; the next epoch counts anew`) // prettier-ignore
      }
    }
    const ofAddress = await store.countEntries({ address, since, refunded: false })
    if (ofAddress >= limits.perDayPerAddress) {
      throw refuse(`${ofAddress} of this address in a day`, `${limits.perDayPerAddress} or fewer in 24 hours`)
    }
  }

  /** Seeds of a replayed submission, in order; null where there are none to tell. */
  async seedsOf(entry: EntryRow): Promise<string[] | null> {
    if (entry.level !== 'replayed' || entry.epoch === null) return null
    const epoch = (await this.all.store.epochs()).find(({ id }) => id === entry.epoch)
    if (epoch === undefined) return null
    return panelSeeds(epoch.key, entry.scenarioHash, 'replayed', entry.id, entry.episodes)
  }

  // --- upload

  /**
   * Takes the bundle of a replayed submission. When it returns, nothing that happens to this process loses it.
   * @param length bytes as declared
   */
  async upload(id: string, key: KeyRow, length: number, body: AsyncIterable<Uint8Array>): Promise<EntryRow> {
    const { store, blobs, limits, now } = this.all
    const entry = await this.owned(id, key)
    if (entry.level !== 'replayed') {
      throw new Refusal(
        409,
        'conflict',
        'submission',
        `of level ${entry.level}`,
        'level replayed, which takes an upload',
      )
    }
    if (length > limits.uploadBytes) {
      throw new Refusal(413, 'too-large', 'upload', `${length} bytes`, `${limits.uploadBytes} or less`)
    }
    if (entry.state !== 'open' && entry.bundle === null) throw notOpen(entry)
    // The state is looked at again after the upload: two at once are told apart there.
    const bundle = await blobs.take(body, limits.uploadBytes)
    if (bundle.bytes !== length) {
      throw new Refusal(400, 'bad-message', 'upload', `${bundle.bytes} bytes`, `${length}, as its length said`)
    }
    const at = now()
    const received = await store.transaction(async (inside) => {
      const fresh = await inside.entry(id)
      if (fresh === undefined || fresh.state !== 'open') return false
      if (fresh.until !== null && fresh.until <= at) return false
      const history = [...fresh.history, { state: 'received' as const, at }]
      return inside.changeEntry(
        id,
        { state: 'received', since: at, until: at + limits.receivedMs, bundle, history },
        'open',
      )
    })
    const after = (await store.entry(id))!
    if (!received) {
      if (after.bundle?.sha256 === bundle.sha256) return after // the same upload again
      throw notOpen(after) // the file belongs to nobody, and is swept at the next start
    }
    this.wake()
    return after
  }

  /** @throws TroupeError unknown-name, Refusal 403 */
  async owned(id: string, key: KeyRow): Promise<EntryRow> {
    const entry = await this.all.store.entry(id)
    if (entry === undefined) throw noSuchEntry(id)
    if (entry.keyId === key.id || key.scopes.includes('admin')) return entry
    throw new Refusal(403, 'forbidden', 'submission', "another key's", 'the key that opened it')
  }

  // --- the queue

  /** Works on what waits; called again while it works, it looks again afterwards. */
  wake(): void {
    this.again = true
    if (this.closed || this.pumping !== undefined) return
    this.pumping = this.pump().finally(() => {
      this.pumping = undefined
      if (this.again && !this.closed) this.wake()
    })
  }

  /** Resolves when nothing waits and nothing runs. */
  async idle(): Promise<void> {
    while (this.pumping !== undefined) await this.pumping
  }

  private async pump(): Promise<void> {
    const { store, log } = this.all
    while (this.again && !this.closed) {
      this.again = false
      try {
        for (;;) {
          const [received] = await store.entries({
            states: ['received'],
            level: 'replayed',
            order: 'oldest-first-in-state',
            limit: 1,
          })
          if (received !== undefined) {
            await this.checkAndQueue(received)
            continue
          }
          const [next] = await store.entries({
            states: ['queued'],
            level: 'replayed',
            order: 'oldest-first-in-state',
            limit: 1,
          })
          if (next === undefined || this.closed) break
          const again = await this.run(next)
          if (again) {
            clearTimeout(this.timer)
            this.timer = setTimeout(() => this.wake(), this.all.limits.retryMs)
            break
          }
        }
      } catch (error) {
        // The disk, most likely: what is written stays as it is, and is looked at again.
        log.error({ error }, 'the queue of submissions stopped; it is tried again')
        clearTimeout(this.timer)
        this.timer = setTimeout(() => this.wake(), this.all.limits.retryMs)
        return
      }
    }
  }

  private async enter(entry: EntryRow, state: SubmissionState, until: number | null): Promise<EntryRow | undefined> {
    const at = this.all.now()
    const history = [...entry.history, { state, at }]
    const since = state === 'queued' || state === 'checked' ? entry.since : at
    const patch = { state, since, until, history }
    if (!(await this.all.store.changeEntry(entry.id, patch, entry.state))) return undefined
    return { ...entry, ...patch }
  }

  /** The cheap checks: the bundle's form, the number of episodes, their sizes. */
  private async checkAndQueue(entry: EntryRow): Promise<void> {
    const { limits, now } = this.all
    let parts: BundlePart[]
    try {
      parts = await this.partsOf(entry)
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error
      const { code, message, expected, got } = error
      return void (await this.fail(entry, { code, message, expected, actual: got, fault: 'submission' }))
    }
    const fail = (code: string, message: string, actual: number, expected: number, episode?: number) =>
      this.fail(entry, {
        code,
        message,
        ...(episode === undefined ? {} : { episode }),
        expected: String(expected),
        actual: String(actual),
        fault: 'submission',
      })
    if (parts.length !== entry.episodes) {
      const message = `${parts.length} episodes were uploaded; expected ${entry.episodes}, one for each seed`
      return void (await fail('wrong-episode', message, parts.length, entry.episodes))
    }
    const large = parts.findIndex(({ bytes }) => bytes > limits.replayBytes)
    if (large >= 0) {
      const message = `episode ${large}: the replay has ${parts[large].bytes} bytes; expected ${limits.replayBytes} or less`
      return void (await fail('too-large', message, parts[large].bytes, limits.replayBytes, large))
    }
    const checked = await this.enter(entry, 'checked', now() + limits.receivedMs)
    if (checked !== undefined) await this.enter(checked, 'queued', now() + limits.queuedMs)
  }

  private async partsOf({ bundle, episodes }: EntryRow): Promise<BundlePart[]> {
    if (bundle === null) throw new Error('a received submission has no bundle')
    // One replay more than due is enough to see that there are too many.
    const head = await this.all.blobs.read(bundle.sha256, 0, bundleHeadBytes(Math.max(episodes + 1, 1024)))
    return bundleParts(head, bundle.bytes, Math.max(episodes, 1023))
  }

  /** @returns true when the machine failed and it is to be tried again a little later */
  private async run(queued: EntryRow): Promise<boolean> {
    const { limits, now, pool, blobs, log } = this.all
    const entry = await this.enter(queued, 'running', now() + limits.runningMs)
    if (entry === undefined || entry.bundle === null) return false
    try {
      const parts = await this.partsOf(entry)
      const seeds = (await this.seedsOf(entry))!
      const scenario = entry.task as unknown as Scenario
      const file = blobs.path(entry.bundle.sha256)
      const spec = this.all.catalog.task(entry.scenario)
      const caps = {
        replayBytes: limits.replayBytes,
        memoryBytes: limits.replayMemoryBytes,
        steps: spec.horizon ?? limits.stepsPerEpisode,
        agents: limits.agents,
      }
      const judged: JudgedEpisode[] = new Array<JudgedEpisode>(parts.length)
      const failures: Failure[] = []
      let next = 0
      let done = 0
      const hand = async (): Promise<void> => {
        while (next < parts.length && failures.length === 0) {
          const first = next
          next += limits.jobEpisodes
          const verdict = await pool.judge({ scenario, seeds, first, caps }, file, parts.slice(first, next))
          if (verdict.ok) {
            for (const episode of verdict.episodes) judged[episode.episode] = episode
            this.progress.set(entry.id, (done += verdict.episodes.length))
          } else failures.push(verdict.failure)
        }
      }
      await Promise.all(Array.from({ length: pool.threads }, hand))
      if (failures.length > 0) {
        failures.sort((a, b) => (a.episode ?? 0) - (b.episode ?? 0))
        await this.fail(entry, failures[0])
        return false
      }
      const returns = judged.map((episode) => episode.return)
      const score = await pool.score(returns, entry.id, limits.leastEpisodes)
      const wrong = scoreFailure(entry, score)
      if (wrong !== undefined) {
        await this.fail(entry, wrong)
        return false
      }
      const at = now()
      await this.publish(entry, {
        score: score!,
        bundle: entry.bundle,
        flags: entry.keyId === SHIPPED_KEY ? [SHIPPED_FLAG] : await this.attemptFlags(entry),
        episodes: judged.map(({ chain, ...episode }, k) => ({
          ...episode,
          panel: 'replayed',
          seed: seeds[k],
          startedAt: entry.createdAt,
          endedAt: at,
          chain: chain === '' ? null : chain,
          from: parts[k].from,
          bytes: parts[k].bytes,
          note: null,
        })),
      })
      return false
    } catch (error) {
      if (this.closed) return false // taken up again at the next start
      log.warn({ entry: entry.id, error }, 'a verification did not end')
      return this.machineFailed(entry, error)
    } finally {
      this.progress.delete(entry.id)
    }
  }

  /** How often this key has opened this task in this epoch: dropping bad draws shows. */
  private async attemptFlags({ keyId, scenarioHash, level, epoch, createdAt }: EntryRow): Promise<string[]> {
    const mine = await this.all.store.entries({ keyId, scenarioHash, level, limit: 10_000 })
    const attempt = mine.filter((one) => one.epoch === epoch && one.createdAt <= createdAt && !one.refunded).length
    return attempt > 1 ? [`attempt ${attempt} of this key in epoch ${epoch}`] : []
  }

  private async machineFailed(entry: EntryRow, error: unknown): Promise<boolean> {
    const { store, limits, now } = this.all
    const tries = entry.tries + 1
    if (tries < limits.tries) {
      const at = now()
      const history = [...entry.history, { state: 'queued' as const, at }]
      // It keeps its place: `since` of a queued entry is when its bytes had arrived.
      const received = entry.history.find(({ state }) => state === 'received')?.at ?? at
      await store.changeEntry(entry.id, {
        state: 'queued',
        since: received,
        until: at + limits.queuedMs,
        tries,
        history,
      })
      return true
    }
    const why = error instanceof TroupeError ? `${error.where} is ${error.got}` : 'the server failed'
    await this.fail({ ...entry, tries }, infrastructure(`${why}, ${tries} times; it does not count, submit it again`))
    return false
  }

  // --- ends

  /** Puts an entry on its board, with its episodes and its record in the log, all at once. */
  async publish(entry: EntryRow, outcome: Outcome): Promise<EntryRow | undefined> {
    const { store, signer, now } = this.all
    const at = now()
    const { score, bundle, episodes, flags = [], panels = null, latency = null } = outcome
    const history = [...entry.history, { state: 'scored' as const, at }, { state: 'published' as const, at }]
    const published = await store.transaction(async (inside) => {
      const epoch = (await inside.epochs()).find(({ id }) => id === entry.epoch)
      const patch: Partial<EntryRow> = {
        state: 'published',
        since: at,
        until: null,
        publishedAt: at,
        done: episodes.length,
        history,
        score,
        bundle,
        flags,
        panels,
        latency,
      }
      // Only from the state that was worked on: whoever came between decides.
      if (!(await inside.changeEntry(entry.id, patch, entry.state))) return undefined
      await inside.putEpisodes(entry.id, episodes)
      const whole = { ...entry, ...patch }
      const chains = createHash('sha256')
      for (const { panel, episode, chain, return: value } of episodes) {
        chains.update(`${panel}|${episode}|${value}|${chain ?? ''}\n`)
      }
      const body = this.receipt(whole, chains.digest('hex'), epoch?.commitment ?? null)
      const record = await appendRecord(inside, signer, 'accepted', body, at)
      await inside.changeEntry(entry.id, { log: record.seq })
      return { ...whole, log: record.seq }
    })
    if (published !== undefined) this.all.entered(published)
    return published
  }

  /** What the log says of an accepted entry; nothing of it is personal. */
  private receipt(entry: EntryRow, episodesHash: string | null, commitment: string | null): Record<string, unknown> {
    const { score, claim, description } = entry
    return {
      entry: entry.id,
      level: entry.level,
      scenario: entry.scenario,
      scenarioHash: entry.scenarioHash,
      environment: { id: entry.task.env, version: entry.task.version },
      package: this.all.version,
      episodes: entry.episodes,
      mean: score === null ? (claim?.mean ?? null) : score.mean,
      iqm: score?.iqm ?? null,
      interval: score === null || score.low === null ? null : [score.low, score.high],
      bundle: entry.bundle?.sha256 ?? null,
      /** SHA-256 over "panel|episode|return|last chain entry" and a line feed, in the order played. */
      episodesHash,
      commitment,
      policyHash: description?.policyHash ?? null,
    }
  }

  /** Ends a submission as failed; visible, below all scores, and in the log when it was the submission's fault. */
  async fail(entry: EntryRow, failure: Failure): Promise<void> {
    const { store, signer, now } = this.all
    const at = now()
    const ours = failure.fault === 'server'
    const failed = await store.transaction(async (inside) => {
      const patch: Partial<EntryRow> = {
        state: 'failed',
        since: at,
        until: null,
        publishedAt: at,
        failure,
        refunded: ours,
        tries: entry.tries,
        history: [...entry.history, { state: 'failed', at }],
      }
      if (!(await inside.changeEntry(entry.id, patch, entry.state))) return undefined
      if (ours) return { ...entry, ...patch }
      const { id, scenario, scenarioHash, level } = entry
      const { code, episode, step } = failure
      const body = { entry: id, scenario, scenarioHash, level, code, episode, step }
      const record = await appendRecord(inside, signer, 'failed', body, at)
      await inside.changeEntry(id, { log: record.seq })
      return { ...entry, ...patch, log: record.seq }
    })
    if (failed !== undefined) this.all.entered(failed)
  }

  /** Clocks that ran out. */
  async sweep(): Promise<void> {
    const { store, now, log, limits } = this.all
    try {
      for (const entry of await store.entries({ states: OPEN, untilBefore: now(), limit: 1000 })) {
        if (entry.level !== 'replayed') continue
        if (entry.state === 'open') {
          const at = now()
          const history = [...entry.history, { state: 'expired' as const, at }]
          await store.changeEntry(entry.id, { state: 'expired', since: at, until: null, history }, 'open')
        } else {
          const minutes = Math.round((entry.state === 'running' ? limits.runningMs : limits.queuedMs) / 60_000)
          const what = entry.state === 'running' ? 'was not done' : 'found no worker'
          await this.fail(entry, infrastructure(`it ${what} within ${minutes} min; it does not count, submit it again`))
        }
      }
    } catch (error) {
      log.error({ error }, 'the clocks of submissions could not be looked at')
    }
    this.wake()
  }

  // --- what is shown

  /** @param viewer whoever asks; the owner and admins see name and seeds */
  async view(entry: EntryRow, viewer: KeyRow | undefined): Promise<Submission> {
    const { store } = this.all
    const own = viewer !== undefined && (viewer.id === entry.keyId || viewer.scopes.includes('admin'))
    const waits = entry.state === 'queued' || entry.state === 'received' || entry.state === 'checked'
    let queuePosition: number | null = null
    if (waits) {
      const queue = await store.entries({
        states: ['queued', 'received', 'checked'],
        order: 'oldest-first-in-state',
        limit: 10_000,
      })
      const place = queue.findIndex(({ id }) => id === entry.id)
      queuePosition = place < 0 ? null : place
    }
    const iso = (at: number) => new Date(at).toISOString()
    const self = `/api/submissions/${entry.id}`
    const done = this.progress.get(entry.id) ?? (entry.state === 'published' ? entry.episodes : entry.done)
    return {
      id: entry.id,
      scenario: entry.scenario,
      level: entry.level,
      state: entry.state,
      since: iso(entry.since),
      until: entry.until === null ? null : iso(entry.until),
      createdAt: iso(entry.createdAt),
      queuePosition,
      progress: { done, of: entry.episodes },
      failure: entry.failure,
      history: entry.history.map(({ state, at }) => ({ state, at: iso(at) })),
      name: own ? (entry.description?.name ?? null) : null,
      seeds: own ? await this.seedsOf(entry) : null,
      links: {
        self,
        upload: entry.state === 'open' && entry.level === 'replayed' ? `${self}/bundle` : null,
        entry: entry.state === 'published' || entry.state === 'failed' ? `/api/entries/${entry.id}` : null,
      },
    }
  }

  /** @param mine only those of the viewer */
  async list(
    viewer: KeyRow | undefined,
    page: { offset: number; limit: number; mine: boolean; states?: readonly SubmissionState[] },
  ): Promise<SubmissionList> {
    const { store } = this.all
    const { offset, limit, mine, states } = page
    const filter = {
      ...(mine && viewer !== undefined ? { keyId: viewer.id } : {}),
      ...(states === undefined ? {} : { states }),
    }
    const rows = await store.entries({ ...filter, offset, limit })
    const submissions: Submission[] = []
    for (const row of rows) submissions.push({ ...(await this.view(row, viewer)), seeds: null })
    return {
      submissions,
      total: await store.countEntries(filter),
      offset,
      limit,
      queue: {
        waiting: await store.countEntries({ states: ['received', 'checked', 'queued'] }),
        running: await store.countEntries({ states: ['running', 'scored'] }),
      },
    }
  }
}

function sameRequest(before: EntryRow, requestHash: string): EntryRow {
  if (before.requestHash === requestHash) return before
  throw new Refusal(409, 'conflict', 'Idempotency-Key', 'one of another request', 'a new one for another submission')
}

/** Runs of one recipe have the same settings on the same task; else they are no runs of one algorithm. */
async function checkRecipe(store: Store, entry: EntryRow): Promise<void> {
  if (entry.description?.recipe === undefined) return
  const { keyId, scenarioHash, group } = entry
  const others = await store.entries({ keyId, scenarioHash, states: ['open', ...UNDER_WAY, 'published'], limit: 1000 })
  const other = others.find((one) => one.group === group && one.settingsHash !== entry.settingsHash)
  if (other === undefined) return
  throw new Refusal(
    409,
    'conflict',
    'settings',
    `others than those of entry ${other.id}, of the same recipe`,
    'the same settings, or another name for the recipe',
  )
}

function scoreFailure(entry: EntryRow, score: StoredScore | null): Failure | undefined {
  if (score === null) {
    return { code: 'wrong-score', message: 'the episodes have no finite mean return', fault: 'submission' }
  }
  const { claim } = entry
  if (claim === null) return undefined
  const { mean } = score
  if (Math.abs(claim.mean - mean) <= 1e-9 * Math.max(1, Math.abs(claim.mean), Math.abs(mean))) return undefined
  return {
    code: 'wrong-score',
    message: `the claimed mean is ${claim.mean}; the replays are worth ${mean}`,
    expected: String(claim.mean),
    actual: String(mean),
    fault: 'submission',
  }
}

const infrastructure = (message: string): Failure => ({ code: 'infrastructure', message, fault: 'server' })

function notOpen(entry: EntryRow): Refusal {
  return new Refusal(409, 'conflict', 'submission', entry.state, 'open: every submission is uploaded once')
}

export function noSuchEntry(id: string): TroupeError {
  return new TroupeError('unknown-name', {
    where: 'entry',
    got: JSON.stringify(id.slice(0, 40)),
    expected: 'an id from a board or a submission',
  })
}
