/**
 * The group of shards as threads see it: shared memory, a barrier, and sums in the order of shards. Every worker holds all
 * parameters and takes the same steps, so only gradients and statistics are exchanged.
 *
 * Waiting is synchronous (a learner's update is). What ends a wait is the barrier, or the number of a worker that is lost:
 * written by that worker when it throws, by the watcher (parallel-watch.ts) when it dies.
 */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { TroupeError } from '../envs/core/index.ts'
import { addUp, type ShardGroup } from '../agents/core/shards.ts'

/** What all threads of a group get. */
export interface SharedGroup {
  readonly workers: number
  readonly shards: number
  /** [5] int32, see below. */
  readonly control: SharedArrayBuffer
  /** Two areas of one slot per shard, used in turns: who is past a barrier may write while others still read. */
  readonly data: SharedArrayBuffer
}

const ARRIVED = 0 // workers at the barrier
const GENERATION = 1 // barriers passed
const LOST = 2 // 1 + number of the first worker that was lost; STOPPED = all shall end
const ORDERS = 3 // orders given so far
const ORDER = 4 // the last of them

export const ORDERED = { update: 1, save: 2, load: 3 } as const
export type Order = keyof typeof ORDERED

const STOPPED = -1
const SLOT_BYTES = 1 << 20 // longer vectors go in pieces
const SPINS = 2_000 // about 20 µs: a neighbour that is nearly there is not worth a system call
const SLICE_MS = 250 // a wake-up that came between look and wait is noticed after this long

export function shareGroup(workers: number, shards: number): SharedGroup {
  const data = new SharedArrayBuffer(2 * shards * SLOT_BYTES)
  return { workers, shards, control: new SharedArrayBuffer(5 * 4), data }
}

/** Shards of each worker: one after the other, as even as can be. */
export function shardsOf(worker: number, workers: number, shards: number): number[] {
  const from = Math.floor((worker * shards) / workers)
  const to = Math.floor(((worker + 1) * shards) / workers)
  return Array.from({ length: to - from }, (_, k) => from + k)
}

/** Thrown where a worker waits for others that will not come. */
export class GroupLost extends Error {}

/** What a lost worker leaves behind. */
export interface LastWords {
  readonly kind: 'failed'
  readonly worker: number
  readonly message: string
}

/** Marks a worker as lost and wakes everybody; the first one counts. */
export function loseWorker({ control }: SharedGroup, worker: number): void {
  const words = new Int32Array(control)
  Atomics.compareExchange(words, LOST, 0, worker + 1)
  Atomics.notify(words, GENERATION)
  Atomics.notify(words, ORDERS)
}

/** Ends all waits: workers stop. */
export function stopGroup({ control }: SharedGroup): void {
  const words = new Int32Array(control)
  Atomics.store(words, LOST, STOPPED)
  Atomics.notify(words, GENERATION)
  Atomics.notify(words, ORDERS)
}

export class ThreadGroup implements ShardGroup {
  readonly count: number
  readonly own: readonly number[]
  private readonly shared: SharedGroup
  private readonly control: Int32Array
  private readonly worker: number
  /** Of the first worker: ports to the others in order, and to the watcher; of the others: the port to the first. */
  private readonly ports: readonly MessagePort[]
  private area = 0
  private orders = 0

  constructor(shared: SharedGroup, worker: number, ports: readonly MessagePort[]) {
    this.shared = shared
    this.control = new Int32Array(shared.control)
    this.worker = worker
    this.ports = ports
    this.count = shared.shards
    this.own = shardsOf(worker, shared.workers, shared.shards)
  }

  sum<Vector extends Float32Array | Float64Array>(parts: readonly Vector[], out: Vector): void {
    const { shared, own, count } = this
    const make = out.constructor as new (buffer: SharedArrayBuffer, from: number, length: number) => Vector
    const most = SLOT_BYTES / out.BYTES_PER_ELEMENT
    for (let from = 0; from < out.length; from += most) {
      const to = Math.min(from + most, out.length)
      this.area = 1 - this.area
      const slots = Array.from(
        { length: count },
        (_, shard) => new make(shared.data, (this.area * count + shard) * SLOT_BYTES, to - from),
      )
      own.forEach((shard, k) => slots[shard].set(parts[k].subarray(from, to)))
      this.meet()
      addUp(slots, out.subarray(from, to) as Vector)
    }
  }

  gather<Value>(values: readonly Value[]): readonly Value[] | null {
    if (this.worker !== 0) this.ports[0].postMessage({ kind: 'gathered', values })
    this.meet()
    if (this.worker !== 0) return null
    const others = this.ports.slice(0, this.shared.workers - 1)
    return [...values, ...others.flatMap((port) => (receiveMessageOnPort(port)!.message as { values: Value[] }).values)]
  }

  /** Returns when every worker is here. @throws GroupLost, of the first worker TroupeError with the lost one's number */
  meet(): void {
    const { control, shared } = this
    const generation = Atomics.load(control, GENERATION)
    if (Atomics.add(control, ARRIVED, 1) + 1 === shared.workers) {
      Atomics.store(control, ARRIVED, 0)
      Atomics.add(control, GENERATION, 1)
      Atomics.notify(control, GENERATION)
      return
    }
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.load(control, GENERATION) !== generation) return
    while (Atomics.load(control, GENERATION) === generation) {
      if (Atomics.load(control, LOST) !== 0) throw this.lost()
      Atomics.wait(control, GENERATION, generation, SLICE_MS)
    }
  }

  /** Of the first worker: what all shall do next. Everybody ends it with `meet`. */
  order(what: Order): void {
    if (Atomics.load(this.control, LOST) !== 0) throw this.lost()
    Atomics.store(this.control, ORDER, ORDERED[what])
    Atomics.add(this.control, ORDERS, 1)
    Atomics.notify(this.control, ORDERS)
  }

  /** Of the others: waits for the next order. @throws GroupLost */
  nextOrder(): Order {
    const { control } = this
    while (Atomics.load(control, ORDERS) === this.orders) {
      if (Atomics.load(control, LOST) !== 0) throw this.lost()
      Atomics.wait(control, ORDERS, this.orders, SLICE_MS)
    }
    this.orders++
    const code = Atomics.load(control, ORDER)
    return (Object.keys(ORDERED) as Order[]).find((name) => ORDERED[name] === code)!
  }

  private lost(): Error {
    const number = Atomics.load(this.control, LOST) - 1
    if (this.worker !== 0 || number < 0) return new GroupLost('the group has ended')
    let message = 'lost'
    // Its own words, if it had time for any, come before the watcher's, who has the last port.
    for (const port of [this.ports[number - 1], this.ports.at(-1)!].reverse()) {
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        const words = next.message as Partial<LastWords>
        if (words.kind === 'failed' && words.worker === number) message = words.message!
      }
    }
    return new TroupeError('environment', {
      where: `training worker ${number + 1} of ${this.shared.workers}`,
      got: message,
      expected: 'a worker that goes on; the last checkpoint of the run is kept',
    })
  }
}
