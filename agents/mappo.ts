/**
 * MAPPO: PPO for teams, with a critic that sees the whole world while it learns and actors that do not.
 *
 * Yu et al. 2022, "The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games" (arXiv 2103.01955);
 * reference code marlbenchmark/on-policy at de66d7a. Differences from it are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses, acting and updating are PPO's: core/ppo.ts.
 */
import { Type, type Static } from '#typebox'
import { withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { CENTRAL_SETTINGS, centralInputs, effectiveCentral } from './core/critic-inputs.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { PPO_SETTINGS, Ppo, effectivePpo, ppoPolicy, type EffectivePpo } from './core/ppo.ts'
import { requestSpec } from './core/shards.ts'

export const MAPPO_SETTINGS = Type.Object({ ...PPO_SETTINGS, ...CENTRAL_SETTINGS }, { additionalProperties: false })

export type MappoSettings = Static<typeof MAPPO_SETTINGS>

/** Defaults filled in; without a global state the critic gets all observations, and the settings say so. */
function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): EffectivePpo<MappoSettings> {
  const settings = withDefaults(MAPPO_SETTINGS, given ?? {}, 'mappo settings')
  return effectivePpo('mappo', effectiveCentral('mappo', spec, settings), agents)
}

function create(request: LearnerRequest): Ppo {
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  const settings = effectiveSettings(spec, request.settings, agents)
  return new Ppo(request, { name: 'mappo', settings, criticInputs: centralInputs(spec, agents, settings) })
}

export const mappo: LearnerDefinition = {
  name: 'mappo',
  paper: 'Yu et al. 2022, arXiv 2103.01955',
  summary: 'PPO for teams: shared actors that see their own observation, a central critic that sees the state.',
  settings: MAPPO_SETTINGS,
  create,
  shards: (spec, settings, agents) => effectiveSettings(spec, settings, agents).shards,
  policy: (spec, checkpoint, mode) => ppoPolicy('mappo', spec, checkpoint, mode),
}
