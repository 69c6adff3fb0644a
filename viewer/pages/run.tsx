/** One training run: how far it is, its return by step, and its newest evaluation episode moving. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { type RunDetail, type RunEvaluation, type RunUpdate } from '../../server/protocol/index.ts'
import { Follower, endless } from '../live.ts'
import { Brand, Notice, ThemeButton } from '../panels/bar.tsx'
import { Curve } from '../panels/curve.tsx'
import { SiteLinks } from '../panels/page-frame.tsx'
import { EpisodeBox } from '../panels/episode-box.tsx'
import { type MetricSeries } from '../panels/metric-curve.tsx'
import { lazy } from '../lazy.tsx'
import { replayPath, scenarioPath } from '../route.ts'
import { Session } from '../session.ts'
import { type Connection } from '../sources/socket.ts'
import { figure, strings } from '../strings.ts'
import { reducedMotion } from '../theme.ts'
import { round2 } from './home.tsx'

const words = strings.run

const MetricCurves = lazy(async () => (await import('../panels/metric-curve.tsx')).MetricCurves)

/** Updates kept while the page is open. */
const UPDATES = 5000
/** Episodes linked at most. */
const LINKED = 60

export function RunPage({ connection, id }: { connection: Connection; id: string }): JSX.Element {
  const session = useMemo(() => endless(new Session(connection)), [connection, id])
  const detail = useSignal<RunDetail | null>(null)
  const gone = useSignal(false)
  const updates = useSignal<readonly RunUpdate[]>([])

  useEffect(() => {
    detail.value = null
    gone.value = false
    updates.value = []
    const follower = new Follower(session)
    const stop = connection.followRun(id, {
      opened: (opened) => {
        detail.value = opened
        if (opened.update !== null) updates.value = [opened.update]
        const newest = opened.replays[0]
        if (newest === undefined) return
        if (session.info.peek() === null && reducedMotion()) void session.open({ kind: 'server', id: newest })
        else follower.offer(newest)
      },
      progress: ({ run, update, evaluations }) => {
        const before = detail.value
        if (before === null) return
        if (update !== null) updates.value = [...updates.value, update].slice(-UPDATES)
        detail.value = {
          ...before,
          run,
          update: update ?? before.update,
          evaluations: merge(before.evaluations, evaluations),
        }
      },
      replay: ({ replay }) => {
        const before = detail.value
        if (before !== null && !before.replays.includes(replay.id)) {
          detail.value = { ...before, replays: [replay.id, ...before.replays] }
        }
        follower.offer(replay.id)
      },
      gone: () => (gone.value = true),
    })
    return () => {
      stop()
      follower.close()
      session.close()
    }
  }, [connection, session, id, detail, gone])

  const known = detail.value
  const title = known === null ? id : words.title(known.run.algorithm, known.run.scenario || strings.unknown)
  useEffect(() => {
    document.title = `${title} · ${strings.name}`
  }, [title])
  return (
    <div class="page">
      <header class="bar">
        <Brand />
        <SiteLinks />
        <div class="bar-actions">
          <ThemeButton />
        </div>
      </header>
      <main class="run">
        <h1>{title}</h1>
        {known !== null && known.run.scenario !== '' && (
          <p>
            <a href={scenarioPath(known.run.scenario)}>{words.scenario}</a>
          </p>
        )}
        {gone.value && <Notice text={words.gone} />}
        {known === null ? (
          !gone.value && <p role="status">{words.loading}</p>
        ) : (
          <>
            <Progress detail={known} />
            <div class="run-top">
              <section aria-labelledby="curve">
                <h2 id="curve">{words.curve}</h2>
                {known.evaluations.length === 0 ? (
                  <p class="muted">{words.noEvaluations}</p>
                ) : (
                  <>
                    <p class="muted">{words.curveDetail(episodesOf(known))}</p>
                    <Curve evaluations={known.evaluations} steps={known.run.steps} />
                    <EvaluationTable evaluations={known.evaluations} />
                  </>
                )}
              </section>
              {known.replays.length > 0 && <EpisodeBox session={session} caption={strings.home.newest} />}
            </div>
            {known.evaluations.length > 0 && <MetricCurves series={metricsOf(known.evaluations, updates.value)} />}
            <section aria-labelledby="episodes">
              <h2 id="episodes">{words.episodes}</h2>
              {known.replays.length === 0 && <p class="muted">{words.noEpisodes}</p>}
              <ul class="episode-links">
                {known.replays.slice(0, LINKED).map((replay) => (
                  <li key={replay}>
                    <a class="mono" href={replayPath(replay)}>
                      {replay.split(':').at(-1)}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
            {known.problems.length > 0 && (
              <section aria-labelledby="problems">
                <h2 id="problems">{words.problems}</h2>
                <ul>
                  {known.problems.map((problem) => (
                    <li key={problem}>{problem}</li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </main>
    </div>
  )
}

/** What evaluations measured besides the return, then what updates said since the page was opened. */
export function metricsOf(
  evaluations: readonly RunEvaluation[],
  updates: readonly RunUpdate[],
): ReadonlyMap<string, MetricSeries> {
  const found = new Map<string, { steps: number[]; values: (number | null)[] }>()
  const add = (name: string, step: number, value: number | null) => {
    const series = found.get(name) ?? { steps: [], values: [] }
    found.set(name, series)
    // A step that comes again says it better.
    if (series.steps.at(-1) === step) series.values[series.values.length - 1] = value
    else {
      series.steps.push(step)
      series.values.push(value)
    }
  }
  for (const { step, metrics } of evaluations) {
    for (const [name, value] of Object.entries(metrics)) add(name, step, value)
  }
  for (const { step, metrics } of updates) {
    for (const [name, value] of Object.entries(metrics)) add(words.training(name), step, value)
  }
  return found
}

/** Evaluations in order of steps, the newer word for a step winning. */
function merge(before: readonly RunEvaluation[], more: readonly RunEvaluation[]): RunEvaluation[] {
  const byStep = new Map(before.map((evaluation) => [evaluation.step, evaluation]))
  for (const evaluation of more) byStep.set(evaluation.step, evaluation)
  return [...byStep.values()].sort((a, b) => a.step - b.step)
}

/** Episodes per evaluation, where the scenario says. */
function episodesOf({ scenario }: RunDetail): number | null {
  const episodes = (scenario.evaluation as { episodes?: unknown } | undefined)?.episodes
  return typeof episodes === 'number' ? episodes : null
}

function Progress({ detail }: { detail: RunDetail }): JSX.Element {
  const { run, update } = detail
  const share = run.steps > 0 ? Math.min(1, run.step / run.steps) : 0
  const going = run.status === 'running'
  return (
    <div class="run-progress">
      <dl class="bar-facts">
        <div>
          <dt>{strings.home.runColumns.status}</dt>
          <dd class="strong">{words.status[run.status] ?? run.status}</dd>
        </div>
        <div>
          <dt>{strings.home.runColumns.progress}</dt>
          <dd>{words.progress(run.step, run.steps)}</dd>
        </div>
        {going && update?.stepsPerSecond != null && (
          <div>
            <dt>{strings.transport.speed}</dt>
            <dd>{words.rate(update.stepsPerSecond)}</dd>
          </div>
        )}
        {going && update?.secondsLeft != null && (
          <div>
            <dt>{words.time}</dt>
            <dd>{words.left(update.secondsLeft)}</dd>
          </div>
        )}
        <div>
          <dt>{strings.bar.seed}</dt>
          <dd class="mono">{String(run.seed)}</dd>
        </div>
        <div>
          <dt>{strings.bar.return}</dt>
          <dd>{run.return === null ? '–' : figure(round2(run.return.mean))}</dd>
        </div>
      </dl>
      <progress value={share} max={1} aria-label={words.progress(run.step, run.steps)} />
    </div>
  )
}

function EvaluationTable({ evaluations }: { evaluations: readonly RunEvaluation[] }): JSX.Element {
  return (
    <details>
      <summary>{words.table}</summary>
      <div class="table-scroll" tabIndex={0} role="region" aria-label={words.table}>
        <table class="list">
          <thead>
            <tr>
              <th scope="col" class="number">
                {words.step}
              </th>
              <th scope="col" class="number">
                {words.mean}
              </th>
              <th scope="col" class="number">
                {words.interval}
              </th>
              <th scope="col" class="number">
                {words.range}
              </th>
            </tr>
          </thead>
          <tbody>
            {evaluations.map(({ step, return: summary }) => (
              <tr key={step}>
                <td class="number">{strings.count(step)}</td>
                <td class="number">{figure(round2(summary.mean))}</td>
                <td class="number">{pair(summary.interval?.[0], summary.interval?.[1])}</td>
                <td class="number">{pair(summary.min, summary.max)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function pair(low: number | null | undefined, high: number | null | undefined): string {
  return low == null || high == null ? '–' : `${figure(round2(low))} to ${figure(round2(high))}`
}
