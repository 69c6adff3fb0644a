/**
 * MAPPO: PPO for teams, with a critic that sees the whole world while it learns and actors that do not.
 *
 * Yu et al. 2022, "The Surprising Effectiveness of PPO in Cooperative Multi-Agent Games" (arXiv 2103.01955);
 * reference code marlbenchmark/on-policy at de66d7a. Differences from it are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses, acting and updating are PPO's: core/ppo.ts.
 */
import { Type, type Static } from '@sinclair/typebox'
import { TroupeError, withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { Inputs } from './core/inputs.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { PPO_SETTINGS, Ppo, effectivePpo, ppoPolicy, type EffectivePpo } from './core/ppo.ts'
import { requestSpec } from './core/shards.ts'

// ---------------------------------------------------------------------------------------------------------------------
// Settings: PPO's, and two about the critic.

export const MAPPO_SETTINGS = Type.Object(
  {
    ...PPO_SETTINGS,
    criticInput: Type.Union([Type.Literal('state'), Type.Literal('state+observation'), Type.Literal('observations')], {
      default: 'state',
      description:
        'What the critic sees: the global state; that and the agent’s own observation; or all observations side by ' +
        'side, which is also what happens where the environment has no global state.',
    }),
    critic: Type.Union([Type.Literal('per-agent'), Type.Literal('n-headed')], {
      default: 'per-agent',
      description:
        'per-agent: one pass for each agent, told apart by its id; ref. n-headed: one pass for all with a value head ' +
        'each, about half the work. It needs an input that all share, so not state+observation.',
    }),
  },
  { additionalProperties: false },
)

export type MappoSettings = Static<typeof MAPPO_SETTINGS>

/** Defaults filled in; without a global state the critic gets all observations, and the settings say so. */
function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): EffectivePpo<MappoSettings> {
  const settings = withDefaults(MAPPO_SETTINGS, given ?? {}, 'mappo settings')
  const criticInput = spec.stateSize > 0 ? settings.criticInput : 'observations'
  if (settings.critic === 'n-headed' && criticInput === 'state+observation') {
    throw new TroupeError('bad-option', {
      where: 'mappo settings: criticInput',
      got: 'state+observation beside an n-headed critic',
      expected: 'state or observations, which all agents share',
    })
  }
  return effectivePpo('mappo', { ...settings, criticInput }, agents)
}

// ---------------------------------------------------------------------------------------------------------------------
// What the critic sees.

/**
 * Per agent: a row each, which is zeros and its id when it is dead. With n heads: one row for all agents of a lane, without
 * ids.
 */
function centralInputs(spec: EnvSpec, agents: number, settings: MappoSettings): Inputs {
  const world = {
    state: ['state'],
    'state+observation': ['state', 'observation'],
    observations: ['observations'],
  } as const
  const columns = world[settings.criticInput]
  if (settings.critic === 'n-headed') return new Inputs(spec, agents, { columns, heads: agents, hidesDead: false })
  return new Inputs(spec, agents, {
    columns: settings.agentId ? [...columns, 'id'] : columns,
    heads: 1,
    hidesDead: true,
  })
}

// ---------------------------------------------------------------------------------------------------------------------

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
