/**
 * Any metric of a run by environment step, drawn by uPlot: the numbers under the pointer are read out, a stretch drawn
 * with the pointer is enlarged, a double click shows everything again.
 */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { figure, strings } from '../strings.ts'
import { hex, PALETTES, theme } from '../theme.ts'
import { spaced } from './inspector.tsx'
import { useWidth } from './timeline.tsx'

const words = strings.run
const HEIGHT = 240

/** Values of one metric; gaps are null. */
export interface MetricSeries {
  readonly steps: readonly number[]
  readonly values: readonly (number | null)[]
}

/** @param series by name, in the order of the list */
export function MetricCurves({ series }: { series: ReadonlyMap<string, MetricSeries> }): JSX.Element | null {
  const chosen = useSignal<string | null>(null)
  const names = [...series.keys()]
  if (names.length === 0) return null
  const name = chosen.value !== null && series.has(chosen.value) ? chosen.value : names[0]
  return (
    <section aria-labelledby="metrics">
      <h2 id="metrics">{words.metrics}</h2>
      <p class="row">
        <label>
          {words.metric}{' '}
          <select value={name} onChange={(event) => (chosen.value = event.currentTarget.value)}>
            {names.map((one) => (
              <option key={one} value={one}>
                {spaced(one)}
              </option>
            ))}
          </select>
        </label>
        <span class="muted">{words.zoomHint}</span>
      </p>
      <Plot key={name} name={spaced(name)} series={series.get(name)!} />
    </section>
  )
}

function Plot({ name, series }: { name: string; series: MetricSeries }): JSX.Element {
  const [host, width] = useWidth<HTMLDivElement>()
  const plot = useRef<UPlot | null>(null)
  const palette = PALETTES[theme.value]
  const data: UPlot.AlignedData = [series.steps as number[], series.values as (number | null)[]]

  useEffect(() => {
    if (host.current === null || width === 0) return
    const axis = { stroke: hex(palette.muted), grid: { stroke: hex(palette.line), width: 1 }, ticks: { show: false } }
    const made = new UPlot(
      {
        width,
        height: HEIGHT,
        scales: { x: { time: false } },
        axes: [
          { ...axis, values: (_plot, ticks) => ticks.map((tick) => strings.count(tick)) },
          { ...axis, size: 60, values: (_plot, ticks) => ticks.map((tick) => figure(tick)) },
        ],
        series: [
          { label: words.step, value: (_plot, value) => (value === null ? '–' : strings.count(value)) },
          {
            label: name,
            stroke: hex(palette.accent),
            width: 2,
            points: { size: 5 },
            value: (_plot, value) => (value === null ? '–' : figure(Number(value.toPrecision(4)))),
          },
        ],
      },
      data,
      host.current,
    )
    plot.current = made
    return () => {
      made.destroy()
      plot.current = null
    }
  }, [width, palette, name])

  // More has come: the stretch that is enlarged stays.
  useEffect(() => {
    const made = plot.current
    if (made === null) return
    const { min, max } = made.scales.x
    const [first, last] = [made.data[0][0], made.data[0].at(-1)]
    const whole = min === first && max === last
    made.setData(data, whole || min === undefined)
  }, [series.steps.length, series.values.at(-1)])

  const last = series.values.findLast((value) => value !== null)
  const said = last === undefined ? name : words.metricAt(name, figure(Number(last!.toPrecision(4))))
  return <div ref={host} class="metric-curve" role="img" aria-label={said} data-points={series.steps.length} />
}
