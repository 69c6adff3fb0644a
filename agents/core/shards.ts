/**
 * Data parallel learning. The lanes of training are cut into S shards, each with its own generators and its own part of
 * every minibatch; S is a setting. How many workers share the shards is not: everything that crosses shards is summed in
 * the order of shards, so one worker with all of them and many with a few end with the same bits.
 *
 * A learner sees a `ShardGroup`: which shards are its own, and how to sum with the others. `alone` has them all;
 * results/parallel.ts makes groups of threads.
 */
import { TroupeError, type EnvBatch, type Generator } from '../../envs/core/index.ts'
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
  for (let i = 0; i < out.length; i++) {
    let sum = first[i]
    for (let k = 0; k < others.length; k++) sum += others[k][i]
    out[i] = sum
  }
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

/** Rows of a minibatch below which a further shard costs one worker more than it saves two; measured, see README. */
const ROWS_PER_SHARD = 512
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

/** What one shard remembers between two updates, and what it draws from. Columns are [T, B, n] with its own B lanes. */
export class Shard {
  readonly collector: Collector
  readonly rollout: Rollout
  readonly generators: { readonly sampling: Generator; readonly shuffling: Generator }
  readonly value: Float32Array // [T + 1, B, n] in the critic's units
  readonly advantage: Float32Array
  readonly returns: Float32Array
  /** [T B n] its rows in the order of this epoch. */
  readonly order: Int32Array

  constructor(collector: Collector, steps: number, generators: Shard['generators']) {
    const { batch, agents } = collector
    const rows = batch.lanes * agents.length
    this.collector = collector
    this.rollout = new Rollout(batch.spec, steps, batch.lanes, agents.length)
    this.generators = generators
    this.value = new Float32Array((steps + 1) * rows)
    this.advantage = new Float32Array(steps * rows)
    this.returns = new Float32Array(steps * rows)
    this.order = new Int32Array(steps * rows)
  }

  /** Rows in their natural order: where the shuffles of an update begin, so that a checkpoint need not hold it. */
  sortRows(): void {
    for (let row = 0; row < this.order.length; row++) this.order[row] = row
  }

  /** Another order; `together` neighbours (the agents of a lane at a step) stay side by side. */
  shuffleRows(together = 1): void {
    const { order, generators } = this
    if (together === 1) return generators.shuffling.shuffle(order)
    const first = Int32Array.from({ length: order.length / together }, (_, k) => order[k * together])
    generators.shuffling.shuffle(first)
    for (let i = 0; i < order.length; i++) order[i] = first[Math.floor(i / together)] + (i % together)
  }

  /** Rows that can be learned from: T B n. */
  get rows(): number {
    return this.returns.length
  }

  get alive(): Uint8Array {
    return this.rollout.alive.subarray(0, this.rows)
  }
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
