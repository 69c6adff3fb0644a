/** Options of spectrum access and what follows from them. */
import { Type, type Static } from '#typebox'
import { TroupeError, shown } from '../core/errors.ts'
import { HIGHEST_DB, levelOf, LINEAR, LOWEST_DB } from './tables.ts'

const choice = <T extends string>(values: readonly T[], byDefault: T, description: string) =>
  Type.Union(
    values.map((value) => Type.Literal(value)),
    { default: byDefault, description },
  )

const chance = (byDefault: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: byDefault, description })

/** One probability for all, or one for each. */
const chances = (byDefault: number, description: string) =>
  Type.Union(
    [
      Type.Number({ minimum: 0, maximum: 1 }),
      Type.Array(Type.Number({ minimum: 0, maximum: 1 }), { minItems: 1, maxItems: 512 }),
    ],
    { default: byDefault, description },
  )

const decibels = { minimum: LOWEST_DB, maximum: HIGHEST_DB }

export const PRIMARY_USERS = ['none', 'bernoulli', 'gilbertElliott', 'roundRobin'] as const
export const REWARDS = [
  'competitive',
  'sum',
  'sumMean',
  'sumIfAck',
  'propFair',
  'propFairEpisodic',
  'alphaFair',
  'penalised',
] as const
export const OBSERVATIONS = ['ack', 'dqsa', 'dqsaOracle', 'snr', 'sense', 'window', 'queue'] as const
export const JAMMERS = ['none', 'constant', 'sweep', 'reactive', 'seat'] as const

