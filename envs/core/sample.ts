/**
 * Lanterns: a small world that has everything the core must cope with, for the core's own tests. Carriers walk a
 * corridor and light the lamp they reach first; gusts blow chosen cells dark, and a carrier in a gust drops out.
 * Not in the table of environments.
 */
import { Type } from '#typebox'
import { nextBelow } from './random.ts'
import { type ActionSpace, type EnvDefinition, type Feature, type Port, type Rules } from './types.ts'

const MOVES = ['stay', 'left', 'right'] as const
const CALLS = ['silent', 'call'] as const

const options = Type.Object({
  agents: Type.Integer({ minimum: 1, maximum: 64, default: 3, description: 'Carriers.' }),
  cells: Type.Integer({ minimum: 2, maximum: 10_000, default: 8, description: 'Length of the corridor in cells.' }),
  actions: Type.Union([Type.Literal('discrete'), Type.Literal('multi-discrete'), Type.Literal('box')], {
    default: 'discrete',
    description: 'How a carrier is told what to do.',
  }),
  gustOneIn: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 20, description: 'Steps per gust; 0 = no wind.' }),
})

interface LanternOptions {
  readonly agents: number
  readonly cells: number
  readonly actions: ActionSpace['kind']
  readonly gustOneIn: number
}

function actionSpace(kind: ActionSpace['kind']): ActionSpace {
  if (kind === 'discrete') return { kind, names: MOVES }
  if (kind === 'multi-discrete') {
    return {
      kind,
      dimensions: [
        { name: 'move', values: MOVES },
        { name: 'voice', values: CALLS },
      ],
    }
  }
  return {
    kind,
    dimensions: [
      { name: 'push', low: -1, high: 1 },
      { name: 'glow', low: 0, high: 2 },
    ],
  }
}

function features(cells: number): Feature[] {
  return [
    { name: 'cell', low: 0, high: cells - 1, meaning: 'own cell, 0 = left end' },
    { name: 'lampHere', low: 0, high: 1, meaning: '1 where the lamp burns' },
    { name: 'lampsLeft', low: 0, high: cells, meaning: 'dark lamps' },
    { name: 'alive', low: 0, high: 1, meaning: '0 after a gust' },
  ]
}

class Lanterns implements Rules {
  readonly arrays: Rules['arrays']
  readonly world: unknown
  private readonly port: Port
  private readonly o: LanternOptions
  private readonly at: Int16Array // [B, N]
  private readonly lit: Uint8Array // [B, C]
  private readonly out: Uint8Array // [B, N] 1 after a gust
  private readonly warmth: Float32Array // [B, N] sum of glow
  private readonly gust: Int16Array // [B] cell of this step's gust, -1 = none
  private readonly calls: Int32Array // [B]
  private readonly terms: Float32Array // [B, N] reward for glow

  constructor(o: LanternOptions, port: Port) {
    const { lanes: B, agents: N } = port
    this.port = port
    this.o = o
    this.at = new Int16Array(B * N)
    this.lit = new Uint8Array(B * o.cells)
    this.out = new Uint8Array(B * N)
    this.warmth = new Float32Array(B * N)
    this.gust = new Int16Array(B)
    this.calls = new Int32Array(B)
    this.terms = new Float32Array(B * N)
    const { at, lit, out, warmth, gust, calls } = this
    this.arrays = { at, lit, out, warmth, gust, calls }
    this.world = { at, lit }
  }

  reset(lanes: Int32Array, count: number): void {
    const { agents: N, random, streams } = this.port
    const { cells } = this.o
    for (let k = 0; k < count; k++) {
      const lane = lanes[k]
      for (let n = 0; n < N; n++) {
        this.at[lane * N + n] = nextBelow(random, lane * streams * 4, cells)
        this.out[lane * N + n] = 0
        this.warmth[lane * N + n] = 0
        this.terms[lane * N + n] = 0
      }
      for (let c = 0; c < cells; c++) this.lit[lane * cells + c] = 0
      this.gust[lane] = -1
      this.calls[lane] = 0
    }
  }

