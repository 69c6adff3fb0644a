/** What agents observe and what a central critic sees: names, ranges, and the kernels that write them. */
import { type Feature, type Port } from '../core/types.ts'
import { type Plan } from './options.ts'
import { type ParticleState } from './state.ts'
import { type Block } from './task.ts'

const AXES = ['x', 'y'] as const
const ALONG = { x: 'to the right', y: 'upwards' } as const

/** Of the global state, per agent that moves, per word of an agent that speaks, per landmark, per goal and landmark. */
export const AGENT_STATE = ['x', 'y', 'vx', 'vy'] as const
export const LANDMARK_STATE = ['x', 'y'] as const

const idOf = ({ bodies, landmarks }: Plan, e: number) => (bodies[e] ?? landmarks[e - bodies.length]).id

function pair(name: string, bound: number, meaning: (along: string) => string): Feature[] {
  return AXES.map((axis) => ({ name: `${name}.${axis}`, low: -bound, high: bound, meaning: meaning(ALONG[axis]) }))
}

/** Entities of a range without the observer. */
function others(from: number, to: number, self: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i).filter((e) => e !== self)
}

function featuresOf(plan: Plan, self: number, block: Block): Feature[] {
  const { spans, speeds, task, bodies, counts } = plan
  const far = (e: number) => spans[self] + spans[e]
  switch (block.kind) {
    case 'velocity':
      return pair('velocity', speeds[self], (along) => `own velocity ${along}, per second`)
    case 'position':
      return pair('position', spans[self], (along) => `own place ${along}, 0 is the centre`)
    case 'offsets':
    case 'seenOffsets':
      return others(block.from, block.to, self).flatMap((e) => {
        const hidden = block.kind === 'seenOffsets' ? '; 0 while a forest hides it' : ''
        return pair(idOf(plan, e), far(e), (along) => `how far ${idOf(plan, e)} is ${along}${hidden}`)
      })
    case 'velocities':
    case 'seenVelocities':
      return others(block.from, block.to, self).flatMap((e) => {
        const hidden = block.kind === 'seenVelocities' ? '; 0 while a forest hides it' : ''
        return pair(`${bodies[e].id}.velocity`, speeds[e], (along) => `velocity of ${bodies[e].id} ${along}${hidden}`)
      })
    case 'goalOffset':
      return pair('goal', spans[self] + task.landmarkRange, (along) => `how far the goal is ${along}`)
    case 'goalColour':
      return block.colours[0].map((_, c) => {
        const values = block.colours.map((colour) => colour[c])
        const name = `${task.goals[block.goal]}.colour${c}`
        return { name, low: Math.min(...values), high: Math.max(...values), meaning: 'tells which landmark it is' }
      })
    case 'constants':
      return block.names.map((name, i) => ({
        name,
        low: block.values[i],
        high: block.values[i],
        meaning: 'the same in every step',
      }))
    case 'message':
      return wordNames(task.words).map((word) => ({
        name: `${bodies[block.from].id}.${word}`,
        low: 0,
        high: 1,
        meaning: `how much ${bodies[block.from].id} said ${word} in this step`,
      }))
    case 'inForest':
      return Array.from({ length: counts.forests }, (_, f) => ({
        name: `inForest_${f}`,
        low: -1,
        high: 1,
        meaning: `1 inside forest_${f}, -1 outside`,
      }))
  }
}

export function wordNames(words: number): string[] {
  return Array.from({ length: words }, (_, w) => `word${w}`)
}

/** Features of one agent's observation. */
export function observationFeatures(plan: Plan, agent: number): Feature[] {
  return plan.blocks[agent].flatMap((block) => featuresOf(plan, agent, block))
}

