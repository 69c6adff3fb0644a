/**
 * What every environment must keep, as a list of named checks; `troupe check ./mine.js` and the tests run it over
 * built-in worlds and other people's alike. A check throws an Error whose message says what is wrong and where.
 */
import { createBatch, envSpec, openOptions, type DigestibleBatch } from './batch.ts'
import { TroupeError } from './errors.ts'
import { ParallelEnv } from './parallel.ts'
import { Generator } from './random.ts'
import { actionArray, randomActions } from './random-actions.ts'
import { ReplayRecorder, checkFrame, readReplay, verifyReplay, writeReplay } from './replay.ts'
import { canonicalJson } from './schema.ts'
import { episodeSeed, namedSeed, type EpisodeSeed } from './seeds.ts'
import {
  type BatchSettings,
  type EnvDefinition,
  type Feature,
  type Port,
  type Rules,
  type TypedArray,
} from './types.ts'

export interface ContractCheck {
  /** A promise in words, with the options it was made under. */
  readonly name: string
  /** @throws Error saying what is wrong */
  run(): void
}

type Options = Readonly<Record<string, unknown>>
type Check = (definition: EnvDefinition, options: Options) => void

/** Horizon of most checks: short, so that episodes end and begin again within them. */
const SHORT = 40
const STEPS = 100

const seeds = (lane: number, episode: number): EpisodeSeed => episodeSeed('contract', 'train', lane, episode)

function open(definition: EnvDefinition, options: Options, settings: BatchSettings = {}): DigestibleBatch {
  const batch = createBatch(definition, { horizon: SHORT, ...options }, { lanes: 4, seeds, ...settings })
  batch.reset()
  return batch
}

const dice = (name: string): Generator => new Generator(namedSeed('contract', name))

function must(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message())
}

function same(a: ArrayLike<number>, b: ArrayLike<number>, what: () => string): void {
  must(a.length === b.length, () => `${what()}: lengths ${a.length} and ${b.length}`)
  for (let i = 0; i < a.length; i++) {
    if (!Object.is(a[i], b[i])) throw new Error(`${what()}: element ${i} is ${a[i]} and ${b[i]}`)
  }
}

const OUTPUTS = [
  'observation',
  'state',
  'agentState',
  'mask',
  'alive',
  'episodeStart',
  'reward',
  'terminated',
  'truncated',
  'returns',
  'finalObservation',
  'finalState',
  'finalAgentState',
  'finalMask',
  'finalAlive',
  'finalReturns',
  'finalLength',
] as const

/** Every output of two batches, bit for bit. */
function sameOutputs(a: DigestibleBatch, b: DigestibleBatch, what: string): void {
  for (const name of OUTPUTS) same(a[name] ?? [], b[name] ?? [], () => `${what}: ${name}`)
  for (let lane = 0; lane < a.lanes; lane++) {
    must(a.hash(lane) === b.hash(lane), () => `${what}: the state of lane ${lane} differs (hash)`)
  }
}

const row = (
  array: ArrayLike<number> & { slice(from: number, to: number): ArrayLike<number> },
  lane: number,
  lanes: number,
) => array.slice((lane * array.length) / lanes, ((lane + 1) * array.length) / lanes)

function distinct(names: readonly string[], what: string): void {
  const seen = new Set<string>()
  for (const name of names) {
    must(typeof name === 'string' && name !== '', () => `${what}: a name is empty`)
    must(!seen.has(name), () => `${what}: "${name}" is there twice`)
    seen.add(name)
  }
}

function checkFeatures(features: readonly Feature[], what: string): void {
  distinct(
    features.map((feature) => feature.name),
    what,
  )
  for (const { name, low, high } of features) {
    const right = Number.isFinite(low) && Number.isFinite(high) && low <= high
    must(right, () => `${what}: ${name} has the range ${low} to ${high}; low must not be above high, both finite`)
  }
}

