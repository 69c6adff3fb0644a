/** One entry of a board: what it scored, every episode behind it worst first, and whether this browser finds the same. */
import { useSignal } from '@preact/signals'
import { type ComponentChildren, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { type EntryDetail, type EpisodeRow } from '../../server/protocol/rest.ts'
import { Icon } from '../icons.tsx'
import { BoardFrame, EvidenceBadge, Waiting, moment, shortHash, two, useAsked } from '../panels/board-parts.tsx'
import { Notice } from '../panels/bar.tsx'
import { boardPath, replayPath } from '../route.ts'
import { apiKey, bundleAddress, checkInPage, entryDetail, keepKey, moderate, patchEntry } from '../sources/board.ts'
import { type Difference, type EntryVerdict } from '../../server/protocol/check-entry.ts'
import { duration, figure, strings } from '../strings.ts'
import './leaderboard.css'

const words = strings.leaderboard.entry
const shared = strings.leaderboard
const boardWords = strings.leaderboard.board

/** Episodes shown at a time. */
const SHOWN = 20

export function EntryPage({ id }: { id: string }): JSX.Element {
  const offset = useSignal(0)
  const [asked, again] = useAsked(() => entryDetail(id, offset.value, SHOWN), [id, offset.value])
  const detail = asked.value.kind === 'here' ? asked.value.value : null
  const title = detail === null ? words.title : detail.row.blind ? boardWords.blind : detail.row.name
  return (
    <BoardFrame title={title}>
      {detail === null ? (
        <>
          <h1>{words.title}</h1>
          <p class="mono muted">{id}</p>
          <Waiting asked={asked.value} again={again} />
        </>
      ) : (
        <Entry
          key={id}
          detail={detail}
          title={title}
          again={again}
          offset={offset.value}
          go={(next) => (offset.value = next)}
        />
      )}
    </BoardFrame>
  )
}

interface EntryProps {
  readonly detail: EntryDetail
  readonly title: string
  readonly again: () => void
  readonly offset: number
  readonly go: (offset: number) => void
}

function Entry({ detail, title, again, offset, go }: EntryProps): JSX.Element {
  const { row, failure } = detail
  const scenario = String((detail.scenario as { id?: unknown }).id ?? '')
  return (
    <>
      <p>
        <a href={boardPath('scenario', scenario, { level: row.level })}>{scenario}</a>
      </p>
      <div class="row entry-head">
        <h1>{title}</h1>
        <EvidenceBadge level={row.level} />
        {row.disputed && <span class="badge bad">{boardWords.disputed}</span>}
      </div>
      <p class="muted">
        {row.authors !== '' && `${row.authors} · `}
        {moment(row.publishedAt, true)} · <span class="mono">{row.id}</span>
      </p>
      {row.standing === 'hidden' && <Notice text={words.hidden(row.reason ?? '')} />}
      {failure !== null && (
        <Notice title={words.failed} text={failure.message}>
          {failure.fault === 'server' && <p>{words.failedServer}</p>}
        </Notice>
      )}
      <p class="lead">{row.level === 'claimed' ? words.claimNote : shared.levelMeans[row.level]}</p>
      <div class="entry-top">
        <Result detail={detail} />
        <Verification detail={detail} />
      </div>
      <Episodes detail={detail} offset={offset} go={go} />
      <div class="entry-columns">
        <Declared detail={detail} />
        <Hashes detail={detail} />
        <Latency detail={detail} />
        <History detail={detail} />
      </div>
      <Settings detail={detail} />
      {detail.receipt !== null && (
        <Folded title={words.receipt}>
          <pre class="json" tabIndex={0}>
            {JSON.stringify(detail.receipt, undefined, 2)}
          </pre>
        </Folded>
      )}
      <ModerationBox detail={detail} again={again} />
    </>
  )
}

type Fact = readonly [name: string, value: ComponentChildren]

function Facts({ title, facts }: { title: string; facts: readonly Fact[] }): JSX.Element | null {
  if (facts.length === 0) return null
  return (
    <section class="block">
      <h2>{title}</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function Folded({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <details class="folded">
      <summary>{title}</summary>
      {children}
    </details>
  )
}

function Result({ detail }: { detail: EntryDetail }): JSX.Element {
  const { row } = detail
  const { score, rank, panels } = row
  const over = words.over[String((detail.scenario as { teamReward?: unknown }).teamReward)] ?? ''
  const facts: Fact[] = []
  if (score !== null) {
    facts.push([`${words.mean}, ${over}`, <span class="strong large">{two(score.mean)}</span>])
    const { interval } = score
    facts.push([
      words.interval,
      interval === null ? boardWords.noInterval : boardWords.interval(two(interval[0]), two(interval[1])),
    ])
    facts.push([words.iqm, two(score.iqm)], [words.std, two(score.std)])
  }
  facts.push([words.n, strings.count(row.episodes)])
  if (rank !== null) facts.push([words.rank, boardWords.range(rank.best, rank.worst)])
  for (const [panel, { mean, episodes }] of Object.entries(panels ?? {})) {
    facts.push([words.panel[panel] ?? panel, words.panelMeans(two(mean), episodes)])
  }
  for (const flag of row.flags) facts.push([words.flags, flag])
  return (
    <div>
      <Facts title={words.facts} facts={facts} />
      {panels !== undefined && Object.keys(panels).length > 1 && <p class="muted small-text">{words.panelNote}</p>}
    </div>
  )
}

// --- verification

type Checking =
  | { readonly kind: 'no' }
  | { readonly kind: 'fetching' }
  | { readonly kind: 'checking'; readonly done: number; readonly of: number }
  | { readonly kind: 'done'; readonly verdict: EntryVerdict }
  | { readonly kind: 'failed'; readonly message: string }

/** Differences shown; the rest are counted. */
const DIFFERENCES = 10

function Verification({ detail }: { detail: EntryDetail }): JSX.Element {
  const checking = useSignal<Checking>({ kind: 'no' })
  const stop = useSignal<AbortController | null>(null)
  useEffect(() => () => stop.peek()?.abort(), [])
  const check = async () => {
    const controller = new AbortController()
    stop.value = controller
    checking.value = { kind: 'fetching' }
    try {
      const progress = (done: number, of: number) => (checking.value = { kind: 'checking', done, of })
      checking.value = { kind: 'done', verdict: await checkInPage(detail, progress, controller.signal) }
    } catch (error) {
      if (!controller.signal.aborted) checking.value = { kind: 'failed', message: (error as Error).message }
    }
  }
  const now = checking.value
  const busy = now.kind === 'fetching' || now.kind === 'checking'
  const some =
    detail.episodes.some(({ replay }) => replay !== null) || (detail.bundle !== null && detail.episodesTotal > 0)
  return (
    <section class="block verification">
      <h2>{words.verify}</h2>
      {some ? (
        <button type="button" class="button main-button" disabled={busy} onClick={() => void check()}>
          <Icon name="check" size={16} />
          {now.kind === 'done' ? words.again : words.verify}
        </button>
      ) : (
        <p class="muted">{words.none}</p>
      )}
      <div role="status">
        {now.kind === 'fetching' && <p>{words.fetching}</p>}
        {now.kind === 'checking' && (
          <>
            <p>{words.checking(now.done, now.of)}</p>
            <progress value={now.done} max={Math.max(1, now.of)} aria-label={words.verify} />
          </>
        )}
        {now.kind === 'failed' && <p class="reason">{now.message}</p>}
        {now.kind === 'done' && <Verdict verdict={now.verdict} />}
      </div>
    </section>
  )
}

function Verdict({ verdict }: { verdict: EntryVerdict }): JSX.Element {
  const { ok, checked, steps, mean, scored, seeded, secret, differences } = verdict
  return (
    <>
      {ok ? (
        <p class="badge good">
          <Icon name="check" size={14} />
          {words.agreed(checked, steps)}
        </p>
      ) : (
        <p class="badge bad">
          <Icon name="cross" size={14} />
          {words.differs(differences.length)}
        </p>
      )}
      {ok && mean !== null && <p>{scored ? words.agreedScore(two(mean)) : words.agreedPart(two(mean), checked)}</p>}
      {ok && seeded && <p>{words.agreedSeeds}</p>}
      {secret > 0 && <p class="muted">{words.secret(secret)}</p>}
      {differences.length > 0 && (
        <ul class="differences">
          {differences.slice(0, DIFFERENCES).map((difference, k) => (
            <li key={k}>{sentenceOf(difference)}</li>
          ))}
          {differences.length > DIFFERENCES && <li>{words.moreDifferences(differences.length - DIFFERENCES)}</li>}
        </ul>
      )}
    </>
  )
}

function sentenceOf({ panel, episode, what, step, expected, actual }: Difference): string {
  const place = panel === null || episode === null ? '' : words.place(words.panel[panel] ?? panel, episode, step)
  return words.difference(place, what, expected, actual)
}

// --- episodes

function Episodes({ detail, offset, go }: Pick<EntryProps, 'detail' | 'offset' | 'go'>): JSX.Element | null {
  const { episodes, episodesTotal } = detail
  if (episodesTotal === 0) return null
  const columns = words.columns
  return (
    <section>
      <h2 id="episodes">{words.episodes}</h2>
      <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="episodes">
        <table class="list episodes">
          <thead>
            <tr>
              <th scope="col">{columns.episode}</th>
              <th scope="col" class="number">
                {columns.return}
              </th>
              <th scope="col" class="number">
                {columns.length}
              </th>
              <th scope="col">{columns.end}</th>
              <th scope="col">{columns.seed}</th>
              <th scope="col">{columns.chain}</th>
            </tr>
          </thead>
          <tbody>
            {episodes.map((row) => (
              <Episode key={`${row.panel} ${row.episode}`} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      {episodesTotal > SHOWN && (
        <div class="row pager">
          {offset > 0 && (
            <button type="button" class="button" onClick={() => go(Math.max(0, offset - SHOWN))}>
              {boardWords.previous}
            </button>
          )}
          <span>{boardWords.rows(offset + 1, offset + episodes.length, episodesTotal)}</span>
          {offset + episodes.length < episodesTotal && (
            <button type="button" class="button" onClick={() => go(offset + SHOWN)}>
              {boardWords.next}
            </button>
          )}
        </div>
      )}
    </section>
  )
}

function Episode({ row }: { row: EpisodeRow }): JSX.Element {
  const name = `${words.panel[row.panel] ?? row.panel} ${row.episode}`
  const end = row.terminated === null ? words.unfinished : row.terminated ? words.terminated : words.truncated
  return (
    <tr>
      <th scope="row">
        {row.replay === null ? (
          <>
            {name}
            <span class="muted">{words.replaySecret}</span>
          </>
        ) : (
          <a href={replayPath(row.replay)} aria-label={words.watch(words.panel[row.panel] ?? row.panel, row.episode)}>
            {name}
          </a>
        )}
        {row.note !== null && <span class="muted">{row.note}</span>}
      </th>
      <td class="number">{row.return === null ? '–' : figure(row.return)}</td>
      <td class="number">{row.length === null ? '–' : strings.count(row.length)}</td>
      <td>{end}</td>
      <td class="mono">{row.seed === null ? <span class="muted">{words.seedSecret}</span> : shortHash(row.seed)}</td>
      <td class="mono">{row.chain === null ? '–' : shortHash(row.chain)}</td>
    </tr>
  )
}

// --- what else there is to know

function Declared({ detail }: { detail: EntryDetail }): JSX.Element | null {
  const { description } = detail
  if (description === null) return null
  const { compute } = description
  const facts: Fact[] = [[words.algorithm, description.algorithm]]
  const add = (name: string, value: string | undefined) =>
    value !== undefined && value !== '' && facts.push([name, value])
  add(words.recipe, description.recipe)
  add(words.trainingSeed, description.trainingSeed)
  add(words.mode, description.mode)
  add(words.centralised, description.centralised ? words.yes : words.no)
  if (description.privileged === true) add(words.privileged, words.yes)
  const training = [
    ...(compute?.steps === undefined ? [] : [boardWords.steps(compute.steps)]),
    ...(compute?.seconds === undefined ? [] : [words.seconds(duration(compute.seconds))]),
    ...(compute?.device === undefined ? [] : [compute.device]),
  ]
  add(words.compute, training.length === 0 ? boardWords.noCompute : training.join(', '))
  add(words.code, description.code)
  add(words.paper, description.paper)
  add(words.notes, description.notes)
  return <Facts title={words.policy} facts={facts} />
}

const hash = (text: string) => (
  <span class="mono hash" title={text}>
    {text}
  </span>
)

function Hashes({ detail }: { detail: EntryDetail }): JSX.Element {
  const { environment, bundle, epoch, description, row } = detail
  const facts: Fact[] = [
    [words.environment, `${environment.id} ${environment.version}`],
    [words.package, detail.package],
    [words.scenarioHash, hash(detail.scenarioHash)],
  ]
  if (description?.policyHash !== undefined) facts.push([words.policyHash, hash(description.policyHash)])
  if (bundle !== null) facts.push([words.bundle, hash(bundle.sha256)])
  if (epoch !== null) {
    facts.push([words.epoch, `${epoch.id}, ${epoch.revealed ? words.revealed : words.secretKey}`])
    facts.push([words.commitment, hash(epoch.commitment)])
  }
  return (
    <div>
      <Facts title={words.hashes} facts={facts} />
      <p class="row downloads">
        {bundle !== null && (row.level !== 'live' || epoch?.revealed === true) && (
          <a class="button" href={bundleAddress(row.id)} download>
            <Icon name="download" size={16} />
            {words.downloadBundle(sizeOf(bundle.bytes))}
          </a>
        )}
        <a class="button" href={`/api/entries/${encodeURIComponent(row.id)}`} download={`${row.id}.json`}>
          <Icon name="download" size={16} />
          {words.downloadJson}
        </a>
      </p>
    </div>
  )
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

function Latency({ detail }: { detail: EntryDetail }): JSX.Element | null {
  const { latency } = detail
  if (latency === undefined) return null
  const { edgesMs, counts, late, limitMs } = latency
  const most = Math.max(1, ...counts)
  return (
    <section class="block">
      <h2>{words.latency}</h2>
      <p class="muted small-text">{words.late(late, figure(limitMs))}</p>
      <table class="choices latency">
        <tbody>
          {counts.map((n, k) => (
            <tr key={k}>
              <th scope="row">
                {k < edgesMs.length
                  ? words.latencyUpTo(figure(edgesMs[k]))
                  : words.latencyOver(figure(edgesMs[edgesMs.length - 1]))}
              </th>
              <td class="meter-cell">
                <span class="meter" style={{ width: `${(100 * n) / most}%` }} />
              </td>
              <td class="number">{strings.count(n)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function History({ detail }: { detail: EntryDetail }): JSX.Element {
  const { history, disputes } = detail
  return (
    <div>
      <Facts
        title={words.history}
        facts={history.map(({ state, at }): Fact => [shared.states[state] ?? state, moment(at, true)])}
      />
      {disputes.length > 0 && (
        <section class="block">
          <h2>{words.disputes}</h2>
          {disputes.map(({ at, by, text }) => (
            <div key={`${at} ${by}`}>
              <p class="note">{text}</p>
              <p class="muted small-text">{words.disputeBy(by, moment(at, true))}</p>
            </div>
          ))}
        </section>
      )}
    </div>
  )
}

function Settings({ detail }: { detail: EntryDetail }): JSX.Element | null {
  const settings = Object.entries(detail.description?.settings ?? {})
  return (
    <>
      {settings.length > 0 && (
        <Folded title={words.settings}>
          <dl class="facts">
            {settings.map(([name, value]) => (
              <div key={name}>
                <dt class="mono">{name}</dt>
                <dd class="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
        </Folded>
      )}
      <Folded title={words.scenarioFull}>
        <pre class="json" tabIndex={0}>
          {JSON.stringify(detail.scenario, undefined, 2)}
        </pre>
      </Folded>
    </>
  )
}

function ModerationBox({ detail, again }: { detail: EntryDetail; again: () => void }): JSX.Element {
  const { row } = detail
  const reason = useSignal('')
  const said = useSignal<{ readonly text: string; readonly bad: boolean } | null>(null)
  const perform = async (work: () => Promise<void>) => {
    said.value = null
    try {
      await work()
      said.value = { text: words.done, bad: false }
      reason.value = ''
      again()
    } catch (error) {
      said.value = { text: (error as Error).message, bad: true }
    }
  }
  const actions = [...(row.disputed ? ['settle'] : []), 'dispute', row.standing === 'hidden' ? 'show' : 'hide']
  return (
    <Folded title={words.moderation}>
      <p class="muted">{words.moderationWhat}</p>
      <form class="moderation" onSubmit={(event) => event.preventDefault()}>
        <label>
          <span>
            {words.key} <span class="muted">({words.keyHint})</span>
          </span>
          <input
            type="password"
            autocomplete="off"
            value={apiKey.value}
            onInput={(event) => keepKey(event.currentTarget.value.trim())}
          />
        </label>
        <label>
          <span>{words.reason}</span>
          <textarea
            rows={3}
            maxLength={2000}
            value={reason.value}
            onInput={(event) => (reason.value = event.currentTarget.value)}
          />
        </label>
        <div class="row">
          {actions.map((action) => (
            <button
              key={action}
              type="button"
              class="button"
              disabled={reason.value.trim() === '' || apiKey.value === ''}
              onClick={() => void perform(() => moderate(row.id, action, reason.value.trim()))}
            >
              {words.actions[action]}
            </button>
          ))}
          <button
            type="button"
            class="button"
            disabled={apiKey.value === ''}
            onClick={() => void perform(() => patchEntry(row.id, { blind: !row.blind }))}
          >
            {row.blind ? words.unblind : words.blind}
          </button>
        </div>
        <p role="status" class={said.value?.bad === true ? 'reason' : ''}>
          {said.value?.text}
        </p>
      </form>
    </Folded>
  )
}
