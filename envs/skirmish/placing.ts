/** Finds room for units that are created where others stand, as the game spreads them. */

/** Offsets to try, nearest first: a square lattice of a fifth of a cell out to eight cells. */
const REACH = 40
const PITCH = 0.2
const OFFSETS = Array.from({ length: (2 * REACH + 1) * (2 * REACH + 1) }, (_, i) => ({
  x: (i % (2 * REACH + 1)) - REACH,
  y: Math.floor(i / (2 * REACH + 1)) - REACH,
})).sort((a, b) => a.x * a.x + a.y * a.y - (b.x * b.x + b.y * b.y) || a.x - b.x || a.y - b.y)
const OFFSET_X = Float64Array.from(OFFSETS, ({ x }) => x * PITCH)
const OFFSET_Y = Float64Array.from(OFFSETS, ({ y }) => y * PITCH)

/**
 * Moves unit `i` to the nearest free place to where it is: on its ground and touching none of the units `first` to `i`-1.
 * Stays where it is when there is no room within eight cells.
 * @param x centred coordinates, written
 * @param sign -1 tries the mirrored offsets first, so that mirrored groups spread alike
 * @param cells [C] 1 where it may stand; null = anywhere
 * @param from first offset to try: none before it is free
 * @returns the offset that was free, or their number when none was
 */
export function settle(
  x: Float64Array,
  y: Float64Array,
  radius: Float64Array,
  layer: Uint8Array,
  type: Uint8Array,
  first: number,
  i: number,
  sign: number,
  width: number,
  height: number,
  cells: Uint8Array | null,
  from = 0,
): number {
  const px = x[i]
  const py = y[i]
  const own = radius[type[i]]
  const layers = layer[type[i]]
  // Who was in the way last is likely to be so again.
  let last = first
  for (let o = from; o < OFFSET_X.length; o++) {
    const nx = px + sign * OFFSET_X[o]
    const ny = py + OFFSET_Y[o]
    const cx = Math.floor(nx + width / 2)
    const cy = Math.floor(ny + height / 2)
    if (cx < 0 || cy < 0 || cx >= width || cy >= height) continue
    if (cells !== null && cells[cy * width + cx] === 0) continue
    let free = true
    for (let k = first - 1; k < i && free; k++) {
      const j = k < first ? last : k
      if (j >= i || (layer[type[j]] & layers) === 0) continue
      const dx = x[j] - nx
      const dy = y[j] - ny
      const apart = own + radius[type[j]]
      free = dx * dx + dy * dy >= apart * apart
      if (!free) last = j
    }
    if (!free) continue
    x[i] = nx
    y[i] = ny
    return o
  }
  return OFFSET_X.length
}
