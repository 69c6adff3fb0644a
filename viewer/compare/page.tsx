/** The comparison page: two stages, one clock, and what differs. */
import { effect, useSignal } from '@preact/signals'
import { type ComponentChildren, type JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { useClock } from '../clock.ts'
import { exposeSession } from '../exposed.ts'
import { Icon } from '../icons.tsx'
import { belongsToField, Keys } from '../keys.ts'
import { Brand, Notice, ThemeButton } from '../panels/bar.tsx'
import { copyText } from '../panels/copy.tsx'
import { Help } from '../panels/help.tsx'
import { useThrottled } from '../panels/throttle.ts'
import { Transport } from '../panels/transport.tsx'
import { actionName } from '../panels/inspector.tsx'
import { comparePath, navigate, replayPath, rewrite, type CompareQuery } from '../route.ts'
import { type Session } from '../session.ts'
import { sourceAt } from '../sources/kept.ts'
import { type Connection } from '../sources/socket.ts'
import { scenarioName, StageView } from '../stage/stage-view.tsx'
import { type Stage } from '../stage/stage.ts'
import { figure, strings } from '../strings.ts'
import { teamReturn, teamRewardOf } from '../survey.ts'
import { hex, PALETTES, theme } from '../theme.ts'
import { Chooser } from './chooser.tsx'
import { counted, differences } from './divergence.ts'
import { Pair, whyApart } from './pair.ts'
import { Curves } from './curves.tsx'
import './compare.css'

const words = strings.compare
/** Names listed at most. */
const NAMED = 8
const ADDRESS_MS = 200
const READABLE_MS = 120

export function ComparePage({ connection, query }: { connection: Connection; query: CompareQuery }): JSX.Element {
  useEffect(() => {
    document.title = `${words.title} · ${strings.name}`
  }, [])
  const a = query.a === null ? null : sourceAt(query.a)
  const b = query.b === null ? null : sourceAt(query.b)
  const lost = (query.a !== null && a === null) || (query.b !== null && b === null)
  if (a === null || b === null) {
    return (
      <Framed>
        <Chooser lost={lost} first={a} step={query.step} />
      </Framed>
    )
  }
  return <Compared key={`${query.a} ${query.b}`} connection={connection} query={query} />
}

function Framed({ children, tools }: { children: ComponentChildren; tools?: ComponentChildren }): JSX.Element {
  return (
    <div class="page">
      <header class="bar">
        <Brand />
        <div class="bar-actions">
          {tools}
          <ThemeButton />
        </div>
      </header>
      {children}
    </div>
  )
}

function Compared({ connection, query }: { connection: Connection; query: CompareQuery }): JSX.Element {
  const pair = useMemo(() => new Pair(connection), [connection])
  const help = useSignal(false)
  const typed = useSignal('')
  useClock(pair)
  useEffect(() => () => pair.close(), [pair])
  useEffect(() => exposeSession(pair.a, { other: pair.b, clock: pair.clock }), [pair])
  useEffect(() => {
    void pair.open(sourceAt(query.a!)!, sourceAt(query.b!)!, query.step, query.agent)
  }, [pair, query])
  useEffect(() => followAddress(pair, query), [pair, query])
  useEffect(() => {
    const keys = new Keys(pair.lead, { help: () => (help.value = true), typed: (digits) => (typed.value = digits) })
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || belongsToField(event.target, event.key)) return
      if (pair.ready.peek() && keys.press(event.key, event.shiftKey)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [pair, help, typed])

  const failure = pair.a.failure.value ?? pair.b.failure.value
  if (!pair.ready.value) {
    return (
      <Framed>
        <main class="message">
          {failure === null ? <p role="status">{strings.files.loading(words.title)}</p> : <Notice text={failure} />}
          {failure !== null && (
            <a class="button" href={comparePath({})}>
              {words.change}
            </a>
          )}
        </main>
      </Framed>
    )
  }
  return (
    <div class="replay-page compare-page">
      <header class="bar">
        <Brand />
        <h1>{words.title}</h1>
        <div class="bar-actions">
          <Tools pair={pair} query={query} />
          <button
            type="button"
            class="quiet-button"
            aria-label={strings.bar.helpLabel}
            onClick={() => (help.value = true)}
          >
            <Icon name="help" size={16} />
            <span class="wide">{strings.bar.help}</span>
          </button>
          <ThemeButton />
        </div>
      </header>
      {failure !== null && <Notice text={failure} />}
      <main class="compare-main">
        <Stages pair={pair} query={query} />
        <aside class="compare-side" aria-label={words.totals} tabIndex={0}>
          <Where pair={pair} />
          <Totals pair={pair} />
          <Actions pair={pair} />
        </aside>
      </main>
      <div class="controls">
        <Transport session={pair.lead} />
        <Curves pair={pair} />
      </div>
      <Help open={help.value} onClose={() => (help.value = false)} />
      {typed.value !== '' && (
        <p class="typed" role="status">
          {strings.typed(typed.value)}
        </p>
      )}
    </div>
  )
}

function followAddress(pair: Pair, query: CompareQuery): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    const { playing, step } = pair.clock.value
    const agent = pair.a.agent.value
    clearTimeout(timer)
    if (!pair.ready.value || playing) return
    timer = setTimeout(() => rewrite(comparePath({ ...query, step, agent })), ADDRESS_MS)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}

function Tools({ pair, query }: { pair: Pair; query: CompareQuery }): JSX.Element {
  const said = useSignal<string | null>(null)
  const { step } = pair.clock.value
  void pair.divergence.value
  const first = pair.first
  const local = [query.a, query.b].some((place) => place?.startsWith('local:'))
  const copy = async () => {
    const path = comparePath({ ...query, step, agent: pair.a.agent.peek() })
    const copied = !local && (await copyText(`${location.origin}${path}`))
    said.value = local ? words.localFiles : copied ? strings.bar.copied : strings.bar.copyFailed
    setTimeout(() => (said.value = null), 3000)
  }
  return (
    <>
      {first !== null && (
        <button type="button" class="button" title={words.jump} onClick={() => pair.player.seek(first)}>
          {words.jumpTo(first)}
        </button>
      )}
      <button
        type="button"
        class="quiet-button wide"
        onClick={() => navigate(comparePath({ ...query, a: query.b, b: query.a, step }))}
      >
        {words.swap}
      </button>
      <a class="quiet-button wide" href={comparePath({ a: query.a })}>
        {words.change}
      </a>
      <button type="button" class="quiet-button" aria-label={words.copyLink(step)} onClick={copy}>
        <Icon name="link" size={16} />
        <span class="wide">{words.copyLink(step)}</span>
      </button>
      <span class="toast" role="status">
        {said.value}
      </span>
    </>
  )
}

/** Both worlds, looked at from the same place, with frames around what differs. */
function Stages({ pair, query }: { pair: Pair; query: CompareQuery }): JSX.Element {
  const stages = useSignal<readonly (Stage | undefined)[]>([undefined, undefined])
  const ready = (slot: number) => (stage: Stage) => {
    stages.value = stages.peek().map((old, k) => (k === slot ? stage : old))
  }
  const [left, right] = stages.value
  useEffect(() => {
    if (left === undefined || right === undefined) return
    let following = false
    const follow = (from: Stage, to: Stage) => {
      const told = from.onSight
      from.onSight = (sight) => {
        told(sight)
        if (following) return
        following = true
        to.sight = sight
        following = false
      }
    }
    follow(left, right)
    follow(right, left)
    let here = true
    const cleanups: (() => void)[] = []
    void import('./outlines.ts').then(({ Outlines }) => {
      if (!here) return
      const marks = [new Outlines(), new Outlines()]
      cleanups.push(left.addLayer(marks[0].view), right.addLayer(marks[1].view))
      cleanups.push(
        effect(() => {
          const [one, other] = [pair.a.record.value, pair.b.record.value]
          const { accent } = PALETTES[theme.value]
          const playing = pair.clock.value.playing
          // While time runs, things are between two steps and frames would lag behind them.
          const found = one === null || other === null || playing ? [] : differences(one.frame, other.frame)
          marks[0].show(
            found.flatMap(({ a }) => (a === null ? [] : [a])),
            accent,
          )
          marks[1].show(
            found.flatMap(({ b }) => (b === null ? [] : [b])),
            accent,
          )
          left.invalidate()
          right.invalidate()
        }),
      )
    })
    return () => {
      here = false
      left.onSight = () => undefined
      right.onSight = () => undefined
      for (const cleanup of cleanups) cleanup()
    }
  }, [pair, left, right])
  return (
    <div class="compare-stages">
      <Column session={pair.a} name={words.first} sign="1" place={query.a!}>
        <StageView session={pair.a} interactive slot={0} onReady={ready(0)} />
      </Column>
      <Column session={pair.b} name={words.second} sign="2" place={query.b!}>
        <StageView session={pair.b} interactive slot={1} onReady={ready(1)} />
      </Column>
    </div>
  )
}

function Column(props: {
  session: Session
  name: string
  sign: string
  place: string
  children: ComponentChildren
}): JSX.Element {
  const { session, name, sign, place, children } = props
  const info = session.info.value!
  const { step, last } = session.clock.value
  const policies = info.header.policies.map((policy) => policy.name).join(', ') || strings.unknown
  const link = place.startsWith('local:') ? null : replayPath(place.startsWith('url:') ? null : place, { step })
  return (
    <section class="compare-column" aria-label={name}>
      <header>
        <span class={`sign sign-${sign}`} aria-hidden="true">
          {sign}
        </span>
        <span>
          <strong>{policies}</strong>{' '}
          <span class="muted">
            {scenarioName(info.header.scenario)} · {strings.bar.return} {figure(info.header.result?.return)}
            {step >= last && ` · ${words.ended}`}
          </span>
        </span>
        {link !== null && (
          <a class="quiet-button" href={link}>
            {strings.home.openOne}
          </a>
        )}
      </header>
      {children}
    </section>
  )
}

/** Where they part, and what differs now. */
function Where({ pair }: { pair: Pair }): JSX.Element {
  const found = pair.divergence.value
  const apart = whyApart(pair)
  const { step } = pair.clock.value
  const [one, other] = [pair.a.record.value, pair.b.record.value]
  const agents = pair.a.info.value?.agents ?? []
  const different = (one === null || other === null ? [] : differences(one.frame, other.frame)).sort(
    (a, b) => Number(agents.includes(b.id)) - Number(agents.includes(a.id)),
  )
  return (
    <section class="block">
      <p role="status" data-parts>
        {found === null && words.searching}
        {found !== null && apart !== null && `${words.startsApart} ${apart}.`}
        {found !== null && apart === null && found.action === null && words.alike}
        {found !== null &&
          apart === null &&
          found.action !== null &&
          `${words.actsApart(found.action)}, ${found.state === null ? words.neverParts : words.partsAt(found.state)}`}
      </p>
      <p data-differences={different.length}>
        {words.now(different.length, step)}
        {different
          .slice(0, NAMED)
          .map(({ id }) => id)
          .join(', ')}
        {different.length > NAMED && ` ${words.more(different.length - NAMED)}`}
      </p>
      <p class="muted row">
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <rect
            x="1.5"
            y="1.5"
            width="13"
            height="13"
            fill="none"
            stroke={hex(PALETTES[theme.value].accent)}
            stroke-width="2"
            stroke-dasharray="3 2.5"
          />
        </svg>
        {words.outlined}
      </p>
    </section>
  )
}

function Totals({ pair }: { pair: Pair }): JSX.Element | null {
  const one = useThrottled(pair.a.record, READABLE_MS).value
  const other = useThrottled(pair.b.record, READABLE_MS).value
  if (one === null || other === null) return null
  const kind = teamRewardOf(pair.a.info.value!.header.scenario)
  const otherKind = teamRewardOf(pair.b.info.value!.header.scenario)
  const rows = [
    {
      name: words.returnSoFar(strings.bar.returnOver[kind]),
      a: one.returns === null ? null : teamReturn(kind, one.returns),
      b: other.returns === null ? null : teamReturn(otherKind, other.returns),
    },
    ...counted(one.frame, other.frame),
  ]
  return (
    <table class="list totals">
      <caption>{words.totals}</caption>
      <thead>
        <tr>
          <th scope="col">{words.total}</th>
          <th scope="col" class="number" aria-label={words.first}>
            1
          </th>
          <th scope="col" class="number" aria-label={words.second}>
            2
          </th>
          <th scope="col" class="number" aria-label={words.difference} title={words.difference}>
            2 − 1
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, a, b }) => (
          <tr key={name} class={a === b ? '' : 'differs'}>
            <th scope="row">{name}</th>
            <td class="number">{a === null ? '–' : figure(a)}</td>
            <td class="number">{b === null ? '–' : figure(b)}</td>
            <td class="number">{a === null || b === null ? '–' : signed(b - a)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function signed(value: number): string {
  return value > 0 ? `+${figure(value)}` : figure(value)
}

/** What every agent does at this step, in both. */
function Actions({ pair }: { pair: Pair }): JSX.Element | null {
  const step = useThrottled(pair.clock, READABLE_MS).value.step
  const [one, other] = [pair.a.info.value!, pair.b.info.value!]
  const names = [...new Set([...one.agents, ...other.agents])]
  return (
    <table class="list actions">
      <caption>{words.actions}</caption>
      <thead>
        <tr>
          <th scope="col">{words.agent}</th>
          <th scope="col" aria-label={words.first}>
            1
          </th>
          <th scope="col" aria-label={words.second}>
            2
          </th>
        </tr>
      </thead>
      <tbody>
        {names.map((agent) => {
          const [a, b] = [actionAt(pair.a, agent, step), actionAt(pair.b, agent, step)]
          return (
            <tr key={agent} class={a === b ? '' : 'differs'}>
              <th scope="row">
                <button
                  type="button"
                  class="quiet-button"
                  aria-pressed={pair.a.agent.value === agent}
                  onClick={() => pair.a.select(pair.a.agent.peek() === agent ? null : agent)}
                >
                  {agent}
                </button>
              </th>
              <td>{a}</td>
              <td>
                {b}
                {a !== b && (
                  <span class="unequal">
                    {' '}
                    <span aria-hidden="true">≠</span>
                    <span class="hidden">{words.differs}</span>
                  </span>
                )}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function actionAt(session: Session, agent: string, step: number): string {
  const info = session.info.value!
  const n = info.agents.indexOf(agent)
  if (n < 0) return '–'
  if (step >= info.steps) return words.ended
  const D = info.header.action.dims
  const from = (step * info.agents.length + n) * D
  return actionName(info.spec?.agents[n].action, Array.from(info.actions.subarray(from, from + D)))
}
