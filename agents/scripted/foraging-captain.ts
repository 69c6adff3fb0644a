/**
 * One captain for all players: deals items out to the groups that can have them soonest, sends everybody to a side of its
 * own, and lets a group load when it is strong enough.
 */
import { type EnvBatch, type EnvSpec } from '../../envs/core/index.ts'
import { type ForagingWorld } from '../../envs/foraging/index.ts'
import { type ActionBatch, type PolicyDefinition, type PrivilegedPolicy } from '../core/policy.ts'

const NONE = -1
const STAY = 0
const LOAD = 5
const PRESENT = 1

class Captain implements PrivilegedPolicy {
  readonly name = 'foraging-captain'
  readonly privileged = true as const
  private readonly item: Int32Array // [M] food slot each player goes for, NONE free
  private readonly order: Int32Array // [M] players by distance to an item
  private readonly side: Int32Array // [M] cell beside its item, NONE not assigned
  private readonly body: Uint8Array // [C] players that are there, or will be, and do not leave
  private readonly taken: Uint8Array // [C] 1 where a side is promised
  private readonly from: Int32Array // [C] action that led into a cell on the way from the player, NONE not reached
  private readonly queue: Int32Array // [C]
  private readonly tried: Uint8Array // [K] items dealt out or out of reach
  private readonly idle: Uint8Array // [C] 1 where a player stands that has nothing to do

  constructor(spec: EnvSpec) {
    const { rows, columns, players, foods } = spec.options as Record<string, number>
    const cells = rows * columns
    this.item = new Int32Array(players)
    this.order = new Int32Array(players)
    this.side = new Int32Array(players)
    this.body = new Uint8Array(cells)
    this.taken = new Uint8Array(cells)
    this.from = new Int32Array(cells)
    this.queue = new Int32Array(cells)
    this.tried = new Uint8Array(foods)
    this.idle = new Uint8Array(cells)
  }

  /** [lanes, K] 1 for items that groups are on their way to: they stay first choice, or groups would dither. */
  memory(lanes: number): Uint8Array {
    return new Uint8Array(lanes * this.tried.length)
  }

  act(batch: EnvBatch, agents: Int32Array, memory: unknown, out: ActionBatch): void {
    const world = batch.world as ForagingWorld
    const { seats } = batch.spec
    const { foods } = world.plan
    const chosen = memory as Uint8Array
    for (let lane = 0; lane < batch.lanes; lane++) {
      if (batch.episodeStart[lane] !== 0) for (let f = lane * foods; f < (lane + 1) * foods; f++) chosen[f] = 0
      this.deal(world, lane, agents, seats, chosen)
      this.send(world, lane, agents, seats, out.action as Int32Array)
    }
  }

  private away(world: ForagingWorld, a: number, b: number): number {
    const { columns } = world.plan
    const [ca, cb] = [a % columns, b % columns]
    return Math.abs(ca - cb) + Math.abs((a - ca) / columns - (b - cb) / columns)
  }

  /** Again and again the item that a group of free players reaches first. */
  private deal(
    world: ForagingWorld,
    lane: number,
    agents: Int32Array,
    seats: readonly number[],
    chosen: Uint8Array,
  ): void {
    const { item, order, tried } = this
    const { plan, cell, level, foodCell, foodLevel, foodStatus } = world
    const first = lane * plan.players
    item.fill(NONE)
    tried.fill(0)
    for (let round = 0; round < plan.foods; round++) {
      let best = NONE
      let soonest = Infinity
      let size = 0
      for (let f = 0; f < plan.foods; f++) {
        const k = lane * plan.foods + f
        if (tried[f] !== 0 || foodStatus[k] !== PRESENT) continue
        const free = this.byDistance(world, first, agents, seats, foodCell[k])
        let strength = 0
        let used = 0
        while (used < Math.min(4, free) && strength < foodLevel[k]) strength += level[first + order[used++]]
        if (strength < foodLevel[k]) continue
        const far = this.away(world, cell[first + order[used - 1]], foodCell[k])
        const when = chosen[k] !== 0 ? far - plan.cells : far
        if (when >= soonest) continue
        best = f
        soonest = when
        size = used
      }
      if (best === NONE) break
      tried[best] = 1
      this.byDistance(world, first, agents, seats, foodCell[lane * plan.foods + best])
      for (let g = 0; g < size; g++) item[order[g]] = best
    }
    for (let f = 0; f < plan.foods; f++) chosen[lane * plan.foods + f] = tried[f]
  }

