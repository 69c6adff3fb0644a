/** The episode at a glance: event marks, return so far, value estimates, and the slider that moves the clock. */
import { useComputed, useSignal } from '@preact/signals'
import { type JSX, type TargetedPointerEvent } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { EventGlyph, EventShape, glyphOf, Icon } from '../icons.tsx'
import { type EpisodeInfo } from '../sources/messages.ts'
import { type Session } from '../session.ts'
import { figure, strings } from '../strings.ts'
import { marksOf, teamReturn, teamRewardOf, type Overview } from '../survey.ts'

const words = strings.timeline

/** Half the slider's thumb, so that step 0 and the last step sit where the strips begin and end. */
const EDGE = 8
const STRIP = 26
/** Height of the row of one kind of marks, and how many kinds get their own. */
const LANE = 13
const LANES = 5
/** Least pixels between two marks of one kind. */
const MARK_GAP = 12

/** @param strips false leaves the strips to another place (narrow screens) */
export function Timeline({ session, strips }: { session: Session; strips: boolean }): JSX.Element {
  const [ref, width] = useWidth<HTMLDivElement>()
  const { step, last } = session.clock.value
  const x = EDGE + (last === 0 ? 0 : step / last) * Math.max(0, width - 2 * EDGE)
  return (
    <section class="timeline" aria-label={words.label}>
      <EventBar session={session} />
      <div class="timeline-track" ref={ref} onPointerDown={(event) => drag(event, session, width)}>
        <Marks session={session} width={width} />
        {strips && <Strips session={session} width={width} />}
        <svg class="playhead" width={width} height="100%" aria-hidden="true">
          <line x1={x} x2={x} y1="0" y2="100%" />
        </svg>
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
      </div>
    </section>
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
function EventBar({ session }: { session: Session }): JSX.Element {
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
    </div>
  )
}

export function eventName(kind: string): string {
  return Object.hasOwn(strings.events.kinds, kind) ? strings.events.kinds[kind] : kind
}

function Marks({ session, width }: { session: Session; width: number }): JSX.Element | null {
  const { last } = session.clock.value
  const room = Math.max(1, width - 2 * EDGE)
  const stretch = Math.max(1, (MARK_GAP * last) / room)
  const marks = marksOf(session.events.value, stretch)
  const kinds = [...new Set(marks.map(({ kind }) => kind))].sort()
  const lanes = Math.min(LANES, kinds.length)
  if (lanes === 0) return null
  return (
    <svg class="marks" width={width} height={lanes * LANE + 2} aria-hidden="true">
      {marks.map(({ step, kind, count }) => {
        const lane = Math.min(lanes - 1, kinds.indexOf(kind))
        const x = EDGE + (step / Math.max(1, last)) * room
        return (
          <g
            key={`${kind}-${step}`}
            class={`mark glyph-${glyphOf(kind)}`}
            transform={`translate(${x} ${lane * LANE + LANE / 2 + 1})`}
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

/** Return strip, and the value strip where the replay holds one. */
export function Strips({ session, width }: { session: Session; width: number }): JSX.Element | null {
  const info = session.info.value
  if (info === null || width <= 0) return null
  const overview = session.overview.value
  const agent = session.agent.value === null ? -1 : info.agents.indexOf(session.agent.value)
  const { last } = session.clock.value
  return (
    <div class="strips">
      {overview.returns.length > 0 && (
        <ReturnStrip info={info} overview={overview} agent={agent} last={last} width={width} />
      )}
      {info.value !== null && (
        <ValueStrip value={info.value} agents={info.agents} agent={agent} last={last} width={width} />
      )}
    </div>
  )
}

function ReturnStrip(props: {
  info: EpisodeInfo
  overview: Overview
  agent: number
  last: number
  width: number
}): JSX.Element {
  const { info, overview, agent, last, width } = props
  const N = info.agents.length
  const kind = teamRewardOf(info.header.scenario)
  const team = (t: number) => teamReturn(kind, overview.returns, t * N, N)
  const own = (t: number) => overview.returns[t * N + agent]
  const lines = [{ at: team, name: 'team' }, ...(agent >= 0 ? [{ at: own, name: 'own' }] : [])]
  const label = words.returns(strings.bar.returnOver[kind])
  return (
    <Strip
      label={agent >= 0 ? `${label} · ${words.returnOf(info.agents[agent])}` : label}
      lines={lines}
      steps={overview.steps}
      last={last}
      width={width}
    />
  )
}

function ValueStrip(props: {
  value: Float32Array
  agents: readonly string[]
  agent: number
  last: number
  width: number
}): JSX.Element {
  const { value, agents, agent, last, width } = props
  const N = agents.length
  const mean = (t: number) => {
    let sum = 0
    for (let n = 0; n < N; n++) sum += value[t * N + n]
    return sum / N
  }
  const own = (t: number) => value[t * N + agent]
  const lines = [{ at: mean, name: 'team' }, ...(agent >= 0 ? [{ at: own, name: 'own' }] : [])]
  const steps = Math.max(0, value.length / N - 1)
  return (
    <Strip
      label={agent >= 0 ? words.valueOf(agents[agent]) : words.values}
      lines={lines}
      steps={steps}
      last={last}
      width={width}
    />
  )
}

/** A line over the episode, at most one point per pixel, with the least and greatest number at its right. */
function Strip(props: {
  label: string
  lines: readonly { at: (step: number) => number; name: string }[]
  steps: number
  last: number
  width: number
}): JSX.Element {
  const { label, lines, steps, last, width } = props
  const room = Math.max(1, width - 2 * EDGE)
  const stride = Math.max(1, Math.ceil(last / room))
  let low = 0
  let high = 0
  for (const { at } of lines) {
    for (let t = 0; t <= steps; t += stride) {
      const value = at(t)
      if (value < low) low = value
      if (value > high) high = value
    }
  }
  const y = (value: number) => STRIP - 3 - (high === low ? 0 : ((value - low) / (high - low)) * (STRIP - 6))
  const path = (at: (step: number) => number) => {
    let d = ''
    for (let t = 0; t <= steps; t += stride) {
      const px = EDGE + (t / Math.max(1, last)) * room
      d += `${d === '' ? 'M' : 'L'}${px.toFixed(1)} ${y(at(t)).toFixed(1)}`
    }
    return d
  }
  return (
    <figure class="strip">
      <figcaption>
        <span>{label}</span>
        <span class="range">{low === high ? figure(low) : `${figure(low)} – ${figure(high)}`}</span>
      </figcaption>
      <svg width={width} height={STRIP} aria-hidden="true">
        <line class="zero" x1={EDGE} x2={width - EDGE} y1={y(0)} y2={y(0)} />
        {lines.map(({ at, name }) => (
          <path key={name} class={`line-${name}`} d={path(at)} />
        ))}
      </svg>
    </figure>
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
