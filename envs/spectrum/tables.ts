/**
 * Logarithms, powers and draws that give the same bits in every engine: + − × ÷ and comparisons only. Levels are whole
 * quarter decibels, rates whole 1/1024 bits, so that a rule never adds two numbers that could round differently.
 * The quantisation is ours.
 */

const LN2 = 0.6931471805599453
const LN10 = 2.302585092994046

/** Natural logarithm of a positive number: mantissa in [0.75, 1.5), then 2 artanh((x − 1) / (x + 1)) as a series. */
export function ln(x: number): number {
  let exponent = 0
  while (x >= 1.5) {
    x /= 2
    exponent++
  }
  while (x < 0.75) {
    x *= 2
    exponent--
  }
  const y = (x - 1) / (x + 1)
  const square = y * y
  let sum = 0
  for (let power = 41; power >= 1; power -= 2) sum = sum * square + 1 / power
  return 2 * y * sum + exponent * LN2
}

/** e^x for |x| below some hundreds: 2^k times a Taylor series on the rest. */
export function exp(x: number): number {
  const k = Math.floor(x / LN2 + 0.5)
  const rest = x - k * LN2
  let sum = 1
  for (let n = 22; n >= 1; n--) sum = 1 + (sum * rest) / n
  for (let i = 0; i < k; i++) sum *= 2
  for (let i = 0; i > k; i--) sum /= 2
  return sum
}

/** x^a for positive x, in place: [x, a] becomes [x^a, a]. Takes and gives an array so that hot loops leave no garbage. */
export function raise(pair: Float64Array): void {
  let x = pair[0]
  let exponent = 0
  while (x >= 1.5) {
    x /= 2
    exponent++
  }
  while (x < 0.75) {
    x *= 2
    exponent--
  }
  const y = (x - 1) / (x + 1)
  const square = y * y
  let sum = 0
  for (let power = 41; power >= 1; power -= 2) sum = sum * square + 1 / power
  const total = pair[1] * (2 * y * sum + exponent * LN2)
  const k = Math.floor(total / LN2 + 0.5)
  const rest = total - k * LN2
  let result = 1
  for (let n = 22; n >= 1; n--) result = 1 + (result * rest) / n
  for (let i = 0; i < k; i++) result *= 2
  for (let i = 0; i > k; i--) result /= 2
  pair[0] = result
}

/** Steps per decibel of every level. */
export const STEPS_PER_DB = 4
/** Range of levels, in decibels. */
export const LOWEST_DB = -60
export const HIGHEST_DB = 120
export const LEVELS = (HIGHEST_DB - LOWEST_DB) * STEPS_PER_DB + 1
const ZERO_DB = -LOWEST_DB * STEPS_PER_DB

/** [LEVELS] power ratio of level i − 60 dB × 4: 10^(dB / 10). */
export const LINEAR: Float64Array = Float64Array.from({ length: LEVELS }, (_, i) =>
  exp(((i - ZERO_DB) / STEPS_PER_DB / 10) * LN10),
)

/** Parts of a bit per slot and hertz in which rates are counted. */
export const RATE_UNIT = 1024

/** [LEVELS] log2(1 + snr) of every level, in 1/1024 bit, rounded. */
export const RATE: Uint16Array = Uint16Array.from(LINEAR, (ratio) => Math.round((ln(1 + ratio) / LN2) * RATE_UNIT))

/** Index of the nearest level to a number of decibels, kept in range. */
export function levelOf(decibels: number): number {
  return clampLevel(Math.round(decibels * STEPS_PER_DB) + ZERO_DB)
}

export function clampLevel(level: number): number {
  return level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : level
}

export const decibelsOf = (level: number): number => (level - ZERO_DB) / STEPS_PER_DB

/** The highest level not above a power ratio; 0 below the range. */
export function levelBelow(ratio: number): number {
  let low = 0
  let high = LEVELS - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (LINEAR[middle] <= ratio) low = middle
    else high = middle - 1
  }
  return low
}

/** Quantiles per table of draws; a draw takes the top 12 bits of a random word. */
export const QUANTILES = 4096
export const QUANTILE_SHIFT = 20

/**
 * [QUANTILES] gains of a Rayleigh-faded channel in quarter decibels: power is exponential with mean 1, so the quantile of
 * u is −ln(1 − u); taken at the middles of equally likely steps.
 */
export const RAYLEIGH: Int16Array = Int16Array.from({ length: QUANTILES }, (_, i) =>
  Math.round(((10 * STEPS_PER_DB) / LN10) * ln(-ln(1 - (i + 0.5) / QUANTILES))),
)

/** [QUANTILES] standard normal quantiles, for shadowing: Simpson's rule over the density, inverted linearly. */
export const NORMAL: Float64Array = normalQuantiles()

function normalQuantiles(): Float64Array {
  const out = new Float64Array(QUANTILES)
  const half = QUANTILES / 2
  const h = 1 / 256
  const density = (z: number) => 0.3989422804014327 * exp((-z * z) / 2)
  let z = 0
  let below = 0 // probability between 0 and z
  let next = below
  for (let i = 0; i < half; i++) {
    const wanted = (i + 0.5) / QUANTILES
    while (next < wanted) {
      below = next
      next = below + (h / 6) * (density(z) + 4 * density(z + h / 2) + density(z + h))
      z += h
    }
    const value = z - h + (h * (wanted - below)) / (next - below)
    out[half + i] = value
    out[half - 1 - i] = -value
  }
  return out
}
