/** Small worlds in which what a learner must do is known exactly; for tests. */
import { Type, type Static } from '#typebox'
import {
  nextBelow,
  type ActionSpace,
  type AgentSpec,
  type EnvDefinition,
  type Feature,
  type Port,
  type Rules,
} from '../../envs/core/index.ts'

const LIGHTS = 4

const LIGHT_OPTIONS = Type.Object(
  {
    agents: Type.Integer({ default: 2, minimum: 1, maximum: 8 }),
    masks: Type.Boolean({ default: false, description: 'Half of the wrong lights cannot be chosen.' }),
    deaths: Type.Boolean({ default: false, description: 'Each agent dies with chance 1/8 per step.' }),
    state: Type.Boolean({ default: true, description: 'There is a global state.' }),
    words: Type.Boolean({ default: false, description: 'A second action dimension that does nothing.' }),
    junk: Type.Number({ default: 0, description: 'What dead agents observe.' }),
    pay: Type.Number({ default: 1, description: 'Reward of the right light.' }),
  },
  { additionalProperties: false },
)

type LightOptions = Static<typeof LIGHT_OPTIONS>

const feature = (name: string): Feature => ({ name, low: -1e9, high: 1e9 })

/** Each agent sees one of four lights and is paid for choosing it. A good player gets `pay` per agent and step. */
export const lights: EnvDefinition<typeof LIGHT_OPTIONS> = {
  id: 'toy-lights',
  version: '1',
  summary: 'Choose the light that is on.',
  options: LIGHT_OPTIONS,
  horizon: 8,
  spec: ({ agents, state, words }) => {
    const names = ['first', 'second', 'third', 'fourth']
    const action: ActionSpace = words
      ? {
          kind: 'multi-discrete',
          dimensions: [
            { name: 'light', values: names },
            { name: 'word', values: ['yes', 'no'] },
          ],
        }
      : { kind: 'discrete', names }
    const own = names.map(feature)
    return {
      agents: Array.from({ length: agents }, (_, n): AgentSpec => {
        return { id: `agent_${n}`, team: 'all', kind: 'watcher', observation: own, action }
      }),
      state: state ? Array.from({ length: agents * LIGHTS }, (_, i) => feature(`light ${i}`)) : [],
      metrics: ['right'],
      streams: ['lights'],
    }
  },
  create: (options, port) => lightRules(options, port),
}

function lightRules(options: LightOptions, port: Port): Rules {
  const { lanes: B, agents: M, actionSize: A, actionDims: D, streams, random } = port
  const on = new Int8Array(B * M)
  const living = new Uint8Array(B * M)
  const legal = new Uint8Array(B * M * LIGHTS)
  const right = new Int32Array(B)
  const draw = (lane: number) => {
    for (let i = lane * M; i < (lane + 1) * M; i++) {
      on[i] = nextBelow(random, lane * streams * 4, LIGHTS)
      for (let a = 0; a < LIGHTS; a++) {
        legal[i * LIGHTS + a] = !options.masks || a === on[i] || nextBelow(random, lane * streams * 4, 2) === 1 ? 1 : 0
      }
    }
  }
  const each = (list: Int32Array, count: number, work: (lane: number) => void) => {
    for (let k = 0; k < count; k++) work(list[k])
  }
  return {
    arrays: { on, living, legal, right },
    world: null,
    reset: (list, count) =>
      each(list, count, (lane) => {
        living.fill(1, lane * M, (lane + 1) * M)
        right[lane] = 0
        draw(lane)
      }),
    step: (list, count) =>
      each(list, count, (lane) => {
        for (let i = lane * M; i < (lane + 1) * M; i++) {
          const hit = living[i] === 1 && port.action[i * D] === on[i]
          port.reward[i] = hit ? options.pay : 0
          if (hit) right[lane]++
          if (options.deaths && nextBelow(random, lane * streams * 4, 8) === 0) living[i] = 0
        }
        port.terminated[lane] = living.subarray(lane * M, (lane + 1) * M).every((alive) => alive === 0) ? 1 : 0
        draw(lane)
      }),
    legal: (list, count) =>
      each(list, count, (lane) => {
        for (let i = lane * M; i < (lane + 1) * M; i++) {
          port.alive[i] = living[i]
          for (let a = 0; a < LIGHTS; a++) port.mask[i * A + a] = living[i] ? legal[i * LIGHTS + a] : a === 0 ? 1 : 0
          for (let a = LIGHTS; a < A; a++) port.mask[i * A + a] = living[i] || a === LIGHTS ? 1 : 0
        }
      }),
    observe: (list, count) =>
      each(list, count, (lane) => {
        const N = port.seats.length
        for (let n = 0; n < N; n++) {
          const i = lane * M + port.seats[n]
          for (let a = 0; a < LIGHTS; a++) {
            port.observation[(lane * N + n) * LIGHTS + a] = living[i] === 0 ? options.junk : on[i] === a ? 1 : 0
          }
        }
        for (let i = 0; i < port.stateSize; i++) {
          port.state[lane * port.stateSize + i] = on[lane * M + Math.floor(i / LIGHTS)] === i % LIGHTS ? 1 : 0
        }
      }),
    metrics: (lane, out) => void (out[0] = right[lane]),
    frame: (lane) => ({ step: port.step[lane], entities: [], events: [], counters: { right: right[lane] } }),
  }
}

