/** What players of STORM see: a square of 5 by 5 cells in front of them, and inventories. */
import { type Feature } from '../../core/index.ts'
import { ACTIONS, CELLS, COIN_A, COIN_B, SIDE, SIGHT, X_STEP, Y_STEP, type StormState } from './rules.ts'

/** Layers of a seen cell; the last four tell how the other is turned against the own heading. */
export const LAYERS = [
  'self',
  'other',
  'coinA',
  'coinB',
  'wall',
  'beam',
  'otherAhead',
  'otherLeft',
  'otherBack',
  'otherRight',
] as const

export const INVENTORY = ['ownA', 'ownB', 'ownReady', 'otherReady', 'shownA', 'shownB'] as const

/** Layers of a cell of the global state. */
export const STATE_LAYERS = ['agent_0', 'agent_1', 'coinA', 'coinB', 'beam'] as const

/** Most coins one player can hold: all of a type. */
const MOST = 6

const MEANING: Readonly<Record<(typeof LAYERS)[number], string>> = {
  self: 'I am here',
  other: 'the other is here',
  coinA: 'a coin of type A lies here',
  coinB: 'a coin of type B lies here',
  wall: 'wall or beyond',
  beam: 'a beam shows here',
  otherAhead: 'the other is here, heading as I do',
  otherLeft: 'the other is here, turned to the left of my heading',
  otherBack: 'the other is here, heading against mine',
  otherRight: 'the other is here, turned to the right of my heading',
}

/** [SIGHT aside, SIGHT ahead, layers], then the inventories. */
export function observationFeatures(): Feature[] {
  const cells = Array.from({ length: SIGHT * SIGHT * LAYERS.length }, (_, i) => {
    const layer = LAYERS[i % LAYERS.length]
    const cell = Math.floor(i / LAYERS.length)
    const [aside, ahead] = [Math.floor(cell / SIGHT) - 2, cell % SIGHT]
    return {
      name: `${layer}.${aside}.${ahead}`,
      low: 0,
      high: 1,
      meaning: `${MEANING[layer]}: ${aside} aside, ${ahead} ahead`,
    }
  })
  const coins = (name: string, meaning: string) => ({ name, low: 0, high: MOST, meaning })
  const yes = (name: string, meaning: string) => ({ name, low: 0, high: 1, meaning })
  return [
    ...cells,
    coins('ownA', 'own coins of type A'),
    coins('ownB', 'own coins of type B'),
    yes('ownReady', '1 with at least one coin: I can interact'),
    yes('otherReady', '1 when the other has at least one coin'),
    coins('shownA', "the other's coins of type A while frozen, else 0"),
    coins('shownB', "the other's coins of type B while frozen, else 0"),
  ]
}

/** Everything: cells by layer, headings one-hot, inventories, frozen. */
export function stateFeatures(): Feature[] {
  const cells = Array.from({ length: CELLS * STATE_LAYERS.length }, (_, i) => {
    const cell = Math.floor(i / STATE_LAYERS.length)
    const name = `${STATE_LAYERS[i % STATE_LAYERS.length]}.${Math.floor(cell / SIDE)}.${cell % SIDE}`
    return { name, low: 0, high: 1 }
  })
  const headings = [0, 1].flatMap((n) => ['down', 'right', 'up', 'left'].map((name) => ({ name: `agent_${n}.${name}`, low: 0, high: 1 }))) // prettier-ignore
  const held = [0, 1].flatMap((n) =>
    ['A', 'B'].map((type) => ({ name: `agent_${n}.coins${type}`, low: 0, high: MOST })),
  )
  return [...cells, ...headings, ...held, { name: 'frozen', low: 0, high: 1 }]
}

export { ACTIONS }

/** Writes what `seat` sees of a lane to `into` from `from`. */
export function writeView(state: StormState, lane: number, seat: number, into: Float32Array, from: number): void {
  const { at, heading, inventory, place, frozen, beam } = state
  const own = lane * 2 + seat
  const other = lane * 2 + 1 - seat
  const x = (at[own] / SIDE) | 0
  const y = at[own] % SIDE
  const ahead = heading[own]
  const aside = (ahead + 1) & 3
  const L = LAYERS.length
  const end = from + SIGHT * SIGHT * L
  for (let i = from; i < end; i++) into[i] = 0
  let row = from
  for (let a = -2; a <= 2; a++) {
    for (let f = 0; f < SIGHT; f++, row += L) {
      const i = x + f * X_STEP[ahead] + a * X_STEP[aside]
      const j = y + f * Y_STEP[ahead] + a * Y_STEP[aside]
      if (i < 0 || i >= SIDE || j < 0 || j >= SIDE) {
        into[row + 4] = 1
        continue
      }
      const cell = i * SIDE + j
      if (cell === at[own]) into[row] = 1
      else if (cell === at[other]) {
        into[row + 1] = 1
        into[row + 6 + ((heading[other] - ahead + 4) & 3)] = 1
      } else if (beam[lane * CELLS + cell] === 1) into[row + 5] = 1
      else if (place[lane * CELLS + cell] === COIN_A) into[row + 2] = 1
      else if (place[lane * CELLS + cell] === COIN_B) into[row + 3] = 1
    }
  }
  const mine = own * 2
  const yours = other * 2
  const shown = frozen[lane] >= 0
  into[end] = inventory[mine]
  into[end + 1] = inventory[mine + 1]
  into[end + 2] = inventory[mine] + inventory[mine + 1] > 0 ? 1 : 0
  into[end + 3] = inventory[yours] + inventory[yours + 1] > 0 ? 1 : 0
  into[end + 4] = shown ? inventory[yours] : 0
  into[end + 5] = shown ? inventory[yours + 1] : 0
}

/** Writes the global state of a lane. */
export function writeState(state: StormState, lane: number, into: Float32Array, from: number): void {
  const { at, heading, inventory, place, frozen, beam } = state
  const L = STATE_LAYERS.length
  let row = from
  for (let cell = 0; cell < CELLS; cell++, row += L) {
    const what = place[lane * CELLS + cell]
    into[row] = at[lane * 2] === cell ? 1 : 0
    into[row + 1] = at[lane * 2 + 1] === cell ? 1 : 0
    into[row + 2] = what === COIN_A ? 1 : 0
    into[row + 3] = what === COIN_B ? 1 : 0
    into[row + 4] = beam[lane * CELLS + cell]
  }
  for (let n = 0; n < 2; n++) {
    for (let h = 0; h < 4; h++) into[row++] = heading[lane * 2 + n] === h ? 1 : 0
  }
  for (let i = 0; i < 4; i++) into[row++] = inventory[lane * 4 + i]
  into[row] = frozen[lane] >= 0 ? 1 : 0
}
