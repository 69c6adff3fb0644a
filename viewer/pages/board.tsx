/** One board: who scored what on a scenario or a suite, how sure that is, and what stands behind it. */
import { type JSX } from 'preact'
import {
  BOARD_KINDS,
  LEVELS,
  type BoardKind,
  type BoardPage as Page,
  type BoardRow,
  type Level,
  type Score,
} from '../../server/protocol/rest.ts'
import { BoardFrame, EvidenceBadge, Waiting, moment, shortHash, two, useAsked } from '../panels/board-parts.tsx'
import { Command } from '../panels/copy.tsx'
import { boardPath, entryPath, type BoardQuery } from '../route.ts'
import { EXPORTS, ROWS, boardExport, boardPage } from '../sources/board.ts'
import { duration, strings } from '../strings.ts'
import './leaderboard.css'

const words = strings.leaderboard.board
const shared = strings.leaderboard

/** Strongest evidence first; executed is not offered yet. */
const SHOWN: readonly Level[] = ['live', 'replayed', 'claimed']

interface Props {
  readonly place: 'scenario' | 'suite'
  readonly id: string
  readonly query: BoardQuery
}

/** A level that nobody knows is no level. */
function ask({ place, id, query }: Props): Promise<Page> {
  const level = LEVELS.find((one) => one === query.level) ?? null
  return boardPage(place, id, { ...query, level })
}

export function BoardPage(props: Props): JSX.Element {
  const { place, id, query } = props
  const [asked, again] = useAsked(() => ask(props), [place, id, query.kind, query.level, query.offset])
  const page = asked.value.kind === 'here' ? asked.value.value : null
  const title = page?.board.scenario?.title ?? (place === 'suite' ? words.suite(id) : id)
  return (
    <BoardFrame title={title} here="boards">
      <p>
        <a href="/boards">{words.all}</a>
      </p>
      <h1>{title}</h1>
      <p class="mono muted">{id}</p>
      <Waiting asked={asked.value} again={again} />
      {page !== null && (
        <>
          <Choices {...props} page={page} />
          <p class="muted lead">
            {shared.kindMeans[page.board.kind]} {shared.levelMeans[page.board.level]} {page.board.protocol}
            {page.board.kind === 'algorithm' && ` ${words.minimum(page.board.minimumRuns)}`}
          </p>
          {page.rows.length === 0 ? (
            <Empty place={place} id={id} level={page.board.level} />
          ) : (
            <Rows page={page} place={place} title={title} />
          )}
          <Pager {...props} page={page} />
          <Foot {...props} page={page} />
        </>
      )}
    </BoardFrame>
  )
}

function Choices({ place, id, page }: Props & { page: Page }): JSX.Element {
  const { kind, level } = page.board
  const link = (next: { kind: BoardKind; level: Level }, text: string, on: boolean) => (
    <a key={text} class="toggle" href={boardPath(place, id, next)} aria-current={on ? 'true' : undefined}>
      {text}
    </a>
  )
  return (
    <div class="board-choices">
      <nav class="row" aria-label={shared.kindLabel}>
        {BOARD_KINDS.map((one) => link({ kind: one, level }, shared.kinds[one], one === kind))}
      </nav>
      <nav class="row" aria-label={shared.levelLabel}>
        {SHOWN.map((one) => {
          const n = one === level ? page.total : (page.levels[one] ?? 0)
          return link({ kind, level: one }, `${shared.levels[one]} (${strings.count(n)})`, one === level)
        })}
      </nav>
    </div>
  )
}

function Empty({ place, id, level }: { place: string; id: string; level: Level }): JSX.Element {
  const scenario = place === 'suite' ? 'warehouse/tiny-2ag' : id
  const command = level === 'live' ? words.noneLive(scenario) : words.noneCommand(scenario)
  return (
    <div class="empty">
      <p>{words.none}</p>
      <Command title={shared.nav.submit} command={command} />
    </div>
  )
}

