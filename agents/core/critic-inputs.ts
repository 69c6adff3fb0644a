/** What critics of teams see, by name of a setting. */
import { Type } from '#typebox'
import { TroupeError, type EnvSpec } from '../../envs/core/index.ts'

import { Inputs, type Column } from './inputs.ts'
import { apart, type Sharing } from './sharing.ts'

/** The setting of critics that see the world. */
export const CENTRAL_SETTINGS = {
  criticInput: Type.Union(
    [
      Type.Literal('state'),
      Type.Literal('state+observation'),
      Type.Literal('observations'),
      Type.Literal('agent-state'),
    ],
    {
      default: 'state',
      description:
        'What the critic sees: the global state; that and the agent’s own observation; all observations side by ' +
        'side, which is also what happens where the environment has no global state; or the state from the agent’s ' +
        'place, where the environment has one.',
    },
  ),
  critic: Type.Union([Type.Literal('per-agent'), Type.Literal('n-headed')], {
    default: 'per-agent',
    description:
      'per-agent: one pass for each agent, told apart by its id; ref. n-headed: one pass for all with a value head ' +
      'each, about half the work. It needs an input that all share, and one network for all.',
  }),
}

export type CriticInput = 'state' | 'state+observation' | 'observations' | 'agent-state'

interface Central {
  readonly criticInput: CriticInput
  readonly critic: 'per-agent' | 'n-headed'
}

/** What a central critic gets in a world: where there is no global state all observations. @throws TroupeError */
export function effectiveCentral<Settings extends Central>(who: string, spec: EnvSpec, settings: Settings): Settings {
  const { criticInput: wanted, critic } = settings
  const bad = (got: string, expected: string) =>
    new TroupeError('bad-option', { where: `${who} settings: criticInput`, got, expected })
  if (wanted === 'agent-state' && spec.agentStateSize === 0) {
    throw bad('agent-state', `a world that has one; ${spec.env} has not. state+observation comes near`)
  }
  const criticInput = spec.stateSize > 0 || wanted === 'agent-state' ? wanted : 'observations'
  if (critic === 'n-headed' && criticInput !== 'state' && criticInput !== 'observations') {
    throw bad(`${criticInput} beside an n-headed critic`, 'state or observations, which all agents share')
  }
  return { ...settings, criticInput }
}

/**
 * Per agent: a row each, which is zeros and its id when it is dead. With n heads: one row for all agents of a lane, without
 * ids.
 */
export function centralInputs(
  spec: EnvSpec,
  agents: number,
  { criticInput, critic, agentId, sharing }: Central & { readonly agentId: boolean; readonly sharing: Sharing },
): Inputs {
  const world: Record<CriticInput, readonly Column[]> = {
    state: ['state'],
    'state+observation': ['state', 'observation'],
    observations: ['observations'],
    'agent-state': ['agentState'],
  }
  const columns = world[criticInput]
  if (critic === 'n-headed') return new Inputs(spec, agents, { columns, heads: agents, hidesDead: false })
  const ids = agentId && !apart(sharing)
  return new Inputs(spec, agents, { columns: ids ? [...columns, 'id'] : columns, heads: 1, hidesDead: true })
}

/** The critic sees what the actor sees: own observation and id; of a dead agent zeros and its id. */
export function ownInputs(
  spec: EnvSpec,
  agents: number,
  { agentId, sharing }: { readonly agentId: boolean; readonly sharing: Sharing },
): Inputs {
  const ids = agentId && !apart(sharing)
  const columns = ids ? (['observation', 'id'] as const) : (['observation'] as const)
  return new Inputs(spec, agents, { columns, heads: 1, hidesDead: true })
}
