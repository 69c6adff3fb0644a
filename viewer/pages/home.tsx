/** The first page: what this is, the newest episode moving, runs and replays, and three ways to begin. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { type ReplayInfo, type RunInfo } from '../../server/protocol/index.ts'
import { EpisodeBox } from '../panels/episode-box.tsx'
import { Brand, ThemeButton } from '../panels/bar.tsx'
import { Command } from '../panels/copy.tsx'
import { SiteLinks } from '../panels/page-frame.tsx'
import { FilePicker } from '../panels/file-picker.tsx'
import { Follower, endless } from '../live.ts'
import { replayPath, runPath } from '../route.ts'
import { Session } from '../session.ts'
import { listReplays, listRuns } from '../sources/load.ts'
import { type Connection } from '../sources/socket.ts'
import { figure, strings } from '../strings.ts'
import { reducedMotion } from '../theme.ts'

const words = strings.home

/** Replays asked for; the rest are counted. */
const LISTED = 50

interface Lists {
  readonly runs: readonly RunInfo[]
  readonly replays: readonly ReplayInfo[]
  readonly total: number
}

export function HomePage({ connection }: { connection: Connection }): JSX.Element {
  const session = useMemo(() => endless(new Session(connection)), [connection])
  const lists = useSignal<Lists | null>(null)
  const failed = useSignal(false)
  const follower = useMemo(() => new Follower(session), [session])

  useEffect(() => {
    document.title = strings.name
    return () => {
      follower.close()
      session.close()
    }
  }, [session, follower])

  const ask = async () => {
    failed.value = false
    try {
      const [{ replays, total }, runs] = await Promise.all([listReplays(LISTED), listRuns()])
      lists.value = { runs, replays, total }
      const first = firstPicture(runs, replays)
      if (first !== null && session.source.peek() === null && session.opening.peek() === null) {
        await session.open({ kind: 'server', id: first }, { playing: !reducedMotion() })
      }
    } catch {
      failed.value = true
    }
  }
  useEffect(() => {
    void ask()
    return connection.followRuns({
      listed: (runs) => {
        if (lists.value !== null) lists.value = { ...lists.value, runs }
        const newest = newestOfRuns(runs)
        if (newest === null) return
        // The first episode of a run takes the place of the shipped one at once; later ones wait their turn.
        const source = session.source.peek()
        follower.offer(newest, source?.kind === 'server' && source.id.startsWith('shipped:'))
      },
    })
  }, [connection, session, follower])

  const { runs, replays, total } = lists.value ?? { runs: [], replays: [], total: 0 }
  const origin = session.source.value
  const caption = origin?.kind === 'server' && origin.id.startsWith('shipped:') ? words.shipped : words.newest
  return (
    <div class="page">
      <header class="bar">
        <Brand />
        <SiteLinks />
        <div class="bar-actions">
          <FilePicker />
          <ThemeButton />
        </div>
      </header>
      <main class="home">
        <h1>{words.what}</h1>
        <div class="home-top">
          <EpisodeBox session={session} caption={caption} failed={failed.value} />
          <Cards />
        </div>
        {failed.value ? (
          <p class="notice">
            {words.noServer}{' '}
            <button type="button" class="quiet-button" onClick={() => void ask()}>
              {words.retry}
            </button>
          </p>
        ) : (
          <>
            <section>
              <h2 id="runs">{words.runs}</h2>
              {lists.value !== null && runs.length === 0 && (
                <Empty text={words.noRuns} command={words.noRunsCommand} title={words.runs} />
              )}
              {runs.length > 0 && <RunTable runs={runs} />}
              {runs.length > 0 && (
                <p>
                  <a href="/runs">{strings.runs.all}</a>
                </p>
              )}
            </section>
            <section>
              <h2 id="replays">{words.replays}</h2>
              {lists.value !== null && replays.length === 0 && (
                <Empty text={words.noReplays} command={words.noReplaysCommand} title={words.replays} />
              )}
              {replays.length > 0 && <ReplayTable replays={replays} />}
              {total > replays.length && <p class="muted">{words.more(total - replays.length)}</p>}
              {replays.length > 0 && (
                <p>
                  <a href="/replays">{strings.replays.all}</a>
                </p>
              )}
              <p class="muted">{words.dropHere}</p>
            </section>
          </>
        )}
      </main>
    </div>
  )
}

