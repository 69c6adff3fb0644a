/** Which agents have a network in common. */
import { Type, type Static } from '#typebox'
import { TroupeError, nearestName, shown, type EnvSpec } from '../../envs/core/index.ts'

/** The setting. Groups are lists of ids of agents. */
export const SHARING = Type.Union(
  [
    Type.Literal('full'),
    Type.Literal('kind'),
    Type.Literal('none'),
    Type.Array(Type.Array(Type.String(), { minItems: 1 }), { minItems: 1 }),
  ],
  {
    default: 'full',
    description:
      'Networks: one for all agents (full), one for each kind of body, one for each agent (none), or one for each group of ' +
      'ids, such as [["a","b"],["c"]].',
  },
)

export type Sharing = Static<typeof SHARING>

/** Whether everybody has a network of their own. */
export function apart(sharing: Sharing): boolean {
  return sharing === 'none' || (typeof sharing !== 'string' && sharing.every((group) => group.length === 1))
}

/**
 * Number of the network of each learning agent, in order of first appearance.
 * @param agents ids of the learning agents
 * @throws TroupeError bad-option when groups leave one of them out, have one twice, or name somebody else
 */
export function sharedBy(sharing: Sharing, spec: EnvSpec, agents: readonly string[]): Int32Array {
  const groups = typeof sharing === 'string' ? undefined : checked(sharing, agents)
  const names: string[] = []
  return Int32Array.from(agents, (id) => {
    const name =
      groups !== undefined
        ? String(groups.findIndex((group) => group.includes(id)))
        : sharing === 'kind'
          ? (spec.agents.find((agent) => agent.id === id)?.kind ?? '')
          : sharing === 'full'
            ? ''
            : id
    if (!names.includes(name)) names.push(name)
    return names.indexOf(name)
  })
}

function checked(groups: readonly (readonly string[])[], agents: readonly string[]): readonly (readonly string[])[] {
  const named = groups.flat()
  const expected = `every learning agent in one group: ${agents.join(', ')}`
  const refuse = (got: string, nearest?: string) => {
    const close = nearest === undefined ? {} : { nearest: `"${nearest}"` }
    throw new TroupeError('bad-option', { where: 'sharing', got, expected, ...close })
  }
  for (const id of named) if (!agents.includes(id)) refuse(`${shown(id)}, who does not learn`, nearestName(id, agents))
  for (const id of agents) {
    const times = named.filter((one) => one === id).length
    if (times !== 1) refuse(times === 0 ? `groups without ${id}` : `${id} ${times} times`)
  }
  return groups
}
