/** One step of the skirmish: orders, loops of the game, rewards and ends. */
import { type Port } from '../core/types.ts'
import { avoidAndMove } from './avoidance.ts'
import { fight, mayHeal } from './combat.ts'
import { BEAT, dropTheDead, putBack, takeUp, type Engine } from './engine.ts'
import { type Machine } from './machine.ts'
import { ALLIES, ENEMIES, type Plan } from './options.ts'
import { decide } from './orders.ts'
import { pushAndMove } from './pushing.ts'
import {
  ATTACKERS,
  BY_SIDE,
  DAMAGE,
  gather,
  GONE,
  KILLS,
  LOSSES,
  MOST_ON_ONE,
  SIDE_SUMS,
  SUM_DEALT,
  SUM_TAKEN,
  WORTH,
} from './settling.ts'
import { reaches, shareSight } from './sight.ts'
import {
  ATTACK,
  DEALT,
  DRAW,
  EAST,
  FIRED,
  FIRST_LOOK,
  FOCUS_ALL,
  FOCUS_TOP,
  HEAL,
  LOST,
  MOVE,
  NORTH,
  NO_OP,
  OUTCOME,
  REWARD_SCALE,
  SOUTH,
  STOP,
  STOP_ACTION,
  TAKEN,
  TALLIES,
  WON,
  type SkirmishState,
} from './state.ts'

/** Points of the last step by term and side, before scaling; [2, 3] damage, kills, outcome. */
export const TERMS = ['damage', 'kills', 'outcome'] as const

/** Plays `port.action` in the listed lanes; writes `port.reward` and `port.terminated`. */
export function step(
  state: SkirmishState,
  engine: Engine,
  machine: Machine | null,
  terms: Float64Array,
  port: Port,
  lanes: Int32Array,
  count: number,
): void {
  const { plan, health, shield, struck, felledBy } = state
  const { units, options } = plan
  const { before, takenBefore } = engine
  const sc2 = plan.rules === 'sc2'
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const first = lane * units
    give(state, engine, port, lane)
    if (machine !== null && state.watch === null && state.script === null) {
      machine.run(lane)
      if (state.granted.length > 0) shareSight(state, engine, lane, port.random, port.streams)
      settleStep(state, engine.sums, terms, port, lane)
      continue
    }
    for (let u = 0; u < units; u++) {
      before[u] = health[first + u] + shield[first + u]
      takenBefore[u] = state.taken[first + u]
      struck[first + u] = felledBy[first + u] = -1
    }
    if (state.script !== null) state.script(lane)
    else {
      takeUp(state, engine, lane)
      const tick = port.step[lane] * options.loops
      for (let loop = 0; loop < options.loops; loop++) {
        if (loop > 0) dropTheDead(engine)
        const begins = loop % BEAT === 0
        decide(state, engine, lane, tick + loop, loop, begins)
        if (sc2) {
          fight(state, engine, lane, port.random, port.streams)
          pushAndMove(state, engine, begins, loop % BEAT === BEAT - 1 || loop === options.loops - 1)
        } else {
          avoidAndMove(state, engine, lane)
          fight(state, engine, lane, port.random, port.streams)
        }
        if (state.watch !== null) {
          putBack(state, engine, lane)
          state.watch(lane)
        }
      }
      putBack(state, engine, lane)
    }
    if (state.granted.length > 0) shareSight(state, engine, lane, port.random, port.streams)
    gather(state, engine, first)
    settleStep(state, engine.sums, terms, port, lane)
  }
}

/** Turns the agents' actions into orders. */
function give(state: SkirmishState, engine: Engine, port: Port, lane: number): void {
  const { plan, order, aim, px, py, x, y, type, lastAction, facing, health } = state
  const { units, agents, sides, options, tables } = plan
  const { scripted } = engine
  const first = lane * units
  for (let u = 0; u < agents; u++) {
    const i = first + u
    const action = port.action[lane * agents + u]
    lastAction[i] = action
    if (scripted[u] === 1 || action === NO_OP || health[i] <= 0) continue
    const own = sides[u < sides[0].count ? ALLIES : ENEMIES]
    if (action === STOP_ACTION) order[i] = STOP
    else if (action < FIRST_LOOK) {
      const far = options.moveAmount
      order[i] = MOVE
      px[i] = x[i] + (action === EAST ? far : action === NORTH || action === SOUTH ? 0 : -far)
      py[i] = y[i] + (action === NORTH ? far : action === SOUTH ? -far : 0)
      aim[i] = -1
    } else if (action < own.firstAttack) facing[i] = action - FIRST_LOOK
    else {
      const k = action - own.firstAttack
      if (!options.actionMask && !reaches(state, first, u, k)) continue
      if (tables.heals[type[i]] === 0) {
        order[i] = ATTACK
        aim[i] = sides[u < sides[0].count ? ENEMIES : ALLIES].base + k
        continue
      }
      const target = own.base + k
      order[i] = mayHeal(state, i, target) ? HEAL : STOP
      aim[i] = target
    }
  }
}