/** What moves on the first page: the newest episode of a run, else the one that comes with troupe, else any. */
function firstPicture(runs: readonly RunInfo[], replays: readonly ReplayInfo[]): string | null {
  // Of the shipped ones, the one with most to see.
  const shipped = replays.filter(({ origin }) => origin === 'shipped').sort((a, b) => b.agents - a.agents)
  return newestOfRuns(runs) ?? shipped.at(0)?.id ?? replays.at(0)?.id ?? null
}

function newestOfRuns(runs: readonly RunInfo[]): string | null {
  const going = runs.find((run) => run.status === 'running' && run.latestReplay !== null)
  return going?.latestReplay ?? runs.find((run) => run.latestReplay !== null)?.latestReplay ?? null
}

function Empty({ text, command, title }: { text: string; command: string; title: string }): JSX.Element {
  return (
    <div class="empty">
      <p>{text}</p>
      <Command title={title} command={command} />
    </div>
  )
}

function Cards(): JSX.Element {
  return (
    <div class="cards">
      {words.cards.map(({ title, text, command }) => (
        <section key={title} class="card">
          <h2>{title}</h2>
          <p>{text}</p>
          <Command title={title} command={command} />
        </section>
      ))}
    </div>
  )
}

export function RunTable({ runs }: { runs: readonly RunInfo[] }): JSX.Element {
  const columns = words.runColumns
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="runs">
      <table class="list cards-list">
        <thead>
          <tr>
            <th scope="col">{columns.run}</th>
            <th scope="col">{columns.scenario}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col" class="number">
              {columns.progress}
            </th>
            <th scope="col" class="number">
              {columns.result}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <tr key={run.id}>
              <th scope="row">
                <a href={runPath(run.id)}>{run.algorithm}</a>
                <span class="mono muted">{run.id}</span>
              </th>
              <td data-label={columns.scenario}>{run.scenario || strings.unknown}</td>
              <td data-label={columns.status}>{strings.run.status[run.status] ?? run.status}</td>
              <td class="number" data-label={columns.progress}>
                {words.progress(run.step, run.steps)}
              </td>
              <td class="number" data-label={columns.result}>
                {run.return === null ? '–' : figure(round2(run.return.mean))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function ReplayTable({ replays }: { replays: readonly ReplayInfo[] }): JSX.Element {
  const columns = words.replayColumns
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="replays">
      <table class="list cards-list">
        <thead>
          <tr>
            <th scope="col">{columns.replay}</th>
            <th scope="col">{columns.policy}</th>
            <th scope="col" class="number">
              {columns.steps}
            </th>
            <th scope="col" class="number">
              {columns.result}
            </th>
            <th scope="col">{columns.origin}</th>
          </tr>
        </thead>
        <tbody>
          {replays.map((replay) => (
            <tr key={replay.id}>
              <th scope="row">
                <a href={replayPath(replay.id)}>{replay.scenario || strings.unknown}</a>
                {replay.label !== undefined && <span class="muted">{replay.label}</span>}
                <span class="mono muted">{replay.id}</span>
              </th>
              <td data-label={columns.policy}>{replay.policies.join(', ') || strings.unknown}</td>
              <td class="number" data-label={columns.steps}>
                {replay.steps === null ? strings.unknown : strings.count(replay.steps)}
              </td>
              <td class="number" data-label={columns.result}>
                {replay.return === null ? '–' : figure(round2(replay.return))}
              </td>
              <td data-label={columns.origin}>{words.origins[replay.origin] ?? replay.origin}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function round2(value: number | null | undefined): number | null {
  return value == null ? null : Math.round(value * 100) / 100
}