const RECALL_OPTIONS = Type.Object(
  { delay: Type.Integer({ default: 4, minimum: 1, maximum: 100, description: 'Dark steps before the question.' }) },
  { additionalProperties: false },
)

/**
 * The first observation shows one of four lights, the others show nothing; in the last step the agent is paid 1 for naming
 * the light. Who remembers gets 1 per episode, who does not 1/4.
 */
export const recall: EnvDefinition<typeof RECALL_OPTIONS> = {
  id: 'toy-recall',
  version: '1',
  summary: 'Remember the light.',
  options: RECALL_OPTIONS,
  horizon: 100,
  spec: () => {
    const names = ['first', 'second', 'third', 'fourth']
    const action: ActionSpace = { kind: 'discrete', names }
    const observation = [...names, 'question'].map(feature)
    return {
      agents: [{ id: 'agent_0', team: 'all', kind: 'watcher', observation, action }],
      state: [],
      metrics: ['right'],
      streams: ['lights'],
    }
  },
  create: ({ delay }, port) => {
    const { lanes, streams, random } = port
    const on = new Int8Array(lanes)
    const time = new Int32Array(lanes)
    const right = new Int32Array(lanes)
    const each = (list: Int32Array, count: number, work: (lane: number) => void) => {
      for (let k = 0; k < count; k++) work(list[k])
    }
    return {
      arrays: { on, time, right },
      world: null,
      reset: (list, count) =>
        each(list, count, (lane) => {
          on[lane] = nextBelow(random, lane * streams * 4, LIGHTS)
          time[lane] = 0
          right[lane] = 0
        }),
      step: (list, count) =>
        each(list, count, (lane) => {
          const asked = time[lane]++ === delay
          right[lane] = asked && port.action[lane] === on[lane] ? 1 : 0
          port.reward[lane] = right[lane]
          port.terminated[lane] = asked ? 1 : 0
        }),
      observe: (list, count) =>
        each(list, count, (lane) => {
          const at = lane * (LIGHTS + 1)
          for (let a = 0; a < LIGHTS; a++) port.observation[at + a] = time[lane] === 0 && on[lane] === a ? 1 : 0
          port.observation[at + LIGHTS] = time[lane] === delay ? 1 : 0
        }),
      metrics: (lane, out) => void (out[0] = right[lane]),
      frame: (lane) => ({ step: port.step[lane], entities: [], events: [], counters: { right: right[lane] } }),
    }
  },
}

const CLOCK_OPTIONS = Type.Object({}, { additionalProperties: false })

