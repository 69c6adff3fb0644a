/**
 * IPPO: every agent runs PPO by itself. The critic sees what its agent sees and nothing else; actor and critic are shared
 * networks told apart by the agent id, as in the comparison of the MAPPO paper.
 *
 * De Witt et al. 2020, "Is Independent Learning All You Need in the StarCraft Multi-Agent Challenge?" (arXiv 2011.09533);
 * details as in marlbenchmark/on-policy at de66d7a. Differences are listed in agents/README.md.
 *
 * Read on: settings, what the critic sees. Losses, acting and updating are PPO's: core/ppo.ts.
 */
import { Type, type Static } from '@sinclair/typebox'
import { withDefaults, type EnvSpec } from '../envs/core/index.ts'
import { type CriticInput, type CriticRows } from './core/critic.ts'
import { type LearnerDefinition, type LearnerRequest } from './core/learner.ts'
import { PPO_SETTINGS, Ppo, effectivePpo, ppoPolicy, type EffectivePpo } from './core/ppo.ts'
import { requestSpec } from './core/shards.ts'

export const IPPO_SETTINGS = Type.Object(PPO_SETTINGS, { additionalProperties: false })

export type IppoSettings = Static<typeof IPPO_SETTINGS>

function effectiveSettings(spec: EnvSpec, given: unknown, agents = spec.agents.length): EffectivePpo<IppoSettings> {
  return effectivePpo('ippo', withDefaults(IPPO_SETTINGS, given ?? {}, 'ippo settings'), agents)
}

/** The critic sees what the actor sees: own observation and id; of a dead agent zeros and its id. */
class OwnInput implements CriticInput {
  readonly width: number
  readonly heads = 1
  private readonly F: number
  private readonly n: number

  constructor(spec: EnvSpec, agents: number, settings: IppoSettings) {
    this.F = spec.observationSize
    this.n = agents
    this.width = this.F + (settings.agentId ? agents : 0)
  }

  write(rows: CriticRows, row: number, out: Float32Array, at: number): void {
    const { F, n, width } = this
    const to = at * width
    if (rows.alive[row] === 0) out.fill(0, to, to + F)
    else for (let i = 0; i < F; i++) out[to + i] = rows.observation[row * F + i]
    for (let i = F; i < width; i++) out[to + i] = i - F === row % n ? 1 : 0
  }
}

function create(request: LearnerRequest): Ppo {
  const spec = requestSpec(request.batch)
  const agents = request.agents?.length ?? spec.agents.length
  const settings = effectiveSettings(spec, request.settings, agents)
  return new Ppo(request, { name: 'ippo', settings, criticInput: new OwnInput(spec, agents, settings) })
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