function Rows({ page, place, title }: { page: Page; place: string; title: string }): JSX.Element {
  const { kind, level } = page.board
  const algorithm = kind === 'algorithm'
  const scale = scaleOf(page.rows)
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={title}>
      <table class="list board">
        <thead>
          <tr>
            <th scope="col" title={words.rankTip}>
              {words.rank}
            </th>
            <th scope="col">{words.name}</th>
            <th scope="col" class="number" title={words.scoreTip}>
              {place === 'suite' || algorithm ? words.normalised : words.score}
            </th>
            <th scope="col" class="interval-cell">
              <span class="hidden">{shared.entry.interval}</span>
            </th>
            <th scope="col" class="number" title={words.iqmTip}>
              {words.iqm}
            </th>
            <th scope="col" class="number">
              {algorithm ? words.runs : words.episodes}
            </th>
            <th scope="col">{words.compute}</th>
            <th scope="col">{words.when}</th>
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row) => (
            <tr key={row.id} class={`standing-${row.standing}`}>
              <td class="rank">{rankOf(row)}</td>
              <th scope="row">
                <RowName row={row} single={!algorithm && place === 'scenario'} level={level} />
              </th>
              <ScoreCells score={row.score} scale={scale} />
              <td class="number">
                {strings.count(algorithm ? row.runs.length : row.episodes)}
                {row.tasks !== undefined && (
                  <span class="muted below">{words.tasks(row.tasks.done, row.tasks.of)}</span>
                )}
              </td>
              <td>{computeOf(row) ?? <span class="muted">{words.noCompute}</span>}</td>
              <td class="number left">{moment(row.publishedAt)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function rankOf({ rank, standing }: BoardRow): JSX.Element {
  if (rank !== null) return <span class="strong">{words.range(rank.best, rank.worst)}</span>
  return <span class="muted">{words.standing[standing] ?? words.unranked}</span>
}

function RowName({ row, single, level }: { row: BoardRow; single: boolean; level: Level }): JSX.Element {
  const name = row.blind ? words.blind : row.name
  const entry = single ? row.id : row.runs[0]
  const remarks = [
    ...(row.centralised ? [words.centralised] : []),
    ...(row.privileged ? [words.privileged] : []),
    ...(row.disputed ? [words.disputed] : []),
    ...row.flags,
  ]
  return (
    <>
      {entry === undefined ? <span class="strong">{name}</span> : <a href={entryPath(entry)}>{name}</a>}
      {row.authors !== '' && <span class="muted">{row.authors}</span>}
      <span class="muted">
        {row.algorithm}
        {row.recipe !== '' && `, ${words.recipe(row.recipe)}`}
      </span>
      <span class="row remarks">
        <EvidenceBadge level={row.level ?? level} />
        {remarks.map((remark) => (
          <span key={remark} class="badge">
            {remark}
          </span>
        ))}
      </span>
      {row.reason !== null && <span class="reason">{row.reason}</span>}
      {!single && row.runs.length > 1 && (
        <details>
          <summary>{words.runsOf(row.runs.length)}</summary>
          <ul class="run-links">
            {row.runs.map((run) => (
              <li key={run}>
                <a class="mono" href={entryPath(run)}>
                  {run}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

interface Scale {
  readonly low: number
  readonly high: number
}

/** The stretch of values that the interval bars of this page lie on. */
function scaleOf(rows: readonly BoardRow[]): Scale | null {
  const ends = rows.flatMap(({ score }) => (score === null ? [] : [score.mean, ...(score.interval ?? [])]))
  const [low, high] = [Math.min(...ends), Math.max(...ends)]
  return ends.length === 0 || !(high > low) ? null : { low, high }
}

const BAR = 120

function ScoreCells({ score, scale }: { score: Score | null; scale: Scale | null }): JSX.Element {
  if (score === null) {
    return (
      <>
        <td class="number">–</td>
        <td class="interval-cell" />
        <td class="number">–</td>
      </>
    )
  }
  const { interval } = score
  const x = (value: number) =>
    scale === null ? BAR / 2 : 6 + ((value - scale.low) / (scale.high - scale.low)) * (BAR - 12)
  return (
    <>
      <td class="number">
        <span class="strong">{two(score.mean)}</span>
        <span class="muted below">
          {interval === null ? words.noInterval : words.interval(two(interval[0]), two(interval[1]))}
        </span>
      </td>
      <td class="interval-cell">
        <svg class="interval" width={BAR} height="18" viewBox={`0 0 ${BAR} 18`} aria-hidden="true">
          <line class="ground" x1="6" x2={BAR - 6} y1="9" y2="9" />
          {interval !== null && <line class="span" x1={x(interval[0])} x2={x(interval[1])} y1="9" y2="9" />}
          <circle cx={x(score.mean)} cy="9" r="3.5" />
        </svg>
      </td>
      <td class="number">{two(score.iqm)}</td>
    </>
  )
}

function computeOf({ compute }: BoardRow): string | null {
  if (compute === null) return null
  const parts = [
    ...(compute.steps === undefined ? [] : [words.steps(compute.steps)]),
    ...(compute.seconds === undefined ? [] : [duration(compute.seconds)]),
    ...(compute.device === undefined ? [] : [compute.device]),
  ]
  return parts.length === 0 ? null : parts.join(', ')
}

function Pager({ place, id, query, page }: Props & { page: Page }): JSX.Element | null {
  const { offset, total, rows } = page
  if (total <= ROWS && offset === 0) return null
  const to = (next: number) => boardPath(place, id, { ...query, level: page.board.level, offset: next })
  return (
    <nav class="row pager">
      {offset > 0 && (
        <a class="button" href={to(Math.max(0, offset - ROWS))} rel="prev">
          {words.previous}
        </a>
      )}
      <span>{words.rows(offset + 1, offset + rows.length, total)}</span>
      {offset + rows.length < total && (
        <a class="button" href={to(offset + ROWS)} rel="next">
          {words.next}
        </a>
      )}
    </nav>
  )
}

function Foot({ place, id, page }: Props & { page: Page }): JSX.Element {
  const { kind, level } = page.board
  const { log } = page
  return (
    <footer class="board-foot muted">
      {place === 'scenario' && (
        <p class="row">
          {words.downloads}:
          {EXPORTS.map((format) => (
            <a key={format} href={boardExport(id, kind, level, format)} download>
              {words.formats[format]}
            </a>
          ))}
        </p>
      )}
      <p title={words.logTip}>
        {log.seq === 0 ? (
          words.logNone
        ) : (
          <>
            <a href="/api/log">{words.log(log.seq)}</a>, <span class="mono">{shortHash(log.hash)}</span>
            {log.at !== null && `, ${moment(log.at, true)}`}
          </>
        )}
        . {words.logTip}
      </p>
    </footer>
  )
}
