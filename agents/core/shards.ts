/**
 * Data parallel learning. The lanes of training are cut into S shards, each with its own generators and its own part of
 * every minibatch; S is a setting. How many workers share the shards is not: everything that crosses shards is summed in
 * the order of shards, so one worker with all of them and many with a few end with the same bits.
 *
 * A learner sees a `ShardGroup`: which shards are its own, and how to sum with the others. `alone` has them all;
 * results/parallel.ts makes groups of threads.
 */
import { TroupeError, type EnvBatch, type EnvSpec, type Generator } from '../../envs/core/index.ts'
import { type Sequences } from './networks.ts'
import { Rollout, type Collector } from './rollout.ts'

export interface ShardGroup {
  /** S, shards in all workers together. */
  readonly count: number
  /** Numbers of the shards that are ours: ascending, one after the other. */
  readonly own: readonly number[]
  /**
   * Adds up one vector per shard, shard 0 first, in float64. Everybody calls it with their shards, as often and in the
   * same order; everybody gets the sum.
   * @param parts one per own shard, as long as `out`
   * @param out overwritten
   */
  sum<Vector extends Float32Array | Float64Array>(parts: readonly Vector[], out: Vector): void
  /** One value per shard, all of them, shard 0 first: for the first worker; the others get null. Plain data. */
  gather<Value>(values: readonly Value[]): readonly Value[] | null
}

/** One worker with every shard. */
export function alone(count = 1): ShardGroup {
  return { count, own: Array.from({ length: count }, (_, shard) => shard), sum: addUp, gather: (values) => values }
}

/** The sum of `parts` in their order, in float64, rounded once into `out`. */
export function addUp<Vector extends Float32Array | Float64Array>(parts: readonly Vector[], out: Vector): void {
  const [first, ...others] = parts
  out.set(first)
  if (others.length === 0) return
  if (others.length === 1) {
    const [second] = others
    if (out instanceof Float32Array) addFloats(first as Float32Array, second as Float32Array, out)
    else for (let i = 0; i < out.length; i++) out[i] = first[i] + second[i]
    return
  }
  for (let i = 0; i < out.length; i++) {
    let sum = first[i]
    for (let k = 0; k < others.length; k++) sum += others[k][i]
    out[i] = sum
  }
}

/** For one kind of array alone, which engines compile to a third of the time; gradients come here with every minibatch. */
function addFloats(a: Float32Array, b: Float32Array, out: Float32Array): void {
  for (let i = 0; i < out.length; i++) out[i] = a[i] + b[i]
}

/** Sums of a few numbers, one row per own shard. */
export function sumNumbers(group: ShardGroup, rows: readonly (readonly number[])[]): Float64Array {
  const out = new Float64Array(rows[0].length)
  group.sum(
    rows.map((row) => Float64Array.from(row)),
    out,
  )
  return out
}

/** Rows of a minibatch that a shard should keep: with fewer, one worker with all shards loses much; measured, see README. */
const ROWS_PER_SHARD = 256
const MOST_SHARDS = 32

/**
 * The default number of shards: as many as leave each `ROWS_PER_SHARD` rows of every minibatch, divide the lanes, and are
 * not more than 32.
 * @param rows of one minibatch, all lanes together
 */
export function defaultShards(lanes: number, rows: number): number {
  for (let count = Math.min(MOST_SHARDS, lanes, Math.floor(rows / ROWS_PER_SHARD)); count > 1; count--) {
    if (lanes % count === 0) return count
  }
  return 1
}

/** @throws TroupeError when lanes do not divide by shards */
export function requireShards(who: string, shards: number, lanes: number): void {
  if (lanes % shards === 0) return
  throw new TroupeError('bad-option', {
    where: `${who}: shards`,
    got: `${shards} for ${lanes} lanes`,
    expected: 'a divisor of lanes',
  })
}

/**
 * What a recurrent network carries through the lanes of a shard: as it is now, and as it was where each chunk of the
 * rollout began, for learning starts there again.
 */