  /** Free players, nearest first (the lower number on ties), in front of `order`. @returns how many */
  private byDistance(
    world: ForagingWorld,
    first: number,
    agents: Int32Array,
    seats: readonly number[],
    to: number,
  ): number {
    const { item, order } = this
    let count = 0
    for (let k = 0; k < agents.length; k++) {
      const n = seats[agents[k]]
      if (item[n] !== NONE) continue
      const far = this.away(world, world.cell[first + n], to)
      let at = count++
      for (; at > 0 && this.away(world, world.cell[first + order[at - 1]], to) > far; at--) order[at] = order[at - 1]
      order[at] = n
    }
    return count
  }

  private send(
    world: ForagingWorld,
    lane: number,
    agents: Int32Array,
    seats: readonly number[],
    action: Int32Array,
  ): void {
    const { item, side, body, taken, idle } = this
    const { plan, cell, level, foodCell, foodLevel } = world
    const { players, claims, foods } = plan
    const first = lane * players
    body.fill(0)
    taken.fill(0)
    idle.fill(0)
    side.fill(NONE)
    for (let n = 0; n < players; n++) {
      body[cell[first + n]]++
      if (item[n] === NONE) idle[cell[first + n]] = 1
    }
    // Whoever stands beside its item keeps that side.
    for (let n = 0; n < players; n++) {
      if (item[n] === NONE) continue
      const here = cell[first + n]
      if (this.away(world, here, foodCell[lane * foods + item[n]]) !== 1 || taken[here] !== 0) continue
      side[n] = here
      taken[here] = 1
    }
    for (let k = 0; k < agents.length; k++) {
      const n = seats[agents[k]]
      const out = lane * agents.length + k
      action[out] = STAY
      if (item[n] === NONE) continue
      const heavy = foodLevel[lane * foods + item[n]]
      if (side[n] === cell[first + n]) {
        let ready = 0
        for (let m = 0; m < players; m++)
          if (item[m] === item[n] && side[m] === cell[first + m]) ready += level[first + m]
        if (ready >= heavy) action[out] = LOAD
        continue
      }
      const move = this.way(world, lane, cell[first + n], foodCell[lane * foods + item[n]])
      if (move === NONE) continue
      action[out] = move
      // Nobody else goes there in this step, so it will get there, and the next may have the cell that it leaves.
      body[claims[cell[first + n] * 6 + move]]++
      body[cell[first + n]]--
    }
  }

  /**
   * First move of a shortest way from a cell to a side of an item that nobody has yet, which is then promised.
   * Idle players are walked around, others only where they are in the way now.
   */
  private way(world: ForagingWorld, lane: number, start: number, item: number): number {
    const { from, queue, body, taken, idle } = this
    const { claims, cells } = world.plan
    const field = lane * cells
    from.fill(NONE)
    from[start] = STAY
    queue[0] = start
    let tail = 1
    for (let head = 0; head < tail; head++) {
      const here = queue[head]
      if (here !== start && taken[here] === 0 && this.away(world, here, item) === 1) {
        taken[here] = 1
        return from[here]
      }
      for (let move = 1; move <= 4; move++) {
        const to = claims[here * 6 + move]
        if (from[to] !== NONE || world.slotAt[field + to] !== 0 || taken[to] !== 0 || idle[to] !== 0) continue
        if (here === start && body[to] !== 0) continue
        from[to] = here === start ? move : from[here]
        queue[tail++] = to
      }
    }
    return NONE
  }
}

export const foragingCaptain: PolicyDefinition = {
  name: 'foraging-captain',
  kind: 'scripted',
  summary: 'Sees the whole field: deals items out to the groups that have them soonest, one side of the item for each.',
  envs: ['foraging'],
  privileged: true,
  create: (spec) => new Captain(spec),
}
