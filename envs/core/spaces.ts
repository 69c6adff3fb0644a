/** Sizes of action spaces and checks of what comes through the action door. */
import { type ActionSpace, type AgentSpec } from './types.ts'
import { TroupeError } from './errors.ts'

/** Mask width of one agent: number of choices, summed over dimensions; 0 for box. */
export function actionWidth(space: ActionSpace): number {
  return actionSizes(space).reduce((sum, size) => sum + size, 0)
}

/** Choices per dimension; empty for box. */
export function actionSizes(space: ActionSpace): number[] {
  if (space.kind === 'discrete') return [space.names.length]
  if (space.kind === 'multi-discrete') return space.dimensions.map((dimension) => dimension.values.length)
  return []
}

/** Numbers per action. */
export function actionDims(space: ActionSpace): number {
  return space.kind === 'discrete' ? 1 : space.dimensions.length
}

/** '1 left': one choice of a dimension with its name, for messages. */
export function choiceName(space: ActionSpace, dimension: number, choice: number): string {
  if (space.kind === 'box') return String(choice)
  const names = space.kind === 'discrete' ? space.names : space.dimensions[dimension].values
  return `${choice} ${names[choice]}`
}

/** '0 stay, 1 left, 2 right' of one dimension, for messages. */
export function actionChoices(space: ActionSpace, dimension: number): string {
  if (space.kind === 'box') {
    const { low, high } = space.dimensions[dimension]
    return `a number of ${low} to ${high}`
  }
  const names = space.kind === 'discrete' ? space.names : space.dimensions[dimension].values
  return names.map((name, index) => `${index} ${name}`).join(', ')
}

/**
 * Sizes per dimension padded to the largest over agents, none for box. All agents must have the same kind of action, and
 * as many dimensions unless they are real numbers: rows of box actions are padded with zeros.
 */
export function paddedSizes(agents: readonly AgentSpec[], where: string): number[] {
  const sizes: number[] = []
  const first = agents[0].action
  for (const agent of agents) {
    const asMany = first.kind === 'box' || actionDims(agent.action) === actionDims(first)
    if (agent.action.kind !== first.kind || !asMany) {
      throw new TroupeError('bad-option', {
        where: `${where}: action of ${agent.id}`,
        got: `${agent.action.kind} with ${actionDims(agent.action)} dimensions`,
        expected: `the same kind and dimensions as ${agents[0].id}: ${agents[0].action.kind} with ${actionDims(agents[0].action)}`,
      })
    }
    actionSizes(agent.action).forEach((size, dimension) => {
      sizes[dimension] = Math.max(sizes[dimension] ?? 0, size)
    })
  }
  return sizes
}
