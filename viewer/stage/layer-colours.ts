/** How a layer of numbers is coloured: kinds of cells, magnitudes, or signed quantities. Pure. */
import { HEAT_COLOURS, type Palette } from '../theme.ts'

/** Whole numbers up to this many different ones are kinds, not magnitudes. */
const MOST_KINDS = 8
/** Blue, white, orange: signed quantities, with zero in the middle. */
const DIVERGING = [0x2166ac, 0x92c5de, 0xf7f7f7, 0xfdb863, 0xb35806] as const

export interface Range {
  readonly low: number
  readonly high: number
  /** All numbers seen, ascending, while there are few and they are whole; null once they are magnitudes. */
  readonly kinds: readonly number[] | null
}

/** What is known of a layer's numbers after another frame; ranges only grow, so that colours do not flicker. */
export function rangeOf(cells: readonly number[], before: Range | undefined): Range {
  let low = before?.low ?? Infinity
  let high = before?.high ?? -Infinity
  const kinds = before === undefined ? new Set<number>() : before.kinds === null ? null : new Set(before.kinds)
  for (const cell of cells) {
    if (cell < low) low = cell
    if (cell > high) high = cell
    if (kinds !== null && kinds.size <= MOST_KINDS) kinds.add(Number.isInteger(cell) ? cell : NaN)
  }
  const few = kinds !== null && kinds.size <= MOST_KINDS && ![...kinds].some(Number.isNaN)
  return { low, high, kinds: few ? [...kinds].sort((a, b) => a - b) : null }
}

/** Whether a layer is of things that stand in the way, by its name. */
export const isWall = (name: string) => /wall|obstacle|block|solid/i.test(name)

/** Colour and opacity of a cell; null = nothing there. */
export function cellColour(
  name: string,
  value: number,
  { low, high, kinds }: Range,
  palette: Palette,
): { colour: number; alpha: number } | null {
  if (kinds !== null) {
    if (value === 0) return null
    if (isWall(name)) return { colour: palette.fixtureLine, alpha: 1 }
    const others = kinds.filter((kind) => kind !== 0)
    if (others.length === 1) return { colour: palette.fixture, alpha: 1 }
    return { colour: palette.agents[others.indexOf(value) % palette.agents.length], alpha: 0.45 }
  }
  return { colour: scaleOf(low, high)[stopOf(value, low, high)], alpha: 0.7 }
}

/** The colours of a scale of numbers, least to most. */
export function scaleOf(low: number, high: number): readonly number[] {
  return low < 0 && high > 0 ? DIVERGING : HEAT_COLOURS
}

function stopOf(value: number, low: number, high: number): number {
  const signed = low < 0 && high > 0
  const reach = Math.max(-low, high)
  const [from, to] = signed ? [-reach, reach] : [low, high]
  const share = to === from ? 0 : (value - from) / (to - from)
  return Math.min(4, Math.max(0, Math.floor(share * 5)))
}
