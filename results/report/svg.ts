/** Charts as SVG text: no scripts, no style attributes; colours come from the page's classes, shapes tell apart too. */
import { type Interval } from '../statistics.ts'
import { stepsText } from './format.ts'

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** Line patterns by number, so that lines are told apart without colour. */
export const DASHES = ['', '7 3', '2 3', '9 3 2 3', '12 4', '4 2', '1 2', '6 2 1 2 1 2']
export const KINDS = DASHES.length

export interface Series {
  readonly name: string
  /** Number of colour and dash: the same for an entry in every chart. */
  readonly kind: number
  readonly x: readonly number[]
  readonly y: readonly number[]
  readonly interval: readonly Interval[] | null
  /** Drawn as steps (profiles) instead of joined points. */
  readonly stairs?: boolean
}

export interface LineChart {
  readonly title: string
  readonly xLabel: string
  readonly yLabel: string
  readonly series: readonly Series[]
  readonly width?: number
  readonly height?: number
  readonly yRange?: readonly [number, number]
  /** Horizontal lines: random and best known. */
  readonly marks?: readonly { readonly y: number; readonly text: string }[]
  readonly xIsSteps?: boolean
}

/** Round values from low to high, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? 10 * power
  const found: number[] = []
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++)
    found.push(Number((k * step).toPrecision(12)))
  return found
}

const tickText = (value: number): string =>
  value.toLocaleString('en-US', { maximumSignificantDigits: 6 }).replace('-', '−')

export function lineChart(chart: LineChart): string {
  const { series, width = 640, height = 280, marks = [] } = chart
  const [left, right, top, bottom] = [66, 22, 12, 40]
  const xs = series.flatMap(({ x }) => x)
  const ys = [
    ...series.flatMap(({ y, interval }) => [...y, ...(interval ?? []).flatMap(({ low, high }) => [low, high])]),
    ...marks.map(({ y }) => y),
  ].filter(Number.isFinite)
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)]
  const [lowest, highest] = chart.yRange ?? [Math.min(...ys), Math.max(...ys)]
  const pad = chart.yRange === undefined ? 0.04 * (highest - lowest || 1) : 0
  const [y0, y1] = [lowest - pad, highest + pad]
  const px = (x: number) => round(left + ((x - x0) / (x1 - x0 || 1)) * (width - left - right))
  const py = (y: number) => round(height - bottom - ((Math.max(y0, Math.min(y1, y)) - y0) / (y1 - y0 || 1)) * (height - top - bottom)) // prettier-ignore
  const parts: string[] = []
  for (const y of ticks(y0, y1, 5)) {
    parts.push(`<line class="grid" x1="${left}" x2="${width - right}" y1="${py(y)}" y2="${py(y)}"/>`)
    parts.push(`<text class="tick" x="${left - 6}" y="${py(y) + 4}" text-anchor="end">${tickText(y)}</text>`)
  }
  for (const x of ticks(x0, x1, width < 480 ? 3 : 5)) {
    parts.push(`<text class="tick" x="${px(x)}" y="${height - bottom + 16}" text-anchor="middle">${chart.xIsSteps === true ? stepsText(x) : tickText(x)}</text>`) // prettier-ignore
  }
  for (const { y, text } of marks) {
    parts.push(`<line class="mark" x1="${left}" x2="${width - right}" y1="${py(y)}" y2="${py(y)}"/>`)
    parts.push(`<text class="tick" x="${width - right - 4}" y="${py(y) - 4}" text-anchor="end">${escaped(text)}</text>`)
  }
  for (const { kind, x, y, interval, stairs } of series) {
    if (interval !== null) {
      const upper = path(x, interval.map(({ high }) => high), px, py, stairs) // prettier-ignore
      const lower = path([...x].reverse(), interval.map(({ low }) => low).reverse(), px, py, stairs, true) // prettier-ignore
      parts.push(`<path class="band k${kind % KINDS}" d="M${upper}L${lower}Z"/>`)
    }
    const dash = DASHES[kind % KINDS]
    const single =
      x.length === 1 ? `<circle class="dot k${kind % KINDS}" cx="${px(x[0])}" cy="${py(y[0])}" r="4"/>` : ''
    parts.push(`<path class="line k${kind % KINDS}"${dash === '' ? '' : ` stroke-dasharray="${dash}"`} d="M${path(x, y, px, py, stairs)}"/>${single}`) // prettier-ignore
  }
  const middle = round((top + height - bottom) / 2)
  parts.push(`<text class="axis" x="${(left + width - right) / 2}" y="${height - 6}" text-anchor="middle">${escaped(chart.xLabel)}</text>`) // prettier-ignore
  parts.push(`<text class="axis side" transform="translate(14 ${middle}) rotate(-90)" text-anchor="middle">${escaped(chart.yLabel)}</text>`) // prettier-ignore
  return `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(chart.title)}">${parts.join('')}</svg>`
}

const round = (value: number): number => Math.round(value * 10) / 10

function path(
  x: readonly number[],
  y: readonly number[],
  px: (x: number) => number,
  py: (y: number) => number,
  stairs = false,
  backwards = false,
): string {
  const points: string[] = []
  x.forEach((value, k) => {
    if (stairs && k > 0) {
      // The share holds from its threshold to the next one.
      points.push(backwards ? `${px(value)} ${py(y[k - 1])}` : `${px(value)} ${py(y[k - 1])}`)
    }
    points.push(`${px(value)} ${py(y[k])}`)
  })
  return points.join('L')
}

/** Values with intervals, one row each, on one scale. */
export function intervalChart(
  title: string,
  rows: readonly {
    readonly name: string
    readonly kind: number
    readonly value: number
    readonly interval: Interval | null
  }[],
  label: string,
  unit: readonly [number, number],
): string {
  const [width, row, left, right, bottom] = [640, 26, 16, 24, 38]
  const finite = rows.flatMap(({ value, interval }) => [value, interval?.low, interval?.high]).filter((x): x is number => x !== undefined && Number.isFinite(x)) // prettier-ignore
  const [x0, x1] = [Math.min(unit[0], ...finite), Math.max(unit[1], ...finite)]
  const px = (x: number) => round(left + ((Math.max(x0, x) - x0) / (x1 - x0 || 1)) * (width - left - right))
  const height = rows.length * row * 1.6 + bottom
  const parts = ticks(x0, x1, 5).map((x) => {
    const at = px(x)
    return `<line class="grid" x1="${at}" x2="${at}" y1="4" y2="${height - bottom + 4}"/><text class="tick" x="${at}" y="${height - bottom + 18}" text-anchor="middle">${tickText(x)}</text>` // prettier-ignore
  })
  rows.forEach(({ name, kind, value, interval }, k) => {
    const y = round((k + 0.8) * row * 1.6)
    const text = Number.isFinite(value) ? '' : ' (failed)'
    parts.push(`<text class="name" x="${left}" y="${y - 10}">${escaped(name)}${text}</text>`)
    if (interval !== null && Number.isFinite(interval.high)) {
      parts.push(`<line class="whisker k${kind % KINDS}" x1="${px(interval.low)}" x2="${px(interval.high)}" y1="${y}" y2="${y}"/>`) // prettier-ignore
    }
    if (Number.isFinite(value)) parts.push(`<circle class="dot k${kind % KINDS}" cx="${px(value)}" cy="${y}" r="5"/>`)
  })
  parts.push(`<text class="axis" x="${width / 2}" y="${height - 4}" text-anchor="middle">${escaped(label)}</text>`)
  return `<svg viewBox="0 0 ${width} ${round(height)}" role="img" aria-label="${escaped(title)}">${parts.join('')}</svg>`
}