export class Carried {
  /** H */
  readonly width: number
  /** [rows, H]; rows are lanes, or lanes × agents. */
  readonly hidden: Float32Array
  /** [chunks, rows, H] */
  readonly starts: Float32Array
  /** Of several networks: the slots of the agents of this one, whose rows alone are here; undefined = of all. */
  readonly slots: Int32Array | undefined

  constructor(hidden: Float32Array, width: number, chunks: number, slots?: Int32Array) {
    this.width = width
    this.hidden = hidden
    this.starts = new Float32Array(chunks * hidden.length)
    this.slots = slots
  }

  /** Keeps the present as the beginning of a chunk. */
  mark(chunk: number): void {
    this.starts.set(this.hidden, chunk * this.hidden.length)
  }
}

/** How the rows of a rollout hang together in learning. */
export interface Grain {
  /** Steps that stay one after the other, L: 1, or for recurrent networks the steps of back-propagation through time. */
  readonly chunk: number
  /** Neighbours that stay side by side, 1 or n: the agents of a lane at a step, where a critic looks once for all. */
  readonly together: number
}

/** Rows of one shard that are learned from at once: [L, sequences], step after step. */
export interface Part {
  readonly steps: number // L
  readonly rows: Int32Array
}

/** What a network carries in the lanes of a shard. */
export interface Remembered {
  /** H, of one row. */
  readonly width: number
  /** Agents that share a row: 1, or n. */
  readonly heads: number
  /** Slots of the agents that have rows; default all. */
  readonly slots?: Int32Array
}

/** What one shard remembers between two updates, and what it draws from. Columns are [T, B, n] with its own B lanes. */
export class Shard {
  readonly collector: Collector
  readonly rollout: Rollout
  readonly generators: { readonly sampling: Generator; readonly shuffling: Generator }
  readonly value: Float32Array // [T + 1, B, n] in the critic's units
  readonly advantage: Float32Array
  readonly returns: Float32Array
  readonly grain: Grain
  /** [units] first row of each unit (chunk of steps × agents that stay together) in the order of this epoch. */
  readonly order: Int32Array
  /** By network: what it carries, where it is recurrent. */
  readonly carried: Record<string, Carried>

  /** @param memories by network: what a row carries (H), how many agents share a row, and which agents have one (all) */
  constructor(
    collector: Collector,
    steps: number,
    generators: Shard['generators'],
    grain: Grain = { chunk: 1, together: 1 },
    memories: Readonly<Record<string, Remembered>> = {},
  ) {
    const { batch, agents } = collector
    const rows = batch.lanes * agents.length
    this.collector = collector
    this.rollout = new Rollout(batch.spec, steps, batch.lanes, agents.length)
    this.generators = generators
    this.grain = grain
    this.value = new Float32Array((steps + 1) * rows)
    this.advantage = new Float32Array(steps * rows)
    this.returns = new Float32Array(steps * rows)
    this.order = new Int32Array((steps * rows) / (grain.chunk * grain.together))
    this.carried = {}
    for (const [name, { width, heads, slots }] of Object.entries(memories)) {
      if (width === 0) continue
      const own = (batch.lanes * (slots ?? agents).length) / heads
      this.carried[name] = new Carried(new Float32Array(own * width), width, steps / grain.chunk, slots)
    }
    // Policies of agents that do not learn here are not learned from, but go on where they were.
    collector.memories.forEach((hidden, k) => (this.carried[`other${k}`] = new Carried(hidden, 1, 0)))
  }

  /** Units in their natural order: where the shuffles of an update begin, so that a checkpoint need not hold it. */
  sortUnits(): void {
    const { order, grain, stepRows } = this
    const perStep = stepRows / grain.together
    for (let unit = 0; unit < order.length; unit++) {
      const chunk = Math.floor(unit / perStep)
      order[unit] = chunk * grain.chunk * stepRows + (unit - chunk * perStep) * grain.together
    }
  }

