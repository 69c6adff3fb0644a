/** The episode at a glance: event marks, return so far, value estimates, and the slider that moves the clock. */
import { useComputed, useSignal } from '@preact/signals'
import { type JSX, type TargetedPointerEvent } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { glyphOf } from '../glyphs.ts'
import { EventGlyph, EventShape, Icon } from '../icons.tsx'
import { type Session } from '../session.ts'
import { strings } from '../strings.ts'
import { marksOf } from '../survey.ts'
import { EDGE, StripChoice, Strips } from './strips.tsx'
import { useThrottled } from './throttle.ts'

const words = strings.timeline

/** Height of the row of one kind of marks, and how many kinds get their own. */
const LANE = 13
const LANES = 5
/** Least pixels between two marks of one kind. */
const MARK_GAP = 12

/** @param strips false leaves the strips to another place (narrow screens) */
export function Timeline({ session, strips }: { session: Session; strips: boolean }): JSX.Element {
  const [ref, width] = useWidth<HTMLDivElement>()
  return (
    <section class="timeline" aria-label={words.label}>
      <EventBar session={session} strips={strips} />
      <div class="timeline-track" ref={ref} onPointerDown={(event) => drag(event, session, width)}>
        <LoopRange session={session} width={width} />
        <Marks session={session} width={width} />
        <Bookmarks session={session} width={width} />
        {strips && <Strips session={session} width={width} />}
        <Playhead session={session} width={width} />
        <Scrub session={session} />
      </div>
    </section>
  )
}

/** Where a step is on the track, in pixels. */
const placeOf = (step: number, last: number, width: number) =>
  EDGE + (step / Math.max(1, last)) * Math.max(0, width - 2 * EDGE)

/** Time between two places of the playhead and the slider: each lays out the timeline again. */
const MOVING_MS = 50

/** Only this and the slider change with the step; the rest of the timeline changes with the episode. */
function Playhead({ session, width }: { session: Session; width: number }): JSX.Element {
  const at = useThrottled(
    useComputed(() => {
      const { step, last } = session.clock.value
      return `${step}/${last}`
    }),
    MOVING_MS,
  )
  const [step, last] = at.value.split('/').map(Number)
  const x = placeOf(step, last, width)
  return (
    <svg class="playhead" width={width} height="100%" aria-hidden="true">
      <line x1={x} x2={x} y1="0" y2="100%" />
    </svg>
  )
}

function Scrub({ session }: { session: Session }): JSX.Element {
  const at = useThrottled(
    useComputed(() => {
      const { step, last } = session.clock.value
      return `${step}/${last}`
    }),
    MOVING_MS,
  )
  const [step, last] = at.value.split('/').map(Number)
  return (
    <input
      class="scrub"
      type="range"
      min="0"
      max={String(last)}
      step="1"
      value={String(step)}
      aria-label={words.slider}
      aria-valuetext={words.sliderText(step, last)}
      onInput={(event) => session.player.seek(Number(event.currentTarget.value))}
    />
  )
}

/** The stretch that the loop plays, shaded. */
function LoopRange({ session, width }: { session: Session; width: number }): JSX.Element | null {
  const range = useComputed(() => session.clock.value.range)
  const last = useComputed(() => session.clock.value.last)
  if (range.value === null) return null
  const { from, to } = range.value
  const left = placeOf(from, last.value, width)
  return (
    <span
      class="loop-range"
      title={strings.transport.loopRange(from, to)}
      style={{ left: `${left}px`, width: `${placeOf(to, last.value, width) - left}px` }}
    />
  )
}

/** Flags that the user has put; each goes to its step. */
function Bookmarks({ session, width }: { session: Session; width: number }): JSX.Element | null {
  const last = useComputed(() => session.clock.value.last)
  const steps = session.bookmarks.value
  if (steps.length === 0) return null
  return (
    <svg class="marks bookmarks" width={width} height={LANE + 2} aria-hidden="true">
      {steps.map((step) => (
        <g
          key={step}
          class="mark"
          data-bookmark={step}
          transform={`translate(${placeOf(step, last.value, width)} 1)`}
          onPointerDown={(event) => {
            event.stopPropagation()
            session.player.seek(step)
          }}
        >
          <title>{words.bookmarkAt(step)}</title>
          <rect x="-7" y="0" width="14" height={LANE} fill="transparent" />
          <path d="M-4 1H4V12L0 8.500-4 12z" fill="currentColor" />
        </g>
      ))}
    </svg>
  )
}