const specIsSane: Check = (definition, options) => {
  must(
    /^[a-z][a-z0-9-]*$/.test(definition.id),
    () => `id "${definition.id}" is not lower-case letters, digits, hyphens`,
  )
  must(typeof definition.version === 'string' && definition.version !== '', () => 'version is empty')
  must(typeof definition.summary === 'string' && definition.summary !== '', () => 'summary is empty')
  const spec = envSpec(definition, options)
  must(canonicalJson(spec) === canonicalJson(envSpec(definition, options)), () => 'spec() differs between two calls')
  const { world } = spec
  must(world.agents.length > 0, () => 'there are no agents')
  distinct(
    world.agents.map((agent) => agent.id),
    'agents',
  )
  distinct(world.metrics, 'metrics')
  distinct(world.streams, 'streams')
  must(!world.metrics.includes('episodeLength'), () => 'metrics: episodeLength is added by the core')
  for (const metric of world.metrics)
    must(/^[a-z][A-Za-z0-9]*$/.test(metric), () => `metric "${metric}" is not camelCase`)
  checkFeatures(world.state, 'state')
  checkFeatures(world.agentState ?? [], 'agentState')
  for (const agent of world.agents) {
    checkFeatures(agent.observation, `observation of ${agent.id}`)
    must(agent.observation.length > 0, () => `observation of ${agent.id} is empty`)
    const { action } = agent
    if (action.kind === 'discrete') {
      distinct(action.names, `actions of ${agent.id}`)
      must(action.names.length > 0, () => `actions of ${agent.id}: none`)
      continue
    }
    must(action.dimensions.length > 0, () => `actions of ${agent.id}: no dimensions`)
    distinct(
      action.dimensions.map((dimension) => dimension.name),
      `actions of ${agent.id}`,
    )
    for (const dimension of action.dimensions) {
      if ('values' in dimension) {
        distinct(dimension.values, `${dimension.name} of ${agent.id}`)
        must(dimension.values.length > 0, () => `${dimension.name} of ${agent.id} has no choices (zero-size space)`)
      } else {
        const right =
          Number.isFinite(dimension.low) && Number.isFinite(dimension.high) && dimension.low < dimension.high
        must(right, () => `${dimension.name} of ${agent.id}: ${dimension.low} to ${dimension.high} is no range`)
      }
    }
  }
  JSON.stringify(world.scene ?? null)
}

const unknownOptionsAreRefused: Check = (definition, options) => {
  openOptions(definition, options)
  try {
    openOptions(definition, { ...options, noSuchOption: 1 })
  } catch (error) {
    must(error instanceof TroupeError && error.code === 'bad-option', () => `an unknown option throws ${String(error)}`)
    return
  }
  throw new Error('an unknown option is accepted')
}

const sameSeedsSameEpisodes: Check = (definition, options) => {
  const a = open(definition, options)
  const b = open(definition, options)
  const action = actionArray(a)
  const rng = dice('same')
  sameOutputs(a, b, 'after reset')
  for (let t = 0; t < STEPS; t++) {
    randomActions(a, rng, action)
    a.step(action)
    b.step(action)
    sameOutputs(a, b, `step ${t}`)
  }
  b.reset([0, 1, 2, 3].map((lane) => seeds(lane, 0)))
  const fresh = open(definition, options)
  for (const name of [
    'observation',
    'state',
    'mask',
    'alive',
    'reward',
    'terminated',
    'truncated',
    'returns',
  ] as const) {
    same(b[name], fresh[name], () => `after many steps and a reset with the first seeds: ${name}`)
  }
  must(b.hash(0) === fresh.hash(0), () => 'a reset leaves something of the episode before in the state (hash differs)')
}

/** The definition, with what passes between core and rules in hand. */
function spied(definition: EnvDefinition): { definition: EnvDefinition; port(): Port; rules(): Rules } {
  let port: Port | undefined
  let rules: Rules | undefined
  const copy: EnvDefinition = {
    id: definition.id,
    version: definition.version,
    summary: definition.summary,
    options: definition.options,
    horizon: definition.horizon,
    spec: (options) => definition.spec(options),
    create(options, given) {
      port = given
      rules = definition.create(options, given)
      return rules
    },
  }
  return { definition: copy, port: () => port!, rules: () => rules! }
}

