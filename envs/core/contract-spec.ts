/** Contract checks of what an environment says about itself. */
import { envSpec, openOptions } from './batch.ts'
import { distinct, must, type Check } from './contract-tools.ts'
import { TroupeError } from './errors.ts'
import { canonicalJson } from './schema.ts'
import { type Feature } from './types.ts'

function checkFeatures(features: readonly Feature[], what: string): void {
  distinct(
    features.map((feature) => feature.name),
    what,
  )
  for (const { name, low, high } of features) {
    const right = Number.isFinite(low) && Number.isFinite(high) && low <= high
    must(right, () => `${what}: ${name} has the range ${low} to ${high}; low must not be above high, both finite`)
  }
}

export const specIsSane: Check = (definition, options) => {
  must(
    /^[a-z][a-z0-9-]*$/.test(definition.id),
    () => `id "${definition.id}" is not lower-case letters, digits, hyphens`,
  )
  must(typeof definition.version === 'string' && definition.version !== '', () => 'version is empty')
  must(typeof definition.summary === 'string' && definition.summary !== '', () => 'summary is empty')
  const spec = envSpec(definition, options)
  must(canonicalJson(spec) === canonicalJson(envSpec(definition, options)), () => 'spec() differs between two calls')
  const { world } = spec
  must(world.agents.length > 0, () => 'there are no agents')
  distinct(
    world.agents.map((agent) => agent.id),
    'agents',
  )
  distinct(world.metrics, 'metrics')
  distinct(world.streams, 'streams')
  must(!world.metrics.includes('episodeLength'), () => 'metrics: episodeLength is added by the core')
  for (const metric of world.metrics)
    must(/^[a-z][A-Za-z0-9]*$/.test(metric), () => `metric "${metric}" is not camelCase`)
  checkFeatures(world.state, 'state')
  checkFeatures(world.agentState ?? [], 'agentState')
  for (const agent of world.agents) {
    checkFeatures(agent.observation, `observation of ${agent.id}`)
    must(agent.observation.length > 0, () => `observation of ${agent.id} is empty`)
    const { action } = agent
    if (action.kind === 'discrete') {
      distinct(action.names, `actions of ${agent.id}`)
      must(action.names.length > 0, () => `actions of ${agent.id}: none`)
      continue
    }
    must(action.dimensions.length > 0, () => `actions of ${agent.id}: no dimensions`)
    distinct(
      action.dimensions.map((dimension) => dimension.name),
      `actions of ${agent.id}`,
    )
    for (const dimension of action.dimensions) {
      if ('values' in dimension) {
        distinct(dimension.values, `${dimension.name} of ${agent.id}`)
        must(dimension.values.length > 0, () => `${dimension.name} of ${agent.id} has no choices (zero-size space)`)
      } else {
        const right =
          Number.isFinite(dimension.low) && Number.isFinite(dimension.high) && dimension.low < dimension.high
        must(right, () => `${dimension.name} of ${agent.id}: ${dimension.low} to ${dimension.high} is no range`)
      }
    }
  }
  JSON.stringify(world.scene ?? null)
}

export const unknownOptionsAreRefused: Check = (definition, options) => {
  openOptions(definition, options)
  try {
    openOptions(definition, { ...options, noSuchOption: 1 })
  } catch (error) {
    must(error instanceof TroupeError && error.code === 'bad-option', () => `an unknown option throws ${String(error)}`)
    return
  }
  throw new Error('an unknown option is accepted')
}