/** Agents (those that move with velocity, those that speak with words), landmarks, then goals as one number per landmark. */
export function stateFeatures({ bodies, landmarks, spans, speeds, task }: Plan): Feature[] {
  const features: Feature[] = []
  const add = (name: string, bound: number, meaning: string) =>
    features.push({ name, low: -bound, high: bound, meaning })
  bodies.forEach(({ id, movable, speaks }, n) => {
    add(`${id}.x`, spans[n], 'place to the right of the centre')
    add(`${id}.y`, spans[n], 'place above the centre')
    if (movable) {
      add(`${id}.vx`, speeds[n], 'velocity to the right, per second')
      add(`${id}.vy`, speeds[n], 'velocity upwards, per second')
    }
    if (!speaks) return
    for (const word of wordNames(task.words)) {
      features.push({ name: `${id}.${word}`, low: 0, high: 1, meaning: 'said in the last step' })
    }
  })
  landmarks.forEach(({ id }, l) => {
    add(`${id}.x`, spans[bodies.length + l], 'place to the right of the centre')
    add(`${id}.y`, spans[bodies.length + l], 'place above the centre')
  })
  task.goals.forEach((goal, g) => {
    landmarks.forEach(({ id }) => {
      const twin = task.goals.indexOf(goal) === g ? goal : `${goal} ${g}`
      features.push({ name: `${twin} is ${id}`, low: 0, high: 1, meaning: `1 where the ${goal} is ${id}` })
    })
  })
  return features
}

const VELOCITY = 0
const POSITION = 1
const OFFSETS = 2
const VELOCITIES = 3
const GOAL_OFFSET = 4
const GOAL_COLOUR = 5
const CONSTANTS = 6
const MESSAGE = 7
const SEEN_OFFSETS = 8
const SEEN_VELOCITIES = 9
const IN_FOREST = 10

const OPERATIONS: Readonly<Record<Block['kind'], number>> = {
  velocity: VELOCITY,
  position: POSITION,
  offsets: OFFSETS,
  velocities: VELOCITIES,
  goalOffset: GOAL_OFFSET,
  goalColour: GOAL_COLOUR,
  constants: CONSTANTS,
  message: MESSAGE,
  seenOffsets: SEEN_OFFSETS,
  seenVelocities: SEEN_VELOCITIES,
  inForest: IN_FOREST,
}

/** Numbers per block in `Sight.program`: operation and two operands. */
const STRIDE = 3

/** Observations as a small program: the blocks of every agent, one after another. */
export interface Sight {
  readonly program: Int32Array // [blocks, 3] operation, operands
  readonly begin: Int32Array // [M + 1] where each agent's blocks begin
  /** Colours and constants; blocks hold where theirs begin. */
  readonly table: Float64Array
  /** Forests that hold each agent of the lane at hand, one bit each; [M], scratch. */
  readonly shelter: Int32Array
  readonly forests: number
  readonly firstForest: number // entity number
  readonly leader: number // sees through forests; -1 where there is none
}

export function createSight(plan: Plan): Sight {
  const program: number[] = []
  const begin = [0]
  const table: number[] = []
  for (const blocks of plan.blocks) {
    for (const block of blocks) {
      const operands = [0, 0]
      if ('from' in block) operands[0] = block.from
      if ('to' in block) operands[1] = block.to
      if ('goal' in block) operands[0] = block.goal
      if (block.kind === 'goalColour') {
        operands[1] = table.length
        table.push(block.colours[0].length, ...block.colours.flat())
      }
      if (block.kind === 'constants') {
        operands[0] = table.length
        operands[1] = block.values.length
        table.push(...block.values)
      }
      program.push(OPERATIONS[block.kind], ...operands)
    }
    begin.push(program.length)
  }
  const { counts, bodies } = plan
  return {
    program: Int32Array.from(program),
    begin: Int32Array.from(begin),
    table: Float64Array.from(table),
    shelter: new Int32Array(bodies.length),
    forests: counts.forests,
    firstForest: bodies.length + counts.obstacles + counts.food,
    leader: bodies.findIndex(({ kind }) => kind === 'leader'),
  }
}

/** Which forests each agent of a lane is in: strictly nearer than the sum of radii. */
function findShelter(state: ParticleState, sight: Sight, lane: number): void {
  const { plan, agents, entities, position } = state
  const { shelter, forests, firstForest } = sight
  const from = lane * entities * 2
  for (let n = 0; n < agents; n++) {
    let bits = 0
    const x = position[from + 2 * n]
    const y = position[from + 2 * n + 1]
    for (let f = 0; f < forests; f++) {
      const e = firstForest + f
      const dx = x - position[from + 2 * e]
      const dy = y - position[from + 2 * e + 1]
      const { radius } = plan.landmarks[e - agents]
      if (Math.sqrt(dx * dx + dy * dy) < plan.bodies[n].radius + radius) bits |= 1 << f
    }
    shelter[n] = bits
  }
}