const everyOutputIsWritten: Check = (definition, options) => {
  const spy = spied(definition)
  const dirty = open(spy.definition, options)
  const clean = open(definition, options)
  const { observation, state, agentState, mask, alive, reward, terminated } = spy.port()
  const soil = () => {
    for (const array of [observation, state, agentState]) array.fill(NaN)
    reward.fill(12345)
    terminated.fill(1)
    if (spy.rules().legal !== undefined) {
      mask.fill(77)
      alive.fill(77)
    }
  }
  soil()
  dirty.reset([0, 1, 2, 3].map((lane) => seeds(lane, 0)))
  clean.reset([0, 1, 2, 3].map((lane) => seeds(lane, 0)))
  const compare = (what: string) => {
    for (const name of ['observation', 'state', 'agentState', 'mask', 'alive'] as const) {
      same(dirty[name] ?? [], clean[name] ?? [], () => `${what}, outputs filled with rubbish before: ${name}`)
    }
  }
  compare('reset')
  const action = actionArray(clean)
  const rng = dice('written')
  for (let t = 0; t < STEPS; t++) {
    randomActions(clean, rng, action)
    soil()
    dirty.step(action)
    clean.step(action)
    compare(`step ${t}`)
    same(dirty.reward, clean.reward, () => `step ${t}, outputs filled with rubbish before: reward`)
    same(dirty.terminated, clean.terminated, () => `step ${t}, outputs filled with rubbish before: terminated`)
  }
}

function inside(values: Float32Array, from: number, features: readonly Feature[], what: () => string): void {
  features.forEach(({ name, low, high }, i) => {
    const value = values[from + i]
    if (value >= Math.fround(low) && value <= Math.fround(high)) return
    throw new Error(`${what()}: ${name} is ${value}; declared ${low} to ${high}`)
  })
}

const valuesStayInBounds: Check = (definition, options) => {
  const batch = open(definition, options)
  const { spec } = batch
  const N = spec.agents.length
  const action = actionArray(batch)
  const rng = dice('bounds')
  const F = spec.observationSize
  for (let t = 0; t <= 3 * STEPS; t++) {
    for (let lane = 0; lane < batch.lanes; lane++) {
      spec.agents.forEach((agent, n) => {
        const at = (lane * N + n) * F
        const what = () => `step ${t}, lane ${lane}, ${agent.id}`
        inside(batch.observation, at, agent.observation, () => `${what()}: observation`)
        for (let i = at + agent.observation.length; i < at + F; i++) {
          must(
            batch.observation[i] === 0,
            () => `${what()}: padding of the observation is ${batch.observation[i]}, not 0`,
          )
        }
        if (batch.agentState !== undefined) {
          const from = (lane * N + n) * spec.agentStateSize
          inside(batch.agentState, from, spec.world.agentState!, () => `${what()}: agentState`)
        }
        must(Number.isFinite(batch.reward[lane * N + n]), () => `${what()}: reward is ${batch.reward[lane * N + n]}`)
      })
      inside(batch.state, lane * spec.stateSize, spec.world.state, () => `step ${t}, lane ${lane}: state`)
    }
    randomActions(batch, rng, action)
    batch.step(action)
  }
}

/** Legal choices of one agent in one dimension; complains about bytes other than 0 and 1 and unmasked padding. */
function legalChoices(batch: DigestibleBatch, lane: number, n: number, d: number, what: () => string): number {
  const { spec, mask } = batch
  const N = spec.agents.length
  const { action } = spec.agents[n]
  let from = (lane * N + n) * spec.actionSize
  for (let i = 0; i < d; i++) from += spec.actionSizes[i]
  const own =
    action.kind === 'discrete' ? action.names.length : action.kind === 'box' ? 0 : action.dimensions[d].values.length
  let legal = 0
  for (let a = 0; a < spec.actionSizes[d]; a++) {
    const byte = mask[from + a]
    must(byte === 0 || byte === 1, () => `${what()}: mask byte of action ${a} is ${byte}`)
    must(a < own || byte === 0, () => `${what()}: action ${a} is legal, the agent has ${own}`)
    legal += byte
  }
  return legal
}

const masksAreRight: Check = (definition, options) => {
  const batch = open(definition, options)
  const { spec, alive } = batch
  const N = spec.agents.length
  const action = actionArray(batch)
  const rng = dice('masks')
  const before = alive.slice()
  for (let t = 0; t <= 3 * STEPS; t++) {
    for (let i = 0; i < batch.lanes * N; i++) {
      const lane = Math.floor(i / N)
      const what = () => `step ${t}, lane ${lane}, ${spec.agents[i % N].id}`
      must(alive[i] === 0 || alive[i] === 1, () => `${what()}: alive is ${alive[i]}`)
      const back = alive[i] === 1 && before[i] === 0 && batch.episodeStart[lane] === 0
      must(!back, () => `${what()}: an agent came back to life within an episode`)
      before[i] = alive[i]
      for (let d = 0; d < spec.actionSizes.length; d++) {
        const legal = legalChoices(batch, lane, i % N, d, what)
        must(legal > 0, () => `${what()}: no legal action`)
        must(
          alive[i] === 1 || legal === 1,
          () => `${what()}: dead with ${legal} legal actions; exactly one is expected`,
        )
      }
    }
    randomActions(batch, rng, action)
    batch.step(action)
  }
}

