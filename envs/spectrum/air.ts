/**
 * What changes between slots whatever the users do: primary users, fading, presence, packets, jammers, and what users sense
 * of it. Each function works on one lane and draws from one stream.
 */
import { GENERATOR_WORDS, nextBelow, nextFloat, nextUint32 } from '../core/random.ts'
import { type Port } from '../core/types.ts'
import { type Stream } from './options.ts'
import { DROPPED, QUEUED, TALLIES, type SpectrumState } from './state.ts'
import { clampLevel, QUANTILE_SHIFT, RAYLEIGH } from './tables.ts'

/** Where the words of a stream of a lane begin. */
export function streamAt(state: SpectrumState, port: Port, lane: number, name: Stream): number {
  return (lane * port.streams + state.plan.stream[name]) * GENERATOR_WORDS
}

/** Draws the primary users of the first slot from their stationary distribution; the round robin's place uniformly. */
export function startPrimary(state: SpectrumState, port: Port, lane: number): void {
  const { plan, busy, offset } = state
  const { channels: K, options, p01, p11 } = plan
  const { random } = port
  const row = lane * K
  switch (options.pu) {
    case 'none':
      return
    case 'bernoulli':
      stepPrimary(state, port, lane)
      return
    case 'gilbertElliott': {
      const at = streamAt(state, port, lane, 'primary')
      for (let k = 0; k < K; k++) busy[row + k] = nextFloat(random, at) < stationaryIdle(p01[k], p11[k]) ? 0 : 1
      return
    }
    case 'roundRobin':
      offset[lane] = nextBelow(random, streamAt(state, port, lane, 'primary'), K)
      spread(state, lane)
  }
}

/** Part of the slots that a Gilbert–Elliott channel is idle: p01 / (1 − p11 + p01); a channel that never changes is idle. */
export function stationaryIdle(p01: number, p11: number): number {
  const leaving = 1 - p11 + p01
  return leaving === 0 ? 1 : p01 / leaving
}

/** Steps the primary users to the next slot. */
export function stepPrimary(state: SpectrumState, port: Port, lane: number): void {
  const { plan, busy, offset } = state
  const { channels: K, options, puBusy, p01, p11 } = plan
  const { random } = port
  const row = lane * K
  if (options.pu === 'none') return
  const at = streamAt(state, port, lane, 'primary')
  if (options.pu === 'bernoulli') {
    for (let k = 0; k < K; k++) busy[row + k] = nextFloat(random, at) < puBusy[k] ? 1 : 0
  } else if (options.pu === 'gilbertElliott') {
    for (let k = 0; k < K; k++) {
      const idle = busy[row + k] === 0 ? p11[k] : p01[k]
      busy[row + k] = nextFloat(random, at) < idle ? 0 : 1
    }
  } else {
    if (nextFloat(random, at) < options.puSwitch) offset[lane] = (offset[lane] + 1) % K
    spread(state, lane)
  }
}

/** Writes the round robin's busy channels from its place. */
function spread({ plan, busy, offset }: SpectrumState, lane: number): void {
  const { channels: K, good } = plan
  for (let k = 0; k < K; k++) busy[lane * K + ((k + offset[lane]) % K)] = 1 - good[k]
}

/** Draws a fading block: mean level plus an exponential gain. */
export function drawFading(state: SpectrumState, port: Port, lane: number): void {
  const { plan, level, mean } = state
  const { users: N, channels: K, meanLevel } = plan
  const at = streamAt(state, port, lane, 'fading')
  const pairs = N * K
  const row = lane * pairs
  for (let i = 0; i < pairs; i++) {
    const from = mean.length > 0 ? mean[row + i] : meanLevel[i]
    level[row + i] = clampLevel(from + RAYLEIGH[nextUint32(port.random, at) >>> QUANTILE_SHIFT])
  }
}

