/** What the numbers mean: observations with names, and the tables of the READMEs. */
import { TroupeError, shown, unknownName } from './errors.ts'
import { type ActionSpace, type EnvBatch, type EnvSpec, type Feature } from './types.ts'

/** One number of an observation, explained. */
export interface ExplainedFeature extends Feature {
  /** Place in the observation. */
  readonly index: number
  readonly value: number
}

const explained = (features: readonly Feature[], values: Float32Array, from: number): ExplainedFeature[] =>
  features.map((feature, index) => ({ index, ...feature, value: values[from + index] }))

/**
 * Every feature of what an agent sees now: place, name, value, range, meaning. Padding is left out.
 * @param agent index among the batch's controlled agents, or id
 * @throws TroupeError unknown-name or bad-usage
 */
export function explain(batch: EnvBatch, lane: number, agent: number | string): ExplainedFeature[] {
  const { spec } = batch
  const ids = spec.agents.map(({ id }) => id)
  const n = typeof agent === 'number' ? agent : ids.indexOf(agent)
  if (typeof agent === 'string' && n < 0) throw unknownName(`${spec.env}: agent`, agent, ids)
  checkIndex(spec, 'agent', n, ids.length)
  checkIndex(spec, 'lane', lane, batch.lanes)
  const from = (lane * ids.length + n) * spec.observationSize
  return explained(spec.agents[n].observation, batch.observation, from)
}

/** Every feature of the global state now; empty where the world has none. */
export function explainState(batch: EnvBatch, lane: number): ExplainedFeature[] {
  checkIndex(batch.spec, 'lane', lane, batch.lanes)
  return explained(batch.spec.world.state, batch.state, lane * batch.spec.stateSize)
}

function checkIndex(spec: EnvSpec, what: string, index: number, count: number): void {
  if (Number.isInteger(index) && index >= 0 && index < count) return
  const expected = `a whole number of 0 to ${count - 1}`
  throw new TroupeError('bad-usage', { where: `${spec.env}: ${what}`, got: shown(index), expected })
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const featureRows = (features: readonly Feature[]): string[][] =>
  features.map(({ name, low, high, meaning }, index) => [String(index), name, `${low} to ${high}`, meaning ?? ''])

const FEATURE_HEAD = ['#', 'name', 'range', 'meaning']

/**
 * The observation features of a spec as Markdown: one table per kind of agent that sees differently.
 * READMEs hold this text, and a test compares them.
 */
export function featureTable(spec: EnvSpec): string {
  const tables = new Map<string, string[]>()
  for (const agent of spec.agents) {
    const table = markdown(FEATURE_HEAD, featureRows(agent.observation))
    const kinds = tables.get(table) ?? []
    if (!kinds.includes(agent.kind)) kinds.push(agent.kind)
    tables.set(table, kinds)
  }
  const parts = [...tables].map(([table, kinds]) => (tables.size === 1 ? table : `**${kinds.join(', ')}**\n\n${table}`))
  return parts.join('\n\n')
}

/** The global state's features as Markdown; empty where the world has none. */
export function stateTable(spec: EnvSpec): string {
  return spec.world.state.length === 0 ? '' : markdown(FEATURE_HEAD, featureRows(spec.world.state))
}

function actionRows(space: ActionSpace): string[][] {
  if (space.kind === 'discrete') return space.names.map((name, index) => [String(index), name])
  if (space.kind === 'box') return space.dimensions.map(({ name, low, high }) => [name, `${low} to ${high}`])
  return space.dimensions.map(({ name, values }) => [name, values.map((value, i) => `${i} ${value}`).join(', ')])
}

/** The actions of a spec as Markdown: one table per kind of agent that acts differently. */
export function actionTable(spec: EnvSpec): string {
  const tables = new Map<string, string[]>()
  for (const agent of spec.agents) {
    const head = agent.action.kind === 'discrete' ? ['action', 'name'] : ['dimension', 'values']
    const table = markdown(head, actionRows(agent.action))
    const kinds = tables.get(table) ?? []
    if (!kinds.includes(agent.kind)) kinds.push(agent.kind)
    tables.set(table, kinds)
  }
  const parts = [...tables].map(([table, kinds]) => (tables.size === 1 ? table : `**${kinds.join(', ')}**\n\n${table}`))
  return parts.join('\n\n')
}
