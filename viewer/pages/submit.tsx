/** How to get onto a board: the ways, a dry run on files that stay here, and what is going on right now. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { readReplayHeader } from '../../envs/core/replay-read.ts'
import { checkScenario, scenarioHash } from '../../scenarios/open.ts'
import { type Submission } from '../../server/protocol/rest.ts'
import { Icon } from '../icons.tsx'
import { BoardFrame, EvidenceBadge, Waiting, moment, two, useAsked } from '../panels/board-parts.tsx'
import { Command } from '../panels/copy.tsx'
import { boardPath, entryPath } from '../route.ts'
import { inWorker, listLive, listScenarios, listSubmissions } from '../sources/board.ts'
import { type EntryVerdict } from '../../server/protocol/check-entry.ts'
import { readFile } from '../sources/load.ts'
import { strings } from '../strings.ts'
import { Upload } from './upload.tsx'
import './leaderboard.css'

const words = strings.leaderboard.submit
const shared = strings.leaderboard

/** Time between two looks at what is going on. */
const LOOK_MS = 2000
const RECENT = 20

export function SubmitPage(): JSX.Element {
  return (
    <BoardFrame title={words.title} here="submit">
      <h1>{words.title}</h1>
      <p class="muted lead">{words.what}</p>
      <div class="ways">
        {words.ways.map(({ title, text, command }) => (
          <section key={title} class="card">
            <h2>{title}</h2>
            <p>{text}</p>
            <Command title={title} command={command} />
          </section>
        ))}
      </div>
      <div class="key-note">
        <p class="muted">{words.keyNeeded}</p>
        <Command title={words.keyNeeded} command={words.keyCommand} />
      </div>
      <DryRun />
      <Upload />
      <GoingOn />
    </BoardFrame>
  )
}

// --- the dry run

type Dry =
  | { readonly kind: 'none' }
  | { readonly kind: 'checking'; readonly done: number; readonly of: number }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'done'; readonly scenario: string; readonly wanted: number | null; readonly verdict: EntryVerdict }

function DryRun(): JSX.Element {
  const dry = useSignal<Dry>({ kind: 'none' })
  const chosen = useSignal(0)
  const check = async (files: readonly File[]) => {
    if (files.length === 0) return
    chosen.value = files.length
    dry.value = { kind: 'checking', done: 0, of: files.length }
    try {
      const progress = (done: number, of: number) => (dry.value = { kind: 'checking', done, of })
      dry.value = { kind: 'done', ...(await tryOut(files, progress)) }
    } catch (error) {
      dry.value = { kind: 'failed', message: (error as Error).message }
    }
  }
  const now = dry.value
  return (
    <section class="block dry" aria-labelledby="dry">
      <h2 id="dry">{words.dry}</h2>
      <p class="muted">{words.dryWhat}</p>
      <div class="row">
        <label class="button file-button">
          <Icon name="file" size={16} />
          {words.choose}
          <input
            type="file"
            class="hidden"
            multiple
            accept=".replay"
            onChange={(event) => void check([...(event.currentTarget.files ?? [])])}
          />
        </label>
        {chosen.value > 0 && <span class="muted">{words.chosen(chosen.value)}</span>}
      </div>
      <div role="status">
        {now.kind === 'checking' && (
          <>
            <p>{words.checking(now.done, now.of)}</p>
            <progress value={now.done} max={now.of} aria-label={words.dry} />
          </>
        )}
        {now.kind === 'failed' && <p class="reason">{now.message}</p>}
        {now.kind === 'done' && <DryVerdict {...now} />}
      </div>
    </section>
  )
}