/** Whether `observer` sees `other`: both in one forest, or both in none, or the leader looks. */
function sees({ shelter, leader }: Sight, observer: number, other: number): boolean {
  const mine = shelter[observer]
  const theirs = shelter[other]
  return (mine & theirs) !== 0 || (mine | theirs) === 0 || observer === leader
}

/** Writes the observations of the listed lanes. */
export function observe(state: ParticleState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { entities, agents, words, goals, position, velocity, message, goal } = state
  const { seats, observation, observationSize } = port
  const { program, begin, table, shelter, forests } = sight
  const N = seats.length
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const places = lane * entities * 2
    const speeds = lane * agents * 2
    if (forests > 0) findShelter(state, sight, lane)
    for (let s = 0; s < N; s++) {
      const n = seats[s]
      const x = position[places + 2 * n]
      const y = position[places + 2 * n + 1]
      let at = (lane * N + s) * observationSize
      const end = at + observationSize
      for (let p = begin[n]; p < begin[n + 1]; p += STRIDE) {
        const from = program[p + 1]
        const to = program[p + 2]
        switch (program[p]) {
          case VELOCITY:
            observation[at++] = velocity[speeds + 2 * n]
            observation[at++] = velocity[speeds + 2 * n + 1]
            break
          case POSITION:
            observation[at++] = x
            observation[at++] = y
            break
          case OFFSETS:
            for (let e = from; e < to; e++) {
              if (e === n) continue
              observation[at++] = position[places + 2 * e] - x
              observation[at++] = position[places + 2 * e + 1] - y
            }
            break
          case VELOCITIES:
            for (let e = from; e < to; e++) {
              if (e === n) continue
              observation[at++] = velocity[speeds + 2 * e]
              observation[at++] = velocity[speeds + 2 * e + 1]
            }
            break
          case GOAL_OFFSET: {
            const e = agents + goal[lane * goals + from]
            observation[at++] = position[places + 2 * e] - x
            observation[at++] = position[places + 2 * e + 1] - y
            break
          }
          case GOAL_COLOUR: {
            const width = table[to]
            const row = to + 1 + goal[lane * goals + from] * width
            for (let c = 0; c < width; c++) observation[at++] = table[row + c]
            break
          }
          case CONSTANTS:
            for (let i = 0; i < to; i++) observation[at++] = table[from + i]
            break
          case MESSAGE:
            for (let w = 0; w < words; w++) observation[at++] = message[(lane * agents + from) * words + w]
            break
          case SEEN_OFFSETS:
            for (let e = from; e < to; e++) {
              if (e === n) continue
              const seen = sees(sight, n, e)
              observation[at++] = seen ? position[places + 2 * e] - x : 0
              observation[at++] = seen ? position[places + 2 * e + 1] - y : 0
            }
            break
          case SEEN_VELOCITIES:
            for (let e = from; e < to; e++) {
              if (e === n) continue
              const seen = sees(sight, n, e)
              observation[at++] = seen ? velocity[speeds + 2 * e] : 0
              observation[at++] = seen ? velocity[speeds + 2 * e + 1] : 0
            }
            break
          case IN_FOREST:
            for (let f = 0; f < forests; f++) observation[at++] = (shelter[n] >> f) & 1 ? 1 : -1
            break
        }
      }
      while (at < end) observation[at++] = 0
    }
  }
}

/** Writes the global states of the listed lanes. */
export function observeState(state: ParticleState, port: Port, lanes: Int32Array, count: number): void {
  const { plan, entities, agents, words, goals, position, velocity, message, goal } = state
  const { bodies } = plan
  const landmarks = entities - agents
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    let at = lane * port.stateSize
    const out = port.state
    for (let n = 0; n < agents; n++) {
      const { movable, speaks } = bodies[n]
      const place = (lane * entities + n) * 2
      out[at++] = position[place]
      out[at++] = position[place + 1]
      if (movable) {
        out[at++] = velocity[(lane * agents + n) * 2]
        out[at++] = velocity[(lane * agents + n) * 2 + 1]
      }
      if (speaks) for (let w = 0; w < words; w++) out[at++] = message[(lane * agents + n) * words + w]
    }
    for (let i = agents * 2; i < entities * 2; i++) out[at++] = position[lane * entities * 2 + i]
    for (let g = 0; g < goals; g++) {
      for (let l = 0; l < landmarks; l++) out[at++] = goal[lane * goals + g] === l ? 1 : 0
    }
  }
}