const illegalActionsChangeNothing: Check = (definition, options) => {
  const batch = open(definition, options)
  const action = actionArray(batch)
  const rng = dice('illegal')
  for (let t = 0; t < 5; t++) {
    randomActions(batch, rng, action)
    const good = action.slice()
    const before = [0, 1, 2, 3].map((lane) => batch.hash(lane)).join()
    for (const wrong of [-1, 1e9, NaN]) {
      action[action.length - 1] = wrong
      if (batch.spec.actionKind !== 'box' && Number.isNaN(wrong)) continue
      let refused = false
      try {
        batch.step(action)
      } catch (error) {
        refused = error instanceof TroupeError && error.code === 'bad-action'
      }
      const low = batch.spec.agents.at(-1)!.action
      const fine = low.kind === 'box' && wrong >= low.dimensions.at(-1)!.low && wrong <= low.dimensions.at(-1)!.high
      if (fine) continue
      must(refused, () => `step ${t}: action ${wrong} is not refused as bad-action`)
    }
    const after = [0, 1, 2, 3].map((lane) => batch.hash(lane)).join()
    if (batch.spec.actionKind !== 'box') must(before === after, () => `step ${t}: a refused action changed the state`)
    batch.step(good as never)
  }
}

const savedGamesGoOn: Check = (definition, options) => {
  const a = open(definition, options, { autoreset: 'disabled' })
  const b = open(definition, options, { autoreset: 'disabled' })
  const action = actionArray(a)
  const rng = dice('saved')
  for (const until of [0, 3, 17]) {
    for (let t = a.stepCount[0]; t < until; t++) {
      randomActions(a, rng, action)
      a.step(action)
    }
    const saved = [0, 1, 2, 3].map((lane) => JSON.parse(JSON.stringify(a.save(lane))) as ReturnType<typeof a.save>)
    for (let lane = 0; lane < 4; lane++) b.load(lane, saved[lane])
    const what = (t: number) => `saved at step ${until}, loaded in another batch, ${t} steps later`
    for (let t = 0; t < 15; t++) {
      for (const name of [
        'observation',
        'state',
        'agentState',
        'mask',
        'alive',
        'returns',
        'terminated',
        'truncated',
      ] as const) {
        same(a[name] ?? [], b[name] ?? [], () => `${what(t)}: ${name}`)
      }
      for (let lane = 0; lane < 4; lane++)
        must(a.hash(lane) === b.hash(lane), () => `${what(t)}: lane ${lane} differs (hash)`)
      randomActions(a, rng, action)
      a.step(action)
      b.step(action)
      same(a.reward, b.reward, () => `${what(t)}: reward`)
    }
    for (let lane = 0; lane < 4; lane++) a.load(lane, saved[lane])
  }
}

const lanesDoNotTouch: Check = (definition, options) => {
  const many = open(definition, options, { lanes: 6 })
  const rng = dice('lanes')
  const action = actionArray(many)
  const alone = [0, 3, 5].map((lane) => ({ lane, batch: open(definition, options, { lanes: 1, firstLane: lane }) }))
  for (let t = 0; t < STEPS; t++) {
    randomActions(many, rng, action)
    for (const { lane, batch } of alone) {
      const what = () => `step ${t}: lane ${lane} of six against the same lane alone`
      for (const name of OUTPUTS) {
        same(row(many[name] ?? new Uint8Array(0), lane, 6), batch[name] ?? [], () => `${what()}: ${name}`)
      }
      must(many.hash(lane) === batch.hash(0), () => `${what()}: state (hash)`)
      batch.step(row(action, lane, 6) as never)
    }
    many.step(action)
  }
}

