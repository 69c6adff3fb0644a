/**
 * Whole episodes as columns: from rollouts into a memory, and from a memory into rows that networks learn from.
 *
 * An episode of T steps is T + 1 rows: row t is what was seen before step t, what was done and what it paid; the last row is
 * what the last step led to, and its actions and rewards are 0. After an end by the rules that row is zeros, for nothing comes
 * of it any more; after a cut by the clock it is the last state, which is worth something.
 */
import { TroupeError, type EnvSpec } from '../../envs/core/index.ts'
import { type SavedTensor, type Tensors } from './checkpoint.ts'
import { type Kept } from './learner.ts'
import { Memory, Rows, lengthsOf, type Shapes } from './memory.ts'
import { type Rollout } from './rollout.ts'

/** Columns of an episode with n learning agents. */
export interface EpisodeShapes extends Shapes {
  readonly observation: { readonly kind: 'float'; readonly width: number } // n F
  readonly state: { readonly kind: 'float'; readonly width: number } // S
  readonly alive: { readonly kind: 'byte'; readonly width: number } // n
  readonly mask: { readonly kind: 'byte'; readonly width: number } // n A
  readonly action: { readonly kind: 'int'; readonly width: number } // n D
  readonly reward: { readonly kind: 'float'; readonly width: number } // n, shared as the scenario says
  readonly terminated: { readonly kind: 'byte'; readonly width: number } // 1: the rules ended it with this step
}

/** Sizes of what is learned from. */
export interface EpisodeSizes {
  readonly agents: number // n
  readonly features: number // F
  readonly state: number // S
  readonly actions: number // A
  readonly dimensions: number // D
}

export function episodeSizes(spec: EnvSpec, agents: number): EpisodeSizes {
  const { observationSize, stateSize, actionSize, actionDims } = spec
  return { agents, features: observationSize, state: stateSize, actions: actionSize, dimensions: actionDims }
}

export function episodeShapes({ agents: n, features, state, actions, dimensions }: EpisodeSizes): EpisodeShapes {
  return {
    observation: { kind: 'float', width: n * features },
    state: { kind: 'float', width: state },
    alive: { kind: 'byte', width: n },
    mask: { kind: 'byte', width: n * actions },
    action: { kind: 'int', width: n * dimensions },
    reward: { kind: 'float', width: n },
    terminated: { kind: 'byte', width: 1 },
  }
}

export type EpisodeMemory = Memory<EpisodeShapes>

/** What every lane has played of its present episode, and the way of finished ones into a memory. */
export class EpisodeRecorder implements Kept {
  private readonly shapes: EpisodeShapes
  private readonly open: Rows<EpisodeShapes>[]

  constructor(shapes: EpisodeShapes, lanes: number) {
    this.shapes = shapes
    this.open = Array.from({ length: lanes }, () => new Rows(shapes))
  }

  /**
   * Takes the steps of a rollout, which must follow those of the one before.
   * @param finished gets every episode that ended, to be copied
   */
  take(rollout: Rollout, finished: (episode: Rows<EpisodeShapes>, lane: number) => void): void {
    const { steps, lanes, cuts } = rollout
    let cut = 0
    for (let t = 0; t < steps; t++) {
      for (let lane = 0; lane < lanes; lane++) {
        const rows = this.open[lane]
        const cell = t * lanes + lane
        this.step(rollout, cell, rows)
        const truncated = cuts[cut] === cell
        if (rollout.terminated[cell] === 0 && !truncated) continue
        const last = rows.add()
        if (truncated) this.last(rollout, cut++, rows, last)
        finished(rows, lane)
        rows.clear()
      }
    }
  }

  private step(rollout: Rollout, cell: number, rows: Rows<EpisodeShapes>): void {
    const row = rows.add()
    const { observation, state, alive, mask, action, reward, terminated } = rows.columns
    copy(rollout.observation, cell, observation, row, this.shapes.observation.width)
    copy(rollout.state, cell, state, row, this.shapes.state.width)
    copy(rollout.alive, cell, alive, row, this.shapes.alive.width)
    copy(rollout.mask, cell, mask, row, this.shapes.mask.width)
    copy(rollout.action, cell, action, row, this.shapes.action.width)
    copy(rollout.reward, cell, reward, row, this.shapes.reward.width)
    terminated[row] = rollout.terminated[cell]
  }

  private last(rollout: Rollout, cut: number, rows: Rows<EpisodeShapes>, row: number): void {
    const { observation, state, alive, mask } = rows.columns
    copy(rollout.finalObservation, cut, observation, row, this.shapes.observation.width)
    copy(rollout.finalState, cut, state, row, this.shapes.state.width)
    copy(rollout.finalAlive, cut, alive, row, this.shapes.alive.width)
    copy(rollout.finalMask, cut, mask, row, this.shapes.mask.width)
  }