  step(lanes: Int32Array, count: number): void {
    const { agents: N, actionDims: D, action, reward, terminated, random, streams } = this.port
    const { cells, actions, gustOneIn } = this.o
    for (let k = 0; k < count; k++) {
      const lane = lanes[k]
      let walking = 0
      for (let n = 0; n < N; n++) {
        const i = lane * N + n
        reward[i] = 0
        this.terms[i] = 0
        if (this.out[i] !== 0) continue
        const first = action[i * D]
        let move = first === 1 ? -1 : first === 2 ? 1 : 0
        if (actions === 'box') {
          move = first < -0.25 ? -1 : first > 0.25 ? 1 : 0
          this.warmth[i] = Math.fround(this.warmth[i] + action[i * D + 1])
          this.terms[i] = -0.125 * action[i * D + 1]
        } else if (actions === 'multi-discrete') this.calls[lane] += action[i * D + 1]
        const to = this.at[i] + move
        if (to >= 0 && to < cells) this.at[i] = to
        const cell = lane * cells + this.at[i]
        if (this.lit[cell] === 0) {
          this.lit[cell] = 1
          reward[i] = 1
        }
        reward[i] += this.terms[i]
      }
      this.gust[lane] = -1
      if (gustOneIn > 0 && nextBelow(random, (lane * streams + 1) * 4, gustOneIn) === 0) {
        const cell = nextBelow(random, (lane * streams + 1) * 4, cells)
        this.gust[lane] = cell
        this.lit[lane * cells + cell] = 0
        for (let n = 0; n < N; n++) if (this.at[lane * N + n] === cell) this.out[lane * N + n] = 1
      }
      for (let n = 0; n < N; n++) walking += 1 - this.out[lane * N + n]
      terminated[lane] = walking === 0 || this.dark(lane) === 0 ? 1 : 0
    }
  }

  private dark(lane: number): number {
    const { cells } = this.o
    let dark = 0
    for (let c = lane * cells; c < (lane + 1) * cells; c++) dark += 1 - this.lit[c]
    return dark
  }

  legal(lanes: Int32Array, count: number): void {
    const { agents: N, actionSize: A, mask, alive } = this.port
    const { cells } = this.o
    for (let k = 0; k < count; k++) {
      for (let i = lanes[k] * N; i < (lanes[k] + 1) * N; i++) {
        const out = this.out[i]
        alive[i] = 1 - out
        if (A === 0) continue
        mask[i * A] = 1
        mask[i * A + 1] = out === 0 && this.at[i] > 0 ? 1 : 0
        mask[i * A + 2] = out === 0 && this.at[i] < cells - 1 ? 1 : 0
        if (A === 5) {
          mask[i * A + 3] = 1
          mask[i * A + 4] = 1 - out
        }
      }
    }
  }

  observe(lanes: Int32Array, count: number): void {
    const { agents: N, seats, observation, state } = this.port
    const { cells } = this.o
    for (let k = 0; k < count; k++) {
      const lane = lanes[k]
      const dark = this.dark(lane)
      for (let s = 0; s < seats.length; s++) {
        const i = lane * N + seats[s]
        const to = (lane * seats.length + s) * 4
        observation[to] = this.at[i]
        observation[to + 1] = this.lit[lane * cells + this.at[i]]
        observation[to + 2] = dark
        observation[to + 3] = 1 - this.out[i]
      }
      for (let n = 0; n < N; n++) state[lane * (N + 1) + n] = this.at[lane * N + n]
      state[lane * (N + 1) + N] = dark
    }
  }

  metrics(lane: number, out: Float64Array): void {
    const { agents: N } = this.port
    const lamps = this.o.cells - this.dark(lane)
    let gone = 0
    for (let n = 0; n < N; n++) gone += this.out[lane * N + n]
    out[0] = lamps
    out[1] = gone === N ? NaN : lamps / (N - gone)
  }

  frame(lane: number) {
    const { agents: N } = this.port
    const { cells } = this.o
    const gust = this.gust[lane]
    return {
      step: this.port.step[lane],
      entities: Array.from({ length: N }, (_, n) => ({
        id: `agent_${n}`,
        kind: 'carrier',
        x: this.at[lane * N + n],
        y: 0,
        state: { out: this.out[lane * N + n] === 1 },
      })),
      layers: [
        { name: 'lamps', width: cells, height: 1, cells: [...this.lit.subarray(lane * cells, (lane + 1) * cells)] },
      ],
      events: gust < 0 ? [] : [{ kind: 'gust', at: { x: gust, y: 0 } }],
      counters: { lamps: cells - this.dark(lane) },
    }
  }

  rewardTerms(lane: number): Record<string, Float32Array> {
    const { agents: N, reward } = this.port
    const glow = this.terms.slice(lane * N, (lane + 1) * N)
    return { lamp: glow.map((term, n) => reward[lane * N + n] - term), glow }
  }
}

export const lanterns: EnvDefinition<typeof options> = {
  id: 'lanterns',
  version: '1',
  summary: 'Carriers light lamps along a windy corridor.',
  options,
  horizon: 50,
  spec: (o) => ({
    agents: Array.from({ length: o.agents }, (_, n) => ({
      id: `agent_${n}`,
      team: 'all',
      kind: 'carrier',
      observation: features(o.cells),
      action: actionSpace(o.actions),
    })),
    state: [
      ...Array.from({ length: o.agents }, (_, n) => ({ name: `cell_${n}`, low: 0, high: o.cells - 1 })),
      { name: 'lampsLeft', low: 0, high: o.cells },
    ],
    metrics: ['lamps', 'lampsPerCarrier'],
    streams: ['spawns', 'wind'],
    size: { width: o.cells, height: 1 },
  }),
  create: (o, port) => new Lanterns(o, port),
}
