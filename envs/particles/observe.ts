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

/** A table of which number of a lane's row to read, and which to subtract, for every feature. */
interface Gather {
  readonly plus: Int32Array
  readonly minus: Int32Array
}

/**
 * How observations are made: what may show of a lane is laid out in one row, and every feature is one number of that
 * row minus another (or minus the row's zero). Forests hide afterwards.
 */
export interface Sight {
  /** Zero, entities (x, y), velocities, messages, goals (x, y), forest flags of each agent, colours, constants. */
  readonly row: Float64Array
  readonly agents: readonly Gather[] // [M]
  readonly state: Gather
  /** Where in the row parts begin. */
  readonly at: {
    readonly entities: number
    readonly velocities: number
    readonly messages: number
    readonly goals: number
    readonly flags: number
    readonly marks: number
  }
  /** Colours of the goals: where in the row, of which goal, and the column of all landmarks' values. */
  readonly colours: readonly { readonly to: number; readonly goal: number; readonly values: Float64Array }[]
  /** Features of each agent that forests may hide: the first of a pair, and the agent it tells of. */
  readonly hideable: readonly { readonly feature: Int32Array; readonly agent: Int32Array }[] // [M]
  /** Forests that hold each agent of the lane at hand, one bit each; [M]. */
  readonly shelter: Int32Array
  readonly forests: number
  readonly firstForest: number // entity number
  readonly leader: number // sees through forests; -1 where there is none
}

const ZERO = 0

export function createSight(plan: Plan): Sight {
  const { bodies, landmarks, task, counts } = plan
  const M = bodies.length
  const E = M + landmarks.length
  const W = task.words
  const entities = 1
  const velocities = entities + 2 * E
  const messages = velocities + 2 * M
  const goals = messages + M * W
  const flags = goals + 2 * task.goals.length
  const marks = flags + M * counts.forests
  let end = marks + task.goals.length * landmarks.length
  const fixed: [at: number, value: number][] = []
  const colours: { to: number; goal: number; values: Float64Array }[] = []
  const hideable: { feature: Int32Array; agent: Int32Array }[] = []

  const agents = plan.blocks.map((blocks, n) => {
    const plus: number[] = []
    const minus: number[] = []
    const hidden: [feature: number, agent: number][] = []
    const own = entities + 2 * n
    const add = (from: number, less = ZERO) => {
      plus.push(from)
      minus.push(less)
    }
    const addPair = (from: number, less?: number) => {
      add(from, less)
      add(from + 1, less === undefined ? ZERO : less + 1)
    }
    for (const block of blocks) {
      if (block.kind === 'velocity') addPair(velocities + 2 * n)
      if (block.kind === 'position') addPair(own)
      if (block.kind === 'goalOffset') addPair(goals + 2 * block.goal, own)
      if (block.kind === 'message') for (let w = 0; w < W; w++) add(messages + block.from * W + w)
      if (block.kind === 'inForest') for (let f = 0; f < counts.forests; f++) add(flags + n * counts.forests + f)
      if (block.kind === 'constants') {
        for (const value of block.values) {
          if (value !== 0) fixed.push([end, value])
          add(value === 0 ? ZERO : end++)
        }
      }
      if (block.kind === 'goalColour') {
        block.colours[0].forEach((_, c) => {
          colours.push({ to: end, goal: block.goal, values: Float64Array.from(block.colours, (row) => row[c]) })
          add(end++)
        })
      }
      const places = block.kind === 'offsets' || block.kind === 'seenOffsets'
      if (!places && block.kind !== 'velocities' && block.kind !== 'seenVelocities') continue
      for (const e of others(block.from, block.to, n)) {
        if (block.kind.startsWith('seen')) hidden.push([plus.length, e])
        if (places) addPair(entities + 2 * e, own)
        else addPair(velocities + 2 * e)
      }
    }
    hideable.push({
      feature: Int32Array.from(hidden, ([feature]) => feature),
      agent: Int32Array.from(hidden, ([, agent]) => agent),
    })
    return { plus: Int32Array.from(plus), minus: Int32Array.from(minus) }
  })

  const seen: number[] = []
  bodies.forEach(({ movable, speaks }, n) => {
    seen.push(entities + 2 * n, entities + 2 * n + 1)
    if (movable) seen.push(velocities + 2 * n, velocities + 2 * n + 1)
    if (speaks) for (let w = 0; w < W; w++) seen.push(messages + n * W + w)
  })
  for (let i = entities + 2 * M; i < velocities; i++) seen.push(i)
  for (let i = 0; i < task.goals.length * landmarks.length; i++) seen.push(marks + i)

  const row = new Float64Array(end)
  for (const [at, value] of fixed) row[at] = value
  return {
    row,
    agents,
    state: { plus: Int32Array.from(seen), minus: new Int32Array(seen.length) },
    at: { entities, velocities, messages, goals, flags, marks },
    colours,
    hideable,
    shelter: new Int32Array(M),
    forests: counts.forests,
    firstForest: M + counts.obstacles + counts.food,
    leader: bodies.findIndex(({ kind }) => kind === 'leader'),
  }
}

