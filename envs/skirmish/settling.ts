/** What one step of a lane came to, as a row of sums; rewards and totals follow from it. */
import { type Engine } from './engine.ts'
import { ALLIES, ENEMIES } from './options.ts'
import { type SkirmishState } from './state.ts'

// Places in the row; assembly/settle.ts writes the same.
export const GONE = 0 // two: of allies and of enemies, 0 somebody is left, 1 nobody, 2 only healers
export const BY_SIDE = 2 // SIDE_SUMS for the allies, then for the enemies
export const DAMAGE = 0 // points that the opponents lost
export const KILLS = 1 // points for opponents killed
export const LOSSES = 2 // points for own losses, where they count
export const WORTH = 3 // most points that the opponents are worth
export const SIDE_SUMS = 4
export const SUM_DEALT = 10 // of the episode, by the allies
export const SUM_TAKEN = 11
export const ATTACKERS = 12 // allies that attacked in the step
export const MOST_ON_ONE = 13
export const SUMS = 14

/** Most points that the opponents of a side are worth. */
function worthOf(state: SkirmishState, first: number, side: number): number {
  const { plan, type } = state
  const { options, sides, tables } = plan
  const other = sides[1 - side]
  let sum = options.killReward * other.count + options.winReward
  for (let u = other.base; u < other.base + other.count; u++) {
    sum += tables.health[type[first + u]] + tables.shield[type[first + u]]
  }
  return sum
}

/** Whether a side has nobody left that counts. 0 somebody, 1 nobody, 2 only healers. */
function gone(state: SkirmishState, first: number, side: number): number {
  const { plan, health, type } = state
  const { base, count } = plan.sides[side]
  let healers = 0
  for (let u = base; u < base + count; u++) {
    if (health[first + u] <= 0) continue
    if (plan.tables.heals[type[first + u]] === 0) return 0
    healers++
  }
  // A side of nothing but healers fights on with them.
  if (healers > 0 && plan.fighters[side] === 0) return 0
  return healers > 0 ? 2 : 1
}

/** Writes `engine.sums` from `before`, `takenBefore` and the state after the step. */
export function gather(state: SkirmishState, engine: Engine, first: number): void {
  const { plan, health, shield, struck, type } = state
  const { units, sides, options, tables } = plan
  const { before, takenBefore, attackers: on, sums } = engine
  sums[GONE] = gone(state, first, ALLIES)
  sums[GONE + 1] = gone(state, first, ENEMIES)
  for (let side = 0; side < 2; side++) {
    let damage = 0
    let kills = 0
    let losses = 0
    for (let u = 0; u < units; u++) {
      if (before[u] <= 0) continue
      const dead = health[first + u] <= 0
      let drop = dead ? before[u] : before[u] - health[first + u] - shield[first + u]
      // SMAClite pays for damage done, whatever is healed or grows back in the same step.
      if (plan.rules === 'smaclite') drop = Math.max(dead ? before[u] : 0, state.taken[first + u] - takenBefore[u])
      const own = u < sides[0].count ? ALLIES : ENEMIES
      if (own !== side) {
        damage += drop
        if (dead) kills += options.killReward
      } else if (!options.onlyPositive) {
        losses += options.negativeScale * (drop + (dead ? options.killReward : 0))
      }
    }
    const row = BY_SIDE + side * SIDE_SUMS
    sums[row + DAMAGE] = damage
    sums[row + KILLS] = kills
    sums[row + LOSSES] = losses
    sums[row + WORTH] = worthOf(state, first, side)
  }
  let dealt = 0
  let taken = 0
  for (let u = 0; u < units; u++) {
    if (u < sides[0].count) taken += state.taken[first + u]
    else dealt += state.taken[first + u]
  }
  sums[SUM_DEALT] = dealt
  sums[SUM_TAKEN] = taken
  let attackers = 0
  let top = 0
  for (let u = sides[ENEMIES].base; u < units; u++) on[u] = 0
  for (let u = 0; u < sides[ALLIES].count; u++) {
    const target = struck[first + u]
    if (target < sides[ENEMIES].base || tables.heals[type[first + u]] > 0) continue
    attackers++
    const many = ++on[target]
    if (many > top) top = many
  }
  sums[ATTACKERS] = attackers
  sums[MOST_ON_ONE] = top
}
