/** What can be done with a replay besides watching it: fork, compare, share. Loaded when first used. */
import { useComputed, useSignal, type Signal } from '@preact/signals'
import { type ComponentChildren, type JSX } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { type ForkLink } from '../fork/link.ts'
import { Icon } from '../icons.tsx'
import { lazy } from '../lazy.tsx'
import { comparePath, navigate } from '../route.ts'
import { type Session } from '../session.ts'
import { type Lasting } from '../sources/bytes.ts'
import { placeOf } from '../sources/kept.ts'
import { strings } from '../strings.ts'
import { useThrottled } from './throttle.ts'

const ForkDialog = lazy(async () => (await import('../fork/dialog.tsx')).ForkDialog)
const ShareDialog = lazy(async () => (await import('../share/dialog.tsx')).ShareDialog)
const ForkStrip = lazy(async () => (await import('../fork/strip.tsx')).ForkStrip)

export interface Tools {
  readonly open: Signal<'none' | 'fork' | 'share'>
  /** The fork that is shown instead of what was opened. */
  readonly link: Signal<ForkLink | null>
  /** What was opened, and where the fork left it. */
  readonly origin: Signal<{ source: Lasting; step: number } | null>
  fork(): void
  compare(): void
  share(): void
}

export function useTools(session: Session): Tools {
  const open = useSignal<'none' | 'fork' | 'share'>('none')
  const link = useSignal<ForkLink | null>(null)
  const origin = useSignal<Tools['origin']['value']>(null)
  return useMemo(
    () => ({
      open,
      link,
      origin,
      fork: () => {
        if (session.info.peek()?.mode === 'resimulate') open.value = 'fork'
      },
      share: () => {
        if (session.info.peek() !== null) open.value = 'share'
      },
      compare: () => {
        const source = session.source.peek()
        if (source !== null && source.kind !== 'fork') {
          navigate(comparePath({ a: placeOf(source), step: session.clock.peek().step }))
        }
      },
    }),
    [session, open, link, origin],
  )
}

export function ToolButtons({ session, tools }: { session: Session; tools: Tools }): JSX.Element | null {
  const info = session.info.value
  const step = useThrottled(
    useComputed(() => session.clock.value.step),
    150,
  ).value
  if (info === null || session.source.value?.kind === 'fork') return null
  const words = strings.fork
  const can = info.mode === 'resimulate'
  return (
    <>
      <button
        type="button"
        class="quiet-button"
        title={strings.compare.buttonTip}
        aria-label={strings.compare.button}
        onClick={tools.compare}
      >
        <Icon name="compare" size={16} />
        <span class="wide">{strings.compare.button}</span>
      </button>
      <button
        type="button"
        class="quiet-button"
        title={can ? words.buttonTip(step) : words.onlySimulated}
        aria-label={words.button}
        disabled={!can}
        onClick={tools.fork}
      >
        <Icon name="fork" size={16} />
        <span class="wide">{words.button}</span>
      </button>
      <button
        type="button"
        class="quiet-button"
        title={strings.share.buttonTip}
        aria-label={strings.share.button}
        onClick={tools.share}
      >
        <Icon name="share" size={16} />
        <span class="wide">{strings.share.button}</span>
      </button>
    </>
  )
}

/** The fork that is shown. */
function current(session: Session, tools: Tools): ForkLink | null {
  return session.source.value?.kind === 'fork' ? tools.link.value : null
}

export function ToolStrip({ session, tools }: { session: Session; tools: Tools }): JSX.Element | null {
  const link = current(session, tools)
  if (link === null) return null
  const back = () => {
    const { source, step } = tools.origin.peek()!
    link.stop()
    void session.open(source, { step })
  }
  const compare = (file: File) => {
    const { source } = tools.origin.peek()!
    const { at } = link.state.peek()
    navigate(comparePath({ a: placeOf(source), b: placeOf({ kind: 'file', file }), step: at }))
  }
  return <ForkStrip session={session} link={link} onChange={tools.fork} onBack={back} onCompare={compare} />
}

export function ToolDialogs({ session, tools }: { session: Session; tools: Tools }): JSX.Element {
  const link = current(session, tools)
  const source = session.source.value
  const open = tools.open.value
  const close = () => (tools.open.value = 'none')
  return (
    <>
      <Once when={open === 'fork'}>
        <ForkDialog
          session={session}
          link={link}
          open={open === 'fork'}
          onClose={close}
          onFork={(made) => {
            // Until now the session held what was opened.
            tools.link.value = made
            if (source !== null && source.kind !== 'fork') tools.origin.value = { source, step: made.state.peek().at }
          }}
        />
      </Once>
      <Once when={open === 'share'}>
        <ShareDialog session={session} open={open === 'share'} onClose={close} />
      </Once>
    </>
  )
}

/** Nothing until it is wanted for the first time; from then on always there. */
function Once({ when, children }: { when: boolean; children: ComponentChildren }): JSX.Element | null {
  const wanted = useRef(false)
  wanted.current ||= when
  return wanted.current ? <>{children}</> : null
}