/** Which forests each agent of a lane is in: strictly nearer than the sum of radii. Writes bits and flags. */
function findShelter({ plan, agents }: ParticleState, sight: Sight): void {
  const { row, at, shelter, forests, firstForest } = sight
  for (let n = 0; n < agents; n++) {
    let bits = 0
    for (let f = 0; f < forests; f++) {
      const own = at.entities + 2 * n
      const forest = at.entities + 2 * (firstForest + f)
      const dx = row[own] - row[forest]
      const dy = row[own + 1] - row[forest + 1]
      const { radius } = plan.landmarks[firstForest + f - agents]
      const inside = Math.sqrt(dx * dx + dy * dy) < plan.bodies[n].radius + radius
      if (inside) bits |= 1 << f
      row[at.flags + n * forests + f] = inside ? 1 : -1
    }
    shelter[n] = bits
  }
}

/** Lays out a lane in the row. */
function layOut(state: ParticleState, sight: Sight, lane: number): void {
  const { agents, entities, words, goals, position, velocity, message, goal } = state
  const { row, at, colours } = sight
  const places = lane * entities * 2
  for (let i = 0; i < entities * 2; i++) row[at.entities + i] = position[places + i]
  const speeds = lane * agents * 2
  for (let i = 0; i < agents * 2; i++) row[at.velocities + i] = velocity[speeds + i]
  const said = lane * agents * words
  for (let i = 0; i < agents * words; i++) row[at.messages + i] = message[said + i]
  if (goals === 0) return
  const landmarks = entities - agents
  for (let g = 0; g < goals; g++) {
    const aim = goal[lane * goals + g]
    row[at.goals + 2 * g] = position[places + 2 * (agents + aim)]
    row[at.goals + 2 * g + 1] = position[places + 2 * (agents + aim) + 1]
    for (let l = 0; l < landmarks; l++) row[at.marks + g * landmarks + l] = aim === l ? 1 : 0
  }
  for (let c = 0; c < colours.length; c++) row[colours[c].to] = colours[c].values[goal[lane * goals + colours[c].goal]]
}

function gather(row: Float64Array, { plus, minus }: Gather, out: Float32Array, to: number): void {
  for (let i = 0; i < plus.length; i++) out[to + i] = row[plus[i]] - row[minus[i]]
}

/** Zeroes what forests hide from an agent: who is in no common forest, unless both are in none or the leader looks. */
function hide({ hideable, shelter, leader }: Sight, observer: number, out: Float32Array, to: number): void {
  if (observer === leader) return
  const { feature, agent } = hideable[observer]
  const mine = shelter[observer]
  for (let i = 0; i < feature.length; i++) {
    const theirs = shelter[agent[i]]
    if ((mine & theirs) !== 0 || (mine | theirs) === 0) continue
    out[to + feature[i]] = 0
    out[to + feature[i] + 1] = 0
  }
}

/** Writes the observations and the global states of the listed lanes. */
export function observe(state: ParticleState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { seats, observation, observationSize: F } = port
  const { row, forests } = sight
  const N = seats.length
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    layOut(state, sight, lane)
    if (forests > 0) findShelter(state, sight)
    for (let s = 0; s < N; s++) {
      const n = seats[s]
      const to = (lane * N + s) * F
      const features = sight.agents[n]
      gather(row, features, observation, to)
      for (let i = features.plus.length; i < F; i++) observation[to + i] = 0
      if (forests > 0) hide(sight, n, observation, to)
    }
    gather(row, sight.state, port.state, lane * port.stateSize)
  }
}
