/** From options to a game: named, by formula, or one's own. */
import { TroupeError, shown, unknownName } from '../core/index.ts'
import { FORMULAS, impossible } from './formulas.ts'
import { normalForm, stochasticGame, type Game } from './games.ts'
import { ACTION_LIMIT, OUTCOME_LIMIT, PAYOFF_LIMIT, PLAYER_LIMIT, STATE_LIMIT, type MatrixOptions } from './options.ts'
import { tableGame } from './tables.ts'

/** What a miss costs in the penalty game when nothing is said. */
export const MISS_COST = 100

/** Chances that are meant to add up to one may miss it by so much: decimals do not add up exactly. */
const CHANCE_TOLERANCE = 1e-9

const wrong = (field: string, got: string, expected: string) =>
  new TroupeError('bad-option', { where: `matrix options: ${field}`, got, expected })

/**
 * The game that the options name.
 * @throws TroupeError bad-option for options that do not belong to the game, and for tables of unequal shape
 */
export function gameOf(options: MatrixOptions): Game {
  const { game, k, parameters, payoffs, tensors, observation, memory } = options
  if (k !== null && game !== 'penalty') throw wrong('k', `${k} for game ${game}`, 'null, or game penalty')
  if (payoffs !== null && game !== 'custom') throw wrong('payoffs', `given for game ${game}`, 'null, or game custom')
  if (tensors !== null && game !== 'tensors') throw wrong('tensors', `given for game ${game}`, 'null, or game tensors')
  if (memory > 1 && observation !== 'last') {
    throw wrong('memory', `${memory} with observation ${observation}`, '1, or observation last')
  }
  if (Object.hasOwn(FORMULAS, game)) return formulaGame(game, parameters ?? {})
  if (parameters !== null) {
    throw wrong('parameters', `given for game ${game}`, `null, or one of ${Object.keys(FORMULAS).join(', ')}`)
  }
  if (game === 'custom') {
    if (payoffs === null) {
      throw wrong('payoffs', 'missing', 'one table per player, [rowAction][columnAction] for two, for game custom')
    }
    return customGame(payoffs)
  }
  if (game === 'tensors') {
    if (tensors === null) throw wrong('tensors', 'missing', '{ transitions, rewards } for game tensors')
    return tensorGame(tensors)
  }
  return tableGame(game, k ?? MISS_COST)
}

/** A game by formula with its numbers checked and filled in. */
export function formulaGame(id: string, given: Readonly<Record<string, number>>): Game {
  const { parameters, make } = FORMULAS[id]
  const names = Object.keys(parameters)
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(parameters, name)) continue
    if (names.length > 0) throw unknownName(`matrix options: parameters of ${id}`, name, names)
    throw wrong(`parameters.${name}`, 'given', `none: ${id} has no numbers to choose`)
  }
  const values = Object.fromEntries(
    names.map((name) => {
      const { default: byDefault, minimum, maximum, whole } = parameters[name]
      const value = given[name] ?? byDefault
      if (value >= minimum && value <= maximum && (whole !== true || Number.isInteger(value))) return [name, value]
      const kind = whole === true ? 'a whole number' : 'a number'
      throw wrong(`parameters.${name}`, shown(value), `${kind} of ${minimum} to ${maximum}`)
    }),
  )
  const trouble = impossible(id, values)
  if (trouble !== undefined) throw wrong(`parameters.${trouble[0]}`, shown(values[trouble[0]]), trouble[1])
  return make(values, id)
}

/** Lengths of a nested array along its first branch, at most `depth` of them. */
function shapeOf(value: unknown, depth: number): number[] {
  const shape: number[] = []
  for (let here = value; Array.isArray(here) && shape.length < depth; here = here[0]) shape.push(here.length)
  return shape
}

/**
 * Numbers of a nested array of the given shape, row-major.
 * @throws TroupeError naming the first place that has another shape, or is no number in range
 */
function flat(value: unknown, shape: readonly number[], where: string, low: number, high: number): number[] {
  const out: number[] = []
  const walk = (here: unknown, depth: number, at: string) => {
    if (depth === shape.length) {
      if (typeof here !== 'number' || !(here >= low && here <= high)) {
        throw wrong(at, shown(here), `a number of ${low} to ${high}`)
      }
      out.push(here)
      return
    }
    const last = depth === shape.length - 1
    if (!Array.isArray(here) || here.length !== shape[depth]) {
      const got = Array.isArray(here) ? `${here.length} ${last ? 'numbers' : 'rows'}` : shown(here)
      throw wrong(at, got, `${shape[depth]} ${last ? 'numbers' : 'rows'}, as in ${where}${'.0'.repeat(depth)}`)
    }
    here.forEach((part, index) => walk(part, depth + 1, `${at}.${index}`))
  }
  walk(value, 0, where)
  return out
}

