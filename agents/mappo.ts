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
import { type CriticInput, type CriticRows } from './core/critic.ts'
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
 * The central critic's inputs. Per agent: a row each, which is zeros and its id when it is dead. With n heads: one row for
 * all agents of a lane, without ids.
 */
class CentralInput implements CriticInput {
  readonly width: number
  readonly heads: number
  private readonly F: number
  private readonly S: number
  private readonly n: number
  private readonly kind: MappoSettings['criticInput']
  private readonly agentId: boolean

  constructor(spec: EnvSpec, agents: number, settings: MappoSettings) {
    this.F = spec.observationSize
    this.S = spec.stateSize
    this.n = agents
    this.kind = settings.criticInput
    this.heads = settings.critic === 'n-headed' ? agents : 1
    this.agentId = settings.agentId && settings.critic === 'per-agent'
    const world = { state: this.S, 'state+observation': this.S + this.F, observations: agents * this.F }[this.kind]
    this.width = world + (this.agentId ? agents : 0)
  }

  write(rows: CriticRows, row: number, out: Float32Array, at: number): void {
    const { width, n, F, S, kind } = this
    const agent = row % n
    const lane = (row - agent) / n
    const to = at * width
    const end = to + width
    if (this.agentId) {
      out.fill(0, end - n, end)
      out[end - n + agent] = 1
    }
    if (this.heads === 1 && rows.alive[row] === 0) {
      out.fill(0, to, this.agentId ? end - n : end)
    } else if (kind === 'observations') {
      const from = lane * n * F
      for (let i = 0; i < n * F; i++) out[to + i] = rows.observation[from + i]
    } else {
      const from = lane * S
      for (let i = 0; i < S; i++) out[to + i] = rows.state[from + i]
      if (kind === 'state') return
      for (let i = 0; i < F; i++) out[to + S + i] = rows.observation[row * F + i]
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------

function create(request: LearnerRequest): Ppo {
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  const settings = effectiveSettings(spec, request.settings, agents)
  return new Ppo(request, { name: 'mappo', settings, criticInput: new CentralInput(spec, agents, settings) })
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
