/** Contract checks of what an environment shows and accepts while it is played. */
import { envSpec, type DigestibleBatch } from './batch.ts'
import {
  SHORT,
  STEPS,
  dice,
  inside,
  must,
  open,
  row,
  same,
  sameOutputs,
  seeds,
  spied,
  type Check,
} from './contract-tools.ts'
import { TroupeError } from './errors.ts'
import { ParallelEnv } from './parallel.ts'
import { actionArray, randomActions } from './random-actions.ts'
import { canonicalJson } from './schema.ts'

export const everyOutputIsWritten: Check = (definition, options) => {
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

export const valuesStayInBounds: Check = (definition, options) => {
  const batch = open(definition, options, {}, 2 * STEPS)
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

export const masksAreRight: Check = (definition, options) => {
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

export const illegalActionsChangeNothing: Check = (definition, options) => {
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

export const theHorizonCuts: Check = (definition, options) => {
  for (const horizonEnds of ['truncation', 'termination']) {
    const batch = open(definition, { ...options, horizonEnds }, { autoreset: 'disabled', lanes: 8 }, 7)
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

export const everyAutoresetShowsTheEnd: Check = (definition, options) => {
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

export const metricsAreNamed: Check = (definition, options) => {
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

export const someSeatsCanBeControlled: Check = (definition, options) => {
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

export const rewardTermsAddUp: Check = (definition, options) => {
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

interface Heap {
  readonly process?: { memoryUsage?: () => { heapUsed: number } }
}

/** Bytes of garbage a step may leave on average; a boxed number per step is 16. */
const GARBAGE_PER_STEP = 64

const GARBAGE_PER_EPISODE = 4096

export const stepsMakeNoGarbage: Check = (definition, options) => {
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
  // Code that the engine has not optimised yet boxes its numbers, and on a busy machine it optimises late: steps are
  // played until one window is clean. Rules that make garbage make it in every window.
  const rounds = 50
  let least = Infinity
  for (let window = 0; window < 12 && least >= GARBAGE_PER_STEP; window++) {
    play(1500)
    let grown = 0
    for (let round = 0; round < rounds; round++) {
      episodes = 0
      const before = used().heapUsed
      play(100)
      // A collection in between makes a round shrink; such rounds are left out.
      grown += Math.max(0, used().heapUsed - before - episodes * GARBAGE_PER_EPISODE)
    }
    least = Math.min(least, grown / (rounds * 100))
  }
  must(
    least < GARBAGE_PER_STEP,
    () => `a step of 8 lanes leaves ${Math.round(least)} bytes of garbage; expected next to none`,
  )
}

export const theParallelViewPlays: Check = (definition, options) => {
  const env = new ParallelEnv(definition, { ...options, horizon: SHORT })
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
      must(++steps <= SHORT, () => `no end after ${steps} steps`)
    }
  }
  env.reset({ seed: 7 })
  must(env.hash() === first[0], () => 'reset({ seed: 7 }) does not begin the same episode again')
}