const choiceNames = (count: number) => Array.from({ length: count }, (_, index) => `choice ${index}`)

/** Refuses sizes that are no game, or one that would not fit. */
function checkSizes(sizes: readonly number[], states: number, where: string): void {
  const odd = sizes.find((size) => size < 2 || size > ACTION_LIMIT)
  if (odd !== undefined) throw wrong(where, `a table with ${odd} actions`, `2 to ${ACTION_LIMIT} actions per player`)
  const outcomes = sizes.reduce((a, b) => a * b, 1) * states * states * sizes.length
  if (outcomes > OUTCOME_LIMIT) throw wrong(where, `${outcomes} payoffs in all`, `at most ${OUTCOME_LIMIT}`)
}

function customGame(payoffs: readonly unknown[]): Game {
  const players = payoffs.length
  const sizes = shapeOf(payoffs[0], players)
  if (sizes.length < players) {
    throw wrong('payoffs.0', `nested ${sizes.length} deep`, `${players} deep, once per player`)
  }
  checkSizes(sizes, 1, 'payoffs')
  const tables = payoffs.map((table, player) => {
    // the shape is that of the first player's table, and messages say so
    try {
      return flat(table, sizes, `payoffs.${player}`, -PAYOFF_LIMIT, PAYOFF_LIMIT)
    } catch (error) {
      if (!(error instanceof TroupeError) || player === 0) throw error
      const { where, got, expected } = error
      throw new TroupeError('bad-option', {
        where,
        got,
        expected: expected.replace(`as in payoffs.${player}`, 'as in payoffs.0'),
      })
    }
  })
  return normalForm('custom', 'Custom game', sizes.map(choiceNames), (player, choices) => {
    return tables[player][choices.reduce((cell, choice, n) => cell * sizes[n] + choice, 0)]
  })
}

function tensorGame({ transitions, rewards, start }: NonNullable<MatrixOptions['tensors']>): Game {
  const players = Array.isArray(rewards) ? rewards.length : 0
  if (players < 2 || players > PLAYER_LIMIT) {
    throw wrong('tensors.rewards', `for ${players} players`, `a list with one tensor for each of 2 to ${PLAYER_LIMIT}`)
  }
  const shape = shapeOf(transitions, players + 2)
  if (shape.length < players + 2) {
    throw wrong('tensors.transitions', `nested ${shape.length} deep`, `${players + 2} deep: state, actions, next state`)
  }
  const states = shape[0]
  if (states < 1 || states > STATE_LIMIT) {
    throw wrong('tensors.transitions', `for ${states} states`, `1 to ${STATE_LIMIT} states`)
  }
  const sizes = shape.slice(1, -1)
  checkSizes(sizes, states, 'tensors.transitions')
  const full = [states, ...sizes, states]
  const T = flat(transitions, full, 'tensors.transitions', 0, 1)
  const R = (rewards as unknown[]).map((tensor, player) =>
    flat(tensor, full, `tensors.rewards.${player}`, -PAYOFF_LIMIT, PAYOFF_LIMIT),
  )
  const first = start === undefined ? undefined : flat(start, [states], 'tensors.start', 0, 1)
  const cellOf = (choices: readonly number[]) => choices.reduce((cell, choice, n) => cell * sizes[n] + choice, 0)
  const cells = sizes.reduce((a, b) => a * b, 1)
  const sums = (list: readonly number[], where: string) => {
    const sum = list.reduce((a, b) => a + b, 0)
    if (Math.abs(sum - 1) > CHANCE_TOLERANCE) throw wrong(where, `chances that add up to ${sum}`, 'a sum of 1')
  }
  for (let at = 0; at < states * cells; at++) {
    sums(
      T.slice(at * states, (at + 1) * states),
      `tensors.transitions of state ${Math.floor(at / cells)}, cell ${at % cells}`,
    )
  }
  if (first !== undefined) sums(first, 'tensors.start')
  const names = Array.from({ length: states }, (_, state) => `state ${state}`)
  return stochasticGame('tensors', 'Stochastic game from tensors', sizes.map(choiceNames), {
    states: names,
    moves: (state, choices) => {
      const at = (state * cells + cellOf(choices)) * states
      return T.slice(at, at + states)
    },
    pays: (player, state, choices, next) => R[player][(state * cells + cellOf(choices)) * states + next],
    ...(first === undefined ? {} : { start: first }),
  })
}