export const OPTIONS = Type.Object(
  {
    users: Type.Integer({ default: 3, minimum: 1, maximum: 512, description: 'Secondary users, N.' }),
    channels: Type.Integer({ default: 2, minimum: 1, maximum: 512, description: 'Orthogonal channels, K.' }),
    clusters: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 512,
      description: 'Groups of users with channels of their own; must divide users and channels.',
    }),
    attemptProb: chance(1, 'Chance that a chosen channel is really sent on; else the slot is silent for that user.'),
    miniSlots: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 64,
      description: 'Mini-slots in which a user may listen before it sends; 1 = no carrier sensing.',
    }),
    miniSlotShare: Type.Number({
      default: 0.01,
      minimum: 0,
      maximum: 1,
      description: 'Part of a slot that one mini-slot takes; a success after w of them is worth 1 - w times this.',
    }),

    pu: choice(PRIMARY_USERS, 'none', 'Model of the primary users, who own the channels.'),
    puBusy: chances(0.3, 'bernoulli: chance per slot that a channel is busy; one for all or one per channel.'),
    p01: chances(0.2, 'gilbertElliott: chance that a busy channel is idle in the next slot.'),
    p11: chances(0.8, 'gilbertElliott: chance that an idle channel is idle in the next slot.'),
    puGood: Type.Array(Type.Integer({ minimum: 0, maximum: 511 }), {
      default: [0],
      minItems: 1,
      maxItems: 512,
      uniqueItems: true,
      description: 'roundRobin: channels that are idle together; the set moves on by one, from a drawn start.',
    }),
    puSwitch: chance(0.9, 'roundRobin: chance per slot that the idle set moves on.'),
    puRule: choice(
      ['block', 'underlay'],
      'block',
      'block: a send on a busy channel fails and counts as interference. underlay: it only counts.',
    ),

    sensing: choice(['none', 'all', 'one'], 'none', 'Channels whose primary users a user senses before each slot.'),
    sensedChannel: choice(
      ['sweep', 'random', 'last'],
      'sweep',
      'With sensing one: in turn, starting with the own number; drawn; or the one chosen last (else in turn).',
    ),
    pFalseAlarm: chance(0, 'Chance that an idle channel is read as busy.'),
    pMiss: chance(0, 'Chance that a busy channel is read as idle.'),

    snrDb: Type.Union(
      [
        Type.Number(decibels),
        Type.Array(Type.Array(Type.Number(decibels), { minItems: 1, maxItems: 512 }), { minItems: 1, maxItems: 512 }),
      ],
      { default: 10, description: 'Mean SNR in dB: one for all, or a row of channels per user.' },
    ),
    snrRangeDb: Type.Union([Type.Array(Type.Number(decibels), { minItems: 2, maxItems: 2 }), Type.Null()], {
      default: null,
      description:
        'Mean SNRs are drawn uniformly from low to high dB at the start of an episode; null = as snrDb says.',
    }),
    fading: choice(
      ['none', 'rayleigh'],
      'none',
      'rayleigh: SNR = mean times an exponential draw, constant for a block.',
    ),
    fadingSlots: Type.Integer({ default: 10, minimum: 1, maximum: 100_000, description: 'Length of a fading block.' }),
    rate: choice(['unit', 'shannon'], 'unit', 'What a success is worth: 1, or log2(1 + SNR) bit/s/Hz.'),

    interference: choice(
      ['collision', 'sinr'],
      'collision',
      'collision: two senders in conflict both fail. sinr: a send succeeds when its SINR is high enough.',
    ),
    neighbours: Type.Union(
      [
        Type.Null(),
        Type.Literal('grid'),
        Type.Array(Type.Array(Type.Integer({ minimum: 0, maximum: 511 }), { maxItems: 511 }), {
          minItems: 1,
          maxItems: 512,
        }),
      ],
      {
        default: null,
        description: 'Who is in conflict with whom: null = everybody; grid; or a list of neighbours per user.',
      },
    ),
    gridColumns: Type.Integer({ default: 5, minimum: 1, maximum: 512, description: 'Users per row of the grid.' }),
    upstreamEdge: Type.Boolean({
      default: false,
      description: 'grid: also joins the last user of the first row to the first of the second, as the original does.',
    }),
    areaMetres: Type.Number({ default: 500, minimum: 1, maximum: 100_000, description: 'sinr: side of the square.' }),
    linkMetres: Type.Array(Type.Number({ minimum: 1, maximum: 100_000 }), {
      default: [20, 80],
      minItems: 2,
      maxItems: 2,
      description: 'sinr: least and largest distance from a transmitter to its receiver.',
    }),
    powerDbm: Type.Number({ default: 20, minimum: -60, maximum: 60, description: 'sinr: transmit power.' }),
    noiseDbm: Type.Number({ default: -90, minimum: -174, maximum: 0, description: 'sinr: noise in a channel.' }),
    pathLossDb: Type.Number({ default: 40, minimum: 0, maximum: 120, description: 'sinr: path loss at one metre.' }),
    pathLossExponent: Type.Number({ default: 3.5, minimum: 1, maximum: 6, description: 'sinr: path loss exponent.' }),
    shadowingDb: Type.Number({
      default: 6,
      minimum: 0,
      maximum: 20,
      description: 'sinr: standard deviation of log-normal shadowing, drawn per pair and episode.',
    }),
    sinrThresholdDb: Type.Number({
      default: 5,
      minimum: -20,
      maximum: 40,
      description: 'sinr: least SINR to succeed.',
    }),

    arrivalProb: Type.Union(
      [
        Type.Null(),
        Type.Number({ minimum: 0, maximum: 1 }),
        Type.Array(Type.Number({ minimum: 0, maximum: 1 }), { minItems: 1, maxItems: 512 }),
      ],
      {
        default: null,
        description: 'Chance per slot of a new packet, for all or per user; null = always something to send.',
      },
    ),
    queueCap: Type.Integer({ default: 5, minimum: 1, maximum: 1000, description: 'Packets a queue holds.' }),
    queueStart: Type.Integer({ default: 1, minimum: 0, maximum: 1000, description: 'Packets at the start.' }),
    emptySends: Type.Boolean({
      default: false,
      description: 'A user with an empty queue may send: it disturbs others, and neither succeeds nor pays.',
    }),
    leaveProb: chance(0, 'Chance per slot that a present user goes away.'),
    returnProb: chance(0, 'Chance per slot that an absent user comes back.'),

    jammer: choice(
      JAMMERS,
      'none',
      'constant: jams a drawn set for good. sweep: moves on. reactive: follows the senders. seat: an agent of its own.',
    ),
    jammerChannels: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 512,
      description: 'Channels jammed at once (constant, sweep, reactive).',
    }),
    jammerDwell: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 100_000,
      description: 'sweep: slots at each place.',
    }),
    jammerReaction: Type.Integer({
      default: 1,
      minimum: 0,
      maximum: 1,
      description: 'reactive: 1 jams where somebody sent in the slot before, 0 where somebody sends now.',
    }),

    reward: choice(REWARDS, 'sum', 'Reward mode; README.md has the formulas.'),
    fairAlpha: Type.Number({ default: 1, minimum: 0, maximum: 8, description: 'alphaFair: a; 0 sum, 1 proportional.' }),
    fairWindow: Type.Number({
      default: 50,
      minimum: 1,
      maximum: 1_000_000,
      description: 'propFair, alphaFair: slots over which the average rate of a user forgets.',
    }),
    fairFloor: Type.Number({
      default: 0.01,
      minimum: 0.000001,
      maximum: 1,
      description: 'propFair, propFairEpisodic, alphaFair: least average rate that counts.',
    }),
    successReward: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1000,
      description: 'penalised: worth of a unit of rate.',
    }),
    collisionCost: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1000,
      description: 'penalised: cost of a send that another user, or a jammer, destroyed.',
    }),
    puCost: Type.Number({
      default: 1,
      minimum: 0,
      maximum: 1000,
      description: 'penalised: cost of a send on a channel that its primary user uses.',
    }),
    sendCost: Type.Number({ default: 0, minimum: 0, maximum: 1000, description: 'penalised: cost of a send.' }),

    obs: choice(OBSERVATIONS, 'ack', 'What users see; README.md has the tables.'),
    history: Type.Integer({
      default: 1,
      minimum: 1,
      maximum: 64,
      description: 'Slots of (action, ACK) pairs that users see, newest first.',
    }),
  },
  { additionalProperties: false },
)

