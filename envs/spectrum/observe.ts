/** What users, a jammer's seat and a central critic see. The layouts are data; README.md shows them. */
import { type Feature, type Port } from '../core/types.ts'
import { type Plan } from './options.ts'
import { ACK, SENT, type SpectrumState } from './state.ts'
import { decibelsOf, HIGHEST_DB, LOWEST_DB, RATE, levelOf } from './tables.ts'

/** SNRs are shown in units of 30 dB. */
const SNR_UNIT_DB = 30
const SNR_LOW = LOWEST_DB / SNR_UNIT_DB
const SNR_HIGH = HIGHEST_DB / SNR_UNIT_DB
/** Rates are shown as part of the rate at 30 dB, 9.97 bit/s/Hz, at most 1. */
const FULL_RATE = RATE[levelOf(30)]

const bit = (name: string, meaning: string): Feature => ({ name, low: 0, high: 1, meaning })

/** (action, ACK) of a slot; `before` names how many slots ago, '' for the last. */
const silent = (before: string, ago: string) => bit(`${before}silent`, `1 = was silent${ago}`)
const sentOn = (before: string, ago: string, k: number) => bit(`${before}sent${k}`, `1 = sent on channel ${k}${ago}`)
const ack = (before: string, ago: string) => bit(`${before}ack`, `1 = that send succeeded${ago}; 0 also when silent`)

const withCapacity = (plan: Plan) => ['dqsa', 'dqsaOracle', 'snr'].includes(plan.options.obs)

/** What a user sees, in order. */
export function userFeatures(plan: Plan): Feature[] {
  const { channels: K, options } = plan
  const { obs, history, sensing, queueCap } = options
  const each = <T>(make: (k: number) => T) => Array.from({ length: K }, (_, k) => make(k))
  const queue: Feature = { name: 'queue', low: 0, high: 1, meaning: `packets waiting / ${queueCap}` }
  if (obs === 'queue') return [{ name: 'queue', low: 0, high: queueCap, meaning: 'packets waiting' }]
  const features: Feature[] = [silent('', ''), ...each((k) => sentOn('', '', k))]
  if (obs === 'dqsaOracle') {
    features.push(...each((k) => bit(`free${k}`, `0 = exactly one user sent on channel ${k} (privileged)`)))
  } else if (withCapacity(plan)) {
    features.push(...each((k) => bit(`capacity${k}`, `own rate on channel ${k}, 1 = the most`)))
  }
  features.push(ack('', ''))
  if (obs === 'snr') {
    features.push({ name: 'snr', low: SNR_LOW, high: SNR_HIGH, meaning: 'SNR of the last send, dB / 30; 0 silent' })
  }
  for (let age = 1; age < history; age++) {
    const [before, ago] = [`${age}ago.`, `, ${age} slots earlier`]
    features.push(silent(before, ago), ...each((k) => sentOn(before, ago, k)), ack(before, ago))
  }
  if (sensing === 'all') features.push(...each((k) => bit(`idle${k}`, `channel ${k} is sensed idle in this slot`)))
  if (sensing === 'one') {
    features.push(...each((k) => bit(`sensed${k}`, `channel ${k} was sensed`)), bit('idle', 'it is sensed idle'))
  }
  if (plan.arrivals !== null) features.push(queue)
  return features
}

/** What a jammer's seat sees: its own last choice, and where anybody sent. */
export function jammerFeatures({ channels: K }: Plan): Feature[] {
  const each = <T>(make: (k: number) => T) => Array.from({ length: K }, (_, k) => make(k))
  return [
    bit('idle', '1 = jammed nothing'),
    ...each((k) => bit(`jammed${k}`, `1 = jammed channel ${k}`)),
    ...each((k) => bit(`heard${k}`, `1 = somebody sent on channel ${k}`)),
  ]
}

/** The global state, in order. */
export function stateFeatures(plan: Plan): Feature[] {
  const { users: N, channels: K, options } = plan
  const features: Feature[] = []
  for (let n = 0; n < N; n++) {
    features.push(bit(`agent_${n}.silent`, ''))
    for (let k = 0; k < K; k++) features.push(bit(`agent_${n}.sent${k}`, ''))
    features.push(bit(`agent_${n}.ack`, ''))
  }
  if (options.pu !== 'none') for (let k = 0; k < K; k++) features.push(bit(`idle${k}`, 'in the coming slot'))
  if (plan.usesSnr) {
    for (let n = 0; n < N; n++) {
      for (let k = 0; k < K; k++) {
        features.push({ name: `agent_${n}.snr${k}`, low: SNR_LOW, high: SNR_HIGH, meaning: 'coming slot, dB / 30' })
      }
    }
  }
  if (plan.arrivals !== null) for (let n = 0; n < N; n++) features.push(bit(`agent_${n}.queue`, 'part of the capacity'))
  if (options.leaveProb > 0) for (let n = 0; n < N; n++) features.push(bit(`agent_${n}.present`, ''))
  if (jamsAhead(plan)) for (let k = 0; k < K; k++) features.push(bit(`jam${k}`, 'in the coming slot'))
  features.push(bit('time', 'slots so far / horizon; 0 without one'))
  return features
}

