/** Both returns by step on one scale, where the two part, and the slider that moves the clock. */
import { type JSX } from 'preact'
import { useWidth } from '../panels/timeline.tsx'
import { type Session } from '../session.ts'
import { figure, strings } from '../strings.ts'
import { teamReturn, teamRewardOf } from '../survey.ts'
import { type Pair } from './pair.ts'

const words = strings.compare
const HEIGHT = 56
/** Half the slider's thumb. */
const EDGE = 8
/** Points drawn at most. */
const POINTS = 1000

export function Curves({ pair }: { pair: Pair }): JSX.Element {
  const [ref, width] = useWidth<HTMLDivElement>()
  const { step, last } = pair.clock.value
  const lines = [lineOf(pair.a), lineOf(pair.b)]
  const low = Math.min(0, ...lines.map(({ least }) => least))
  const high = Math.max(0, ...lines.map(({ most }) => most))
  const room = Math.max(0, width - 2 * EDGE)
  const x = (t: number) => EDGE + (last === 0 ? 0 : t / last) * room
  const y = (value: number) => 3 + ((high - value) / Math.max(1e-9, high - low)) * (HEIGHT - 6)
  const first = (void pair.divergence.value, pair.first)
  const over = strings.bar.returnOver[teamRewardOf(pair.a.info.value?.header.scenario)]
  return (
    <section class="timeline" aria-label={strings.timeline.label}>
      <figure class="strip">
        <figcaption>
          <span>{words.curve(over)}</span>
          <span>{`${figure(low)} – ${figure(high)}`}</span>
        </figcaption>
        <div class="timeline-track" ref={ref}>
          <svg width={width} height={HEIGHT} aria-hidden="true">
            <line class="zero" x1={EDGE} x2={width - EDGE} y1={y(0)} y2={y(0)} />
            {first !== null && (
              <line class="part" x1={x(first)} x2={x(first)} y1="0" y2={HEIGHT}>
                <title>{words.jumpTo(first)}</title>
              </line>
            )}
            {lines.map(({ points }, k) => (
              <path
                key={k}
                class={k === 0 ? 'line-first' : 'line-second'}
                d={points
                  .map(([t, value], i) => `${i === 0 ? 'M' : 'L'}${x(t).toFixed(1)} ${y(value).toFixed(1)}`)
                  .join('')}
              />
            ))}
          </svg>
          <svg class="playhead" width={width} height="100%" aria-hidden="true">
            <line x1={x(step)} x2={x(step)} y1="0" y2="100%" />
          </svg>
          <input
            class="scrub"
            type="range"
            min="0"
            max={String(last)}
            step="1"
            value={String(step)}
            aria-label={strings.timeline.slider}
            aria-valuetext={strings.timeline.sliderText(step, last)}
            onInput={(event) => pair.player.seek(Number(event.currentTarget.value))}
          />
        </div>
      </figure>
    </section>
  )
}

function lineOf(session: Session): { points: [number, number][]; least: number; most: number } {
  const { returns, steps } = session.overview.value
  const info = session.info.value
  const points: [number, number][] = []
  if (info === null || returns.length === 0) return { points, least: 0, most: 0 }
  const N = info.agents.length
  const kind = teamRewardOf(info.header.scenario)
  const stride = Math.max(1, Math.ceil(steps / POINTS))
  for (let t = 0; t <= steps; t += stride) points.push([t, teamReturn(kind, returns, t * N, N)])
  if (points.at(-1)?.[0] !== steps) points.push([steps, teamReturn(kind, returns, steps * N, N)])
  const values = points.map(([, value]) => value)
  return { points, least: Math.min(...values), most: Math.max(...values) }
}
