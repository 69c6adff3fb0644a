/** The coin game: two players on a small torus, tempted by each other's coins. */
import { Type, type Static } from '#typebox'
import {
  type EnvDefinition,
  type Feature,
  type Frame,
  type Port,
  type Rules,
  type WorldSpec,
} from '../../core/index.ts'
import { ACTIONS, createState, start, step, type CoinState } from './rules.ts'

export const OPTIONS = Type.Object(
  {
    side: Type.Integer({ minimum: 2, maximum: 16, default: 3, description: 'Cells along each side of the torus.' }),
    ownReward: Type.Number({
      minimum: -1000,
      maximum: 1000,
      default: 1,
      description: 'What a coin of the own colour pays.',
    }),
    otherReward: Type.Number({
      minimum: -1000,
      maximum: 1000,
      default: 1,
      description: "What a coin of the other's colour pays.",
    }),
    penalty: Type.Number({
      minimum: -1000,
      maximum: 1000,
      default: -2,
      description: 'What a player gets when the other takes its coin.',
    }),
    lastPays: Type.Boolean({
      default: true,
      description: 'The step at the horizon pays; false: it pays nothing, as in JaxMARL.',
    }),
    egocentric: Type.Boolean({
      default: false,
      description: 'Shows the torus from the own place, which is then its middle.',
    }),
  },
  { additionalProperties: false },
)
type Options = Static<typeof OPTIONS>

/** Layers of the observation, each cell one-hot: [side, side, 4], row-major, the layer counting least. */
export const LAYERS = ['self', 'other', 'ownCoin', 'otherCoin'] as const

export const METRICS = ['ownShare', 'coins', 'ownCoins0', 'ownCoins1', 'otherCoins0', 'otherCoins1'] as const

export const coin: EnvDefinition<typeof OPTIONS> = {
  id: 'coin',
  version: '1',
  summary: 'Coin game: two players on a small torus, tempted by each other’s coins.',
  options: OPTIONS,
  horizon: 10, // the inner episode of JaxMARL
  spec,
  create,
}

function features(side: number): Feature[] {
  return Array.from({ length: side * side * 4 }, (_, i) => {
    const layer = LAYERS[i % 4]
    const [row, column] = [Math.floor(i / 4 / side), Math.floor(i / 4) % side]
    const what = { self: 'I am', other: 'the other is', ownCoin: 'my coin is', otherCoin: "the other's coin is" }[layer]
    return {
      name: `${layer}.${row}.${column}`,
      low: 0,
      high: 1,
      meaning: `1 where ${what} in row ${row}, column ${column}`,
    }
  })
}

function spec({ side }: Options): WorldSpec {
  return {
    agents: [0, 1].map((n) => ({
      id: `agent_${n}`,
      team: ['red', 'blue'][n],
      kind: 'collector',
      observation: features(side),
      action: { kind: 'discrete', names: ACTIONS },
    })),
    state: features(side).map(({ name, low, high, meaning }) => ({
      name: `agent_0.${name}`,
      low,
      high,
      meaning: meaning!.replace('I am', 'agent_0 is').replace('my coin', "agent_0's coin"),
    })),
    metrics: METRICS,
    streams: ['coins'],
    size: { width: side, height: side },
    scene: { side },
  }
}

function create(options: Options, port: Port): Rules {
  const { side, ownReward, otherReward, penalty, egocentric } = options
  const { lanes, seats, reward, terminated, random, streams, observation, state: globalState } = port
  const state = createState(lanes, side)
  const rewards = { own: ownReward, other: otherReward, penalty }
  const horizon = options.lastPays ? null : (options as Options & { horizon: number | null }).horizon
  const action = port.action as Int32Array
  const N = seats.length
  const width = side * side * 4
  const { player, coin: coins, picked } = state
  return {
    arrays: { player, coin: coins, picked, took: state.took },
    world: state,
    reset: (which, count) => start(state, random, streams, which, count),
    step(which, count) {
      step(state, rewards, action, reward, terminated, random, streams, which, count)
      if (horizon === null) return
      for (let k = 0; k < count; k++) {
        const lane = which[k]
        if (port.step[lane] + 1 !== horizon) continue
        reward[lane * 2] = 0
        reward[lane * 2 + 1] = 0
      }
    },
    observe(which, count) {
      for (let k = 0; k < count; k++) {
        const lane = which[k]
        for (let n = 0; n < N; n++) draw(state, lane, seats[n], egocentric, observation, (lane * N + n) * width)
        draw(state, lane, 0, false, globalState, lane * width)
      }
    },
    metrics(lane, out) {
      const at = lane * 4
      const own = picked[at] + picked[at + 3]
      const all = own + picked[at + 1] + picked[at + 2]
      out[0] = own / all // NaN while nothing was taken: undefined
      out[1] = all
      out[2] = picked[at]
      out[3] = picked[at + 3]
      out[4] = picked[at + 1]
      out[5] = picked[at + 2]
    },
    frame: (lane) => frameOf(state, lane, port.step[lane]),
  }
}

/** Writes what `seat` sees of a lane. */
function draw(
  { side, player, coin: coins }: CoinState,
  lane: number,
  seat: number,
  centred: boolean,
  into: Float32Array,
  at: number,
): void {
  const own = lane * 2 + seat
  const other = lane * 2 + 1 - seat
  const middle = side >> 1
  // shifting by these brings the own place to the middle
  const down = centred ? middle - ((player[own] / side) | 0) + side : 0
  const along = centred ? middle - (player[own] % side) + side : 0
  for (let i = at; i < at + side * side * 4; i++) into[i] = 0
  for (let layer = 0; layer < 4; layer++) {
    const cell = layer < 2 ? player[layer === 0 ? own : other] : coins[layer === 2 ? own : other]
    const row = (((cell / side) | 0) + down) % side
    const column = ((cell % side) + along) % side
    into[at + (row * side + column) * 4 + layer] = 1
  }
}

function frameOf({ side, player, coin: coins, picked, took }: CoinState, lane: number, steps: number): Frame {
  const place = (cell: number) => ({ x: cell % side, y: Math.floor(cell / side) })
  const teams = ['red', 'blue']
  return {
    step: steps,
    entities: [
      ...[0, 1].map((n) => ({
        id: `coin_${n}`,
        kind: 'coin',
        ...place(coins[lane * 2 + n]),
        team: teams[n],
        state: { number: n },
      })),
      ...[0, 1].map((n) => ({
        id: `agent_${n}`,
        kind: 'collector',
        ...place(player[lane * 2 + n]),
        team: teams[n],
        state: { number: n, ownCoins: picked[lane * 4 + n * 3], otherCoins: picked[lane * 4 + 1 + n] },
      })),
    ],
    events: [0, 1].flatMap((n) => {
      const what = took[lane * 2 + n]
      const at = place(player[lane * 2 + n])
      return [
        ...(what & 1 ? [{ kind: 'own coin', at, agents: [`agent_${n}`] }] : []),
        ...(what & 2 ? [{ kind: 'taken coin', at, agents: [`agent_${n}`] }] : []),
      ]
    }),
    counters: {
      own0: picked[lane * 4],
      taken0: picked[lane * 4 + 1],
      own1: picked[lane * 4 + 3],
      taken1: picked[lane * 4 + 2],
    },
  }
}