/** Whether the coming slot's jamming is settled before anybody acts. */
const jamsAhead = ({ options }: Plan) =>
  options.jammer === 'constant' ||
  options.jammer === 'sweep' ||
  (options.jammer === 'reactive' && options.jammerReaction === 1)

/** Numbers in a blank at most. */
const LARGEST_BLANK = 1 << 20

/** Precomputed for a batch: an observation row before anything happened. */
export interface Sight {
  /** [B, N, F], or [N, F] where that would be large: constants (capacities at unit rate) and zeros. */
  readonly blank: Float32Array
  /** [N, F] its first lane. */
  readonly row: Float32Array
  /** Whether it covers all lanes. */
  readonly whole: boolean
  /** Whether there are constants at all. */
  readonly marked: boolean
  /** Whether all users are seated and see nothing but their last action, constants and the ACK, and nor does the state. */
  readonly plain: boolean
  /** Place of the newest ACK. */
  readonly ack: number
  /** The memory of observations and states as whole numbers. */
  readonly bits: Int32Array
  readonly stateBits: Int32Array
}

export function createSight(plan: Plan, port: Port): Sight {
  const { channels: K, options } = plan
  const { seats, observationSize: F } = port
  const { obs, history, sensing, rate } = options
  const marked = (obs === 'dqsa' || obs === 'snr') && rate === 'unit'
  const width = seats.length * F
  const whole = marked && port.lanes * width <= LARGEST_BLANK
  const blank = new Float32Array(marked ? width * (whole ? port.lanes : 1) : 0)
  for (let from = 0; from < blank.length; from += width) {
    seats.forEach((seat, s) => {
      if (seat < plan.users) blank.fill(1, from + s * F + K + 1, from + s * F + 2 * K + 1)
    })
  }
  const everybody = seats.length === plan.users && seats.every((seat, s) => seat === s)
  const short = everybody && history === 1 && sensing === 'none' && options.leaveProb === 0 && plan.plain
  const plain = short && (obs === 'ack' || obs === 'window' || (obs === 'dqsa' && marked))
  return {
    blank,
    row: blank.slice(0, width),
    whole,
    marked,
    plain,
    ack: obs === 'dqsa' ? 2 * K + 1 : K + 1,
    bits: view(port.observation),
    stateBits: view(port.state),
  }
}

const view = ({ buffer, byteOffset, length }: Float32Array) => new Int32Array(buffer, byteOffset, length)

/** Makes all observations blank in one native copy, where that can be. */
function clear({ blank, whole, marked }: Sight, { observation, lanes }: Port, count: number): boolean {
  if (count < lanes || (marked && !whole)) return false
  if (marked) observation.set(blank)
  else observation.fill(0)
  return true
}

/** The bits of 1 as float32. */
const ONE = 0x3f800000

/** `observe` where users see their last action and the ACK, and the state holds these and the time. */
function observePlain(state: SpectrumState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { plan, last, flags } = state
  const { row, marked, ack, bits, stateBits } = sight
  const { users: N, channels: K, horizon } = plan
  const { observation, observationSize: F, state: out, stateSize: S, step, lanes: B } = port
  const width = N * F
  const cleared = clear(sight, port, count)
  if (count === B) out.fill(0)
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    let at = lane * width
    let o = lane * S
    if (!cleared) {
      if (marked) observation.set(row, at)
      else observation.fill(0, at, at + width)
    }
    if (count < B) out.fill(0, o, o + S)
    for (let i = lane * N; i < (lane + 1) * N; i++) {
      const channel = last[i]
      const succeeded = (0 - ((flags[i] >> 1) & 1)) & ONE
      // Whole numbers through a view of the same memory: no conversion per element.
      bits[at + channel] = ONE
      bits[at + ack] = succeeded
      stateBits[o + channel] = ONE
      stateBits[o + K + 1] = succeeded
      at += F
      o += K + 2
    }
    out[o] = horizon > 0 ? step[lane] / horizon : 0
  }
}