export type Options = Static<typeof OPTIONS>

/** The core adds the horizon to every environment's options. */
type Full = Options & { readonly horizon?: number | null }

/** Everything derived from the options, computed once per batch. */
export interface Plan {
  readonly options: Options
  readonly users: number // N
  readonly channels: number // K
  readonly horizon: number // T, 0 = none
  /** Whether a seat beside the users jams. */
  readonly seat: boolean
  readonly miniSlots: number
  readonly puBusy: Float64Array // [K]
  readonly p01: Float64Array // [K]
  readonly p11: Float64Array // [K]
  /** [K] 1 where the round robin's set is at offset 0. */
  readonly good: Uint8Array
  /** [N] null without queues. */
  readonly arrivals: Float64Array | null
  /** Mean SNR levels by the options, [N * K]. */
  readonly meanLevel: Int16Array
  /** Whether SNRs decide or show anything: only then are they kept. */
  readonly usesSnr: boolean
  /** Neighbours of user n: `near[start[n] .. start[n + 1]]`; null = everybody. */
  readonly near: { readonly start: Int32Array; readonly of: Int32Array } | null
  readonly sinr: boolean
  /** Whether anybody but the users is ever in the air: primary users, jammers. */
  readonly air: boolean
  /** Whether anything steps by itself between slots. */
  readonly moves: boolean
  /** Whether every success is worth exactly 1: then rates need no arrays of their own. */
  readonly unit: boolean
  /** Whether users do nothing but collide, so that the short way through a slot will do. */
  readonly plain: boolean
  /** Least SINR to succeed, as a ratio. */
  readonly threshold: number
  /** Slots of the window of short-term fairness: 2 ⌈N / K⌉. */
  readonly window: number
  /** Slots kept for pictures and histories. */
  readonly kept: number
  /** Generator streams that these options draw from, in port order. */
  readonly streams: readonly Stream[]
  readonly stream: Readonly<Record<Stream, number>>
}

export const STREAMS = [
  'places',
  'primary',
  'sensing',
  'attempts',
  'fading',
  'arrivals',
  'presence',
  'jamming',
] as const
export type Stream = (typeof STREAMS)[number]

/** Slots that a picture shows. */
export const PICTURE_SLOTS = 40

/** Plans by their (never changed) options: the spec and the rules of a batch ask with the same object. */
const PLANS = new WeakMap<Options, Plan>()

