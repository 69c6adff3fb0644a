/** What agents observe and what a central critic sees: names, ranges, and the kernels that write them. */
import { type Feature, type Port } from '../core/types.ts'
import { type Machine } from './machine.ts'
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

/**
 * What all seats observe, as tables of where to read and where to write; `to` counts from where the lane's observations
 * begin. Numbers of one kind stand together: each table is one loop over short rows.
 */
export interface Sight {
  readonly offsets: Int32Array // [.., 4] to, twice the first entity, twice the end, twice the observer
  readonly velocities: Int32Array // [.., 3] to, twice the first agent, twice the end
  readonly places: Int32Array // [.., 2] to, twice the agent
  readonly aims: Int32Array // [.., 3] offsets of goals: to, goal, twice the observer
  readonly others: Int32Array // [.., 2] to, number of `row`
  readonly zeros: Int32Array // [.., 2] runs that stay 0, the padding of narrower agents included: from, to
  readonly hidden: Int32Array // [.., 3] pairs that forests may hide: to, the agent it tells of, the observer
  readonly movable: Uint8Array // [M]
  readonly speaks: Uint8Array // [M]
  readonly plain: boolean // everybody moves, nobody speaks, and there are no goals
  /** Of the lane at hand: messages, forest flags of each agent, colours of goals, constants. */
  readonly row: Float64Array
  readonly flags: number // where flags begin in the row
  /** Colours of the goals: where in the row, of which goal, and the values of all landmarks. */
  readonly colours: readonly { readonly to: number; readonly goal: number; readonly values: Float64Array }[]
  /** Forests that hold each agent of the lane at hand, one bit each; [M]. */
  readonly shelter: Int32Array
  readonly forests: number
  readonly firstForest: number // entity number
}

/** The parts of a range that leave an entity out, doubled: none of them empty. */
function withoutSelf(from: number, to: number, self: number): [from: number, to: number][] {
  const parts = self >= from && self < to ? [[from, self] as const, [self + 1, to] as const] : [[from, to] as const]
  return parts.filter(([first, end]) => first < end).map(([first, end]) => [2 * first, 2 * end])
}