/** Writes every element of `port.observation` and `port.state` in the listed lanes. */
export function observe(state: SpectrumState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  if (sight.plain) {
    observePlain(state, sight, port, lanes, count)
    return
  }
  const { users: N } = state.plan
  const { row, marked } = sight
  const { observation, observationSize: F, seats } = port
  const width = seats.length * F
  const cleared = clear(sight, port, count)
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    let at = lane * width
    if (!cleared) {
      if (!marked) observation.fill(0, at, at + width)
      else observation.set(row, at)
    }
    for (let s = 0; s < seats.length; s++) {
      if (seats[s] === N) observeJammer(state, lane, observation, at)
      else observeUser(state, lane, seats[s], port.step[lane], observation, at)
      at += F
    }
  }
  observeState(state, port, lanes, count)
}

/** @param out the blank row from `at` on */
function observeUser(state: SpectrumState, lane: number, n: number, t: number, out: Float32Array, at: number): void {
  const { plan, last, flags, level, sensed, sensedAt, queue } = state
  const { users: N, channels: K, options } = plan
  const { obs, history } = options
  const i = lane * N + n
  if (obs === 'queue') {
    out[at] = queue[i]
    return
  }
  const channel = last[i]
  out[at + channel] = 1
  let o = at + K + 1
  if (obs === 'dqsaOracle') {
    for (let k = 1; k <= K; k++) out[o++] = usersOn(state, lane, k) === 1 ? 0 : 1
  } else if (obs === 'dqsa' || obs === 'snr') {
    if (options.rate === 'shannon') {
      for (let k = 0; k < K; k++) out[o++] = Math.min(1, RATE[level[i * K + k]] / FULL_RATE)
    } else o += K // constant
  }
  out[o++] = (flags[i] & ACK) !== 0 ? 1 : 0
  if (obs === 'snr') {
    if (channel > 0) out[o] = decibelsOf(state.sentLevel[i]) / SNR_UNIT_DB
    o++
  }
  const { past: kept } = state
  const H = plan.kept
  for (let age = 1; age < history; age++) {
    const past = t - 1 - age
    if (past >= 0) {
      const code = kept[(lane * H + (past % H)) * N + n]
      out[o + (code >> 8)] = 1
      out[o + K + 1] = (code & ACK) !== 0 ? 1 : 0
    } else out[o] = 1 // before the first slot everybody was silent
    o += K + 2
  }
  if (options.sensing === 'all') for (let k = 0; k < K; k++) out[o++] = sensed[i * K + k]
  else if (options.sensing === 'one') {
    out[o + sensedAt[i]] = 1
    out[o + K] = sensed[i]
    o += K + 1
  }
  if (queue.length > 0) out[o] = queue[i] / options.queueCap
}

/** Users that sent on a channel in the last slot. @param channel number + 1 */
function usersOn({ plan, last }: SpectrumState, lane: number, channel: number): number {
  let users = 0
  for (let i = lane * plan.users; i < (lane + 1) * plan.users; i++) if (last[i] === channel) users++
  return users
}

function observeJammer(state: SpectrumState, lane: number, out: Float32Array, at: number): void {
  const { plan, last, flags, jamChoice } = state
  const { users: N, channels: K } = plan
  out[at + jamChoice[lane]] = 1
  for (let i = lane * N; i < (lane + 1) * N; i++) if ((flags[i] & SENT) !== 0) out[at + K + last[i]] = 1
}

function observeState(state: SpectrumState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, last, flags, busy, level, queue, present, jam } = state
  const { users: N, channels: K, options, horizon } = plan
  const { state: out, stateSize: S, step, lanes: B } = port
  const ahead = jamsAhead(plan)
  if (count === B) out.fill(0)
  for (let j = 0; j < count; j++) {
    const lane = lanes[j]
    let o = lane * S
    if (count < B) out.fill(0, o, o + S)
    for (let i = lane * N; i < (lane + 1) * N; i++) {
      out[o + last[i]] = 1
      out[o + K + 1] = (flags[i] & ACK) >> 1
      o += K + 2
    }
    if (options.pu !== 'none') for (let k = 0; k < K; k++) out[o++] = 1 - busy[lane * K + k]
    if (level.length > 0) {
      for (let i = lane * N * K; i < (lane + 1) * N * K; i++) out[o++] = decibelsOf(level[i]) / SNR_UNIT_DB
    }
    if (queue.length > 0) for (let i = lane * N; i < (lane + 1) * N; i++) out[o++] = queue[i] / options.queueCap
    if (present.length > 0) for (let i = lane * N; i < (lane + 1) * N; i++) out[o++] = present[i]
    if (ahead) for (let k = 0; k < K; k++) out[o++] = jam[lane * K + k]
    out[o] = horizon > 0 ? step[lane] / horizon : 0
  }
}