/**
 * Checks the options against each other and derives the plan.
 * @throws TroupeError bad-option when they contradict each other
 */
export function planOf(options: Options): Plan {
  let plan = PLANS.get(options)
  if (plan === undefined) PLANS.set(options, (plan = derivePlan(options)))
  return plan
}

function refuse(option: string, got: string, expected: string): never {
  throw new TroupeError('bad-option', { where: `spectrum options: ${option}`, got, expected })
}

function perItem(option: string, value: number | readonly number[], count: number, of: string): Float64Array {
  if (typeof value === 'number') return new Float64Array(count).fill(value)
  if (value.length !== count) refuse(option, `a list of ${value.length}`, `one number, or ${count}: one per ${of}`)
  return Float64Array.from(value)
}

function derivePlan(options: Full): Plan {
  const { users: N, channels: K, clusters, miniSlots, jammer } = options
  if (N % clusters !== 0 || K % clusters !== 0) {
    refuse('clusters', `${clusters}`, `a number that divides ${N} users and ${K} channels`)
  }
  if ((miniSlots - 1) * options.miniSlotShare > 1) {
    const most = 1 / (miniSlots - 1)
    refuse('miniSlotShare', shown(options.miniSlotShare), `at most ${most.toFixed(4)} with ${miniSlots} mini-slots`)
  }
  for (const channel of options.puGood) {
    if (options.pu === 'roundRobin' && channel >= K) refuse('puGood', `with channel ${channel}`, `0 to ${K - 1}`)
  }
  if (options.jammerChannels > K && jammer !== 'none' && jammer !== 'seat') {
    refuse('jammerChannels', `${options.jammerChannels}`, `at most ${K}, the number of channels`)
  }
  if (options.obs === 'sense' && options.sensing === 'none') {
    refuse('obs', '"sense" without sensing', 'sensing "all" or "one"')
  }
  if (options.obs === 'queue' && options.arrivalProb === null) {
    refuse('obs', '"queue" without queues', 'an arrivalProb')
  }
  if (options.queueStart > options.queueCap && options.arrivalProb !== null) {
    refuse('queueStart', `${options.queueStart}`, `at most queueCap, ${options.queueCap}`)
  }
  const horizon = options.horizon ?? 0
  if (options.reward === 'propFairEpisodic' && horizon === 0) {
    refuse('reward', '"propFairEpisodic" without a horizon', 'a horizon: it pays in the last slot')
  }
  const range = options.snrRangeDb
  if (range !== null && range[0] > range[1]) refuse('snrRangeDb', shown(range), 'low first, then high')
  const [least, most] = options.linkMetres
  if (least > most) refuse('linkMetres', shown(options.linkMetres), 'the least distance first, then the largest')
  const sinr = options.interference === 'sinr'
  if (sinr && options.neighbours !== null) {
    refuse('neighbours', 'given with interference "sinr"', 'null: distances decide who disturbs whom')
  }
  const usesSnr = sinr || options.rate === 'shannon' || options.fading !== 'none' || options.obs === 'snr'
  const streams = streamsOf(options)
  return {
    options,
    users: N,
    channels: K,
    horizon,
    seat: jammer === 'seat',
    miniSlots,
    puBusy: perItem('puBusy', options.puBusy, options.pu === 'bernoulli' ? K : lengthOf(options.puBusy, K), 'channel'),
    p01: perItem('p01', options.p01, options.pu === 'gilbertElliott' ? K : lengthOf(options.p01, K), 'channel'),
    p11: perItem('p11', options.p11, options.pu === 'gilbertElliott' ? K : lengthOf(options.p11, K), 'channel'),
    good: Uint8Array.from({ length: K }, (_, k) => (options.puGood.includes(k) ? 1 : 0)),
    arrivals: options.arrivalProb === null ? null : perItem('arrivalProb', options.arrivalProb, N, 'user'),
    meanLevel: meanLevels(options),
    usesSnr,
    near: sinr ? null : neighboursOf(options),
    sinr,
    air: options.pu !== 'none' || jammer !== 'none',
    unit: options.rate === 'unit' && miniSlots === 1,
    plain:
      options.pu === 'none' &&
      jammer === 'none' &&
      options.attemptProb === 1 &&
      miniSlots === 1 &&
      options.neighbours === null &&
      options.arrivalProb === null &&
      !usesSnr,
    moves:
      options.pu !== 'none' ||
      (jammer !== 'none' && jammer !== 'seat') ||
      options.arrivalProb !== null ||
      options.leaveProb > 0 ||
      options.fading !== 'none' ||
      options.sensing !== 'none',
    threshold: LINEAR[levelOf(options.sinrThresholdDb)],
    window: 2 * Math.ceil(N / K),
    kept: Math.max(PICTURE_SLOTS, options.history),
    streams,
    stream: Object.fromEntries(STREAMS.map((name) => [name, streams.indexOf(name)])) as Record<Stream, number>,
  }
}