const theHorizonCuts: Check = (definition, options) => {
  for (const horizonEnds of ['truncation', 'termination']) {
    const batch = open(definition, { ...options, horizon: 7, horizonEnds }, { autoreset: 'disabled', lanes: 8 })
    const action = actionArray(batch)
    const rng = dice('horizon')
    for (let t = 1; t <= 7; t++) {
      randomActions(batch, rng, action)
      batch.step(action)
      for (let lane = 0; lane < 8; lane++) {
        const cut = batch.truncated[lane] === 1
        must(!cut || (t === 7 && horizonEnds === 'truncation'), () => `horizon 7: truncated at step ${t}`)
        if (t < 7) continue
        const ended = cut || batch.terminated[lane] === 1
        must(ended, () => `horizon 7: lane ${lane} is still running after step 7`)
      }
    }
  }
}

const everyAutoresetShowsTheEnd: Check = (definition, options) => {
  const still = open(definition, options, { autoreset: 'disabled' })
  const at = new Int32Array(4)
  const samestep = open(definition, options, { autoreset: 'same-step' })
  const next = open(definition, options, { autoreset: 'next-step' })
  const rng = dice('autoreset')
  const action = actionArray(still)
  const seen = new Uint8Array(4)
  for (let t = 0; t < SHORT && seen.includes(0); t++) {
    randomActions(still, rng, action)
    for (const batch of [still, samestep, next]) {
      // Lanes that ended play on in the other batches; only their first ending is compared.
      const own = action.slice() as typeof action
      if (batch !== still) fillLegal(batch, own, seen)
      batch.step(own as never)
    }
    for (let lane = 0; lane < 4; lane++) {
      if (seen[lane] === 1) continue
      at[lane]++
      if (still.terminated[lane] + still.truncated[lane] === 0) continue
      seen[lane] = 1
      for (const batch of [samestep, next]) {
        const what = (name: string) => () => `${batch.autoreset}: lane ${lane} ended at step ${at[lane]}: ${name}`
        const pairs = [
          ['finalObservation', 'observation'],
          ['finalState', 'state'],
          ['finalMask', 'mask'],
          ['finalAlive', 'alive'],
          ['finalReturns', 'returns'],
        ] as const
        for (const [last, name] of pairs) same(row(batch[last], lane, 4), row(still[name], lane, 4), what(last))
        same(row(batch.terminated, lane, 4), row(still.terminated, lane, 4), what('terminated'))
        same(row(batch.reward, lane, 4), row(still.reward, lane, 4), what('reward'))
        must(batch.finalLength[lane] === at[lane], what(`finalLength is ${batch.finalLength[lane]}`))
        const [a, b] = [canonicalJson(batch.finalMetrics(lane)), canonicalJson(still.metrics(lane))]
        must(a === b, what(`finalMetrics are ${a}, metrics without autoreset ${b}`))
      }
      const fresh = samestep.episodeStart[lane] === 1 && samestep.stepCount[lane] === 0
      must(fresh, () => `same-step: lane ${lane} does not show a new episode in the step that ended the old one`)
    }
  }
  must(!seen.includes(0), () => `a lane has not ended after ${SHORT} steps, its horizon`)
}

/** Replaces the actions of lanes marked in `which` by each agent's first legal one. */
function fillLegal(batch: DigestibleBatch, action: Int32Array | Float32Array, which: Uint8Array): void {
  const rng = dice('fill')
  const own = actionArray(batch)
  randomActions(batch, rng, own)
  const width = own.length / batch.lanes
  for (let i = 0; i < own.length; i++) if (which[Math.floor(i / width)] === 1) action[i] = own[i]
}

/** Everything a lane shows and keeps besides the generators. */
function portrait(batch: DigestibleBatch, lane: number): string {
  const { arrays } = batch.save(lane)
  const { random: _, ...rest } = arrays
  return canonicalJson({ rest, reward: Array.from(row(batch.reward, lane, batch.lanes)) })
}