  /** Columns of all lanes one after the other, and how many rows each lane has. */
  save(): Tensors {
    const { open } = this
    const rows = open.reduce((sum, { length }) => sum + length, 0)
    const tensors: Record<string, SavedTensor> = {
      lengths: { shape: [open.length], data: Float32Array.from(open, ({ length }) => length) },
    }
    for (const [name, { width }] of Object.entries(this.shapes)) {
      const data = new Float32Array(rows * width)
      let at = 0
      for (const { columns, length } of open) {
        data.set(columns[name].subarray(0, length * width), at)
        at += length * width
      }
      tensors[name] = { shape: [rows, width], data }
    }
    return tensors
  }

  load(tensors: Tensors, where: string): () => void {
    const lengths = lengthsOf(tensors, where, 0)
    if (lengths.length !== this.open.length) {
      const got = `${lengths.length} lanes`
      throw new TroupeError('bad-file', { where: `${where}: lengths`, got, expected: `${this.open.length}` })
    }
    const filled = lengths.filter((length) => length > 0)
    // The same checks as for a memory of these rows.
    const memory = new Memory(this.shapes, { sequences: Math.max(filled.length, 1) })
    const saved = { ...tensors, lengths: { shape: [filled.length], data: Float32Array.from(filled) } }
    memory.load(saved, where)()
    return () => {
      let sequence = 0
      this.open.forEach((rows, lane) => {
        rows.clear()
        if (lengths[lane] === 0) return
        for (let t = 0; t < lengths[lane]; t++) {
          const row = rows.add()
          const at = memory.at(sequence, t)
          for (const name in this.shapes)
            copy(memory.column(name), at, rows.columns[name], row, this.shapes[name].width)
        }
        sequence++
      })
    }
  }
}

type Numbers = Float32Array | Int32Array | Uint8Array

function copy(from: Numbers, row: number, to: Numbers, at: number, width: number): void {
  for (let i = 0, source = row * width, target = at * width; i < width; i++) to[target + i] = from[source + i]
}

/** A stretch of an episode: `steps` of its steps from step `first`, and the state they lead to. */
export interface Stretch {
  readonly sequence: number
  readonly first: number
  readonly steps: number
}

/** The stretches that a batch is made of: whole episodes, or windows of so many steps at a random place in each. */
export function stretches(
  memory: EpisodeMemory,
  sequences: Int32Array,
  window: number | null,
  place: (choices: number) => number,
): Stretch[] {
  return Array.from(sequences, (sequence) => {
    const all = memory.lengthOf(sequence) - 1
    const steps = Math.min(all, window ?? all)
    return { sequence, first: all > steps ? place(all - steps + 1) : 0, steps }
  })
}

/**
 * Stretches of episodes laid out for networks: R rows of states, M steps between them.
 *
 * For networks with memory the rows are [L, E], time first, filled up behind short stretches; without memory they are the
 * stretches one after the other and nothing else. What fills up stands in no step, so it reaches no loss.
 */
export class EpisodeBatch {
  /** Steps of each stretch lie together: those of stretch e are begins[e] to begins[e + 1] − 1. */
  readonly begins: Int32Array // [E + 1]
  /** Rows of the states before and after each step. */
  readonly now: Int32Array // [M]
  readonly next: Int32Array // [M]
  /** Where each row lies in the memory, and the row before it in its episode; −1 = fills up, −1 = is the first. */
  readonly places: Int32Array // [R]
  readonly before: Int32Array // [R]
  /** L of the layout [L, E]; 0 without memory. */
  readonly length: number
  readonly stretches: number // E
  /** Whether a stretch goes to the end of its episode. */
  readonly lasts: readonly boolean[] // [E]

  constructor(memory: EpisodeMemory, parts: readonly Stretch[], remembers: boolean) {
    const E = parts.length
    const begins = new Int32Array(E + 1)
    parts.forEach(({ steps }, e) => (begins[e + 1] = begins[e] + steps))
    const M = begins[E]
    this.length = remembers ? Math.max(...parts.map(({ steps }) => steps)) + 1 : 0
    this.stretches = E
    this.lasts = parts.map(({ sequence, first, steps }) => first + steps === memory.lengthOf(sequence) - 1)
    const R = remembers ? this.length * E : M + E
    this.begins = begins
    this.now = new Int32Array(M)
    this.next = new Int32Array(M)
    this.places = new Int32Array(R).fill(-1)
    this.before = new Int32Array(R).fill(-1)
    parts.forEach(({ sequence, first, steps }, e) => {
      const row = (t: number) => (remembers ? t * E + e : begins[e] + e + t)
      for (let t = 0; t <= steps; t++) {
        this.places[row(t)] = memory.at(sequence, first + t)
        if (first + t > 0) this.before[row(t)] = memory.at(sequence, first + t - 1)
      }
      for (let t = 0; t < steps; t++) {
        this.now[begins[e] + t] = row(t)
        this.next[begins[e] + t] = row(t + 1)
      }
    })
  }

  /** R */
  get rows(): number {
    return this.places.length
  }

  /** M */
  get steps(): number {
    return this.now.length
  }
}