/** Options that the model does not use are not held against the number of channels. */
const lengthOf = (value: number | readonly number[], count: number) =>
  typeof value === 'number' ? count : value.length

function meanLevels({ snrDb, users: N, channels: K }: Options): Int16Array {
  if (typeof snrDb === 'number') return new Int16Array(N * K).fill(levelOf(snrDb))
  if (snrDb.length !== N || snrDb.some((row) => row.length !== K)) {
    refuse('snrDb', `${snrDb.length} rows of ${snrDb.map((row) => row.length).join(', ')}`, `${N} rows of ${K}`)
  }
  return Int16Array.from(snrDb.flat(), levelOf)
}

function neighboursOf({ neighbours, users: N, gridColumns, upstreamEdge }: Options): Plan['near'] {
  if (neighbours === null) return null
  const lists = neighbours === 'grid' ? gridNeighbours(N, gridColumns, upstreamEdge) : neighbours
  if (lists.length !== N) refuse('neighbours', `${lists.length} lists`, `${N}, one per user`)
  lists.forEach((list, n) => {
    for (const m of list) {
      if (m >= N || m === n) refuse('neighbours', `${m} for user ${n}`, `another user of 0 to ${N - 1}`)
      if (!lists[m].includes(n)) refuse('neighbours', `${m} for user ${n} but not ${n} for user ${m}`, 'both or none')
    }
    if (new Set(list).size !== list.length)
      refuse('neighbours', `a list with one twice for user ${n}`, 'distinct users')
  })
  const start = new Int32Array(N + 1)
  for (let n = 0; n < N; n++) start[n + 1] = start[n] + lists[n].length
  return { start, of: Int32Array.from(lists.flat()) }
}

/** Row by row; users to the left, right, above and below. */
export function gridNeighbours(users: number, columns: number, upstreamEdge: boolean): number[][] {
  const lists: number[][] = Array.from({ length: users }, () => [])
  const join = (a: number, b: number) => {
    if (b >= users || lists[a].includes(b)) return
    lists[a].push(b)
    lists[b].push(a)
  }
  for (let n = 0; n < users; n++) {
    if ((n + 1) % columns !== 0) join(n, n + 1)
    join(n, n + columns)
  }
  if (upstreamEdge && columns < users) join(columns - 1, columns)
  return lists.map((list) => list.sort((a, b) => a - b))
}

function streamsOf(options: Options): Stream[] {
  const { pu, jammer } = options
  const between = (value: number | readonly number[]) => [value].flat().some((p) => p > 0 && p < 1)
  const uses: Record<Stream, boolean> = {
    places: options.interference === 'sinr' || (options.snrRangeDb !== null && usesMeans(options)),
    primary: pu !== 'none',
    sensing:
      options.sensing !== 'none' &&
      (between(options.pFalseAlarm) ||
        between(options.pMiss) ||
        (options.sensing === 'one' && options.sensedChannel === 'random')),
    attempts: between(options.attemptProb),
    fading: options.fading !== 'none',
    arrivals: options.arrivalProb !== null,
    presence: options.leaveProb > 0,
    jamming: jammer === 'constant' || jammer === 'sweep' || jammer === 'reactive',
  }
  return STREAMS.filter((name) => uses[name])
}

const usesMeans = ({ rate, fading, obs }: Options) => rate === 'shannon' || fading !== 'none' || obs === 'snr'
