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
        // As observations hold them: 0.1 in single precision is a little more than 0.1.
        const values = block.colours.map((colour) => Math.fround(colour[c]))
        const name = `${task.goals[block.goal]}.colour${c}`
        return { name, low: Math.min(...values), high: Math.max(...values), meaning: 'tells which landmark it is' }
      })
    case 'constants':
      return block.names.map((name, i) => ({
        name,
        low: Math.fround(block.values[i]),
        high: Math.fround(block.values[i]),
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

/** What one agent observes, as tables of where to read and where to write. Numbers of one kind stand together. */
interface Gaze {
  /** Pairs of places minus the own one. */
  readonly offsetTo: Uint16Array
  readonly offsetOf: Uint16Array // twice the entity
  /** Pairs of velocities. */
  readonly velocityTo: Uint16Array
  readonly velocityOf: Uint16Array // twice the agent
  /** Own place; -1 where it is not observed. */
  readonly placeTo: number
  /** Numbers of `Sight.row`. */
  readonly otherTo: Uint16Array
  readonly otherOf: Uint16Array
  /** Runs of numbers that stay 0, the padding of narrower agents included: begins and ends. */
  readonly zeroFrom: Uint16Array
  readonly zeroTo: Uint16Array
  /** The first of every pair that forests may hide, and the agent it tells of. */
  readonly hiddenTo: Uint16Array
  readonly hiddenOf: Uint16Array
}

export interface Sight {
  readonly agents: readonly Gaze[] // [M]
  readonly movable: Uint8Array // [M]
  readonly speaks: Uint8Array // [M]
  /** Of the lane at hand: messages, forest flags of each agent, colours of goals, constants. */
  readonly row: Float64Array
  readonly flags: number // where flags begin in the row
  /** Colours of the goals: where in the row, of which goal, and the values of all landmarks. */
  readonly colours: readonly { readonly to: number; readonly goal: number; readonly values: Float64Array }[]
  /** Pairs from the observer to a goal, by agent: where to write, and which goal. */
  readonly goals: readonly { readonly to: number; readonly goal: number }[][]
  /** Forests that hold each agent of the lane at hand, one bit each; [M]. */
  readonly shelter: Int32Array
  readonly forests: number
  readonly firstForest: number // entity number
  readonly leader: number // sees through forests; -1 where there is none
}

/** @param width F, for the padding */
export function createSight(plan: Plan, width: number): Sight {
  const { bodies, task, counts } = plan
  const M = bodies.length
  const W = task.words
  const flags = M * W
  let end = flags + M * counts.forests
  const fixed: [at: number, value: number][] = []
  const colours: { to: number; goal: number; values: Float64Array }[] = []
  const goals: { to: number; goal: number }[][] = []
  const agents = plan.blocks.map((blocks, n): Gaze => {
    const offsets: [to: number, of: number][] = []
    const velocities: [to: number, of: number][] = []
    const other: [to: number, of: number][] = []
    const zeros: [from: number, to: number][] = []
    const hidden: [to: number, of: number][] = []
    const aims: { to: number; goal: number }[] = []
    let placeTo = -1
    let at = 0
    for (const block of blocks) {
      switch (block.kind) {
        case 'velocity':
          velocities.push([at, 2 * n])
          at += 2
          break
        case 'position':
          placeTo = at
          at += 2
          break
        case 'goalOffset':
          aims.push({ to: at, goal: block.goal })
          at += 2
          break
        case 'message':
          for (let w = 0; w < W; w++) other.push([at++, block.from * W + w])
          break
        case 'inForest':
          for (let f = 0; f < counts.forests; f++) other.push([at++, flags + n * counts.forests + f])
          break
        case 'constants':
          for (const value of block.values) {
            if (value === 0) zeros.push([at, at + 1])
            else {
              fixed.push([end, value])
              other.push([at, end++])
            }
            at++
          }
          break
        case 'goalColour':
          block.colours[0].forEach((_, c) => {
            colours.push({ to: end, goal: block.goal, values: Float64Array.from(block.colours, (row) => row[c]) })
            other.push([at++, end++])
          })
          break
        default: {
          const places = block.kind === 'offsets' || block.kind === 'seenOffsets'
          for (const e of others(block.from, block.to, n)) {
            if (block.kind === 'seenOffsets' || block.kind === 'seenVelocities') hidden.push([at, e])
            ;(places ? offsets : velocities).push([at, 2 * e])
            at += 2
          }
        }
      }
    }
    zeros.push([at, width])
    const runs = zeros.reduce<[number, number][]>((joined, [from, to]) => {
      const last = joined.at(-1)
      if (last !== undefined && last[1] === from) last[1] = to
      else joined.push([from, to])
      return joined
    }, [])
    goals.push(aims)
    const column = (pairs: readonly [number, number][], which: 0 | 1) => Uint16Array.from(pairs, (pair) => pair[which])
    return {
      offsetTo: column(offsets, 0),
      offsetOf: column(offsets, 1),
      velocityTo: column(velocities, 0),
      velocityOf: column(velocities, 1),
      placeTo,
      otherTo: column(other, 0),
      otherOf: column(other, 1),
      zeroFrom: column(runs, 0),
      zeroTo: column(runs, 1),
      hiddenTo: column(hidden, 0),
      hiddenOf: column(hidden, 1),
    }
  })
  const row = new Float64Array(end)
  for (const [at, value] of fixed) row[at] = value
  return {
    agents,
    movable: Uint8Array.from(bodies, ({ movable }) => (movable ? 1 : 0)),
    speaks: Uint8Array.from(bodies, ({ speaks }) => (speaks ? 1 : 0)),
    row,
    flags,
    colours,
    goals,
    shelter: new Int32Array(M),
    forests: counts.forests,
    firstForest: M + counts.obstacles + counts.food,
    leader: bodies.findIndex(({ kind }) => kind === 'leader'),
  }
}

/** Which forests each agent of a lane is in: strictly nearer than the sum of radii. Writes bits and flags. */
function findShelter({ plan, agents, entities, position }: ParticleState, sight: Sight, lane: number): void {
  const { row, flags, shelter, forests, firstForest } = sight
  const from = lane * entities * 2
  for (let n = 0; n < agents; n++) {
    let bits = 0
    for (let f = 0; f < forests; f++) {
      const forest = from + 2 * (firstForest + f)
      const dx = position[from + 2 * n] - position[forest]
      const dy = position[from + 2 * n + 1] - position[forest + 1]
      const { radius } = plan.landmarks[firstForest + f - agents]
      const inside = Math.sqrt(dx * dx + dy * dy) < plan.bodies[n].radius + radius
      if (inside) bits |= 1 << f
      row[flags + n * forests + f] = inside ? 1 : -1
    }
    shelter[n] = bits
  }
}

/** Lays out messages and colours of a lane in the row. */
function layOut({ agents, words, goals, message, goal }: ParticleState, sight: Sight, lane: number): void {
  const { row, colours } = sight
  const said = agents * words
  for (let i = 0; i < said; i++) row[i] = message[lane * said + i]
  for (let c = 0; c < colours.length; c++) row[colours[c].to] = colours[c].values[goal[lane * goals + colours[c].goal]]
}

/**
 * The pairs of one agent, which are nearly all of what it sees.
 * @param places where the lane's entities begin in `position`
 * @param speeds where the lane's agents begin in `velocity`
 * @param to where the agent's row begins in `out`
 */
function lookAround(
  position: Float64Array,
  velocity: Float64Array,
  gaze: Gaze,
  n: number,
  places: number,
  speeds: number,
  out: Float32Array,
  to: number,
): void {
  const { offsetTo, offsetOf, velocityTo, velocityOf, placeTo, zeroFrom, zeroTo } = gaze
  const x = position[places + 2 * n]
  const y = position[places + 2 * n + 1]
  for (let i = 0; i < offsetTo.length; i++) {
    const at = to + offsetTo[i]
    const from = places + offsetOf[i]
    out[at] = position[from] - x
    out[at + 1] = position[from + 1] - y
  }
  for (let i = 0; i < velocityTo.length; i++) {
    const at = to + velocityTo[i]
    const from = speeds + velocityOf[i]
    out[at] = velocity[from]
    out[at + 1] = velocity[from + 1]
  }
  if (placeTo >= 0) {
    out[to + placeTo] = x
    out[to + placeTo + 1] = y
  }
  for (let i = 0; i < zeroFrom.length; i++) for (let f = to + zeroFrom[i]; f < to + zeroTo[i]; f++) out[f] = 0
}

/** Zeroes what forests hide from an agent: who is in no common forest, unless both are in none or the leader looks. */
function hide({ agents, shelter, leader }: Sight, observer: number, out: Float32Array, to: number): void {
  if (observer === leader) return
  const { hiddenTo, hiddenOf } = agents[observer]
  const mine = shelter[observer]
  for (let i = 0; i < hiddenTo.length; i++) {
    const theirs = shelter[hiddenOf[i]]
    if ((mine & theirs) !== 0 || (mine | theirs) === 0) continue
    out[to + hiddenTo[i]] = 0
    out[to + hiddenTo[i] + 1] = 0
  }
}

/** Writes the observations of the listed lanes. */
export function observe(state: ParticleState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { agents, entities, goals, position, velocity, goal } = state
  const { seats, observation, observationSize: F } = port
  const { row, forests, agents: gazes } = sight
  const N = seats.length
  const rowUsed = row.length > 0
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const places = lane * entities * 2
    const speeds = lane * agents * 2
    if (rowUsed) layOut(state, sight, lane)
    if (forests > 0) findShelter(state, sight, lane)
    for (let s = 0; s < N; s++) {
      const n = seats[s]
      const gaze = gazes[n]
      const to = (lane * N + s) * F
      lookAround(position, velocity, gaze, n, places, speeds, observation, to)
      if (goals > 0) {
        for (const { to: at, goal: g } of sight.goals[n]) {
          const aim = places + 2 * (agents + goal[lane * goals + g])
          observation[to + at] = position[aim] - position[places + 2 * n]
          observation[to + at + 1] = position[aim + 1] - position[places + 2 * n + 1]
        }
      }
      if (!rowUsed) continue
      const { otherTo, otherOf } = gaze
      for (let i = 0; i < otherTo.length; i++) observation[to + otherTo[i]] = row[otherOf[i]]
      if (forests > 0) hide(sight, n, observation, to)
    }
  }
}

/** Writes the global states of the listed lanes. */
export function observeState(state: ParticleState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { entities, agents, words, goals, position, velocity, message, goal } = state
  const { movable, speaks } = sight
  const { state: out, stateSize } = port
  const landmarks = entities - agents
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const places = lane * entities * 2
    let at = lane * stateSize
    for (let n = 0; n < agents; n++) {
      out[at] = position[places + 2 * n]
      out[at + 1] = position[places + 2 * n + 1]
      at += 2
      if (movable[n] === 1) {
        out[at] = velocity[(lane * agents + n) * 2]
        out[at + 1] = velocity[(lane * agents + n) * 2 + 1]
        at += 2
      }
      if (speaks[n] === 1) for (let w = 0; w < words; w++) out[at++] = message[(lane * agents + n) * words + w]
    }
    for (let i = agents * 2; i < entities * 2; i++) out[at++] = position[places + i]
    for (let g = 0; g < goals; g++) {
      for (let l = 0; l < landmarks; l++) out[at++] = goal[lane * goals + g] === l ? 1 : 0
    }
  }
}
