/** What the leaderboard's pages share: their bar, badges, and asking the server. */
import { useSignal, type Signal } from '@preact/signals'
import { type ComponentChildren, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { type Level } from '../../server/protocol/rest.ts'
import { figure, strings } from '../strings.ts'
import { Brand, ThemeButton } from './bar.tsx'

const words = strings.leaderboard

export function BoardFrame(props: {
  title: string
  here?: 'boards' | 'submit' | 'tournaments'
  children: ComponentChildren
}): JSX.Element {
  useEffect(() => {
    document.title = `${props.title} · ${strings.name}`
  }, [props.title])
  return (
    <div class="page board-page">
      <header class="bar">
        <Brand />
        <nav class="board-nav" aria-label={words.nav.label}>
          <a href="/boards" aria-current={props.here === 'boards' ? 'page' : undefined}>
            {words.nav.boards}
          </a>
          <a href="/tournaments" aria-current={props.here === 'tournaments' ? 'page' : undefined}>
            {words.nav.tournaments}
          </a>
          <a href="/submit" aria-current={props.here === 'submit' ? 'page' : undefined}>
            {words.nav.submit}
          </a>
        </nav>
        <div class="bar-actions">
          <ThemeButton />
        </div>
      </header>
      <main class="board-main">{props.children}</main>
    </div>
  )
}

/** What a page asked for: on its way, there, or refused in one sentence. */
export type Asked<T> = { readonly kind: 'asking' } | { readonly kind: 'here'; readonly value: T } | Failed
interface Failed {
  readonly kind: 'failed'
  readonly message: string
}

/** Asks again whenever `keys` change; what is there stays until the next answer. */
export function useAsked<T>(ask: () => Promise<T>, keys: readonly unknown[]): [Signal<Asked<T>>, () => void] {
  const asked = useSignal<Asked<T>>({ kind: 'asking' })
  const round = useSignal(0)
  const go = () => {
    const mine = ++round.value
    ask().then(
      (value) => {
        if (round.peek() === mine) asked.value = { kind: 'here', value }
      },
      (error: unknown) => {
        if (round.peek() === mine) asked.value = { kind: 'failed', message: (error as Error).message }
      },
    )
  }
  useEffect(() => {
    go()
    return () => void round.value++
  }, keys as unknown[])
  return [asked, go]
}

export function Waiting<T>({ asked, again }: { asked: Asked<T>; again: () => void }): JSX.Element | null {
  if (asked.kind === 'here') return null
  if (asked.kind === 'asking') return <p role="status">{words.loading}</p>
  return (
    <p class="notice board-notice" role="alert">
      {asked.message}{' '}
      <button type="button" class="quiet-button" onClick={again}>
        {words.retry}
      </button>
    </p>
  )
}

/** Evidence: a word and one to three bars, so that colour is not needed. */
export function EvidenceBadge({ level }: { level: Level }): JSX.Element {
  const bars = ['claimed', 'replayed', 'live', 'executed'].indexOf(level)
  return (
    <span class={`badge evidence evidence-${level}`} title={words.levelMeans[level]}>
      <svg width="14" height="10" viewBox="0 0 14 10" aria-hidden="true">
        {[0, 1, 2].map((k) => (
          <rect key={k} x={k * 5} y={6 - k * 3} width="3.5" height={4 + k * 3} class={k < bars ? 'on' : 'off'} />
        ))}
      </svg>
      {words.levels[level] ?? level}
    </span>
  )
}

export const two = (value: number | null | undefined): string =>
  value == null ? '–' : figure(Math.abs(value) < 10 ? Math.round(value * 1000) / 1000 : Math.round(value * 100) / 100)

/** A day, or a minute of a day, in the reader's own zone. */
export function moment(iso: string, withTime = false): string {
  const at = new Date(iso)
  if (Number.isNaN(at.getTime())) return iso
  const pad = (n: number) => String(n).padStart(2, '0')
  const day = `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`
  return withTime ? `${day} ${pad(at.getHours())}:${pad(at.getMinutes())}` : day
}

export const shortHash = (hash: string): string => (hash.length > 16 ? `${hash.slice(0, 12)}…` : hash)
