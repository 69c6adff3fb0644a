/** Everybody against everybody: a round robin of policies in a world of two seats. */
import { Generator, TroupeError, episodeSeed, namedSeed, type EnvDefinition } from '../envs/index.ts'
import { type ActionBatch, type AgentView, type AnyPolicy, type PolicyMemory } from '../agents/core/policy.ts'
import { openScenario } from '../scenarios/open.ts'
import { bradleyTerry, intransitivity, type Rating } from './statistics.ts'
import { type Scenario } from '../scenarios/schema.ts'

export interface Entrant {
  readonly name: string
  readonly policy: AnyPolicy
}

export interface TournamentRequest {
  readonly scenario: Scenario
  readonly definitions?: Readonly<Record<string, EnvDefinition>>
  readonly entrants: readonly Entrant[]
  /** Episodes of every ordered pair. */
  readonly episodes: number
  readonly seed: string
  /** Chance that a chosen action is replaced by another legal one, drawn uniformly. */
  readonly error?: number
  /** Whether everybody also meets itself; default true. */
  readonly selfPlay?: boolean
  readonly onPair?: (done: number, of: number) => void
}

export interface TournamentTable {
  readonly players: readonly string[]
  /** [n, n] mean reward per step of the row's player against the column's, over both seats. */
  readonly payoffs: readonly (readonly (number | null)[])[]
  /** [n, n] share of episodes that the row won against the column, a draw as half a win; null where they did not meet. */
  readonly wins: readonly (readonly (number | null)[])[]
  /** Bradley–Terry ratings from all episodes against others, best first. */
  readonly ratings: readonly Rating[]
  /** Triples in which everybody beats one of the others, of those that are decided: then no number orders the players. */
  readonly intransitive: { readonly cyclic: number; readonly triples: number }
  /** Mean payoff with oneself and with the others; null where nobody met itself, or nobody else. */
  readonly selfPlay: number | null
  readonly crossPlay: number | null
  /** [n] mean over all opponents, itself included where it met itself. */
  readonly means: readonly number[]
  /** Indices from best to worst. */
  readonly order: readonly number[]
  readonly episodes: number
  readonly error: number
  readonly steps: number
}

/** One seat of a batch, as one policy sees it. */
function seatOf(policy: AnyPolicy, batch: ReturnType<typeof openScenario>, seat: number) {
  const { spec, lanes } = batch
  const { observationSize: F, actionSize: A } = spec
  const agents = Int32Array.of(seat)
  const view: AgentView = {
    spec,
    lanes,
    agents,
    observation: new Float32Array(lanes * F),
    mask: new Uint8Array(lanes * A),
    alive: new Uint8Array(lanes),
    episodeStart: batch.episodeStart,
  }
  const memory: PolicyMemory = policy.memory(lanes, 1)
  const out: ActionBatch = { action: new Int32Array(lanes) }
  const N = spec.agents.length
  return (rngs: readonly Generator[]): Int32Array => {
    if (policy.privileged === true) {
      policy.act(batch, agents, memory, out, rngs[0])
      return out.action as Int32Array
    }
    for (let lane = 0; lane < lanes; lane++) {
      const row = lane * N + seat
      view.observation.set(batch.observation.subarray(row * F, (row + 1) * F), lane * F)
      view.mask.set(batch.mask.subarray(row * A, (row + 1) * A), lane * A)
      ;(view.alive as Uint8Array)[lane] = batch.alive[row]
    }
    if (policy.actLanes !== undefined) policy.actLanes(view, memory, out, rngs)
    else policy.act(view, memory, out, rngs[0])
    return out.action as Int32Array
  }
}