const seedsMatter: Check = (definition, options) => {
  const batch = open(definition, options, { lanes: 16 })
  const one = open(definition, options, { lanes: 16, seeds: () => seeds(0, 0) })
  const rng = dice('seeds')
  const many = new Set<string>()
  const single = new Set<string>()
  const action = actionArray(batch)
  const width = action.length / 16
  for (let t = 0; t < 20; t++) {
    for (let lane = 0; lane < 16; lane++) {
      many.add(`${t} ${portrait(batch, lane)}`)
      single.add(`${t} ${portrait(one, lane)}`)
    }
    // Every lane of `one` plays lane 0's actions; it must stay one and the same episode.
    randomActions(one, rng, action)
    for (let i = 0; i < action.length; i++) action[i] = action[i % width]
    one.step(action)
    randomActions(batch, rng, action)
    if (batch.spec.world.streams.length === 0) for (let i = 0; i < action.length; i++) action[i] = action[i % width]
    batch.step(action)
  }
  must(single.size === 20, () => 'the same seed and the same actions give different episodes in different lanes')
  if (batch.spec.world.streams.length > 0) {
    must(
      many.size > 20,
      () => `streams are declared (${batch.spec.world.streams.join(', ')}), yet 16 seeds give one episode`,
    )
  } else must(many.size === 20, () => 'no streams are declared, yet lanes with different seeds differ')
}

const hashesTellStates: Check = (definition, options) => {
  const batch = open(definition, options, { autoreset: 'disabled' })
  const rng = dice('hash')
  const action = actionArray(batch)
  for (let t = 0; t < 4; t++) {
    randomActions(batch, rng, action)
    batch.step(action)
  }
  const saved = batch.save(0)
  const hash = batch.hash(0)
  must(/^[0-9a-f]{32}$/.test(hash), () => `hash is ${hash}, not 32 hex digits`)
  batch.load(1, saved)
  must(batch.hash(1) === hash, () => 'equal states in two lanes have different hashes')
  const spy = spied(definition)
  const own = open(spy.definition, options, { autoreset: 'disabled' })
  const before = own.hash(0)
  for (const [name, array] of Object.entries(spy.rules().arrays) as [string, TypedArray][]) {
    if (array.length === 0) continue
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    bytes[0] ^= 1
    must(own.hash(0) !== before, () => `the hash does not see a changed bit of the state array "${name}"`)
    bytes[0] ^= 1
  }
}

const framesAreDrawable: Check = (definition, options) => {
  const a = open(definition, options, { autoreset: 'disabled' })
  const b = open(definition, options, { autoreset: 'disabled' })
  const rng = dice('frames')
  const action = actionArray(a)
  for (let t = 0; t < 25; t++) {
    const what = () => `frame at step ${t}`
    const frame = a.frame(0)
    checkFrame(frame, 'frame')
    const text = canonicalJson(frame)
    must(canonicalJson(JSON.parse(JSON.stringify(frame))) === text, () => `${what()} changes when it goes through JSON`)
    must(frame.step === a.stepCount[0], () => `${what()} says step ${frame.step}`)
    distinct(
      frame.entities.map((entity) => entity.id),
      `${what()}: entities`,
    )
    b.load(0, a.save(0))
    must(canonicalJson(b.frame(0)) === text, () => `${what()} differs after save and load`)
    randomActions(a, rng, action)
    a.step(action)
  }
}

const metricsAreNamed: Check = (definition, options) => {
  const batch = open(definition, options)
  const rng = dice('metrics')
  const action = actionArray(batch)
  const check = (metrics: Record<string, number | null>, what: string) => {
    const [names, declared] = [Object.keys(metrics).join(', '), batch.spec.metrics.join(', ')]
    must(names === declared, () => `${what} are ${names}; declared ${declared}`)
    for (const [name, value] of Object.entries(metrics)) {
      must(value === null || Number.isFinite(value), () => `${what}: ${name} is ${value}`)
    }
  }
  for (let t = 0; t < STEPS; t++) {
    check(batch.metrics(0), `metrics at step ${t}`)
    randomActions(batch, rng, action)
    batch.step(action)
    const ended = batch.terminated[0] + batch.truncated[0] > 0
    if (ended) check(batch.finalMetrics(0), `finalMetrics at step ${t}`)
  }
}

const someSeatsCanBeControlled: Check = (definition, options) => {
  const { agents } = envSpec(definition, options)
  if (agents.length < 2) return
  const control = [agents.length - 1]
  const whole = open(definition, options)
  const a = open(definition, options, { control })
  const b = open(definition, options, { control: [agents.at(-1)!.id] })
  must(
    a.spec.agents.length === 1 && a.spec.agents[0].id === agents.at(-1)!.id,
    () => 'control: the wrong agent is seated',
  )
  const N = agents.length
  for (let lane = 0; lane < 4; lane++) {
    const F = a.spec.observationSize
    const from = (lane * N + N - 1) * whole.spec.observationSize
    const seen = row(a.observation, lane, 4)
    same(seen, whole.observation.slice(from, from + F), () => `the only controlled agent sees something else at first`)
  }
  const rng = dice('seats')
  const action = actionArray(a)
  for (let t = 0; t < STEPS; t++) {
    randomActions(a, rng, action)
    a.step(action)
    b.step(action)
    sameOutputs(a, b, `one controlled agent, step ${t}`)
    inside(a.observation, 0, a.spec.agents[0].observation, () => `one controlled agent, step ${t}: observation`)
  }
}

