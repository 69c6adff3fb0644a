/** The worker that plays on: forks of a replay, and what-if futures. Tensors are loaded when a checkpoint plays. */
import { ENVS } from '../../envs/index.ts'
import { definitionOf, readReplay, verifyReplay } from '../../envs/core/replay.ts'
import { type EnvDefinition, type EnvSpec } from '../../envs/core/types.ts'
import { envSpec } from '../../envs/core/batch.ts'
import { POLICIES } from '../../agents/scripted/index.ts'
import { preview } from '../scenarios/preview.ts'
import { sentence } from '../sources/episode.ts'
import { type Answer, type EpisodeInfo } from '../sources/messages.ts'
import { WhatIf } from '../whatif/whatif.ts'
import { Fork, placesIn, type Driver, type Played } from './fork.ts'
import { type ForkAnswer, type ForkRequest, type ForkState, type Plan } from './messages.ts'

/** Files made here say so in the place of a package version. */
const PACKAGE = 'page'

let fork: Fork | undefined
let name = ''
let asking = 0

function answer(message: Answer | ForkAnswer, transfer: Transferable[] = []): void {
  self.postMessage(message, { transfer })
}

/** Policies by what names them, so that agents with the same one share its memory and its draws. */
async function driversOf(plans: readonly Plan[], spec: EnvSpec): Promise<Driver[]> {
  const made = new Map<unknown, Promise<Driver>>()
  const make = async (plan: Plan): Promise<Driver> => {
    if (plan.kind === 'policy') return { kind: 'policy', policy: POLICIES[plan.name].create(spec) }
    if (plan.kind !== 'checkpoint') return plan
    const { openCheckpoint } = await import('./checkpoint.ts')
    return { kind: 'policy', ...(await openCheckpoint(plan.checkpoint, spec, plan.mode)) }
  }
  const keyOf = (plan: Plan) =>
    plan.kind === 'checkpoint' ? `${plan.checkpoint.name} ${plan.mode}` : plan.kind === 'policy' ? plan.name : plan.kind
  return Promise.all(
    plans.map((plan) => {
      const key = `${plan.kind} ${keyOf(plan)}`
      const known = made.get(key) ?? make(plan)
      made.set(key, known)
      return known
    }),
  )
}

function opened(bytes: Uint8Array): {
  replay: ReturnType<typeof readReplay>
  definition: EnvDefinition
  spec: EnvSpec
} {
  const replay = readReplay(bytes, {}, name)
  const definition = definitionOf(replay.header, ENVS, name)
  return { replay, definition, spec: envSpec(definition, replay.header.options, replay.header.control) }
}

/** The fork as the page holds it; actions have room for all that may follow. */
function infoOf(made: Fork, forkName: string): EpisodeInfo {
  const known = made.actions()
  const { spec } = made.batch
  const numbers = made.limit * spec.agents.length * spec.actionDims
  const actions = known instanceof Float32Array ? new Float32Array(numbers) : new Int32Array(numbers)
  actions.set(known)
  return {
    name: forkName,
    header: { ...made.header, policies: made.policies() },
    spec,
    mode: 'resimulate',
    notice: null,
    steps: made.steps,
    stored: [],
    agents: made.header.agents,
    actions,
    probability: null,
    value: null,
    notes: [],
    bytes: 0,
  }
}

function stateOf(made: Fork): ForkState {
  return { at: made.at, over: made.over, idle: made.header.agents.map((_, n) => made.idle(n)) }
}

/** Everything played so far, for a page that knows nothing of it yet. */
function soFar(made: Fork): Played {
  const agents = made.header.agents.length
  const rewards = new Float32Array(made.steps * agents)
  const events: Played['events'][number][] = []
  const places: number[] = []
  for (let step = 0; step <= made.steps; step++) {
    const record = made.record(step)
    places.push(...placesIn(record.frame, made.header.agents))
    if (step === 0) continue
    rewards.set(record.reward!, (step - 1) * agents)
    for (const { kind, agents: who, at, value } of record.frame.events) {
      events.push({ step, kind, agents: who ?? [], at: at ?? null, value: value ?? null })
    }
  }
  const known = { steps: made.steps, from: 0, over: made.over, actions: made.actions(), replaced: 0 }
  return { ...known, rewards, events, places: Float32Array.from(places) }
}