/** Pays 1 per step for ever, whatever is done; the clock is seen as step / 10. Its worth is 1 / (1 − gamma) everywhere. */
export const clock: EnvDefinition<typeof CLOCK_OPTIONS> = {
  id: 'toy-clock',
  version: '1',
  summary: 'One coin per step.',
  options: CLOCK_OPTIONS,
  horizon: 10,
  spec: () => ({
    agents: [
      {
        id: 'agent_0',
        team: 'all',
        kind: 'watcher',
        observation: [feature('step / 10')],
        action: { kind: 'discrete', names: ['wait', 'watch'] },
      },
    ],
    state: [],
    metrics: [],
    streams: [],
  }),
  create: (_options, port) => {
    const steps = new Int32Array(port.lanes)
    return {
      arrays: { steps },
      world: null,
      reset: (list, count) => {
        for (let k = 0; k < count; k++) steps[list[k]] = 0
      },
      step: (list, count) => {
        for (let k = 0; k < count; k++) {
          steps[list[k]]++
          port.reward[list[k]] = 1
          port.terminated[list[k]] = 0
        }
      },
      observe: (list, count) => {
        for (let k = 0; k < count; k++) port.observation[list[k]] = steps[list[k]] / 10
      },
      metrics: () => undefined,
      frame: (lane) => ({ step: port.step[lane], entities: [], events: [], counters: {} }),
    }
  },
}

const DIAL_OPTIONS = Type.Object(
  {
    agents: Type.Integer({ default: 2, minimum: 1, maximum: 8 }),
    narrow: Type.Boolean({ default: false, description: 'The last agent has one dial, the others two.' }),
  },
  { additionalProperties: false },
)

/**
 * Each agent sees where its dials should stand (0 to 4) and is paid 1 less the mean squared distance in half-ranges. A good
 * player gets 1 per agent and step; uniform play 1 − 2/3; leaving the dials in the middle 1 − 1/3.
 */
export const dials: EnvDefinition<typeof DIAL_OPTIONS> = {
  id: 'toy-dials',
  version: '1',
  summary: 'Turn the dials to where they should be.',
  options: DIAL_OPTIONS,
  horizon: 8,
  spec: ({ agents, narrow }) => ({
    agents: Array.from({ length: agents }, (_, n): AgentSpec => {
      const names = narrow && n === agents - 1 ? ['turn'] : ['turn', 'twist']
      const action = { kind: 'box' as const, dimensions: names.map((name) => ({ name, low: 0, high: 4 })) }
      return { id: `agent_${n}`, team: 'all', kind: 'hand', observation: names.map(feature), action }
    }),
    state: [],
    metrics: [],
    streams: ['dials'],
  }),
  create: ({ agents: M, narrow }, port) => {
    const { lanes: B, streams, random } = port
    const wanted = new Float32Array(B * M * 2)
    const widths = Int32Array.from({ length: M }, (_, i) => (narrow && i === M - 1 ? 1 : 2))
    const draw = (lane: number) => {
      for (let i = lane * M * 2; i < (lane + 1) * M * 2; i++)
        wanted[i] = nextBelow(random, lane * streams * 4, 257) / 64
    }
    const each = (list: Int32Array, count: number, work: (lane: number) => void) => {
      for (let k = 0; k < count; k++) work(list[k])
    }
    return {
      arrays: { wanted },
      world: null,
      reset: (list, count) => each(list, count, draw),
      step: (list, count) =>
        each(list, count, (lane) => {
          for (let i = 0; i < M; i++) {
            let miss = 0
            for (let d = 0; d < widths[i]; d++) {
              const off = (port.action[(lane * M + i) * port.actionDims + d] - wanted[(lane * M + i) * 2 + d]) / 2
              miss += (off * off) / widths[i]
            }
            port.reward[lane * M + i] = 1 - miss
          }
          draw(lane)
        }),
      observe: (list, count) =>
        each(list, count, (lane) => {
          const N = port.seats.length
          const F = port.observationSize
          for (let n = 0; n < N; n++) {
            for (let d = 0; d < F; d++) {
              const there = d < widths[port.seats[n]]
              port.observation[(lane * N + n) * F + d] = there ? wanted[(lane * M + port.seats[n]) * 2 + d] / 2 - 1 : 0
            }
          }
        }),
      metrics: () => undefined,
      frame: (lane) => ({ step: port.step[lane], entities: [], events: [], counters: {} }),
    }
  },
}
