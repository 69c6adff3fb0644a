/** STORM: a matrix game embedded in a small grid, played by gathering and meeting. */
import { Type, type Static } from '#typebox'
import { TroupeError, type EnvDefinition, type Frame, type Port, type Rules, type WorldSpec } from '../../core/index.ts'
import { observationFeatures, stateFeatures, writeState, writeView } from './observe.ts'
import { ACTIONS, CELLS, EMPTY, SIDE, createState, start, step, type StormRules, type StormState } from './rules.ts'

const LIMIT = 1000
const Table = Type.Array(Type.Array(Type.Number({ minimum: -LIMIT, maximum: LIMIT }), { minItems: 2, maxItems: 2 }), {
  minItems: 2,
  maxItems: 2,
})

export const OPTIONS = Type.Object(
  {
    payoffs: Type.Array(Table, {
      minItems: 2,
      maxItems: 2,
      default: [
        [
          [3, 0],
          [5, 1],
        ],
        [
          [3, 5],
          [0, 1],
        ],
      ],
      description: 'What agent_0 and agent_1 get, [type that counts for agent_0][for agent_1]; type A is 0, B is 1.',
    }),
    freeze: Type.Integer({
      minimum: 2,
      maximum: 100,
      default: 5,
      description: 'Steps that both are frozen after an interaction.',
    }),
    shuffled: Type.Boolean({
      default: false,
      description: 'Deals the coins anew over their twelve places at every episode.',
    }),
    allHeadings: Type.Boolean({
      default: true,
      description: 'Draws starting headings among all four; false: among three, never left, as JaxMARL does.',
    }),
    lastPays: Type.Boolean({
      default: true,
      description: 'The step at the horizon pays; false: it pays nothing, as in JaxMARL.',
    }),
  },
  { additionalProperties: false },
)
type Options = Static<typeof OPTIONS>

export const METRICS = ['interactions', 'shareA0', 'shareA1'] as const

export const storm: EnvDefinition<typeof OPTIONS> = {
  id: 'storm',
  version: '1',
  summary: 'STORM: a matrix game embedded in a small grid, played by gathering coins and meeting.',
  options: OPTIONS,
  horizon: 152, // the inner episode of JaxMARL
  spec,
  create,
}

function spec({ payoffs }: Options): WorldSpec {
  return {
    agents: [0, 1].map((n) => ({
      id: `agent_${n}`,
      team: ['first', 'second'][n],
      kind: 'walker',
      observation: observationFeatures(),
      action: { kind: 'discrete', names: ACTIONS },
    })),
    state: stateFeatures(),
    metrics: METRICS,
    streams: ['places'],
    size: { width: SIDE, height: SIDE },
    scene: { side: SIDE, payoffs },
  }
}

function create(options: Options, port: Port): Rules {
  const {
    lanes,
    seats,
    reward,
    terminated,
    random,
    streams,
    observation,
    observationSize: F,
    state: globalState,
  } = port
  const state = createState(lanes)
  const payoff = Float64Array.from(options.payoffs.flat(2))
  if (payoff.length !== 8) {
    throw new TroupeError('bad-option', {
      where: 'storm options: payoffs',
      got: `${payoff.length} numbers`,
      expected: '8',
    })
  }
  const rules: StormRules = {
    payoff,
    freeze: options.freeze,
    shuffled: options.shuffled,
    allHeadings: options.allHeadings,
  }
  const horizon = options.lastPays ? null : (options as Options & { horizon: number | null }).horizon
  const action = port.action as Int32Array
  const N = seats.length
  const S = port.stateSize
  const { at, heading, inventory, place, home, frozen, beam, met, shares, interacted } = state
  return {
    arrays: { at, heading, inventory, place, home, frozen, beam, met, shares, interacted },
    world: state,
    reset: (which, count) => start(state, rules, random, streams, which, count),
    step(which, count) {
      step(state, rules, action, reward, terminated, random, streams, which, count)
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
        for (let n = 0; n < N; n++) writeView(state, lane, seats[n], observation, (lane * N + n) * F)
        writeState(state, lane, globalState, lane * S)
      }
    },
    metrics(lane, out) {
      out[0] = met[lane]
      out[1] = shares[lane * 2] / met[lane] // NaN without an interaction: undefined
      out[2] = shares[lane * 2 + 1] / met[lane]
    },
    frame: (lane) => frameOf(state, lane, port.step[lane]),
  }
}

/** Radians clockwise from up, by heading: down, right, up, left. */
const RADIANS = [Math.PI, Math.PI / 2, 0, -Math.PI / 2]

function frameOf(state: StormState, lane: number, steps: number): Frame {
  const { at, heading, inventory, place, frozen, beam, met, interacted } = state
  const where = (cell: number) => ({ x: Math.floor(cell / SIDE), y: cell % SIDE })
  const cells = Array.from({ length: CELLS }, (_, cell) => cell)
  return {
    step: steps,
    entities: [
      ...cells
        .filter((cell) => place[lane * CELLS + cell] !== EMPTY)
        .map((cell) => {
          const type = place[lane * CELLS + cell] === 1 ? 'A' : 'B'
          return { id: `coin_${cell}`, kind: 'coin', ...where(cell), state: { type } }
        }),
      ...cells
        .filter((cell) => beam[lane * CELLS + cell] === 1)
        .map((cell) => ({ id: `beam_${cell}`, kind: 'beam', ...where(cell) })),
      ...[0, 1].map((n) => ({
        id: `agent_${n}`,
        kind: 'walker',
        ...where(at[lane * 2 + n]),
        heading: RADIANS[heading[lane * 2 + n]],
        team: ['first', 'second'][n],
        state: {
          number: n,
          coinsA: inventory[lane * 4 + n * 2],
          coinsB: inventory[lane * 4 + n * 2 + 1],
          frozen: frozen[lane] > 0,
        },
      })),
    ],
    events:
      interacted[lane] === 1 ? [{ kind: 'interaction', at: where(at[lane * 2]), agents: ['agent_0', 'agent_1'] }] : [],
    counters: { interactions: met[lane], frozen: Math.max(0, frozen[lane]) },
  }
}