/** The whole timeline is a way to move the clock; the slider itself does it for keys and screen readers. */
function drag(event: TargetedPointerEvent<HTMLDivElement>, session: Session, width: number): void {
  if (event.button !== 0 || event.target instanceof HTMLInputElement) return
  const track = event.currentTarget
  const left = track.getBoundingClientRect().left + EDGE
  const seek = (x: number) => {
    const share = Math.min(1, Math.max(0, (x - left) / Math.max(1, width - 2 * EDGE)))
    session.player.seek(Math.round(share * session.clock.peek().last))
  }
  track.setPointerCapture(event.pointerId)
  const move = (next: PointerEvent) => seek(next.clientX)
  const stop = () => {
    track.removeEventListener('pointermove', move)
    track.removeEventListener('pointerup', stop)
    track.removeEventListener('pointercancel', stop)
  }
  track.addEventListener('pointermove', move)
  track.addEventListener('pointerup', stop)
  track.addEventListener('pointercancel', stop)
  seek(event.clientX)
}

/** Which signs mean what, how often, and the way from one to the next. */
function EventBar({ session, strips }: { session: Session; strips: boolean }): JSX.Element {
  const counts = useComputed(() => {
    const found = new Map<string, number>()
    for (const { kind } of session.events.value) found.set(kind, (found.get(kind) ?? 0) + 1)
    return [...found].sort((a, b) => a[0].localeCompare(b[0]))
  })
  const { done, steps, limited } = session.overview.value
  const total = session.info.value?.steps ?? 0
  return (
    <div class="event-bar">
      {counts.value.length > 0 && (
        <>
          <button
            type="button"
            class="quiet-button"
            title={`${words.previous} (Shift ←)`}
            onClick={() => session.jump(-1)}
          >
            <Icon name="back" size={12} />
            {words.previous}
          </button>
          <button type="button" class="quiet-button" title={`${words.next} (Shift →)`} onClick={() => session.jump(1)}>
            {words.next}
            <Icon name="forward" size={12} />
          </button>
        </>
      )}
      <ul class="event-kinds">
        {counts.value.map(([kind, count]) => (
          <li key={kind}>
            <EventGlyph kind={kind} />
            {eventName(kind)} <b>{strings.count(count)}</b>
          </li>
        ))}
        {counts.value.length === 0 && done && <li>{words.noEvents}</li>}
        {limited && <li>{words.surveyed(steps)}</li>}
        {!done && !limited && total > 2000 && <li>{words.scanning(Math.floor((100 * steps) / total))}</li>}
      </ul>
      {strips && <StripChoice session={session} />}
    </div>
  )
}

export function eventName(kind: string): string {
  return Object.hasOwn(strings.events.kinds, kind) ? strings.events.kinds[kind] : kind
}

function Marks({ session, width }: { session: Session; width: number }): JSX.Element | null {
  const last = useComputed(() => session.clock.value.last).value
  const events = session.events.value
  const room = Math.max(1, width - 2 * EDGE)
  const marks = useMemo(() => marksOf(events, Math.max(1, (MARK_GAP * last) / room)), [events, last, room])
  const kinds = [...new Set(marks.map(({ kind }) => kind))].sort()
  const lanes = Math.min(LANES, kinds.length)
  if (lanes === 0) return null
  return (
    <svg class="marks" width={width} height={lanes * LANE + 2} aria-hidden="true">
      {marks.map(({ step, kind, count }) => {
        const lane = Math.min(lanes - 1, kinds.indexOf(kind))
        return (
          <g
            key={`${kind}-${step}`}
            class={`mark glyph-${glyphOf(kind)}`}
            data-mark={`${kind} ${step}`}
            transform={`translate(${placeOf(step, last, width)} ${lane * LANE + LANE / 2 + 1})`}
            onPointerDown={(event) => {
              event.stopPropagation()
              session.player.seek(step)
            }}
          >
            <title>{`${strings.events.row(step)}: ${count > 1 ? words.more(count, eventName(kind)) : eventName(kind)}`}</title>
            <rect x="-7" y={-LANE / 2} width="14" height={LANE} fill="transparent" />
            <EventShape kind={kind} />
          </g>
        )
      })}
    </svg>
  )
}

/** The width of an element, in pixels, as it changes. */
export function useWidth<T extends HTMLElement>(): [{ current: T | null }, number] {
  const ref = useRef<T>(null)
  const width = useSignal(0)
  useEffect(() => {
    const element = ref.current
    if (element === null) return
    const observer = new ResizeObserver(() => {
      width.value = element.clientWidth
    })
    observer.observe(element)
    width.value = element.clientWidth
    return () => observer.disconnect()
  }, [width])
  return [ref, width.value]
}
