/**
 * IA2C: every agent is an advantage actor–critic by itself. The critic sees what its agent sees and nothing else.
 *
 * Mnih et al. 2016 (arXiv 1602.01783), for each agent; the independent learner of Papoudakis et al. 2021 (arXiv 2006.07869).
 * Differences from EPyMARL at cbc38c0 are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses and updating: core/a2c.ts.
 */
import { Type, type Static } from '#typebox'
import { withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { A2C_SETTINGS, A2c, effectiveA2c } from './core/a2c.ts'
import { actorPolicy, type Effective } from './core/actor-critic.ts'
import { ownInputs } from './core/critic-inputs.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { requestSpec } from './core/shards.ts'

export const IA2C_SETTINGS = Type.Object(A2C_SETTINGS, { additionalProperties: false })

export type Ia2cSettings = Static<typeof IA2C_SETTINGS>

function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): Effective<Ia2cSettings> {
  return effectiveA2c('ia2c', withDefaults(IA2C_SETTINGS, given ?? {}, 'ia2c settings'), agents)
}

function create(request: LearnerRequest): A2c {
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  const settings = effectiveSettings(spec, request.settings, agents)
  return new A2c(request, { name: 'ia2c', settings, criticInputs: ownInputs(spec, agents, settings) })
}

export const ia2c: LearnerDefinition = {
  name: 'ia2c',
  paper: 'Mnih et al. 2016, arXiv 1602.01783',
  summary: 'Independent A2C: actors and critics see their own observation only.',
  settings: IA2C_SETTINGS,
  create,
  shards: (spec, settings, agents) => effectiveSettings(spec, settings, agents).shards,
  policy: (spec, checkpoint, mode) => actorPolicy('ia2c', spec, checkpoint, mode),
}