const rewardTermsAddUp: Check = (definition, options) => {
  const batch = open(definition, options, { autoreset: 'disabled' })
  if (batch.rewardTerms === undefined) return
  const rng = dice('terms')
  const action = actionArray(batch)
  const N = batch.spec.agents.length
  for (let t = 0; t < 30; t++) {
    randomActions(batch, rng, action)
    const running = batch.terminated[0] + batch.truncated[0] === 0
    if (!running) return
    batch.step(action)
    const terms = Object.entries(batch.rewardTerms(0))
    for (let n = 0; n < N; n++) {
      let sum = 0
      let size = 1
      for (const [name, values] of terms) {
        must(values.length === N, () => `reward term ${name} has ${values.length} values for ${N} agents`)
        sum += values[n]
        size += Math.abs(values[n])
      }
      const close = Math.abs(sum - batch.reward[n]) <= 1e-5 * size
      must(
        close,
        () => `step ${t}, ${batch.spec.agents[n].id}: reward terms sum to ${sum}, the reward is ${batch.reward[n]}`,
      )
    }
  }
}

const replaysVerify: Check = (definition, options) => {
  const batch = open(definition, options, { lanes: 1, autoreset: 'disabled' })
  const recorder = new ReplayRecorder(
    batch,
    0,
    { scenario: { teamReward: 'sum' }, policies: [{ name: 'random' }], package: 'contract' },
    { keyframeEvery: 16 },
  )
  const rng = dice('replay')
  const action = actionArray(batch)
  while (batch.terminated[0] + batch.truncated[0] === 0) {
    randomActions(batch, rng, action)
    batch.step(action)
    recorder.record(action)
  }
  const replay = recorder.replay('sum')
  const bytes = writeReplay(replay)
  const verdict = verifyReplay(readReplay(bytes), definition)
  must(verdict.ok, () => `a fresh replay does not verify: ${JSON.stringify(verdict)}`)
  for (let k = 0; k < 64; k++) {
    const damaged = bytes.slice()
    damaged[Math.floor((k * bytes.length) / 64)] ^= 1 << (k & 7)
    let found = false
    try {
      found = !verifyReplay(readReplay(damaged), definition).ok
    } catch (error) {
      found = error instanceof TroupeError
    }
    must(found, () => `a replay with byte ${Math.floor((k * bytes.length) / 64)} changed passes for genuine`)
  }
  const step = Math.floor(replay.steps / 2)
  const actions = replay.actions.slice()
  const at = step * batch.spec.agents.length * batch.spec.actionDims
  const { action: space } = batch.spec.agents[0]
  const choices = space.kind === 'box' ? 0 : batch.spec.actionSizes[0]
  if (choices === 1) return
  if (space.kind === 'box') actions[at] = (space.dimensions[0].low + actions[at]) / 2
  else actions[at] = (actions[at] + 1) % choices
  if (actions[at] === replay.actions[at]) return
  const changed = verifyReplay({ ...replay, actions }, definition)
  const named = !changed.ok && changed.step === step
  must(named, () => `another action at step ${step} gives ${JSON.stringify(changed)}; expected that step to be named`)
}

interface Heap {
  readonly process?: { memoryUsage?: () => { heapUsed: number } }
}

/** Bytes of garbage a step may leave on average; a boxed number per step is 16. */
const GARBAGE_PER_STEP = 64
const GARBAGE_PER_EPISODE = 4096

