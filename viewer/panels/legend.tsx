/** What is on the stage: the same signs, with words. */
import { type JSX } from 'preact'
import { type LegendItem, type Shape } from '../scenes/scene.ts'
import { strings } from '../strings.ts'
import { hex } from '../theme.ts'

/** @param narrow one line that scrolls sideways, and so can have the focus */
export function Legend({ items, narrow }: { items: readonly LegendItem[]; narrow: boolean }): JSX.Element | null {
  if (items.length === 0) return null
  return (
    <ul class="legend" aria-label={strings.stage.legend} tabIndex={narrow ? 0 : undefined}>
      {items.map(({ label, shapes }) => (
        <li key={label}>
          <svg width="20" height="20" viewBox="0 0 24 24" aria-hidden="true">
            {shapes.map((shape, index) => (
              <LegendShape key={index} shape={shape} />
            ))}
          </svg>
          {label}
        </li>
      ))}
    </ul>
  )
}

function LegendShape({ shape }: { shape: Shape }): JSX.Element {
  const paint = {
    fill: shape.fill === undefined ? 'none' : hex(shape.fill),
    stroke: shape.stroke === undefined ? 'none' : hex(shape.stroke),
    'stroke-width': shape.width ?? 1.5,
    'stroke-dasharray': shape.dash,
    opacity: shape.opacity,
  }
  const n = shape.numbers ?? []
  if (shape.kind === 'circle') return <circle cx={n[0]} cy={n[1]} r={n[2]} {...paint} />
  if (shape.kind === 'rect') return <rect x={n[0]} y={n[1]} width={n[2]} height={n[3]} rx={n[4] ?? 0} {...paint} />
  return <path d={shape.d} stroke-linecap="round" stroke-linejoin="round" {...paint} />
}
