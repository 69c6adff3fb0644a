/**
 * MAA2C: advantage actor–critics with critics that see the whole world while they learn, and actors that do not.
 *
 * The central-critic A2C of Papoudakis et al. 2021 (arXiv 2006.07869). Differences from EPyMARL at cbc38c0 are listed in
 * agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses and updating: core/a2c.ts.
 */
import { Type, type Static } from '#typebox'
import { withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { A2C_SETTINGS, A2c, effectiveA2c } from './core/a2c.ts'
import { actorPolicy, type Effective } from './core/actor-critic.ts'
import { CENTRAL_SETTINGS, centralInputs, effectiveCentral } from './core/critic-inputs.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { requestSpec } from './core/shards.ts'

export const MAA2C_SETTINGS = Type.Object({ ...A2C_SETTINGS, ...CENTRAL_SETTINGS }, { additionalProperties: false })

export type Maa2cSettings = Static<typeof MAA2C_SETTINGS>

function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): Effective<Maa2cSettings> {
  const settings = withDefaults(MAA2C_SETTINGS, given ?? {}, 'maa2c settings')
  return effectiveA2c('maa2c', effectiveCentral('maa2c', spec, settings), agents)
}

function create(request: LearnerRequest): A2c {
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  const settings = effectiveSettings(spec, request.settings, agents)
  return new A2c(request, { name: 'maa2c', settings, criticInputs: centralInputs(spec, agents, settings) })
}

export const maa2c: LearnerDefinition = {
  name: 'maa2c',
  paper: 'Papoudakis et al. 2021, arXiv 2006.07869',
  summary: 'A2C for teams: actors see their own observation, a central critic sees the state.',
  settings: MAA2C_SETTINGS,
  create,
  shards: (spec, settings, agents) => effectiveSettings(spec, settings, agents).shards,
  policy: (spec, checkpoint, mode) => actorPolicy('maa2c', spec, checkpoint, mode),
}