async function whatIf(request: ForkRequest & { kind: 'whatIf' }): Promise<void> {
  const { id, bytes, plans, step, agent, depth, discount } = request
  const { replay, definition, spec } = opened(bytes)
  const drivers = await driversOf(plans, spec)
  const policies = [...new Set(drivers.flatMap((driver) => (driver.kind === 'policy' ? [driver.policy] : [])))]
  const parts = policies.map((policy) => ({
    policy,
    agents: drivers.flatMap((driver, n) => (driver.kind === 'policy' && driver.policy === policy ? [n] : [])),
  }))
  const asked = new WhatIf(replay, definition, parts, { step, agent, depth, discount })
  answer({ id, kind: 'whatIf', estimate: asked.estimate() })
  const round = () => {
    if (asking !== id) return
    try {
      const estimate = asked.round()
      answer({ id, kind: 'whatIf', estimate })
      if (estimate.futures < MOST_FUTURES) setTimeout(round, 0)
    } catch (error) {
      answer({ id, kind: 'refused', message: sentence(name, error) })
    }
  }
  setTimeout(round, 0)
}

/** Futures per action after which waiting longer tells little. */
const MOST_FUTURES = 1000

async function hear(data: ForkRequest): Promise<void> {
  const { id } = data
  if (data.kind === 'policies') {
    const policies = Object.values(POLICIES)
      .filter(({ envs }) => envs === undefined || envs.includes(data.env))
      .map(({ name: known, summary, privileged }) => ({ name: known, summary, privileged }))
    answer({ id, kind: 'policies', policies })
  } else if (data.kind === 'preview') {
    name = data.scenario.id
    answer({ id, kind: 'preview', preview: preview(data.scenario, data.policy, data.seed, PACKAGE) })
  } else if (data.kind === 'whatIf') {
    name = data.name
    asking = id
    await whatIf(data)
  } else if (data.kind === 'fork') {
    name = data.name
    const { replay, definition, spec } = opened(data.bytes)
    fork = new Fork(replay, definition, data.at, await driversOf(data.plans, spec), data.label)
    answer({ id, kind: 'forked', info: infoOf(fork, data.label), played: soFar(fork), state: stateOf(fork) })
  } else if (fork === undefined) {
    throw new Error('no fork is open')
  } else if (data.kind === 'records') {
    const records = []
    for (let step = data.from; step <= Math.min(fork.steps, data.from + data.count - 1); step++) {
      records.push(fork.record(step))
    }
    answer({ id, kind: 'records', records })
  } else if (data.kind === 'verify') {
    answer({ id, kind: 'verdict', verdict: verifyReplay(readReplay(fork.file(), {}, name), fork.definition) })
  } else if (data.kind === 'advance') {
    const played = fork.advance(data.steps, new Map(data.choices))
    answer({ id, kind: 'played', played, state: stateOf(fork) })
  } else if (data.kind === 'cut') {
    fork.cut(data.step)
    answer({ id, kind: 'played', played: fork.advance(0), state: stateOf(fork) })
  } else if (data.kind === 'drive') {
    fork.drive(await driversOf(data.plans, fork.batch.spec))
    answer({ id, kind: 'played', played: fork.advance(0), state: stateOf(fork) })
  } else if (data.kind === 'file') {
    answer({ id, kind: 'file', bytes: fork.file() })
  }
}

/** One question after the other: policies of checkpoints take time to load. */
let queue = Promise.resolve()
self.onmessage = ({ data }: MessageEvent<ForkRequest>) => {
  queue = queue.then(() =>
    hear(data).catch((error: unknown) => answer({ id: data.id, kind: 'refused', message: sentence(name, error) })),
  )
}
