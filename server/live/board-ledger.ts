/** Live runs as entries of the leaderboard: opened, begun, published or failed like every other submission. */
import { type Logger } from 'pino'
import { readReplay } from '../../envs/core/replay.ts'
import { checkScenario } from '../../scenarios/open.ts'
import { type Boards } from '../boards.ts'
import { keyOf, needScope } from '../keys.ts'
import { bundleHeadBytes, writeBundle } from '../protocol/bundle.ts'
import { type Failure } from '../protocol/rest.ts'
import { type EntryRow, type EpisodeRecord } from '../store/store.ts'
import { type LiveAsked, type LiveEpisode, type LiveLedger, type LiveOpening, type LiveResult } from './ledger.ts'
import { type LivePanel, type PanelEpisode } from './panels.ts'
import { LATENCY_MS } from './run.ts'

/** Two-sided 95 % of the normal distribution. */
const Z = 1.959963984540054

export class BoardLedger implements LiveLedger {
  private readonly boards: Boards
  private readonly sizes: Readonly<Record<LivePanel, number>>
  /** Runs that go on: their row as it was written last, and their hold on the epoch's key. */
  private readonly kept = new Map<string, { row: EntryRow; release(): void }>()

  constructor(boards: Boards, sizes: Readonly<Record<LivePanel, number>>) {
    this.boards = boards
    this.sizes = sizes
  }

  /** Fails the runs that an earlier process left: nobody can go on with them. They use up no quota. */
  async start(log: Logger): Promise<void> {
    const { store, submissions } = this.boards
    const left = await store.entries({ states: ['open', 'running', 'scored'], level: 'live', limit: 1_000_000 })
    for (const row of left) await submissions.fail(row, ours('the server stopped before the run had ended'))
    if (left.length > 0) log.warn({ runs: left.length }, 'live runs of an earlier start were broken off')
  }

  async open({ key: secret, address, scenario, description, blind }: LiveAsked): Promise<LiveOpening> {
    const { store, submissions, now } = this.boards
    const found = await keyOf(store, secret === undefined ? undefined : `Bearer ${secret}`, now())
    const key = needScope(found, 'submit')
    const epoch = await submissions.epochs.hold()
    try {
      const { entry } = await submissions.open({ scenario, level: 'live', description, blind }, key, address, null)
      const at = now()
      const patch: Partial<EntryRow> = {
        state: 'running',
        since: at,
        until: null,
        // The key that is held is the one that the seeds come from, also where an epoch ended this very moment.
        epoch: epoch.id,
        episodes: this.sizes.shared + this.sizes.fresh,
        history: [...entry.history, { state: 'running', at }],
      }
      await store.changeEntry(entry.id, patch, 'open')
      this.kept.set(entry.id, { row: { ...entry, ...patch }, release: epoch.release })
      return {
        entry: entry.id,
        scenario: checkScenario(entry.task, 'entry: scenario'),
        scenarioHash: entry.scenarioHash,
        description,
        blind,
        openedAt: at,
        epoch: { id: epoch.id, key: epoch.key, commitment: epoch.commitment },
      }
    } catch (error) {
      epoch.release()
      throw error
    }
  }

  async begin({ entry }: LiveOpening, panel: readonly PanelEpisode[]): Promise<void> {
    const startedAt = this.boards.now()
    const begun = panel.map(({ panel, episode, seed }): EpisodeRecord => ({
      ...{ panel, episode, seed, startedAt, endedAt: null, return: null, length: null },
      ...{ terminated: null, truncated: null, returns: [], metrics: {}, chain: null, from: null, bytes: null },
      note: null,
    }))
    await this.boards.store.putEpisodes(entry, begun)
  }

