/** Observation and action spaces of the Parallel view. */
import { TroupeError, shown } from './errors.ts'
import { Generator } from './random.ts'
import { namedSeed } from './seeds.ts'
import { actionChoices, actionDims, actionSizes, choiceName } from './spaces.ts'
import { type ActionSpace, type Feature } from './types.ts'

/** An action of one agent: a number for discrete, D numbers for multi-discrete and box. */
export type AgentAction = number | ArrayLike<number>

/** Real numbers with names: what an agent sees, or the global state. */
export class ObservationSpace {
  readonly kind = 'box'
  readonly shape: readonly [number]
  readonly low: Float32Array
  readonly high: Float32Array
  /** Name, range and meaning of every number. */
  readonly features: readonly Feature[]

  constructor(features: readonly Feature[]) {
    this.features = features
    this.shape = [features.length]
    this.low = Float32Array.from(features, (feature) => feature.low)
    this.high = Float32Array.from(features, (feature) => feature.high)
  }

  contains(value: ArrayLike<number>): boolean {
    if (value.length !== this.shape[0]) return false
    for (let i = 0; i < value.length; i++) if (!(value[i] >= this.low[i] && value[i] <= this.high[i])) return false
    return true
  }
}

/** What one agent can do, with a generator of its own to sample from. */
export class ActionSampler {
  readonly kind: ActionSpace['kind']
  /** Choices per dimension; empty for box. */
  readonly sizes: readonly number[]
  /** Numbers per action; 1 for discrete. */
  readonly dims: number
  private readonly space: ActionSpace
  private readonly agent: string
  private generator: Generator

  constructor(agent: string, space: ActionSpace) {
    this.agent = agent
    this.space = space
    this.kind = space.kind
    this.sizes = actionSizes(space)
    this.dims = actionDims(space)
    this.generator = new Generator(namedSeed(0, `action-space|${agent}`))
  }

  /** Number of choices of a discrete space. */
  get n(): number {
    return this.sizes[0] ?? 0
  }

  /** Starts the samples again; agents with the same seed still draw apart. Seed 0 is what a new space has. */
  seed(seed: number | string): void {
    this.generator = new Generator(namedSeed(seed, `action-space|${this.agent}`))
  }

  /**
   * A uniform choice, among the legal ones when a mask is given.
   * @param mask `infos[agent].actionMask`
   */
  sample(mask?: Uint8Array): AgentAction {
    const rng = this.generator
    if (this.space.kind === 'box') {
      return Float32Array.from(this.space.dimensions, ({ low, high }) => low + (high - low) * rng.float())
    }
    let from = 0
    const picks = this.sizes.map((size) => {
      const legal = this.legalIn(mask, from, size)
      from += size
      return legal[rng.below(legal.length)]
    })
    return this.kind === 'discrete' ? picks[0] : picks
  }

  private legalIn(mask: Uint8Array | undefined, from: number, size: number): number[] {
    const all = Array.from({ length: size }, (_, choice) => choice)
    return mask === undefined ? all : all.filter((choice) => mask[from + choice] === 1)
  }

  contains(action: AgentAction): boolean {
    try {
      this.check(action, undefined, '')
      return true
    } catch {
      return false
    }
  }

  /** Legal actions in words, for messages. */
  legal(mask: Uint8Array | undefined): string {
    const parts: string[] = []
    let from = 0
    for (let d = 0; d < this.dims; d++) {
      const size = this.sizes[d] ?? 0
      const names =
        this.space.kind === 'box'
          ? actionChoices(this.space, d)
          : this.legalIn(mask, from, size)
              .map((choice) => choiceName(this.space, d, choice))
              .join(', ')
      parts.push(this.space.kind === 'discrete' ? names : `${this.space.dimensions[d].name}: ${names}`)
      from += size
    }
    return parts.join('; ')
  }

  /**
   * The action as D numbers.
   * @throws TroupeError bad-action for another shape, a value out of range or a masked choice
   */
  check(action: unknown, mask: Uint8Array | undefined, where: string): number[] {
    const fail = (got: string): never => {
      throw new TroupeError('bad-action', { where, got, expected: `one of ${this.legal(mask)}` })
    }
    const list = typeof action === 'number' && this.kind === 'discrete' ? [action] : action
    const isList = Array.isArray(list) || ArrayBuffer.isView(list)
    if (!isList || (list as ArrayLike<number>).length !== this.dims) return fail(shown(action))
    const numbers = Array.from(list as ArrayLike<number>)
    let from = 0
    numbers.forEach((value, d) => {
      if (this.space.kind === 'box') {
        const { name, low, high } = this.space.dimensions[d]
        if (!(value >= low && value <= high)) fail(`${shown(value)} in ${name}`)
        return
      }
      const size = this.sizes[d]
      if (!Number.isInteger(value) || value < 0 || value >= size) fail(shown(action))
      if (mask !== undefined && mask[from + value] !== 1) {
        fail(`${choiceName(this.space, d, value)}, which is masked`)
      }
      from += size
    })
    return numbers
  }

  /** What is played for an agent that has left: its first legal choice; 0, clamped, for box. */
  idle(mask: Uint8Array | undefined): number[] {
    if (this.space.kind === 'box') return this.space.dimensions.map(({ low, high }) => Math.min(high, Math.max(low, 0)))
    let from = 0
    return this.sizes.map((size) => {
      const legal = this.legalIn(mask, from, size)
      from += size
      return legal[0] ?? 0
    })
  }
}
