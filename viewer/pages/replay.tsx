/** The replay page: stage, inspector, transport and timeline of one episode. */
import { effect, useComputed, useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { useClock } from '../clock.ts'
import { exposeSession } from '../exposed.ts'
import { Icon } from '../icons.tsx'
import { belongsToField, Keys } from '../keys.ts'
import { lazy } from '../lazy.tsx'
import { wantFork } from '../fork/wanted.ts'
import { Follower } from '../live.ts'
import { Bar, Brand, linkTo, Notice, ThemeButton, VerdictLine } from '../panels/bar.tsx'
import { Events } from '../panels/events.tsx'
import { FilePicker } from '../panels/file-picker.tsx'
import { Help } from '../panels/help.tsx'
import { FIND_AGENT, Inspector } from '../panels/inspector.tsx'
import { OVERLAYS_EVENT } from '../panels/overlay-menu.tsx'
import { StripChoice, Strips } from '../panels/strips.tsx'
import { Timeline, useWidth } from '../panels/timeline.tsx'
import { Transport } from '../panels/transport.tsx'
import { ToolButtons, ToolDialogs, ToolStrip, useTools } from '../panels/tools.tsx'
import { rewrite, type ReplayQuery } from '../route.ts'
import { Session } from '../session.ts'
import { type Source } from '../sources/load.ts'
import { type Connection } from '../sources/socket.ts'
import { scenarioName, StageView } from '../stage/stage-view.tsx'
import { figure, strings } from '../strings.ts'
import { teamReturn, teamRewardOf } from '../survey.ts'
import { eventName } from '../panels/timeline.tsx'
import { useNarrow } from '../narrow.ts'

/** How long the clock must rest before the address follows it, in milliseconds. */
const ADDRESS_MS = 200

interface Props {
  readonly connection: Connection
  readonly source: Source | null
  readonly query: ReplayQuery
}

export function ReplayPage({ connection, source, query }: Props): JSX.Element {
  const session = useMemo(() => new Session(connection), [connection])
  const help = useSignal(false)
  const typed = useSignal('')
  const follower = useSignal<Follower | null>(null)
  const tools = useTools(session)
  const narrow = useNarrow()
  useClock(session)

  useEffect(() => exposeSession(session), [session])
  useEffect(() => () => session.close(), [session])

  // Another replay, or the same at another place (a link, back and forward).
  useEffect(() => {
    if (source === null) return
    const { step, agent, camera, overlays } = query
    void session.open(source, { step, agent, overlays, sight: camera })
  }, [session, source, query])

  useEffect(() => followAddress(session), [session])

  useEffect(() => {
    const keys = new Keys(session, {
      help: () => (help.value = true),
      typed: (digits) => (typed.value = digits),
      overlays: () => dispatchEvent(new Event(OVERLAYS_EVENT)),
      find: () => document.getElementById(FIND_AGENT)?.focus(),
      fork: tools.fork,
      compare: tools.compare,
      share: tools.share,
    })
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || belongsToField(event.target, event.key)) return
      if (session.info.peek() !== null && keys.press(event.key, event.shiftKey)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [session, help, typed, tools])

  // Episodes of a run can be followed.
  const run = source?.kind === 'server' ? runOf(source.id) : null
  useEffect(() => {
    if (run === null) return
    const made = new Follower(session)
    follower.value = made
    const stop = connection.followRun(run, {
      opened: (detail) => detail.replays.length > 0 && made.offer(detail.replays[0]),
      progress: () => {},
      replay: ({ replay }) => made.offer(replay.id),
      gone: () => {},
    })
    return () => {
      follower.value = null
      stop()
      made.close()
    }
  }, [session, connection, run, follower])

  // A page of a scenario sent somebody here to play.
  useEffect(
    () =>
      effect(() => {
        if (session.info.value === null || !wantFork.peek()) return
        wantFork.value = false
        if (session.agent.peek() === null) session.cycle(1)
        tools.fork()
      }),
    [session, tools],
  )

  const info = session.info.value
  const title = info === null ? strings.name : `${scenarioName(info.header.scenario)} · ${strings.name}`
  useEffect(() => {
    document.title = title
  }, [title])

  if (info === null) return <Opening session={session} empty={source === null} />
  const live = (on: boolean) => {
    if (on) follower.value?.resume()
    else session.player.setLive(false)
  }
  return (
    <div class="replay-page">
      <Bar
        session={session}
        onHelp={() => (help.value = true)}
        tools={<ToolButtons session={session} tools={tools} />}
      />
      <VerdictLine session={session} />
      {session.failure.value !== null && <Notice text={session.failure.value} />}
      {session.stopped.value !== null && <Notice text={session.stopped.value} />}
      {info.notice !== null && <StoredNotice session={session} text={info.notice} />}
      <main class="replay-main">
        <h1 class="hidden">{title}</h1>
        <StageView session={session} interactive />
        {!narrow && <SidePanel session={session} />}
      </main>
      <div class="controls">
        <ToolStrip session={session} tools={tools} />
        <Transport session={session} live={run === null ? undefined : live} />
        <Timeline session={session} strips={!narrow} />
      </div>
      {narrow && (
        <aside aria-label={strings.inspector.label}>
          <Tabs session={session} narrow />
        </aside>
      )}
      <Help open={help.value} onClose={() => (help.value = false)} />
      <ToolDialogs session={session} tools={tools} />
      <Spoken session={session} />
      {typed.value !== '' && (
        <p class="typed" role="status">
          {strings.typed(typed.value)}
        </p>
      )}
    </div>
  )
}

/** Why only stored pictures are shown, and which one it is. */
function StoredNotice({ session, text }: { session: Session; text: string }): JSX.Element {
  const shown = useComputed(() => session.record.value?.frameStep)
  const which = shown.value === undefined ? '' : ` (${strings.notice.nearest(shown.value)})`
  return <Notice title={strings.notice.title} text={`${text}${which}`} />
}

/** The run an episode belongs to: ids of its episodes are `run:<run>:<name>`. */
function runOf(id: string): string | null {
  const match = /^run:(.+):[^:]+$/.exec(id)
  return match === null ? null : match[1]
}

/** The address says what the page shows, so that it can be copied at any time; while playing it rests. */
function followAddress(session: Session): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = effect(() => {
    const { playing } = session.clock.value
    void session.agent.value
    void session.sight.value
    void session.overlays.value
    clearTimeout(timer)
    if (session.info.value === null || playing) return
    timer = setTimeout(() => rewrite(linkTo(session)), ADDRESS_MS)
  })
  return () => {
    clearTimeout(timer)
    stop()
  }
}

function SidePanel({ session }: { session: Session }): JSX.Element {
  const open = useSignal(true)
  return (
    <aside class={open.value ? 'side' : 'side closed'} aria-label={strings.inspector.label}>
      <button
        type="button"
        class="quiet-button side-switch"
        aria-expanded={open.value}
        aria-label={open.value ? strings.inspector.hide : strings.inspector.show}
        title={open.value ? strings.inspector.hide : strings.inspector.show}
        onClick={() => (open.value = !open.value)}
      >
        <Icon name="panel" size={16} />
      </button>
      {open.value && <Tabs session={session} narrow={false} />}
    </aside>
  )
}

const WhatIfPanel = lazy(async () => (await import('../whatif/panel.tsx')).WhatIfPanel)

type TabName = 'agents' | 'events' | 'whatIf' | 'charts'

function Tabs({ session, narrow }: { session: Session; narrow: boolean }): JSX.Element {
  const chosen = useSignal<TabName>('agents')
  const names: TabName[] = narrow ? ['agents', 'events', 'charts', 'whatIf'] : ['agents', 'events', 'whatIf']
  const move = (by: number) => {
    const next = names[(names.indexOf(chosen.value) + by + names.length) % names.length]
    chosen.value = next
    document.getElementById(`tab-${next}`)?.focus()
  }
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={strings.tabs.label}>
        {names.map((name) => (
          <button
            key={name}
            id={`tab-${name}`}
            type="button"
            role="tab"
            aria-selected={chosen.value === name}
            aria-controls="tab-panel"
            tabIndex={chosen.value === name ? 0 : -1}
            onClick={() => (chosen.value = name)}
            onKeyDown={(event) => {
              if (event.key === 'ArrowRight') move(1)
              if (event.key === 'ArrowLeft') move(-1)
            }}
          >
            {strings.tabs[name]}
          </button>
        ))}
      </div>
      <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${chosen.value}`} tabIndex={0} class="tab-panel">
        {chosen.value === 'agents' && <Inspector session={session} />}
        {chosen.value === 'events' && <Events session={session} />}
        {chosen.value === 'whatIf' && <WhatIfPanel session={session} />}
        {chosen.value === 'charts' && <Charts session={session} />}
      </div>
    </div>
  )
}

function Charts({ session }: { session: Session }): JSX.Element {
  const [ref, width] = useWidth<HTMLDivElement>()
  return (
    <div ref={ref} class="charts">
      <StripChoice session={session} />
      <Strips session={session} width={width} />
    </div>
  )
}

/** Says the step aloud whenever the clock rests on another one. */
function Spoken({ session }: { session: Session }): JSX.Element {
  const said = useSignal('')
  useEffect(
    () =>
      effect(() => {
        const record = session.record.value
        const info = session.info.value
        const { playing } = session.clock.value
        if (record === null || info === null || playing) return
        const events = record.frame.events
          .filter(({ kind }) => session.events.value.some((event) => event.kind === kind))
          .map(({ kind, agents }) => [eventName(kind), ...(agents ?? [])].join(' '))
        const returns =
          record.returns === null
            ? []
            : [strings.announceReturn(figure(teamReturn(teamRewardOf(info.header.scenario), record.returns)))]
        said.value = strings.announce(record.step, info.steps, [...events.slice(0, 6), ...returns])
      }),
    [session, said],
  )
  return (
    <p class="hidden" aria-live="polite" data-spoken>
      {said.value}
    </p>
  )
}

/** While something is opened, when it failed, and when there is nothing to open. */
function Opening({ session, empty }: { session: Session; empty: boolean }): JSX.Element {
  const opening = session.opening.value
  const failure = session.failure.value
  return (
    <div class="page">
      <header class="bar">
        <Brand />
        <div class="bar-actions">
          <ThemeButton />
        </div>
      </header>
      <main class="message" aria-busy={opening !== null}>
        {opening !== null && (
          <p role="status">
            {strings.files.loading(opening.name)}
            {opening.part > 0 && ` ${strings.files.received(Math.round(100 * opening.part))}`}
          </p>
        )}
        {failure !== null && (
          <p class="failure" role="alert">
            {failure}
          </p>
        )}
        {opening === null && failure === null && empty && <p>{strings.files.lost}</p>}
        {opening === null && (
          <p class="row">
            <FilePicker />
            <a class="quiet-button" href="/">
              {strings.files.home}
            </a>
          </p>
        )}
      </main>
    </div>
  )
}
