/** What a task is: bodies, landmarks, what each agent observes, what it is paid. One file per task in `tasks/`. */
import { type ParticleState } from './state.ts'
import { type Plan } from './options.ts'

/** An agent's body. Every mass is 1. */
export interface Body {
  readonly id: string
  readonly team: string
  readonly kind: string
  readonly radius: number
  readonly collides: boolean
  readonly movable: boolean
  /** Has a channel of `Task.words` words. */
  readonly speaks: boolean
  /** Force of a full push. */
  readonly push: number
  /** Largest speed, in world units per second; 0 = no limit. */
  readonly limit: number
}

/** A thing that never moves. */
export interface Landmark {
  readonly id: string
  readonly kind: 'landmark' | 'obstacle' | 'food' | 'forest'
  readonly radius: number
  readonly collides: boolean
}

/** Numbers that a scenario may choose, as far as a task has them. */
export const COUNTS = ['agents', 'adversaries', 'good', 'obstacles', 'food', 'forests'] as const
export type Count = (typeof COUNTS)[number]
export type Counts = Readonly<Record<Count, number>>

/**
 * A run of numbers in an observation. Entities are numbered agents first, then landmarks; ranges are half open and
 * leave the observer out.
 */
export type Block =
  /** Own velocity: 2. */
  | { readonly kind: 'velocity' }
  /** Own position: 2. */
  | { readonly kind: 'position' }
  /** Positions of entities minus the own one: 2 each. */
  | { readonly kind: 'offsets'; readonly from: number; readonly to: number }
  /** Velocities of agents: 2 each. */
  | { readonly kind: 'velocities'; readonly from: number; readonly to: number }
  /** Position of a goal landmark minus the own one: 2. */
  | { readonly kind: 'goalOffset'; readonly goal: number }
  /** The row of `colours` of a goal landmark. */
  | { readonly kind: 'goalColour'; readonly goal: number; readonly colours: readonly (readonly number[])[] }
  /** The same numbers in every step. */
  | { readonly kind: 'constants'; readonly names: readonly string[]; readonly values: readonly number[] }
  /** What one agent said in this step: one number per word. */
  | { readonly kind: 'message'; readonly from: number }
  /** As `offsets` and `velocities`, zero where forests hide the agent from the observer. */
  | { readonly kind: 'seenOffsets'; readonly from: number; readonly to: number }
  | { readonly kind: 'seenVelocities'; readonly from: number; readonly to: number }
  /** 1 inside, -1 outside, per forest. */
  | { readonly kind: 'inForest' }

/** Of an episode: the sum over steps, the mean over steps, or the value after the last step. */
export interface Metric {
  readonly name: string
  readonly over: 'sum' | 'mean' | 'last'
  readonly meaning: string
}

/** A distance that rewards ask for: of one entity to the nearest of those from `from` up to `to`. */
export interface Gap {
  readonly of: number
  readonly from: number
  readonly to: number
}

export interface Task {
  /** Name in mpe2 1.1.0. */
  readonly original: string
  readonly title: string
  /** Counts that may be chosen, with their defaults. */
  readonly counts: Partial<Counts>
  /** Default share of the own reward; absent where the task does not mix. */
  readonly localRatio?: number
  /** Words of a channel; 0 = nobody speaks. */
  readonly words: number
  /** Landmarks drawn at reset, by what they are for. */
  readonly goals: readonly string[]
  /** Landmarks start uniformly in the square of this half width. */
  readonly landmarkRange: number
  readonly metrics: readonly Metric[]
  bodies(counts: Counts): Body[]
  landmarks(counts: Counts): Landmark[]
  observation(plan: Plan, agent: number): Block[]
  /** Distances to be measured after every step, in the order in which `ParticleState.gap` holds them. */
  gaps(counts: Counts): Gap[]
  /** Parts that a reward is the sum of, in this order. */
  readonly terms: readonly string[]
  /**
   * What the state just reached pays: a function of positions, their gaps, messages and goals alone.
   * @param terms [terms, M] overwritten: each agent's reward by term, in double precision
   * @param measured [metrics] overwritten: each metric's share of this step
   */
  pay(state: ParticleState, lane: number, terms: Float64Array, measured: Float64Array): void
}
