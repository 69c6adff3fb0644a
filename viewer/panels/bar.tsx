/** The line above the stage: what is shown, whether it is genuine, and what to do with it. */
import { useComputed, useSignal } from '@preact/signals'
import { type ComponentChildren, type JSX } from 'preact'
import { Icon } from '../icons.tsx'
import { replayPath } from '../route.ts'
import { type Session } from '../session.ts'
import { replayAddress } from '../sources/load.ts'
import { scenarioName } from '../stage/stage-view.tsx'
import { figure, strings } from '../strings.ts'
import { teamReturn, teamRewardOf } from '../survey.ts'
import { switchTheme, theme } from '../theme.ts'
import { copyText } from './copy.tsx'
import { useThrottled } from './throttle.ts'

const words = strings.bar
const SHOWN_MS = 2500

export function Brand(): JSX.Element {
  return (
    <a class="brand" href="/" title={words.back}>
      <img src="/favicon.svg" alt="" width="22" height="22" />
      {strings.name}
    </a>
  )
}

export function ThemeButton(): JSX.Element {
  const dark = theme.value === 'dark'
  return (
    <button type="button" class="quiet-button" aria-label={words.theme.label} onClick={switchTheme}>
      <Icon name={dark ? 'sun' : 'moon'} size={16} />
      <span class="wide less">{dark ? words.theme.light : words.theme.dark}</span>
    </button>
  )
}

/** @param tools what else can be done with the replay */
export function Bar(props: { session: Session; onHelp: () => void; tools?: ComponentChildren }): JSX.Element {
  const { session, onHelp, tools } = props
  const info = session.info.value
  const source = session.source.value
  return (
    <header class="bar">
      <Brand />
      {info !== null && (
        <dl class="bar-facts">
          <Fact name={words.scenario} value={scenarioName(info.header.scenario)} strong />
          <Fact
            name={words.policy}
            value={info.header.policies.map(({ name }) => name).join(', ') || strings.unknown}
          />
          <Fact name={words.seed} value={shortSeed(info.header.seed)} title={info.header.seed ?? ''} mono />
          <Fact
            name={words.return}
            value={figure(info.header.result?.return ?? soFar(session))}
            title={words.returnOver[teamRewardOf(info.header.scenario)]}
            after={words.returnOver[teamRewardOf(info.header.scenario)]}
          />
        </dl>
      )}
      {info !== null && <Badge session={session} />}
      <div class="bar-actions">
        {tools}
        {info !== null && <CopyLink session={session} />}
        {source?.kind === 'server' && (
          <a
            class="quiet-button download"
            href={replayAddress(source.id)}
            download={`${info?.name ?? 'episode'}.replay`}
          >
            <Icon name="download" size={16} />
            <span class="hidden">{words.downloads}</span>
          </a>
        )}
        <button type="button" class="quiet-button" aria-label={words.helpLabel} onClick={onHelp}>
          <Icon name="help" size={16} />
          <span class="wide less">{words.help}</span>
        </button>
        <ThemeButton />
      </div>
    </header>
  )
}

/** Return of an episode that is still being played. */
function soFar(session: Session): number | undefined {
  const { returns, steps } = session.overview.value
  const agents = session.info.value?.agents.length ?? 0
  if (session.source.value?.kind !== 'fork' || returns.length === 0) return undefined
  return teamReturn(teamRewardOf(session.info.value?.header.scenario), returns, steps * agents, agents)
}

function Fact(props: {
  name: string
  value: string
  title?: string
  after?: string
  strong?: boolean
  mono?: boolean
}): JSX.Element {
  const { name, value, title, after, strong, mono } = props
  return (
    <div title={title} class={`fact-${name}`}>
      <dt>{name}</dt>
      <dd class={[strong ? 'strong' : '', mono ? 'mono' : ''].join(' ').trim()}>
        {value}
        {after !== undefined && <span class="after">{after}</span>}
      </dd>
    </div>
  )
}

function shortSeed(seed: string | null): string {
  if (seed === null) return 'none'
  return seed.length > 12 ? `${seed.slice(0, 8)}…` : seed
}

function Badge({ session }: { session: Session }): JSX.Element {
  const checking = session.checking.value
  const verify = strings.verify
  if (session.info.value?.mode === 'stored') return <span class="badge">{verify.cannotShort}</span>
  if (checking.kind === 'checking') return <span class="badge">{verify.checking}</span>
  if (checking.kind === 'done') {
    const { verdict } = checking
    if (verdict.ok) {
      return (
        <span class="badge good" role="status" title={verify.genuineDetail}>
          <Icon name="check" size={14} />
          {verify.genuine(verdict.steps)}
        </span>
      )
    }
    return (
      <span class="badge bad" role="status">
        <Icon name="cross" size={14} />
        {verdict.step === undefined ? verify.differsWhat(verdict.what) : verify.differs(verdict.step)}
      </span>
    )
  }
  return (
    <button type="button" class="badge-button" onClick={() => void session.verify()}>
      <span class="dot" aria-hidden="true" />
      {verify.button}
    </button>
  )
}

/** Under the bar: what verification found, when it did not find agreement. */
export function VerdictLine({ session }: { session: Session }): JSX.Element | null {
  const checking = session.checking.value
  const verify = strings.verify
  if (checking.kind === 'failed') return <Notice text={checking.message} />
  if (checking.kind !== 'done' || checking.verdict.ok) return null
  const { step, what, expected, actual } = checking.verdict
  return (
    <Notice text={verify.differsDetail(what, expected, actual)}>
      {step !== undefined && (
        <button type="button" class="quiet-button" onClick={() => session.player.seek(step)}>
          {verify.goTo(step)}
        </button>
      )}
    </Notice>
  )
}

export function Notice(props: { title?: string; text: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="notice" role="status">
      <p>
        {props.title !== undefined && <strong>{props.title} </strong>}
        {props.text}
      </p>
      {props.children}
    </div>
  )
}

function CopyLink({ session }: { session: Session }): JSX.Element {
  const said = useSignal<string | null>(null)
  const step = useThrottled(
    useComputed(() => session.clock.value.step),
    200,
  ).value
  const source = session.source.value
  const local = source?.kind === 'file'
  const copy = async () => {
    if (local) said.value = words.localFile
    else {
      const address = linkTo(session)
      said.value = (await copyText(`${location.origin}${address}`)) ? words.copied : words.copyFailed
    }
    setTimeout(() => (said.value = null), local ? 2 * SHOWN_MS : SHOWN_MS)
  }
  return (
    <>
      <button
        type="button"
        class="quiet-button"
        aria-label={words.copyLink(step)}
        title={words.copyLink(step)}
        onClick={copy}
      >
        <Icon name="link" size={16} />
        <span class="wide less">{words.copyLink(step)}</span>
      </button>
      <span class="toast" role="status">
        {said.value}
      </span>
    </>
  )
}

/** The address of what the page shows now. */
export function linkTo(session: Session): string {
  const source = session.source.peek()
  const query = {
    step: session.clock.peek().step,
    agent: session.agent.peek(),
    camera: session.sight.peek(),
    overlays: [...session.overlays.peek()],
  }
  if (source?.kind === 'server') return replayPath(source.id, query)
  if (source?.kind === 'address') return replayPath(null, { ...query, url: source.address })
  return replayPath(null, query)
}
