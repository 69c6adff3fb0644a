/** What a scenario is once it is opened, and an episode of it played in the page. Runs in the worker that plays on. */
import { ENVS, episodeSeed, type EnvSpec } from '../../envs/index.ts'
import { ReplayRecorder } from '../../envs/core/replay.ts'
import { POLICIES } from '../../agents/scripted/index.ts'
import { openScenario, scenarioDefinition, type Scenario } from '../../scenarios/open.ts'
import { Cast } from '../fork/cast.ts'

/** Steps of a preview at most. */
const LONGEST = 400

/** An option of the environment, with what the scenario makes of it. */
export interface OptionRow {
  readonly name: string
  readonly value: unknown
  /** The scenario says so; else it is the environment's own. */
  readonly given: boolean
  readonly meaning: string
}

export interface Preview {
  readonly spec: EnvSpec
  readonly summary: string
  readonly options: readonly OptionRow[]
  /** Scripted policy that plays. */
  readonly policy: string
  /** The episode as a replay file. */
  readonly bytes: Uint8Array
}

/** Who shows a world best: a policy made for it that needs no more than agents see, else one that sees all, else chance. */
export function usualPolicy(env: string): string {
  const made = Object.values(POLICIES).filter(({ envs }) => envs?.includes(env))
  return (made.find(({ privileged }) => !privileged) ?? made[0])?.name ?? 'random'
}

/**
 * Plays one episode by a scripted policy.
 * @param policy null for the usual one
 * @param root seed of the episode
 * @param ownPackage this build's version, for the file
 * @throws TroupeError where the scenario cannot be opened
 */
export function preview(scenario: Scenario, policy: string | null, root: string, ownPackage: string): Preview {
  const definition = scenarioDefinition(scenario, ENVS)
  const batch = openScenario(scenario, { lanes: 1, autoreset: 'disabled' })
  batch.reset([episodeSeed(root, 'eval', 0, 0)])
  const name = policy ?? usualPolicy(scenario.env)
  const { spec } = batch
  const everybody = spec.agents.map((_, n) => n)
  const cast = new Cast(batch, [{ policy: POLICIES[name].create(spec), agents: everybody }], `preview ${root}`)
  const recorder = new ReplayRecorder(batch, 0, {
    scenario: { ...scenario },
    policies: [{ name }],
    package: ownPackage,
  })
  const numbers = everybody.length * spec.actionDims
  const action = spec.actionKind === 'box' ? new Float32Array(numbers) : new Int32Array(numbers)
  for (let t = 0; t < LONGEST && batch.terminated[0] === 0 && batch.truncated[0] === 0; t++) {
    cast.act(action)
    batch.step(action)
    recorder.record(action)
  }
  const { properties } = definition.options as { properties: Record<string, { description?: string }> }
  const options = Object.keys(spec.options).map((option) => ({
    name: option,
    value: spec.options[option],
    given: Object.hasOwn(scenario.options, option),
    meaning: Object.hasOwn(properties, option) ? (properties[option].description ?? '') : '',
  }))
  return { spec, summary: definition.summary, options, policy: name, bytes: recorder.finish(scenario.teamReward) }
}
