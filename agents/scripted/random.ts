/** Uniform play: the baseline below every other. */
import { type ActionSpace, type Generator } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyDefinition } from '../core/policy.ts'

/**
 * Every legal choice with the same chance, dimension by dimension; real numbers uniform over their range.
 * Fills probabilities and log-probabilities where the caller asks for them.
 */
const policy: Policy = {
  name: 'random',
  memory: () => null,
  act(view, _memory, out, rng) {
    for (let lane = 0; lane < view.lanes; lane++) drawLane(view, lane, out, rng)
  },
  actLanes(view, _memory, out, rngs) {
    for (let lane = 0; lane < view.lanes; lane++) drawLane(view, lane, out, rngs[lane])
  },
}

function drawLane(view: AgentView, lane: number, out: ActionBatch, rng: Generator): void {
  const { spec, agents } = view
  for (let n = 0; n < agents.length; n++) {
    const row = lane * agents.length + n
    if (spec.actionKind === 'box') drawNumbers(spec.agents[agents[n]].action, row, spec.actionDims, out, rng)
    else drawChoices(view, row, out, rng)
  }
}

function drawChoices(view: AgentView, row: number, out: ActionBatch, rng: Generator): void {
  const { mask, spec } = view
  const { actionSizes, actionSize, actionDims } = spec
  let from = row * actionSize
  let logProbability = 0
  for (let d = 0; d < actionDims; d++) {
    const size = actionSizes[d]
    let legal = 0
    for (let a = 0; a < size; a++) legal += mask[from + a]
    let left = rng.below(legal)
    let choice = 0
    while (mask[from + choice] === 0 || left-- > 0) choice++
    out.action[row * actionDims + d] = choice
    logProbability -= Math.log(legal)
    if (out.probability !== undefined) for (let a = 0; a < size; a++) out.probability[from + a] = mask[from + a] / legal
    from += size
  }
  if (out.logProbability !== undefined) out.logProbability[row] = logProbability
}

function drawNumbers(space: ActionSpace, row: number, width: number, out: ActionBatch, rng: Generator): void {
  if (space.kind !== 'box') return
  const { dimensions } = space
  let logProbability = 0
  for (let d = 0; d < dimensions.length; d++) {
    const { low, high } = dimensions[d]
    out.action[row * width + d] = low + (high - low) * rng.float()
    logProbability -= Math.log(high - low)
  }
  for (let d = dimensions.length; d < width; d++) out.action[row * width + d] = 0
  if (out.logProbability !== undefined) out.logProbability[row] = logProbability
}

export const random: PolicyDefinition = {
  name: 'random',
  kind: 'scripted',
  summary: 'Chooses uniformly among the legal actions.',
  privileged: false,
  create: () => policy,
}
