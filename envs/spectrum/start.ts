/** The start of an episode. */
import { nextFloat, nextUint32, nextBelow } from '../core/random.ts'
import { type Port } from '../core/types.ts'
import { drawFading, sense, spreadJam, startPrimary, streamAt } from './air.ts'
import { TALLIES, type SpectrumState } from './state.ts'
import { clampLevel, levelBelow, LINEAR, NORMAL, QUANTILE_SHIFT, decibelsOf, levelOf } from './tables.ts'

/** Nobody has sent yet; primary users, places and fading are drawn; what is sensed is of the first slot. */
export function start(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    clear(state, lane)
    startLane(state, port, lane)
  }
}

function clear(state: SpectrumState, lane: number): void {
  const { plan } = state
  const { users: N, channels: K, window: W, kept: H } = plan
  state.last.fill(0, lane * N, (lane + 1) * N)
  state.flags.fill(0, lane * N, (lane + 1) * N)
  if (state.gained.length > 0) state.gained.fill(0, lane * N, (lane + 1) * N)
  if (state.air.length > 0) state.air.fill(0, lane * K, (lane + 1) * K)
  state.tally.fill(0, lane * TALLIES, (lane + 1) * TALLIES)
  state.won.fill(0, lane * N, (lane + 1) * N)
  if (state.earned.length > 0) state.earned.fill(0, lane * N, (lane + 1) * N)
  state.lastWon.fill(0, lane * N, (lane + 1) * N)
  state.ring.fill(0, lane * W * N, (lane + 1) * W * N)
  state.ringSum.fill(0, lane * N, (lane + 1) * N)
  state.ringTotals.fill(0, lane * 2, (lane + 1) * 2)
  state.past.fill(0, lane * H * N, (lane + 1) * H * N)
  if (state.pastAir.length > 0) state.pastAir.fill(0, lane * H * K, (lane + 1) * H * K)
  if (state.sentLevel.length > 0) state.sentLevel.fill(0, lane * N, (lane + 1) * N)
  if (state.average.length > 0) state.average.fill(0, lane * N, (lane + 1) * N)
  if (state.queue.length > 0) state.queue.fill(plan.options.queueStart, lane * N, (lane + 1) * N)
  if (state.present.length > 0) state.present.fill(1, lane * N, (lane + 1) * N)
  if (state.jam.length > 0) state.jam.fill(0, lane * K, (lane + 1) * K)
  if (state.jamChoice.length > 0) state.jamChoice[lane] = 0
}

function startLane(state: SpectrumState, port: Port, lane: number): void {
  const { plan, level, jamAt } = state
  const { options } = plan
  if (plan.sinr) placeLinks(state, port, lane)
  else if (plan.usesSnr) drawMeans(state, port, lane)
  startPrimary(state, port, lane)
  if (level.length > 0 && options.fading !== 'none') drawFading(state, port, lane)
  if (jamAt.length > 0) {
    jamAt[lane] = nextBelow(port.random, streamAt(state, port, lane, 'jamming'), plan.channels)
    spreadJam(state, lane)
  }
  if (options.sensing !== 'none') sense(state, port, lane, 0)
}

/** Mean SNRs: as given, or uniform over a range, for every user and channel. */
function drawMeans(state: SpectrumState, port: Port, lane: number): void {
  const { plan, level, mean } = state
  const { users: N, channels: K, meanLevel, options } = plan
  const row = lane * N * K
  const range = options.snrRangeDb
  const at = range === null ? 0 : streamAt(state, port, lane, 'places')
  for (let i = 0; i < N * K; i++) {
    const value = range === null ? meanLevel[i] : levelOf(range[0] + (range[1] - range[0]) * nextFloat(port.random, at))
    level[row + i] = value
    if (mean.length > 0) mean[row + i] = value
  }
}

/** Where transmitters and receivers stand in a lane, in metres; scratch for one lane. */
const places = { tx: new Float64Array(1024), rx: new Float64Array(1024) }

/**
 * Transmitters uniform in the square; each receiver in a uniform direction, at a distance uniform between the two bounds.
 * Level over noise of a pair: power − path loss − shadowing − noise, with path loss = loss at 1 m + 10 a log10(distance)
 * (log-distance model) and shadowing normal in dB, all to the quarter decibel. Gains hold for the whole episode.
 */
function placeLinks(state: SpectrumState, port: Port, lane: number): void {
  const { plan, gain, level, mean } = state
  const { users: N, channels: K, options } = plan
  const { random } = port
  const { tx, rx } = places
  const at = streamAt(state, port, lane, 'places')
  const [least, most] = options.linkMetres
  for (let n = 0; n < N; n++) {
    tx[2 * n] = options.areaMetres * nextFloat(random, at)
    tx[2 * n + 1] = options.areaMetres * nextFloat(random, at)
    // A direction: a point of the disc, uniform by rejection, scaled to length one. No sines needed.
    let x = 0
    let y = 0
    let square = 0
    while (square === 0 || square > 1) {
      x = 2 * nextFloat(random, at) - 1
      y = 2 * nextFloat(random, at) - 1
      square = x * x + y * y
    }
    const distance = (least + (most - least) * nextFloat(random, at)) / Math.sqrt(square)
    rx[2 * n] = tx[2 * n] + x * distance
    rx[2 * n + 1] = tx[2 * n + 1] + y * distance
  }
  const budget = options.powerDbm - options.noiseDbm - options.pathLossDb
  for (let n = 0; n < N; n++) {
    for (let m = 0; m < N; m++) {
      const dx = tx[2 * n] - rx[2 * m]
      const dy = tx[2 * n + 1] - rx[2 * m + 1]
      const square = Math.max(1, dx * dx + dy * dy)
      const shadow = options.shadowingDb * NORMAL[nextUint32(random, at) >>> QUANTILE_SHIFT]
      const loss = (options.pathLossExponent / 2) * decibelsOf(nearestLevel(square))
      gain[(lane * N + n) * N + m] = levelOf(budget - loss - shadow)
    }
    for (let k = 0; k < K; k++) {
      const i = (lane * N + n) * K + k
      level[i] = gain[(lane * N + n) * N + n]
      if (mean.length > 0) mean[i] = level[i]
    }
  }
}

/** The level nearest to a ratio, which is at least 1. */
function nearestLevel(ratio: number): number {
  const below = levelBelow(ratio)
  const above = clampLevel(below + 1)
  return ratio - LINEAR[below] <= LINEAR[above] - ratio ? below : above
}
