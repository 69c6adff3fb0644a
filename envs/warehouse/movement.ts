/** Who moves when several robots drive at once (rware 2.0 `step`; its networkx graph in typed arrays). */

/** Scratch of one batch: rows of M robots, and claims per cell. Nothing here outlives a step. */
export interface Movement {
  readonly robots: number // M
  /** Robots that drive; after `resolve` those that move, in front. */
  readonly driver: Int32Array // [M]
  readonly target: Int32Array // [M] cell each driver wants
  readonly claim: Uint16Array // [C] best contender + 1 for a free cell; zeros between steps
  readonly drives: Uint8Array // [M]
  readonly moves: Uint8Array // [M]
  readonly ahead: Int32Array // [M] robot in the target cell, -1 none
  readonly pending: Int32Array // [M] followers whose own queue is not measured yet
  readonly length: Int32Array // [M] robots in the longest queue that ends in this robot, itself included
  readonly next: Int32Array // [M] follower at the head of that queue, -1 none
  readonly ready: Int32Array // [M] work list
}

export function createMovement(robots: number, cells: number): Movement {
  const row = () => new Int32Array(robots)
  return {
    robots,
    driver: row(),
    target: row(),
    claim: new Uint16Array(cells),
    drives: new Uint8Array(robots),
    moves: new Uint8Array(robots),
    ahead: row(),
    pending: row(),
    length: row(),
    next: row(),
    ready: row(),
  }
}

/**
 * Decides who of the first `drivers` entries of `driver` moves, and keeps those in front, in their order.
 *
 * Follow the arrows from each driver to its target. A line that ends at a robot that stays is stuck, and so are two that
 * face each other with everybody behind them. Rings of more than two turn. A line that ends at a free cell moves along
 * its longest branch; every other branch waits. Of equally long branches the one with the lowest robot number in front
 * goes first (the original's choice is the order of a Python set).
 * @param robotAt [B, C] robot + 1; the lane's row starts at `floor`
 * @returns how many move
 */
export function resolve(movement: Movement, drivers: number, robotAt: Uint16Array, floor: number): number {
  const { robots, driver, target, claim, drives, moves, ahead, pending, length, next, ready } = movement
  for (let n = 0; n < robots; n++) {
    drives[n] = moves[n] = pending[n] = 0
    length[n] = 1
    next[n] = -1
  }
  for (let k = 0; k < drivers; k++) {
    const n = driver[k]
    drives[n] = 1
    ahead[n] = robotAt[floor + target[n]] - 1
    if (ahead[n] >= 0) pending[ahead[n]]++
  }
  // Measure the queues from their tails. Only members of rings are never ready.
  let tail = 0
  for (let k = 0; k < drivers; k++) if (pending[driver[k]] === 0) ready[tail++] = driver[k]
  for (let head = 0; head < tail; head++) {
    const n = ready[head]
    const front = ahead[n]
    if (front < 0) {
      const rival = claim[target[n]] - 1
      if (rival < 0 || length[n] > length[rival] || (length[n] === length[rival] && n < rival)) claim[target[n]] = n + 1
      continue
    }
    const queue = length[n] + 1
    if (queue > length[front] || (queue === length[front] && n < next[front])) {
      length[front] = queue
      next[front] = n
    }
    if (--pending[front] === 0 && drives[front] === 1) ready[tail++] = front
  }
  for (let k = 0; k < drivers; k++) {
    const n = driver[k]
    if (pending[n] > 0) {
      if (ahead[ahead[n]] !== n) moves[n] = 1 // a ring; two face to face stay
    } else if (ahead[n] < 0 && claim[target[n]] === n + 1) {
      for (let link = n; link >= 0; link = next[link]) moves[link] = 1
    }
  }
  let moving = 0
  for (let k = 0; k < drivers; k++) {
    const n = driver[k]
    claim[target[n]] = 0
    if (moves[n] === 1) driver[moving++] = n
  }
  return moving
}