  shuffleUnits(): void {
    this.generators.shuffling.shuffle(this.order)
  }

  /** The rows of some units. @param units a part of `order` */
  part(units: Int32Array): Part {
    const { grain, stepRows } = this
    const { chunk, together } = grain
    const rows = new Int32Array(units.length * chunk * together)
    let at = 0
    for (let step = 0; step < chunk; step++) {
      for (let unit = 0; unit < units.length; unit++) {
        const first = units[unit] + step * stepRows
        for (let k = 0; k < together; k++) rows[at++] = first + k
      }
    }
    return { steps: chunk, rows }
  }

  /** The rows of a part that are about some agents, in their order. @param slots of these agents */
  partOf({ steps, rows }: Part, slots: Int32Array): Part {
    const { agents } = this.rollout
    return { steps, rows: rows.filter((row) => slots.includes(row % agents)) }
  }

  /**
   * How a part's rows follow one another for a network that carries something; undefined for others.
   * @param heads agents that share a row of the network: 1, or n
   */
  sequences(name: string, { steps, rows }: Part, heads = 1): Sequences | undefined {
    const { rollout, grain, stepRows } = this
    const carried = this.carried[name] as Carried | undefined
    if (carried === undefined) return undefined
    const { width, starts, slots } = carried
    const n = rollout.agents
    const own = slots?.length ?? n
    const count = rows.length / heads
    const first = count / steps
    const hidden = new Float32Array(first * width)
    const start = new Uint8Array(count)
    for (let s = 0; s < first; s++) {
      const row = rows[s * heads]
      const chunk = Math.floor(row / (grain.chunk * stepRows))
      const lane = Math.floor((row % stepRows) / n)
      const seat = slots === undefined ? row % n : slots.indexOf(row % n)
      const from = (((chunk * rollout.lanes + lane) * own + seat) / heads) * width
      for (let i = 0; i < width; i++) hidden[s * width + i] = starts[from + i]
    }
    for (let k = 0; k < count; k++) start[k] = rollout.start[Math.floor(rows[k * heads] / n)]
    return { steps, hidden, start }
  }

  /** Rows that can be learned from: T B n. */
  get rows(): number {
    return this.returns.length
  }

  /** Rows of one step: B n. */
  private get stepRows(): number {
    return this.rollout.lanes * this.rollout.agents
  }

  get alive(): Uint8Array {
    return this.rollout.alive.subarray(0, this.rows)
  }
}

/** What the batches of a request are batches of. */
export function requestSpec(batch: EnvBatch | readonly EnvBatch[]): EnvSpec {
  return Array.isArray(batch) ? (batch as EnvBatch[])[0].spec : (batch as EnvBatch).spec
}

/** The batches of a request, one per own shard, with the lanes the settings ask for. */
export function shardBatches(
  who: string,
  given: EnvBatch | readonly EnvBatch[],
  group: ShardGroup,
  settings: { readonly lanes: number; readonly shards: number },
): readonly EnvBatch[] {
  const batches = Array.isArray(given) ? (given as readonly EnvBatch[]) : [given as EnvBatch]
  requireShards(who, settings.shards, settings.lanes)
  const lanes = settings.lanes / settings.shards
  const wrong = batches.find((batch) => batch.lanes !== lanes)
  if (wrong !== undefined) {
    const perShard = settings.shards === 1 ? '' : ` in each of ${settings.shards} shards`
    throw new TroupeError('bad-usage', {
      where: `${who}: lanes of the training batch`,
      got: String(wrong.lanes),
      expected: `${lanes}${perShard}, as the settings say`,
    })
  }
  if (group.count !== settings.shards || batches.length !== group.own.length) {
    throw new TroupeError('bad-usage', {
      where: `${who}: shards`,
      got: `${batches.length} batches for ${group.own.length} of ${group.count} shards`,
      expected: `one batch for each own shard of ${settings.shards}`,
    })
  }
  return batches
}