/**
 * From the allies' side: 0 goes on, else WON, LOST or DRAW.
 * @param allies 0 somebody is left, 1 nobody, 2 only healers; so `enemies`
 */
function outcomeOf(plan: Plan, allies: number, enemies: number): number {
  if (allies === 0 && enemies === 0) return 0
  // SMAC asks "only medivacs left" first, which is true of an empty team on maps with medivacs.
  if (plan.options.compatibility && allies !== 0) return plan.medics || enemies !== 1 ? LOST : DRAW
  // SMAClite goes on until the last medivac of the enemies is dead.
  if (plan.rules === 'smaclite' && enemies === 2 && allies === 0) return 0
  if (allies === 0) return WON
  if (enemies === 0) return LOST
  if (allies === 1 && enemies === 2) return LOST
  if (allies === 2 && enemies === 1) return WON
  return DRAW
}

/** Rewards, totals and the end of the step, from its sums. */
function settleStep(state: SkirmishState, sums: Float64Array, terms: Float64Array, port: Port, lane: number): void {
  const { plan, tally } = state
  const { sides, options, agents } = plan
  const outcome = outcomeOf(plan, sums[GONE], sums[GONE + 1])
  const row = lane * TALLIES
  tally[row + OUTCOME] = outcome
  port.terminated[lane] = outcome === 0 ? 0 : 1
  for (let side = 0; side < (agents > sides[0].count ? 2 : 1); side++) {
    const own = BY_SIDE + side * SIDE_SUMS
    let kills = sums[own + KILLS]
    let gain = sums[own + DAMAGE] - sums[own + LOSSES]
    const sum = gain + kills
    if (options.onlyPositive) {
      const shown = options.compatibility && plan.generated === null ? Math.abs(sum) : Math.max(0, sum)
      gain = shown - kills
    }
    let end = 0
    const won = outcome === (side === ALLIES ? WON : LOST)
    const lost = outcome === (side === ALLIES ? LOST : WON)
    if (won) end = options.winReward
    else if (lost) end = -options.lossReward
    if (options.sparse) {
      gain = kills = 0
      end = won ? 1 : lost ? -1 : 0
    }
    const scale = scaleOf(state, row, side, sums[own + WORTH])
    const at = (lane * 2 + side) * TERMS.length
    terms[at] = gain * scale
    terms[at + 1] = kills * scale
    terms[at + 2] = end * scale
    const reward = (gain + kills + end) * scale
    for (let n = 0; n < sides[side].count; n++) port.reward[lane * agents + sides[side].base + n] = reward
  }
  // Totals of the allies.
  tally[row + DEALT] = sums[SUM_DEALT]
  tally[row + TAKEN] = sums[SUM_TAKEN]
  const attackers = sums[ATTACKERS]
  tally[row + FIRED] += attackers
  if (attackers > 1) {
    tally[row + FOCUS_TOP] += sums[MOST_ON_ONE]
    tally[row + FOCUS_ALL] += attackers
  }
}

/** Factor from points to reward. The sparse reward is scaled only under compatibility. */
function scaleOf(state: SkirmishState, row: number, side: number, worth: number): number {
  const { plan, tally } = state
  const { options } = plan
  if (!options.scaled || (options.sparse && !options.compatibility)) return 1
  if (!options.compatibility || plan.generated === null || side === ENEMIES) return options.scaleTo / worth
  // SMACv2 keeps the scale of the lane's first episode.
  if (tally[row + REWARD_SCALE] === 0) tally[row + REWARD_SCALE] = options.scaleTo / worth
  return tally[row + REWARD_SCALE]
}

/** Which units the orders of the map drive, [U]: enemies that are no agents, and agents that nobody controls. */
export function scriptedUnits(plan: Plan, seats: Int32Array): Uint8Array {
  const scripted = new Uint8Array(plan.units).fill(1)
  for (const seat of seats) scripted[seat] = 0
  return scripted
}