function DryVerdict({ scenario, wanted, verdict }: Extract<Dry, { kind: 'done' }>): JSX.Element {
  const entry = shared.entry
  const { ok, checked, mean, differences } = verdict
  return (
    <>
      <p class={`badge ${ok ? 'good' : 'bad'}`}>
        <Icon name={ok ? 'check' : 'cross'} size={14} />
        {ok ? words.would(checked, scenario) : entry.differs(differences.length)}
      </p>
      {mean !== null && <p>{words.worth(two(mean))}</p>}
      {wanted === null ? <p>{words.notBoard}</p> : checked < wanted && <p>{words.few(checked, wanted)}</p>}
      {differences.length > 0 && (
        <ul class="differences">
          {differences.slice(0, 10).map(({ episode, what, step, expected, actual }, k) => (
            <li key={k}>
              {entry.difference(episode === null ? '' : entry.place('file', episode + 1, step), what, expected, actual)}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** Simulates files as if they were an entry. @throws Error with one sentence */
async function tryOut(
  files: readonly File[],
  onProgress: (done: number, of: number) => void,
): Promise<{ scenario: string; wanted: number | null; verdict: EntryVerdict }> {
  const replays = await Promise.all(files.map(readFile))
  const tasks = replays.map((bytes, k) => {
    const { scenario } = readReplayHeader(bytes)
    const checked = checkScenario(scenario, files[k].name)
    return { id: checked.id, hash: scenarioHash(checked) }
  })
  if (tasks.some(({ hash }) => hash !== tasks[0].hash)) throw new Error(words.mixed)
  const { scenarios } = await listScenarios()
  const board = scenarios.find(({ hash }) => hash === tasks[0].hash)
  const claim = {
    entry: 'dry-run',
    scenarioHash: tasks[0].hash,
    // Nothing is claimed of the files but that they are genuine: each is compared with itself.
    episodes: replays.map((bytes, episode) => {
      const { result } = readReplayHeader(bytes)
      return { panel: 'replayed', episode, seed: null, return: result?.return ?? null, chain: null }
    }),
    replays,
    score: null,
    epoch: null,
  }
  const verdict = await inWorker(claim, onProgress, new AbortController().signal)
  return { scenario: tasks[0].id, wanted: board?.episodes ?? null, verdict }
}

// --- what is going on

function GoingOn(): JSX.Element {
  const [asked, again] = useAsked(async () => ({ recent: await listSubmissions(RECENT), live: await listLive() }), [])
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && again(), LOOK_MS)
    return () => clearInterval(timer)
  }, [])
  const here = asked.value.kind === 'here' ? asked.value.value : null
  return (
    <>
      <Waiting asked={asked.value} again={again} />
      {here !== null && (
        <>
          <section aria-labelledby="live">
            <h2 id="live">{words.live}</h2>
            {here.live.runs.length === 0 ? (
              <p class="muted">{words.noLive}</p>
            ) : (
              <ul class="live-runs">
                {here.live.runs.map((run) => (
                  <li key={run.entry}>
                    <p class="row">
                      <span class="strong">{run.name ?? shared.board.blind}</span>
                      <a href={boardPath('scenario', run.scenario, { level: 'live' })}>{run.scenario}</a>
                      <span class="muted">
                        {run.connected ? words.connected : words.waiting}, {words.late(run.lateTurns)}
                      </span>
                    </p>
                    <p class="row">
                      <progress
                        value={run.ended}
                        max={run.episodes}
                        aria-label={words.liveProgress(run.ended, run.episodes)}
                      />
                      {words.liveProgress(run.ended, run.episodes)}
                    </p>
                  </li>
                ))}
              </ul>
            )}
          </section>
          <section>
            <h2 id="recent">{words.recent}</h2>
            <p class="muted">
              {shared.boards.queue(here.recent.queue.waiting, here.recent.queue.running)} ({words.follow})
            </p>
            {here.recent.submissions.length === 0 ? (
              <p class="muted">{words.noRecent}</p>
            ) : (
              <Recent submissions={here.recent.submissions} />
            )}
          </section>
        </>
      )}
    </>
  )
}

function Recent({ submissions }: { submissions: readonly Submission[] }): JSX.Element {
  const columns = words.columns
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="recent">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">{columns.submission}</th>
            <th scope="col">{columns.state}</th>
            <th scope="col" class="number">
              {columns.progress}
            </th>
            <th scope="col">{columns.scenario}</th>
            <th scope="col">{columns.evidence}</th>
            <th scope="col">{columns.since}</th>
          </tr>
        </thead>
        <tbody>
          {submissions.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                {one.links.entry === null ? (
                  <span class="strong">{one.name ?? words.anonymous}</span>
                ) : (
                  <a href={entryPath(one.id)}>{one.name ?? words.anonymous}</a>
                )}
                <span class="mono muted">{one.id}</span>
              </th>
              <td>
                {shared.states[one.state] ?? one.state}
                {one.queuePosition !== null && <span class="muted below">{words.place(one.queuePosition)}</span>}
                {one.failure !== null && <span class="reason below">{one.failure.message}</span>}
              </td>
              <td class="number">
                {strings.count(one.progress.done)} / {strings.count(one.progress.of)}
              </td>
              <td>{one.scenario}</td>
              <td>
                <EvidenceBadge level={one.level} />
              </td>
              <td class="number left">{moment(one.since, true)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