/** Every present user may go, every absent one may come back. */
export function stepPresence(state: SpectrumState, port: Port, lane: number): void {
  const { plan, present } = state
  const { users: N, options } = plan
  const at = streamAt(state, port, lane, 'presence')
  for (let i = lane * N; i < (lane + 1) * N; i++) {
    const draw = nextFloat(port.random, at)
    if (present[i] === 1) present[i] = draw < options.leaveProb ? 0 : 1
    else present[i] = draw < options.returnProb ? 1 : 0
  }
}

/** New packets, after the departures of the slot; those that find a full queue are dropped. */
export function stepArrivals(state: SpectrumState, port: Port, lane: number): void {
  const { plan, queue, tally } = state
  const { users: N, options, arrivals } = plan
  const at = streamAt(state, port, lane, 'arrivals')
  const row = lane * TALLIES
  for (let n = 0; n < N; n++) {
    const i = lane * N + n
    if (nextFloat(port.random, at) < arrivals![n]) {
      if (queue[i] < options.queueCap) queue[i]++
      else tally[row + DROPPED]++
    }
    tally[row + QUEUED] += queue[i]
  }
}

/** Marks the channels that constant and sweeping jammers jam from their place on. */
export function spreadJam({ plan, jam, jamAt }: SpectrumState, lane: number): void {
  const { channels: K, options } = plan
  const row = lane * K
  for (let k = 0; k < K; k++) jam[row + k] = 0
  for (let j = 0; j < options.jammerChannels; j++) jam[row + ((jamAt[lane] + j) % K)] = 1
}

/**
 * Jams up to `jammerChannels` of the channels somebody sends on; drawn where there are more (selection sampling, Knuth
 * 3.4.2 S: every subset is equally likely).
 */
export function followSenders(state: SpectrumState, port: Port, lane: number): void {
  const { plan, jam, senders } = state
  const { channels: K, options } = plan
  const row = lane * K
  const at = streamAt(state, port, lane, 'jamming')
  const using = lane * (K + 1) + 1
  let used = 0
  for (let k = 0; k < K; k++) used += senders[using + k] > 0 ? 1 : 0
  let wanted = Math.min(options.jammerChannels, used)
  for (let k = 0; k < K; k++) {
    jam[row + k] = 0
    if (senders[using + k] === 0) continue
    if (wanted > 0 && nextBelow(port.random, at, used) < wanted) {
      jam[row + k] = 1
      wanted--
    }
    used--
  }
}

/** What users sense of the primary users before the coming slot. @param step number of that slot */
export function sense(state: SpectrumState, port: Port, lane: number, step: number): void {
  const { plan, busy, sensed, sensedAt, last } = state
  const { users: N, channels: K, options, stream } = plan
  const { random } = port
  const { pFalseAlarm, pMiss } = options
  const owned = busy.length > 0
  const errs = stream.sensing >= 0
  const at = errs ? streamAt(state, port, lane, 'sensing') : 0
  const row = lane * K
  if (options.sensing === 'all') {
    for (let n = 0; n < N; n++) {
      const to = (lane * N + n) * K
      for (let k = 0; k < K; k++) {
        const isBusy = owned ? busy[row + k] : 0
        const wrong = errs && nextFloat(random, at) < (isBusy === 1 ? pMiss : pFalseAlarm) ? 1 : 0
        sensed[to + k] = 1 - (isBusy ^ wrong)
      }
    }
    return
  }
  const how = options.sensedChannel
  for (let n = 0; n < N; n++) {
    const i = lane * N + n
    let channel = (step + n) % K
    if (how === 'random') channel = nextBelow(random, at, K)
    else if (how === 'last' && last[i] > 0) channel = last[i] - 1
    const isBusy = owned ? busy[row + channel] : 0
    const wrong = errs && nextFloat(random, at) < (isBusy === 1 ? pMiss : pFalseAlarm) ? 1 : 0
    sensedAt[i] = channel
    sensed[i] = 1 - (isBusy ^ wrong)
  }
}
