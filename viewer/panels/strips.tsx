/** Lines under the timeline: return, reward, value, advantage and entropy over the episode. */
import { useComputed, type ReadonlySignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { GAMMA, LAMBDA } from '../estimates.ts'
import { type EpisodeInfo } from '../sources/messages.ts'
import { type Session } from '../session.ts'
import { decimated, seriesOf, STRIPS, teamsOf, type Series, type StripId } from '../strip-data.ts'
import { figure, strings } from '../strings.ts'
import { teamRewardOf, type Overview } from '../survey.ts'
import { useThrottled } from './throttle.ts'

const words = strings.timeline

/** Half the slider's thumb, so that step 0 and the last step sit where the strips begin and end. */
export const EDGE = 8
const STRIP = 26
/** How often the numbers at the clock's step change while it runs, in milliseconds. */
const READABLE_MS = 150

/** Which strips are shown. */
export function StripChoice({ session }: { session: Session }): JSX.Element | null {
  const offered = useComputed(() => {
    const info = session.info.value
    return info === null ? [] : STRIPS.filter((id) => seriesOf(info, session.overview.value).has(id))
  })
  if (offered.value.length === 0) return null
  const chosen = session.strips.value
  return (
    <div class="strip-choice" role="group" aria-label={words.strips}>
      {offered.value.map((id) => (
        <button
          key={id}
          type="button"
          class="strip-toggle"
          aria-pressed={chosen.has(id)}
          onClick={() => session.toggleStrip(id)}
        >
          {words.strip[id]}
        </button>
      ))}
    </div>
  )
}

export function Strips({ session, width }: { session: Session; width: number }): JSX.Element | null {
  const last = useComputed(() => session.clock.value.last)
  const step = useThrottled(
    useComputed(() => session.clock.value.step),
    READABLE_MS,
  )
  const info = session.info.value
  if (info === null || width <= 0) return null
  const overview = session.overview.value
  const series = seriesOf(info, overview)
  const agent = session.agent.value === null ? -1 : info.agents.indexOf(session.agent.value)
  return (
    <div class="strips">
      {STRIPS.filter((id) => session.strips.value.has(id) && series.has(id)).map((id) => (
        <Strip
          key={id}
          id={id}
          info={info}
          overview={overview}
          series={series.get(id)!}
          agent={agent}
          last={last.value}
          width={width}
          step={step}
        />
      ))}
    </div>
  )
}

interface Line {
  readonly name: string
  readonly label: string
  at(step: number): number
}

function Strip(props: {
  id: StripId
  info: EpisodeInfo
  overview: Overview
  series: Series
  agent: number
  last: number
  width: number
  step: ReadonlySignal<number>
}): JSX.Element {
  const { id, info, overview, series, agent, last, width, step } = props
  const lines = useMemo((): Line[] => {
    const teams = teamsOf(info).map((team, k) => ({
      name: `team line-team-${k}`,
      label: team.name,
      at: (t: number) => series.team(t, team),
    }))
    if (agent < 0) return teams
    return [...teams, { name: 'own', label: info.agents[agent], at: (t) => series.own(t, agent) }]
  }, [info, series, agent])
  const drawn = useMemo(() => plot(lines, series, last, width), [lines, series, overview.steps, last, width])
  const { low, high } = drawn
  const many = lines.filter(({ name }) => name !== 'own').length > 1
  return (
    <figure class="strip" data-strip={id}>
      <figcaption>
        <span>
          {captionOf(id, info)}
          {many && lines.map(({ name, label }) => <LineKey key={name} name={name} label={label} />)}
          {!many && agent >= 0 && <LineKey name="own" label={info.agents[agent]} />}
        </span>
        <span class="range">
          <Now lines={lines} series={series} step={step} />
          {low === high ? figure(low) : `${strings.short(low)} – ${strings.short(high)}`}
        </span>
      </figcaption>
      <svg width={width} height={STRIP} aria-hidden="true">
        <line class="zero" x1={EDGE} x2={width - EDGE} y1={drawn.zero} y2={drawn.zero} />
        {drawn.paths.map(({ name, d }) => (
          <path key={name} class={`line-${name}`} d={d} />
        ))}
      </svg>
    </figure>
  )
}

function LineKey({ name, label }: { name: string; label: string }): JSX.Element {
  return (
    <span class="line-key">
      <svg width="18" height="8" aria-hidden="true">
        <path class={`line-${name}`} d="M0 4H18" />
      </svg>
      {label}
    </span>
  )
}

/** The numbers at the step of the clock. */
function Now(props: { lines: readonly Line[]; series: Series; step: ReadonlySignal<number> }): JSX.Element | null {
  const { lines, series } = props
  const step = props.step.value
  if (step < series.from || step > series.to) return null
  return <b data-now>{words.at(lines.map(({ at }) => strings.short(at(step))).join(' · '))}</b>
}

function captionOf(id: StripId, info: EpisodeInfo): string {
  const over = strings.bar.returnOver[teamRewardOf(info.header.scenario)]
  if (id === 'return') return words.returns(over)
  if (id === 'reward') return words.rewards(over)
  if (id === 'value') return words.values
  if (id === 'advantage') return words.advantages(GAMMA, LAMBDA)
  return words.entropies
}

/** The lines as paths, at most two corners per pixel. */
function plot(lines: readonly Line[], { from, to }: Series, last: number, width: number) {
  const room = Math.max(1, width - 2 * EDGE)
  const stride = Math.max(1, Math.ceil(last / room))
  const corners = lines.map(({ at }) => decimated(at, from, to, stride))
  let [low, high] = [0, 0]
  for (const { value } of corners.flat()) {
    low = Math.min(low, value)
    high = Math.max(high, value)
  }
  const x = (step: number) => EDGE + (step / Math.max(1, last)) * room
  const y = (value: number) => STRIP - 3 - (high === low ? 0 : ((value - low) / (high - low)) * (STRIP - 6))
  const paths = lines.map(({ name }, k) => ({
    name,
    d: corners[k]
      .map(({ step, value }, i) => `${i === 0 ? 'M' : 'L'}${x(step).toFixed(1)} ${y(value).toFixed(1)}`)
      .join(''),
  }))
  return { low, high, paths, zero: y(0) }
}
