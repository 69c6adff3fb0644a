/** Return by environment step: mean with its interval. Drawn as SVG, so that it prints and scales. */
import { type JSX } from 'preact'
import { type RunEvaluation } from '../../server/protocol/index.ts'
import { figure, strings } from '../strings.ts'
import { useWidth } from './timeline.tsx'

const HEIGHT = 260
const LEFT = 48
const RIGHT = 12
const TOP = 10
const BOTTOM = 30
/** Evaluations drawn with a dot each, at most. */
const DOTS = 60

export function Curve({ evaluations, steps }: { evaluations: readonly RunEvaluation[]; steps: number }): JSX.Element {
  const [ref, width] = useWidth<HTMLDivElement>()
  const points = evaluations.filter(({ return: { mean } }) => mean !== null)
  const lowOf = ({ return: summary }: RunEvaluation) => summary.interval?.[0] ?? summary.mean ?? 0
  const highOf = ({ return: summary }: RunEvaluation) => summary.interval?.[1] ?? summary.mean ?? 0
  const ticks = niceTicks(Math.min(0, ...points.map(lowOf)), Math.max(...points.map(highOf), 0))
  const [bottom, top] = [ticks[0], ticks.at(-1)!]
  const end = Math.max(1, steps, points.at(-1)?.step ?? 0)
  const x = (step: number) => LEFT + (step / end) * Math.max(1, width - LEFT - RIGHT)
  const y = (value: number) => TOP + ((top - value) / Math.max(1e-9, top - bottom)) * (HEIGHT - TOP - BOTTOM)
  const at = (step: number, value: number) => `${x(step).toFixed(1)} ${y(value).toFixed(1)}`
  const band = [
    ...points.map((point) => at(point.step, highOf(point))),
    ...[...points].reverse().map((point) => at(point.step, lowOf(point))),
  ]
  const last = points.at(-1)
  return (
    <div ref={ref} class="curve">
      <svg width={width} height={HEIGHT} role="img" aria-label={describe(last)}>
        {ticks.map((tick) => (
          <g key={tick}>
            <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 8} y={y(tick)} text-anchor="end" dominant-baseline="middle">
              {figure(tick)}
            </text>
          </g>
        ))}
        {[0, 0.25, 0.5, 0.75, 1].map((share) => (
          <text key={share} x={x(share * end)} y={HEIGHT - 8} text-anchor={anchorOf(share)}>
            {shortCount(share * end)}
          </text>
        ))}
        {points.length > 1 && <path class="band" d={`M${band.join('L')}Z`} />}
        <path class="mean" d={`M${points.map((p) => at(p.step, p.return.mean!)).join('L')}`} />
        {points.length <= DOTS &&
          points.map((p) => (
            <circle key={p.step} class="mean-dot" cx={x(p.step)} cy={y(p.return.mean!)} r="3">
              <title>{strings.run.point(p.step, figure(Math.round(p.return.mean! * 100) / 100))}</title>
            </circle>
          ))}
      </svg>
    </div>
  )
}

function describe(last: RunEvaluation | undefined): string {
  if (last === undefined) return strings.run.curve
  return `${strings.run.curve}. ${strings.run.point(last.step, figure(Math.round((last.return.mean ?? 0) * 100) / 100))}`
}

function anchorOf(share: number): 'start' | 'middle' | 'end' {
  return share === 0 ? 'start' : share === 1 ? 'end' : 'middle'
}

/** About four round numbers that enclose a range. */
export function niceTicks(low: number, high: number): number[] {
  const range = high > low ? high - low : 1
  const rough = range / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power
  const first = Math.floor(low / step)
  const last = Math.max(first + 1, Math.ceil((low + range) / step - 1e-9))
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)))
}

/** 200000 is '200 k'. */
function shortCount(value: number): string {
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))} M`
  if (value >= 1e4) return `${Number((value / 1e3).toFixed(1))} k`
  return strings.count(Math.round(value))
}