  async finish({ entry, openedAt }: LiveOpening, result: LiveResult): Promise<void> {
    const { store, blobs, submissions, limits, pool } = this.boards
    const { row, release } = this.kept.get(entry)!
    try {
      const { episodes, times } = result
      const bytes = writeBundle(episodes.map(({ replay }) => replay))
      const bundle = await blobs.take(whole(bytes), bytes.length)
      const records = recordsOf(episodes, openedAt, result.closedAt)
      const score = await pool.score(
        episodes.map((episode) => episode.return),
        entry,
        limits.leastEpisodes,
      )
      if (score === null) {
        await store.putEpisodes(entry, records)
        const message = 'the episodes have no finite mean return'
        return await submissions.fail(row, { code: 'wrong-score', message, fault: 'submission' })
      }
      await submissions.publish(row, {
        episodes: records,
        score,
        bundle,
        flags: flagsOf(result),
        panels: { shared: meanOf(episodes, 'shared'), fresh: meanOf(episodes, 'fresh') },
        latency: {
          edgesMs: [...LATENCY_MS],
          counts: [...times.latency],
          late: times.lateTurns,
          limitMs: result.stepMs,
        },
      })
    } catch (error) {
      await submissions
        .fail(row, ours('the server could not keep its result; it does not count'))
        .catch(() => undefined)
      throw error
    } finally {
      this.kept.delete(entry)
      release()
    }
  }

  async fail({ entry }: LiveOpening, reason: string): Promise<void> {
    const { row, release } = this.kept.get(entry)!
    try {
      await this.boards.submissions.fail(row, ours(`${reason}; it does not count, begin again`))
    } finally {
      this.kept.delete(entry)
      release()
    }
  }
}

const ours = (message: string): Failure => ({ code: 'infrastructure', message, fault: 'server' })

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function recordsOf(episodes: readonly LiveEpisode[], startedAt: number, endedAt: number): EpisodeRecord[] {
  let from = bundleHeadBytes(episodes.length)
  return episodes.map(({ replay, lateSteps, ...episode }) => {
    const { panel, seed, length, terminated, truncated, returns, metrics } = episode
    const place = from
    from += replay.length
    return {
      ...{ panel, episode: episode.episode, seed, startedAt, endedAt, return: episode.return, length },
      ...{ terminated, truncated, returns, metrics },
      chain: readReplay(replay).chain.at(-1) ?? null,
      ...{ from: place, bytes: replay.length },
      note: lateSteps === 0 ? null : `${lateSteps} steps played by the server`,
    }
  })
}

function meanOf(episodes: readonly LiveEpisode[], panel: LivePanel): { mean: number; episodes: number } {
  const own = episodes.filter((episode) => episode.panel === panel)
  return { mean: own.reduce((sum, episode) => sum + episode.return, 0) / own.length, episodes: own.length }
}

/** Words beside the row: how the run went, and whether the shared episodes look learned. */
function flagsOf({ episodes, times }: LiveResult): string[] {
  const flags: string[] = []
  if (times.end === 'left') flags.push('gave up before the end')
  if (times.end === 'lost' || times.end === 'silent') flags.push('client was lost before the end')
  const share = times.lateTurns / Math.max(1, times.turns)
  if (share > 0) flags.push(`${share < 0.01 ? 'under 1' : Math.round(share * 100)} % of the turns late`)
  if (gapIsCertain(episodes)) flags.push('shared panel above fresh panel')
  return flags
}

/** Whether the 95 % interval of shared less fresh lies above 0. */
function gapIsCertain(episodes: readonly LiveEpisode[]): boolean {
  const part = (panel: LivePanel) => {
    const returns = episodes.filter((one) => one.panel === panel).map((one) => one.return)
    const mean = returns.reduce((sum, value) => sum + value, 0) / returns.length
    const squares = returns.reduce((sum, value) => sum + (value - mean) ** 2, 0)
    return { mean, variance: squares / (returns.length - 1) / returns.length }
  }
  const [shared, fresh] = [part('shared'), part('fresh')]
  return shared.mean - fresh.mean > Z * Math.sqrt(shared.variance + fresh.variance)
}
