/**
 * NAME: walkers in a corridor light the lamp they reach; then another lamp waits somewhere else.
 *
 * A world over B lanes in typed arrays. You write the rules; horizon, resets, action checks, returns, replays and
 * snapshots come with troupe. Change anything here, then run `troupe check ./NAME.js`.
 */
import { Type, nextBelow } from 'troupe/envs'

const STRIDE = [0, -1, 1] // by action: stay, left, right

/** Options with defaults; a scenario or `--option cells=12` changes them. */
const options = Type.Object(
  {
    cells: Type.Integer({ minimum: 2, maximum: 64, default: 8, description: 'Length of the corridor.' }),
    walkers: Type.Integer({ minimum: 1, maximum: 8, default: 2, description: 'Number of agents.' }),
  },
  { additionalProperties: false },
)

/** Everything that follows from the options: agents with named features, actions, state, metrics, generator streams. */
function spec({ cells, walkers }) {
  const agents = Array.from({ length: walkers }, (_, n) => ({
    id: `walker_${n}`,
    team: 'walkers',
    kind: 'walker',
    observation: [
      { name: 'cell', low: 0, high: 1, meaning: 'own place, 0 = left end, 1 = right end' },
      { name: 'lamp', low: -1, high: 1, meaning: 'way to the lamp in corridor lengths, negative = left' },
    ],
    action: { kind: 'discrete', names: ['stay', 'left', 'right'] },
  }))
  return {
    agents,
    state: [...agents.map(({ id }) => ({ name: `${id}.cell`, low: 0, high: 1 })), { name: 'lamp', low: 0, high: 1 }],
    metrics: ['lampsLit'],
    streams: ['lamps'],
    size: { width: cells, height: 1 },
  }
}

/**
 * The rules. `port` holds the arrays that troupe gives (actions, masks, observations, rewards, generators); lane-major:
 * walker n of lane b sits at index b * N + n. Draw chance only from `port.random`, never from Math.random.
 */
function create({ cells, walkers }, port) {
  const {
    lanes: B,
    seats,
    observation,
    state,
    stateSize,
    mask,
    alive,
    reward,
    terminated,
    action,
    random,
    streams,
  } = port
  const N = walkers
  const at = new Int32Array(B * N) // cell of each walker
  const lamp = new Int32Array(B) // cell of the lamp
  const lit = new Int32Array(B) // lamps lit in this episode

  /** A new lamp in a cell where nobody stands, if there is one. */
  function placeLamp(lane) {
    const stream = lane * streams * 4 // four words per stream; 'lamps' is stream 0
    const taken = new Set(at.subarray(lane * N, lane * N + N))
    do lamp[lane] = nextBelow(random, stream, cells)
    while (taken.has(lamp[lane]) && taken.size < cells)
  }

  return {
    /** Everything that decides the future: copy these rows and you have saved the game. */
    arrays: { at, lamp, lit },
    world: { cells, walkers, at, lamp },

    reset(lanes, count) {
      for (let k = 0; k < count; k++) {
        const lane = lanes[k]
        for (let n = 0; n < N; n++) at[lane * N + n] = Math.min(n, cells - 1)
        lit[lane] = 0
        placeLamp(lane)
      }
    },

    /** Walkers move in order of their number; the first to reach the lamp earns 1. */
    step(lanes, count) {
      for (let k = 0; k < count; k++) {
        const lane = lanes[k]
        let reached = false
        for (let n = 0; n < N; n++) {
          const i = lane * N + n
          reward[i] = 0
          at[i] += STRIDE[action[i]]
          if (reached || at[i] !== lamp[lane]) continue
          reached = true
          reward[i] = 1
          lit[lane]++
        }
        if (reached) placeLamp(lane)
        terminated[lane] = 0 // only the horizon ends an episode
      }
    },

    /** A walker at an end of the corridor cannot walk on. Nobody dies. */
    legal(lanes, count) {
      for (let k = 0; k < count; k++) {
        for (let i = lanes[k] * N; i < (lanes[k] + 1) * N; i++) {
          alive[i] = 1
          mask[i * 3] = 1
          mask[i * 3 + 1] = at[i] > 0 ? 1 : 0
          mask[i * 3 + 2] = at[i] < cells - 1 ? 1 : 0
        }
      }
    },

    /** Observations have one row per controlled agent (`seats`), states one row per lane. */
    observe(lanes, count) {
      const last = cells - 1
      for (let k = 0; k < count; k++) {
        const lane = lanes[k]
        for (let s = 0; s < seats.length; s++) {
          const row = (lane * seats.length + s) * 2
          const cell = at[lane * N + seats[s]]
          observation[row] = cell / last
          observation[row + 1] = (lamp[lane] - cell) / last
        }
        for (let n = 0; n < N; n++) state[lane * stateSize + n] = at[lane * N + n] / last
        state[lane * stateSize + N] = lamp[lane] / last
      }
    },

    metrics(lane, out) {
      out[0] = lit[lane]
    },

    /** What the viewer draws. */
    frame(lane) {
      const walkersNow = Array.from({ length: N }, (_, n) => ({
        id: `walker_${n}`,
        kind: 'walker',
        x: at[lane * N + n],
        y: 0,
        state: { number: n },
      }))
      return {
        step: port.step[lane],
        entities: [...walkersNow, { id: 'lamp', kind: 'lamp', x: lamp[lane], y: 0 }],
        events: [],
        counters: { lampsLit: lit[lane] },
      }
    },
  }
}

export default {
  id: 'NAME',
  version: '1', // raise it whenever rules, rewards or observations change
  summary: 'Walkers in a corridor light the lamp they reach.',
  options,
  horizon: 50,
  spec,
  create,
}
