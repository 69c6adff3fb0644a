/** Pictures as SVG text: axes with lines, bars, heat maps. Drawn for light paper; no scripts, no fonts of their own. */

export interface Series {
  readonly name: string
  /** Points left to right; a missing y breaks the line. */
  readonly points: readonly (readonly [x: number, y: number])[]
  /** Only points, no line. */
  readonly dots?: boolean
}

export interface Chart {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly series: readonly Series[]
  /** Limits; left out: those of the data. */
  readonly xRange?: readonly [number, number]
  readonly yRange?: readonly [number, number]
}

/** Colours that stay apart for most colour-blind readers (Okabe and Ito 2008). */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#000000']
/** Series without a name: a grey backdrop, last in the list and not in the key. */
const UNNAMED = '#aab'

const WIDTH = 720
const HEIGHT = 440
const LEFT = 72
const RIGHT = 150
const TOP = 44
const BOTTOM = 58

export const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]!)

const at = (value: number) => Number(value.toFixed(2))

function label(x: number, y: number, text: string, more = ''): string {
  return `<text x="${at(x)}" y="${at(y)}" ${more}>${escaped(text)}</text>`
}

function page(width: number, height: number, title: string, body: string): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13" fill="#222">
<rect width="${width}" height="${height}" fill="#fff"/>
${label(LEFT, 26, title, 'font-size="16" font-weight="600"')}
${body}
</svg>
`
}

/** About five round numbers between two limits. */
export function ticks(low: number, high: number): number[] {
  const span = high - low
  if (!(span > 0)) return [low]
  const raw = span / 5
  const power = 10 ** Math.floor(Math.log10(raw))
  const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= raw)!
  const first = Math.ceil(low / step - 1e-9)
  const last = Math.floor(high / step + 1e-9)
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)))
}

function rangeOf(values: readonly number[]): [number, number] {
  const finite = values.filter(Number.isFinite)
  if (finite.length === 0) return [0, 1]
  const low = finite.reduce((a, b) => Math.min(a, b))
  const high = finite.reduce((a, b) => Math.max(a, b))
  const room = high > low ? (high - low) * 0.04 : 0.5
  return [low - room, high + room]
}

/** Axes with ticks and titles, and where numbers lie on them. */
function axes(x: string, y: string, [x0, x1]: readonly [number, number], [y0, y1]: readonly [number, number]) {
  const right = WIDTH - RIGHT
  const bottom = HEIGHT - BOTTOM
  const px = (value: number) => LEFT + ((value - x0) / (x1 - x0)) * (right - LEFT)
  const py = (value: number) => bottom - ((value - y0) / (y1 - y0)) * (bottom - TOP)
  const lines = [
    ...ticks(x0, x1).map(
      (v) =>
        `<line x1="${at(px(v))}" y1="${TOP}" x2="${at(px(v))}" y2="${bottom}" stroke="#e4e4e4"/>${label(px(v), bottom + 18, String(v), 'text-anchor="middle"')}`,
    ),
    ...ticks(y0, y1).map(
      (v) =>
        `<line x1="${LEFT}" y1="${at(py(v))}" x2="${right}" y2="${at(py(v))}" stroke="#e4e4e4"/>${label(LEFT - 8, py(v) + 4, String(v), 'text-anchor="end"')}`,
    ),
    `<rect x="${LEFT}" y="${TOP}" width="${right - LEFT}" height="${bottom - TOP}" fill="none" stroke="#999"/>`,
    label((LEFT + right) / 2, HEIGHT - 16, x, 'text-anchor="middle"'),
    label(18, (TOP + bottom) / 2, y, `text-anchor="middle" transform="rotate(-90 18 ${(TOP + bottom) / 2})"`),
  ]
  return { px, py, body: lines.join('\n') }
}

function key(names: readonly string[]): string {
  const x = WIDTH - RIGHT + 14
  return names
    .map(
      (name, k) =>
        `<rect x="${x}" y="${TOP + k * 22}" width="12" height="12" fill="${COLOURS[k % COLOURS.length]}"/>${label(x + 18, TOP + 11 + k * 22, name)}`,
    )
    .join('\n')
}

/** Lines or dots over two axes. */
export function lineChart({ title, x, y, series, xRange, yRange }: Chart): string {
  const all = series.flatMap(({ points }) => points)
  const { px, py, body } = axes(x, y, xRange ?? rangeOf(all.map(([a]) => a)), yRange ?? rangeOf(all.map(([, b]) => b)))
  const drawn = series.map(({ name, points, dots }, k) => {
    const colour = name === '' ? UNNAMED : COLOURS[k % COLOURS.length]
    if (dots === true) {
      return points
        .map(([a, b]) => `<circle cx="${at(px(a))}" cy="${at(py(b))}" r="2" fill="${colour}" fill-opacity=".6"/>`)
        .join('')
    }
    let pen = 'M'
    const path = points
      .map(([a, b]) => {
        if (!Number.isFinite(b)) {
          pen = 'M'
          return ''
        }
        const part = `${pen}${at(px(a))} ${at(py(b))}`
        pen = 'L'
        return part
      })
      .join('')
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.8" stroke-linejoin="round"/>`
  })
  const named = series.length > 1 ? key(series.map(({ name }) => name).filter((name) => name !== '')) : ''
  return page(WIDTH, HEIGHT, title, [body, ...drawn, named].join('\n'))
}