/** @param seats the agents that observe, in the order of their rows; @param width F, for the padding */
export function createSight(plan: Plan, seats: Int32Array, width: number): Sight {
  const { bodies, task, counts } = plan
  const M = bodies.length
  const W = task.words
  const flags = M * W
  const leader = bodies.findIndex(({ kind }) => kind === 'leader') // sees through forests
  let end = flags + M * counts.forests
  const fixed: [at: number, value: number][] = []
  const colours: { to: number; goal: number; values: Float64Array }[] = []
  const offsets: number[][] = []
  const velocities: number[][] = []
  const places: number[][] = []
  const aims: number[][] = []
  const others: number[][] = []
  const zeros: [from: number, to: number][] = []
  const hidden: number[][] = []
  seats.forEach((n, seat) => {
    let at = seat * width
    for (const block of plan.blocks[n]) {
      switch (block.kind) {
        case 'velocity':
          velocities.push([at, 2 * n, 2 * n + 2])
          at += 2
          break
        case 'position':
          places.push([at, 2 * n])
          at += 2
          break
        case 'goalOffset':
          aims.push([at, block.goal, 2 * n])
          at += 2
          break
        case 'message':
          for (let w = 0; w < W; w++) others.push([at++, block.from * W + w])
          break
        case 'inForest':
          for (let f = 0; f < counts.forests; f++) others.push([at++, flags + n * counts.forests + f])
          break
        case 'constants':
          for (const value of block.values) {
            if (value === 0) zeros.push([at, at + 1])
            else {
              fixed.push([end, value])
              others.push([at, end++])
            }
            at++
          }
          break
        case 'goalColour':
          block.colours[0].forEach((_, c) => {
            colours.push({ to: end, goal: block.goal, values: Float64Array.from(block.colours, (row) => row[c]) })
            others.push([at++, end++])
          })
          break
        default: {
          const far = block.kind === 'offsets' || block.kind === 'seenOffsets'
          const hides = block.kind === 'seenOffsets' || block.kind === 'seenVelocities'
          for (const [from, to] of withoutSelf(block.from, block.to, n)) {
            if (far) offsets.push([at, from, to, 2 * n])
            else velocities.push([at, from, to])
            for (let e = from; e < to; e += 2, at += 2) if (hides && n !== leader) hidden.push([at, e / 2, n])
          }
        }
      }
    }
    zeros.push([at, (seat + 1) * width])
  })
  const runs = zeros.reduce<[number, number][]>((joined, [from, to]) => {
    const last = joined.at(-1)
    if (last !== undefined && last[1] === from) last[1] = to
    else if (from < to) joined.push([from, to])
    return joined
  }, [])
  const row = new Float64Array(end)
  for (const [at, value] of fixed) row[at] = value
  return {
    offsets: Int32Array.from(offsets.flat()),
    velocities: Int32Array.from(velocities.flat()),
    places: Int32Array.from(places.flat()),
    aims: Int32Array.from(aims.flat()),
    others: Int32Array.from(others.flat()),
    zeros: Int32Array.from(runs.flat()),
    hidden: Int32Array.from(hidden.flat()),
    movable: Uint8Array.from(bodies, ({ movable }) => (movable ? 1 : 0)),
    speaks: Uint8Array.from(bodies, ({ speaks }) => (speaks ? 1 : 0)),
    plain: bodies.every(({ movable, speaks }) => movable && !speaks) && task.goals.length === 0,
    row,
    flags,
    colours,
    shelter: new Int32Array(M),
    forests: counts.forests,
    firstForest: M + counts.obstacles + counts.food,
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

/** Zeroes what forests hide: who is in no common forest, unless both are in none. */
function hide({ hidden, shelter }: Sight, out: Float32Array, row: number): void {
  for (let i = 0; i < hidden.length; i += 3) {
    const theirs = shelter[hidden[i + 1]]
    const mine = shelter[hidden[i + 2]]
    if ((mine & theirs) !== 0 || (mine | theirs) === 0) continue
    out[row + hidden[i]] = 0
    out[row + hidden[i] + 1] = 0
  }
}

/** Writes what is seen of places and velocities in the listed lanes, and the zeros of observations. */
function observePairs(state: ParticleState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { agents, entities, position, velocity } = state
  const { observation: out, observationSize, seats } = port
  const { offsets, velocities, places, zeros } = sight
  const width = seats.length * observationSize
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const to = lane * width
    const place = lane * entities * 2
    const speed = lane * agents * 2
    for (let i = 0; i < offsets.length; i += 4) {
      const own = place + offsets[i + 3]
      const x = position[own]
      const y = position[own + 1]
      const end = place + offsets[i + 2]
      for (let at = to + offsets[i], from = place + offsets[i + 1]; from < end; at += 2, from += 2) {
        out[at] = position[from] - x
        out[at + 1] = position[from + 1] - y
      }
    }
    for (let i = 0; i < velocities.length; i += 3) {
      const end = speed + velocities[i + 2]
      for (let at = to + velocities[i], from = speed + velocities[i + 1]; from < end; at += 2, from += 2) {
        out[at] = velocity[from]
        out[at + 1] = velocity[from + 1]
      }
    }
    for (let i = 0; i < places.length; i += 2) {
      const at = to + places[i]
      const from = place + places[i + 1]
      out[at] = position[from]
      out[at + 1] = position[from + 1]
    }
    for (let i = 0; i < zeros.length; i += 2) {
      for (let at = to + zeros[i], end = to + zeros[i + 1]; at < end; at++) out[at] = 0
    }
  }
}

/** Writes the offsets of goals and all that is not a pair of numbers: messages, colours, constants, forests. */
function observeRest(state: ParticleState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { agents, entities, goals, position, goal } = state
  const { observation: out, observationSize, seats } = port
  const { aims, others, row, forests } = sight
  const width = seats.length * observationSize
  const rowUsed = row.length > 0
  if (aims.length === 0 && !rowUsed) return
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    const to = lane * width
    const place = lane * entities * 2
    for (let i = 0; i < aims.length; i += 3) {
      const at = to + aims[i]
      const aim = place + 2 * (agents + goal[lane * goals + aims[i + 1]])
      const own = place + aims[i + 2]
      out[at] = position[aim] - position[own]
      out[at + 1] = position[aim + 1] - position[own + 1]
    }
    if (!rowUsed) continue
    layOut(state, sight, lane)
    if (forests > 0) findShelter(state, sight, lane)
    for (let i = 0; i < others.length; i += 2) out[to + others[i]] = row[others[i + 1]]
    if (forests > 0) hide(sight, out, to)
  }
}

/** Writes the observations and the global states of the listed lanes. */
export function observe(
  state: ParticleState,
  sight: Sight,
  machine: Machine | null,
  port: Port,
  lanes: Int32Array,
  count: number,
): void {
  if (machine === null) observePairs(state, sight, port, lanes, count)
  else {
    machine.choose(lanes, count)
    machine.look()
  }
  observeRest(state, sight, port, lanes, count)
  if (machine === null || !sight.plain) observeState(state, sight, port, lanes, count)
}

/** Writes the global states of the listed lanes. */
function observeState(state: ParticleState, sight: Sight, port: Port, lanes: Int32Array, count: number): void {
  const { entities, agents, words, goals, position, velocity, message, goal } = state
  const { movable, speaks, plain } = sight
  const { state: out, stateSize } = port
  const landmarks = entities - agents
  for (let k = 0; k < count; k++) {
    const lane = lanes[k]
    let at = lane * stateSize
    let place = lane * entities * 2
    let speed = lane * agents * 2
    for (let n = 0; n < agents; n++, place += 2, speed += 2) {
      out[at] = position[place]
      out[at + 1] = position[place + 1]
      at += 2
      if (plain || movable[n] === 1) {
        out[at] = velocity[speed]
        out[at + 1] = velocity[speed + 1]
        at += 2
      }
      if (plain || speaks[n] === 0) continue
      for (let w = 0; w < words; w++) out[at++] = message[(lane * agents + n) * words + w]
    }
    for (const end = place + landmarks * 2; place < end; place++) out[at++] = position[place]
    for (let g = 0; g < goals; g++) {
      for (let l = 0; l < landmarks; l++) out[at++] = goal[lane * goals + g] === l ? 1 : 0
    }
  }
}