/** Mean rewards per step of both seats over `episodes` episodes. */
function match(request: TournamentRequest, first: AnyPolicy, second: AnyPolicy, label: string) {
  const { scenario, definitions, episodes, seed, error = 0 } = request
  const batch = openScenario(scenario, { lanes: episodes, autoreset: 'disabled', control: 'all' }, definitions)
  batch.reset(Array.from({ length: episodes }, (_, k) => episodeSeed(`${seed}|${label}`, 'eval', k, 0)))
  const { actionSize: A } = batch.spec
  const seats = [first, second].map((policy, seat) => seatOf(policy, batch, seat))
  const rngs = [0, 1].map((seat) =>
    Array.from({ length: episodes }, (_, k) => new Generator(namedSeed(seed, `${label} seat ${seat} episode ${k}`))),
  )
  const action = new Int32Array(episodes * 2)
  const sums = [0, 0]
  let steps = 0
  for (let going = episodes; going > 0;) {
    seats.forEach((choose, seat) => {
      const chosen = choose(rngs[seat])
      for (let lane = 0; lane < episodes; lane++) action[lane * 2 + seat] = chosen[lane]
    })
    for (let i = 0; error > 0 && i < action.length; i++) {
      const rng = rngs[i % 2][Math.floor(i / 2)]
      if (rng.float() >= error) continue
      const legal = Array.from({ length: A }, (_, a) => a).filter((a) => a !== action[i] && batch.mask[i * A + a] === 1)
      if (legal.length > 0) action[i] = legal[rng.below(legal.length)]
    }
    batch.step(action)
    steps += going
    going = 0
    for (let lane = 0; lane < episodes; lane++) {
      if (batch.terminated[lane] === 0 && batch.truncated[lane] === 0) going++
    }
  }
  for (let i = 0; i < episodes * 2; i++) sums[i % 2] += batch.finalReturns[i]
  let won = 0
  for (let k = 0; k < episodes; k++) {
    const [a, b] = [batch.finalReturns[2 * k], batch.finalReturns[2 * k + 1]]
    won += a > b ? 1 : a === b ? 0.5 : 0
  }
  return { means: sums.map((sum) => sum / steps), won, steps }
}

/**
 * Plays every pair in both seats and gathers the table.
 * @throws TroupeError bad-option for a world that is not for two, and for no horizon
 */
export function tournament(request: TournamentRequest): TournamentTable {
  const { scenario, entrants, episodes, error = 0, selfPlay = true, onPair } = request
  const { spec } = openScenario(scenario, { control: 'all' }, request.definitions)
  if (spec.agents.length !== 2 || spec.actionKind !== 'discrete') {
    throw new TroupeError('bad-option', {
      where: `tournament on ${scenario.id}`,
      got: `${spec.agents.length} agents with ${spec.actionKind} actions`,
      expected: 'a world for two with discrete actions',
    })
  }
  if (spec.horizon === null) {
    throw new TroupeError('bad-option', {
      where: `tournament on ${scenario.id}: horizon`,
      got: 'null',
      expected: 'a number of rounds (--option horizon=200)',
    })
  }
  const n = entrants.length
  const sums = Array.from({ length: n }, () => new Array<number>(n).fill(0))
  const points = Array.from({ length: n }, () => new Array<number>(n).fill(0))
  const pairs = entrants.flatMap((_, i) => entrants.flatMap((__, j) => (i === j && !selfPlay ? [] : [[i, j]])))
  let steps = 0
  pairs.forEach(([i, j], done) => {
    const label = `${entrants[i].name} ${entrants[j].name}`
    const { means, won, steps: played } = match(request, entrants[i].policy, entrants[j].policy, label)
    points[i][j] += won
    points[j][i] += episodes - won
    sums[i][j] += means[0] / 2
    sums[j][i] += means[1] / 2
    steps += played
    onPair?.(done + 1, pairs.length)
  })
  const met = (i: number, j: number) => i !== j || selfPlay
  const payoffs = sums.map((row, i) => row.map((sum, j) => (met(i, j) ? sum : null)))
  const means = payoffs.map((row) => {
    const known = row.filter((value) => value !== null)
    return known.reduce((a, b) => a + b, 0) / known.length
  })
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => means[b] - means[a] || a - b)
  const players = entrants.map(({ name }) => name)
  // Both seats: every pair met in 2 * episodes episodes.
  const wins = points.map((row, i) => row.map((won, j) => (met(i, j) ? won / (2 * episodes) : null)))
  const ratings = bradleyTerry(
    players.flatMap((a, i) =>
      players.slice(i + 1).map((b, k) => ({ a, b, score: wins[i][i + 1 + k]!, games: 2 * episodes })),
    ),
  )
  const intransitive = intransitivity(wins.map((row) => row.map((share) => share ?? NaN)))
  const mean = (values: readonly (number | null)[]) => {
    const known = values.filter((value) => value !== null)
    return known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length
  }
  const alone = mean(payoffs.map((row, i) => row[i]))
  const others = mean(payoffs.flatMap((row, i) => row.filter((_, j) => j !== i)))
  return {
    ...{
      players,
      payoffs,
      wins,
      ratings,
      intransitive,
      selfPlay: alone,
      crossPlay: others,
      means,
      order,
      episodes,
      error,
      steps,
    },
  }
}
