/** What any policy must keep, tried on a scenario: the suite behind `troupe check` for policies. */
import { Generator, namedSeed, episodeSeed, type DigestibleBatch, type EnvDefinition } from '../envs/core/index.ts'
import { type AgentView, type AnyPolicy, type PolicyDefinition } from '../agents/core/policy.ts'
import { openScenario } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'

export interface Finding {
  /** The promise, in words. */
  readonly name: string
  readonly ok: boolean
  /** What was seen instead. */
  readonly detail?: string
}

const STEPS = 40
const RUBBISH = -77

interface Played {
  readonly actions: number[]
  readonly hashes: string[]
}

/** Plays a few steps over some lanes; lane b always has the seeds of global lane b. */
function play(create: () => AnyPolicy, batch: DigestibleBatch, inspect?: (message: string) => void): Played {
  const { spec, lanes: B } = batch
  const N = spec.agents.length
  const seeds = Array.from({ length: B }, (_, lane) => episodeSeed('check', 'eval', lane, 0))
  batch.reset(seeds)
  const policy = create()
  const rng = new Generator(namedSeed('check', 'policy'))
  const memory = policy.memory(B, N)
  const box = spec.actionKind === 'box'
  const size = B * N * spec.actionDims
  const out = { action: box ? new Float32Array(size) : new Int32Array(size) }
  const agents = Int32Array.from({ length: N }, (_, n) => n)
  const played: Played = { actions: [], hashes: [] }
  for (let step = 0; step < STEPS; step++) {
    out.action.fill(box ? NaN : RUBBISH)
    if (policy.privileged === true) {
      const before = inspect === undefined ? '' : hashes(batch)
      policy.act(batch, agents, memory, out, rng)
      if (inspect !== undefined && hashes(batch) !== before) inspect(`changed the world at step ${step}`)
    } else {
      const view: AgentView = {
        spec,
        lanes: B,
        agents: agents.slice(),
        observation: batch.observation.slice(),
        mask: batch.mask.slice(),
        alive: batch.alive.slice(),
        episodeStart: batch.episodeStart.slice(),
      }
      policy.act(view, memory, out, rng)
      if (inspect !== undefined) {
        const changed = (['observation', 'mask', 'alive', 'episodeStart'] as const).find(
          (name) => !view[name].every((value, i) => Object.is(value, batch[name][i])),
        )
        if (changed !== undefined) inspect(`wrote into view.${changed} at step ${step}`)
      }
    }
    const empty = out.action.findIndex((value) => (box ? Number.isNaN(value) : value === RUBBISH))
    if (empty >= 0) {
      const row = Math.floor(empty / spec.actionDims)
      throw new Error(`no action for ${spec.agents[row % N].id} in lane ${Math.floor(row / N)} at step ${step}`)
    }
    played.actions.push(...out.action)
    batch.step(out.action)
    played.hashes.push(hashes(batch))
  }
  return played
}

function hashes(batch: DigestibleBatch): string {
  return Array.from({ length: batch.lanes }, (_, lane) => batch.hash(lane)).join()
}

/**
 * Tries a policy on one scenario: it writes every action, all of them legal, repeats from the same seed, keeps its
 * hands off the view, and takes any number of lanes.
 */
export function policyContract(
  definition: PolicyDefinition,
  scenario: Scenario,
  definitions: Record<string, EnvDefinition>,
): Finding[] {
  const open = (lanes: number) => openScenario(scenario, { lanes }, definitions)
  const findings: Finding[] = []
  const promise = (name: string, work: () => string | void) => {
    try {
      const detail = work()
      findings.push(detail === undefined ? { name, ok: true } : { name, ok: false, detail })
    } catch (error) {
      findings.push({ name, ok: false, detail: (error as Error).message })
    }
  }
  const create = () => definition.create(open(1).spec)
  promise(`${scenario.id}: create gives a policy with name, memory and act`, () => {
    const policy = create()
    if (typeof policy.memory !== 'function' || typeof policy.act !== 'function')
      return 'memory or act is not a function'
    if (typeof policy.name !== 'string') return 'name is missing'
    if ((policy.privileged === true) !== definition.privileged) {
      return `the definition says privileged: ${definition.privileged}, the policy says ${policy.privileged === true}`
    }
    return undefined
  })
  if (findings[0].ok === false) return findings
  promise(`${scenario.id}: every agent gets a legal action at every step`, () => {
    play(create, open(3))
  })
  promise(`${scenario.id}: what it is shown stays as it was`, () => {
    let seen: string | undefined
    play(create, open(2), (message) => (seen ??= message))
    return seen
  })
  promise(`${scenario.id}: the same seed gives the same actions`, () => {
    const first = play(create, open(3))
    const second = play(create, open(3))
    const differs = first.actions.findIndex((action, i) => !Object.is(action, second.actions[i]))
    if (differs < 0) return undefined
    const perStep = first.actions.length / STEPS
    return `two plays differ at step ${Math.floor(differs / perStep)}: chance must come from rng, memory from memory`
  })
  promise(`${scenario.id}: one lane and many lanes both work`, () => {
    play(create, open(1))
    play(create, open(9))
  })
  return findings
}
