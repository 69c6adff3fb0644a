/**
 * IPPO: every agent runs PPO by itself. The critic sees what its agent sees and nothing else; actor and critic are shared
 * networks told apart by the agent id, as in the comparison of the MAPPO paper.
 *
 * De Witt et al. 2020, "Is Independent Learning All You Need in the StarCraft Multi-Agent Challenge?" (arXiv 2011.09533);
 * details as in marlbenchmark/on-policy at de66d7a. Differences are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses, acting and updating are PPO's: core/ppo.ts.
 */
import { Type, type Static } from '#typebox'
import { withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { ownInputs } from './core/critic-inputs.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { PPO_SETTINGS, Ppo, effectivePpo, ppoPolicy, type EffectivePpo } from './core/ppo.ts'
import { requestSpec } from './core/shards.ts'

export const IPPO_SETTINGS = Type.Object(PPO_SETTINGS, { additionalProperties: false })

export type IppoSettings = Static<typeof IPPO_SETTINGS>

function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): EffectivePpo<IppoSettings> {
  return effectivePpo('ippo', withDefaults(IPPO_SETTINGS, given ?? {}, 'ippo settings'), agents)
}

function create(request: LearnerRequest): Ppo {
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  const settings = effectiveSettings(spec, request.settings, agents)
  return new Ppo(request, { name: 'ippo', settings, criticInputs: ownInputs(spec, agents, settings) })
}

export const ippo: LearnerDefinition = {
  name: 'ippo',
  paper: 'de Witt et al. 2020, arXiv 2011.09533',
  summary: 'Independent PPO: actors and critics see their own observation only; networks are shared.',
  settings: IPPO_SETTINGS,
  create,
  shards: (spec, settings, agents) => effectiveSettings(spec, settings, agents).shards,
  policy: (spec, checkpoint, mode) => ppoPolicy('ippo', spec, checkpoint, mode),
}