const stepsMakeNoGarbage: Check = (definition, options) => {
  const used = (globalThis as Heap).process?.memoryUsage
  if (used === undefined) return
  const batch = open(definition, options, { lanes: 8, seeds: () => '0123456789abcdef0123456789abcdef' })
  const rng = dice('garbage')
  const action = actionArray(batch)
  let episodes = 0
  const play = (steps: number) => {
    for (let t = 0; t < steps; t++) {
      randomActions(batch, rng, action)
      batch.step(action)
      for (let lane = 0; lane < 8; lane++) episodes += batch.episodeStart[lane]
    }
  }
  play(3000)
  let least = Infinity
  for (let round = 0; round < 5; round++) {
    episodes = 0
    const before = used().heapUsed
    play(1000)
    // A collection in between makes a round look better than it is; another round will not have one.
    const grown = used().heapUsed - before - episodes * GARBAGE_PER_EPISODE
    least = Math.min(least, grown / 1000)
  }
  must(
    least < GARBAGE_PER_STEP,
    () => `a step of 8 lanes leaves ${Math.round(least)} bytes of garbage; expected next to none`,
  )
}

const theParallelViewPlays: Check = (definition, options) => {
  const env = new ParallelEnv(definition, { horizon: SHORT, ...options })
  const batch = open(definition, options, { lanes: 1 })
  must(env.possibleAgents.length === batch.spec.agents.length, () => 'possibleAgents are not the controlled agents')
  const first: string[] = []
  for (let episode = 0; episode < 3; episode++) {
    const { observations, infos } = env.reset(episode === 0 ? { seed: 7 } : {})
    first.push(env.hash())
    let living = env.agents
    must(living.length > 0, () => `episode ${episode}: nobody is there after reset`)
    for (const agent of living) {
      must(
        env.observationSpace(agent).contains(observations[agent]),
        () => `${agent}: first observation out of its space`,
      )
    }
    let masks = infos
    let steps = 0
    while (env.agents.length > 0) {
      const actions = Object.fromEntries(living.map((id) => [id, env.actionSpace(id).sample(masks[id].actionMask)]))
      const result = env.step(actions)
      for (const part of Object.values(result)) {
        must(
          Object.keys(part as object).join() === living.join(),
          () => `step ${steps}: entries differ from the agents that acted`,
        )
      }
      for (const agent of env.agents) must(living.includes(agent), () => `step ${steps}: ${agent} came back`)
      living = env.agents
      masks = result.infos
      must(++steps <= SHORT || options.horizon !== undefined, () => `no end after ${steps} steps`)
    }
  }
  env.reset({ seed: 7 })
  must(env.hash() === first[0], () => 'reset({ seed: 7 }) does not begin the same episode again')
}

const CHECKS: Readonly<Record<string, Check>> = {
  'the spec is complete and says the same at every call': specIsSane,
  'unknown options are refused': unknownOptionsAreRefused,
  'same seeds and actions give the same episodes in two instances': sameSeedsSameEpisodes,
  'every output element is written at every step': everyOutputIsWritten,
  'observations and states stay inside their declared bounds': valuesStayInBounds,
  'every agent has a legal action, a dead one exactly one, and nobody comes back': masksAreRight,
  'a refused action changes nothing': illegalActionsChangeNothing,
  'a saved game goes on the same in another instance, through JSON': savedGamesGoOn,
  'a lane among many is the lane alone': lanesDoNotTouch,
  'the horizon ends an episode at exactly that step': theHorizonCuts,
  'the final observation can be reached in every autoreset mode': everyAutoresetShowsTheEnd,
  'seeds matter where streams are declared, and only there': seedsMatter,
  'equal states have equal hashes, changed ones others': hashesTellStates,
  'frames are plain data with unique ids and survive save and load': framesAreDrawable,
  'metrics have their declared names and are numbers or null': metricsAreNamed,
  'some of the seats can be controlled': someSeatsCanBeControlled,
  'reward terms sum to the reward': rewardTermsAddUp,
  'a replay verifies, and one changed byte or action is found': replaysVerify,
  'steps leave no garbage': stepsMakeNoGarbage,
  'the Parallel view plays several episodes by its rules': theParallelViewPlays,
}

/**
 * The checks of an environment.
 * @param optionSets the choices of options to check under; default: the defaults
 */
export function contract(definition: EnvDefinition, optionSets: readonly Options[] = [{}]): ContractCheck[] {
  return optionSets.flatMap((options) => {
    const under = Object.keys(options).length === 0 ? '' : ` ${JSON.stringify(options)}`
    return Object.entries(CHECKS).map(([promise, check]) => ({
      name: `${definition.id}${under}: ${promise}`,
      run: () => check(definition, options),
    }))
  })
}
