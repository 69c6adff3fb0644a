/** The player without the rest of the page: in a frame of another page, or alone in a file. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { useClock } from '../clock.ts'
import { exposeSession } from '../exposed.ts'
import { Icon } from '../icons.tsx'
import { belongsToField, Keys } from '../keys.ts'
import { Help } from '../panels/help.tsx'
import { Inspector } from '../panels/inspector.tsx'
import { Notice } from '../panels/bar.tsx'
import { Timeline } from '../panels/timeline.tsx'
import { Transport } from '../panels/transport.tsx'
import { replayPath, type ReplayQuery } from '../route.ts'
import { Session } from '../session.ts'
import { type Lasting } from '../sources/bytes.ts'
import { type Connection } from '../sources/socket.ts'
import { scenarioName, StageView } from '../stage/stage-view.tsx'
import { strings } from '../strings.ts'
import { originOf } from './embed-contract.ts'
import { keepContract } from './embedded.ts'
import './embed.css'

const words = strings.share

interface Props {
  readonly connection?: Connection
  readonly source: Lasting | null
  readonly query: Pick<ReplayQuery, 'step' | 'agent' | 'overlays' | 'camera'>
  /** Origin of the page around, where the address says it. */
  readonly parent: string | null
  /** Called with the session; what it returns is called at the end. */
  onSession?(session: Session): () => void
}

export function EmbedPage({ connection, source, query, parent, onSession }: Props): JSX.Element {
  const session = useMemo(() => new Session(connection), [connection])
  const help = useSignal(false)
  const typed = useSignal('')
  const side = useSignal(false)
  useClock(session)
  useEffect(() => exposeSession(session), [session])
  useEffect(() => () => session.close(), [session])
  useEffect(() => keepContract(session, originOf(parent)), [session, parent])
  useEffect(() => {
    const { step, agent, overlays, camera } = query
    if (source !== null) void session.open(source, { step, agent, overlays, sight: camera })
  }, [session, source, query])
  useEffect(() => onSession?.(session), [session, onSession])
  useEffect(() => {
    const keys = new Keys(session, { help: () => (help.value = true), typed: (digits) => (typed.value = digits) })
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || belongsToField(event.target, event.key)) return
      if (session.info.peek() !== null && keys.press(event.key, event.shiftKey)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [session, help, typed])

  const info = session.info.value
  const failure = session.failure.value
  if (info === null) {
    return (
      <main class="message embed-message">
        {failure !== null ? (
          <Notice text={failure} />
        ) : (
          <p role="status">
            {session.opening.value === null ? words.waiting : strings.files.loading(session.opening.value.name)}
          </p>
        )}
      </main>
    )
  }
  const title = scenarioName(info.header.scenario)
  return (
    <div class="embed-page">
      <main class="replay-main">
        <h1 class="hidden">{title}</h1>
        <StageView session={session} interactive />
        {side.value && (
          <aside class="side embed-side" aria-label={strings.inspector.label} tabIndex={0}>
            <Inspector session={session} />
          </aside>
        )}
      </main>
      {failure !== null && <Notice text={failure} />}
      {info.notice !== null && <Notice title={strings.notice.title} text={info.notice} />}
      <div class="controls">
        <div class="embed-line">
          <span>
            <strong>{title}</strong>{' '}
            <span class="muted">{info.header.policies.map(({ name }) => name).join(', ') || strings.unknown}</span>
          </span>
          <button
            type="button"
            class="quiet-button"
            aria-expanded={side.value}
            onClick={() => (side.value = !side.value)}
          >
            <Icon name="panel" size={16} />
            {side.value ? strings.inspector.hide : strings.inspector.show}
          </button>
          <FullLink session={session} />
        </div>
        <Transport session={session} />
        <Timeline session={session} strips={false} />
      </div>
      <Help open={help.value} onClose={() => (help.value = false)} />
    </div>
  )
}

/** The same step in the whole viewer, in a tab of its own. */
function FullLink({ session }: { session: Session }): JSX.Element | null {
  const source = session.source.value
  const { step } = session.clock.value
  if (source?.kind !== 'server') return null
  return (
    <a
      class="quiet-button"
      target="_blank"
      rel="noopener"
      href={replayPath(source.id, { step, agent: session.agent.value })}
    >
      {words.full}
    </a>
  )
}
