/** What the checks of the contract share: opening batches, comparing arrays, complaining. */
import { createBatch, type DigestibleBatch } from './batch.ts'
import { Generator } from './random.ts'
import { episodeSeed, namedSeed, type EpisodeSeed } from './seeds.ts'
import { type BatchSettings, type EnvDefinition, type Feature, type Port, type Rules } from './types.ts'

export type Options = Readonly<Record<string, unknown>>

export type Check = (definition: EnvDefinition, options: Options) => void

/** Horizon of most checks: short, so that episodes end and begin again within them. */
export const SHORT = 40

/** Steps of most checks: two endings and more. */
export const STEPS = 100

export const seeds = (lane: number, episode: number): EpisodeSeed => episodeSeed('contract', 'train', lane, episode)

/** Four lanes, reset, with a short horizon whatever the options say. */
export function open(
  definition: EnvDefinition,
  options: Options,
  settings: BatchSettings = {},
  horizon = SHORT,
): DigestibleBatch {
  const batch = createBatch(definition, { ...options, horizon }, { lanes: 4, seeds, ...settings })
  batch.reset()
  return batch
}

/** A generator of its own for each check. */
export const dice = (name: string): Generator => new Generator(namedSeed('contract', name))

/** Complains unless something holds. */
export function must(holds: boolean, message: () => string): void {
  if (!holds) throw new Error(message())
}

/** Bit for bit, NaN and -0 included. */
export function same(a: ArrayLike<number>, b: ArrayLike<number>, what: () => string): void {
  must(a.length === b.length, () => `${what()}: lengths ${a.length} and ${b.length}`)
  for (let i = 0; i < a.length; i++) {
    if (!Object.is(a[i], b[i])) throw new Error(`${what()}: element ${i} is ${a[i]} and ${b[i]}`)
  }
}

/** One lane's part of a lane-major array. */
export const row = (
  array: ArrayLike<number> & { slice(from: number, to: number): ArrayLike<number> },
  lane: number,
  lanes: number,
) => array.slice((lane * array.length) / lanes, ((lane + 1) * array.length) / lanes)

/** Complains about empty and repeated names. */
export function distinct(names: readonly string[], what: string): void {
  const seen = new Set<string>()
  for (const name of names) {
    must(typeof name === 'string' && name !== '', () => `${what}: a name is empty`)
    must(!seen.has(name), () => `${what}: "${name}" is there twice`)
    seen.add(name)
  }
}

/** Complains about the first value outside its declared range. */
export function inside(values: Float32Array, from: number, features: readonly Feature[], what: () => string): void {
  features.forEach(({ name, low, high }, i) => {
    const value = values[from + i]
    if (value >= Math.fround(low) && value <= Math.fround(high)) return
    throw new Error(`${what()}: ${name} is ${value}; declared ${low} to ${high}`)
  })
}

/** The definition, with what passes between core and rules in hand. */
export function spied(definition: EnvDefinition): { definition: EnvDefinition; port(): Port; rules(): Rules } {
  let port: Port | undefined
  let rules: Rules | undefined
  const copy: EnvDefinition = {
    id: definition.id,
    version: definition.version,
    summary: definition.summary,
    options: definition.options,
    horizon: definition.horizon,
    spec: (options) => definition.spec(options),
    create(options, given) {
      port = given
      rules = definition.create(options, given)
      return rules
    },
  }
  return { definition: copy, port: () => port!, rules: () => rules! }
}

export const OUTPUTS = [
  'observation',
  'state',
  'agentState',
  'mask',
  'alive',
  'episodeStart',
  'reward',
  'terminated',
  'truncated',
  'returns',
  'finalObservation',
  'finalState',
  'finalAgentState',
  'finalMask',
  'finalAlive',
  'finalReturns',
  'finalLength',
] as const

/** Every output of two batches, bit for bit. */
export function sameOutputs(a: DigestibleBatch, b: DigestibleBatch, what: string): void {
  for (const name of OUTPUTS) same(a[name] ?? [], b[name] ?? [], () => `${what}: ${name}`)
  for (let lane = 0; lane < a.lanes; lane++) {
    must(a.hash(lane) === b.hash(lane), () => `${what}: the state of lane ${lane} differs (hash)`)
  }
}