/** Shares as stacked bars, one bar per label; shares of a bar add up to one. */
export function stackedBars(
  title: string,
  x: string,
  bars: readonly { readonly label: string; readonly shares: readonly number[] }[],
  names: readonly string[],
): string {
  const right = WIDTH - RIGHT
  const bottom = HEIGHT - BOTTOM
  const slot = (right - LEFT) / bars.length
  const body = bars.map(({ label: under, shares }, b) => {
    let below = 0
    const parts = shares.map((share, k) => {
      const height = share * (bottom - TOP)
      const top = bottom - below - height
      below += height
      const shown =
        share >= 0.05
          ? label(
              LEFT + (b + 0.5) * slot,
              top + height / 2 + 4,
              share.toFixed(2).replace(/^0/, ''),
              'text-anchor="middle" fill="#fff" font-size="12"',
            )
          : ''
      return `<rect x="${at(LEFT + b * slot + slot * 0.12)}" y="${at(top)}" width="${at(slot * 0.76)}" height="${at(height)}" fill="${COLOURS[k % COLOURS.length]}"/>${shown}`
    })
    return `${parts.join('')}${label(LEFT + (b + 0.5) * slot, bottom + 18, under, 'text-anchor="middle"')}`
  })
  const scale = [0, 0.25, 0.5, 0.75, 1].map((v) =>
    label(LEFT - 8, bottom - v * (bottom - TOP) + 4, String(v), 'text-anchor="end"'),
  )
  return page(
    WIDTH,
    HEIGHT,
    title,
    [
      ...scale,
      ...body,
      key(names),
      label((LEFT + right) / 2, HEIGHT - 16, x, 'text-anchor="middle"'),
      label(
        18,
        (TOP + bottom) / 2,
        'share of starts',
        `text-anchor="middle" transform="rotate(-90 18 ${(TOP + bottom) / 2})"`,
      ),
    ].join('\n'),
  )
}

/** A colour between white-blue and dark blue. */
function shade(share: number): string {
  const mix = (low: number, high: number) => Math.round(low + (high - low) * share)
  return `rgb(${mix(240, 8)}, ${mix(246, 64)}, ${mix(252, 129)})`
}

/** A table of numbers as shaded cells with the numbers in them. */
export function heatTable(
  title: string,
  rows: readonly string[],
  columns: readonly string[],
  values: readonly (readonly (number | null)[])[],
): string {
  const cell = 58
  const head = 24 + 7.2 * rows.reduce((most, name) => Math.max(most, name.length), 0)
  const top = 70 + 5.2 * columns.reduce((most, name) => Math.max(most, name.length), 0)
  const known = values.flat().filter((value) => value !== null)
  const [low, high] = [known.reduce((a, b) => Math.min(a, b)), known.reduce((a, b) => Math.max(a, b))]
  const body = values.flatMap((line, r) =>
    line.map((value, c) => {
      const [x, y] = [head + c * cell, top + r * 30]
      if (value === null) return `<rect x="${at(x)}" y="${at(y)}" width="${cell}" height="30" fill="#eee"/>`
      const share = high > low ? (value - low) / (high - low) : 0
      const ink = share > 0.5 ? '#fff' : '#222'
      return `<rect x="${at(x)}" y="${at(y)}" width="${cell}" height="30" fill="${shade(share)}"/>${label(x + cell / 2, y + 20, value.toFixed(2), `text-anchor="middle" fill="${ink}"`)}`
    }),
  )
  const names = [
    ...rows.map((name, r) => label(head - 8, top + r * 30 + 20, name, 'text-anchor="end"')),
    ...columns.map((name, c) => {
      const [x, y] = [head + c * cell + cell / 2, top - 8]
      return label(x, y, name, `transform="rotate(-45 ${at(x)} ${at(y)})"`)
    }),
  ]
  const width = Math.ceil(head + columns.length * cell + 90)
  return page(
    Math.max(width, LEFT + 40 + 9 * title.length),
    Math.ceil(top + rows.length * 30 + 24),
    title,
    [...names, ...body].join('\n'),
  )
}
