/** Plays whole episodes with a frozen policy: evaluation, `troupe run`, recordings. */
import {
  Generator,
  TroupeError,
  namedSeed,
  type DigestibleBatch,
  type EnvBatch,
  type EpisodeSeed,
} from '../../envs/core/index.ts'
import { ReplayRecorder, type RecordingHeader } from '../../envs/core/replay.ts'
import { type ActionBatch, type AgentView, type AnyPolicy, type Policy, type PolicyMemory } from './policy.ts'
import { teamReturn, type TeamReward } from './teams.ts'

const STEP_LIMIT = 1_000_000 // per episode, for worlds without a horizon

export interface PlayRequest {
  /** Autoreset 'disabled', any number of lanes; reset here. */
  readonly batch: DigestibleBatch
  /** Plays every controlled agent. */
  readonly policy: AnyPolicy
  /** One per episode; the result has them in this order. */
  readonly seeds: readonly EpisodeSeed[]
  /** Root of the policy's draws. An episode's generator follows from it and the episode's seed. */
  readonly rng: string | number
  readonly teamReward: TeamReward
  /** A critic's estimates for the recording, [B, N] in reward units, where there is one. */
  readonly values?: (batch: EnvBatch, out: Float32Array) => void
  /** What to write in an episode's replay; null = do not record it. */
  readonly record?: (episode: number) => RecordingHeader | null
  /** Keep in the recording what the policy said (probabilities, values); default true. */
  readonly channels?: boolean
  /** After every step of the batch: how many lanes really stepped. */
  readonly onStep?: (steps: number) => void
}

export interface PlayedEpisode {
  readonly seed: EpisodeSeed
  /** The scenario's scalar. */
  readonly return: number
  readonly returns: number[] // [N] per agent
  readonly length: number
  readonly terminated: boolean
  readonly truncated: boolean
  readonly metrics: Record<string, number | null>
  readonly replay?: Uint8Array
}

/**
 * Plays `seeds.length` episodes over the lanes of the batch, each from its own seed to its end.
 * Results do not depend on the number of lanes. (A privileged policy that draws chance is the exception: it gets the
 * whole batch and one generator. Give it a batch of one lane.)
 */
export function playEpisodes(request: PlayRequest): { episodes: PlayedEpisode[]; steps: number } {
  const { batch, policy, seeds, teamReward } = request
  const { spec, lanes: B } = batch
  const N = spec.agents.length
  const width = N * spec.actionDims
  if (batch.autoreset !== 'disabled') {
    const got = `autoreset ${batch.autoreset}`
    throw new TroupeError('bad-usage', { where: 'playing: batch', got, expected: "autoreset 'disabled'" })
  }
  const episodes = new Array<PlayedEpisode>(seeds.length)
  if (seeds.length === 0) return { episodes, steps: 0 }

  const box = spec.actionKind === 'box'
  const action = box ? new Float32Array(B * width) : new Int32Array(B * width)
  const recording = request.record !== undefined
  // What the policy says about its choice; NaN is left where it says nothing.
  const probability = recording && !box ? new Float32Array(B * N * spec.actionSize) : undefined
  const value = recording ? new Float32Array(B * N) : undefined
  const lanes = Array.from({ length: B }, () => ({
    episode: -1, // what the lane plays; -1 = idle
    rng: new Generator(new Uint32Array(4)),
    recorder: undefined as ReplayRecorder | undefined,
  }))
  const player = seatPlayer(batch, policy, { action, probability, value }, request.rng, lanes)
  const notes = new Array<string | undefined>(B)
  let next = 0
  let running = 0
  const chosen = new Uint8Array(B)
  const given = new Array<EpisodeSeed | null>(B).fill(seeds[0])

  /** Hands the next episodes to the chosen lanes. */
  const begin = (which: Uint8Array): void => {
    let any = false
    for (let lane = 0; lane < B; lane++) {
      if (which[lane] === 0) continue
      const episode = next < seeds.length ? next++ : -1
      lanes[lane].episode = episode
      lanes[lane].recorder = undefined
      if (episode < 0) {
        which[lane] = 0
        continue
      }
      given[lane] = seeds[episode]
      lanes[lane].rng = new Generator(namedSeed(request.rng, `episode ${seeds[episode]}`))
      running++
      any = true
    }
    if (any) batch.reset(given, which)
    for (let lane = 0; lane < B; lane++) {
      if (which[lane] === 0) continue
      player.forget(lane)
      const header = request.record?.(lanes[lane].episode) ?? null
      if (header !== null)
        lanes[lane].recorder = new ReplayRecorder(batch, lane, header, { channels: request.channels ?? true })
    }
  }

  batch.reset(given) // the first reset wants all lanes; idle ones play along unseen
  begin(chosen.fill(1))
  let steps = 0
  while (running > 0) {
    probability?.fill(NaN)
    value?.fill(NaN)
    player.act()
    if (request.values !== undefined && lanes.some((lane) => lane.recorder !== undefined)) request.values(batch, value!)
    lanes.forEach(({ recorder }, lane) => (notes[lane] = recorder === undefined ? undefined : player.says(lane)))
    batch.step(action)
    chosen.fill(0)
    let stepped = 0
    for (let lane = 0; lane < B; lane++) {
      const { episode, recorder } = lanes[lane]
      if (episode < 0) continue
      stepped++
      recorder?.record(action, lane * width, {
        ...(notes[lane] === undefined ? {} : { note: notes[lane] }),
        probability: said(probability, lane, N * spec.actionSize),
        value: said(value, lane, N),
      })
      if (batch.terminated[lane] === 0 && batch.truncated[lane] === 0) {
        if (batch.stepCount[lane] < STEP_LIMIT) continue
        throw new TroupeError('bad-usage', {
          where: `playing ${spec.env}: an episode`,
          got: `${STEP_LIMIT} steps long and not over`,
          expected: 'an environment option `horizon`, or rules that end',
        })
      }
      const returns = [...batch.finalReturns.subarray(lane * N, (lane + 1) * N)]
      episodes[episode] = {
        seed: seeds[episode],
        return: teamReturn(teamReward, returns),
        returns,
        length: batch.finalLength[lane],
        terminated: batch.terminated[lane] === 1,
        truncated: batch.truncated[lane] === 1,
        metrics: batch.finalMetrics(lane),
        ...(recorder === undefined ? {} : { replay: recorder.finish(teamReward) }),
      }
      running--
      chosen[lane] = 1
    }
    steps += stepped
    request.onStep?.(stepped)
    begin(chosen)
  }
  return { episodes, steps }
}

interface Player {
  act(): void
  /** What the policy says about its last choice in the lane. */
  says(lane: number): string | undefined
  /** A new episode begins in the lane. */
  forget(lane: number): void
}

/** The policy over all seats; each lane draws from its own generator. */
function seatPlayer(
  batch: DigestibleBatch,
  policy: AnyPolicy,
  out: ActionBatch,
  root: string | number,
  lanes: readonly { readonly rng: Generator }[],
): Player {
  const { spec, lanes: B } = batch
  const N = spec.agents.length
  const agents = Int32Array.from({ length: N }, (_, n) => n)
  if (policy.privileged === true) {
    const rng = new Generator(namedSeed(root, 'privileged policy'))
    const memory = policy.memory(B, N)
    return {
      act: () => policy.act(batch, agents, memory, out, rng),
      says: () => undefined,
      forget: () => undefined, // it sees batch.episodeStart
    }
  }
  const view = (from: number, to: number): AgentView => ({
    spec,
    lanes: to - from,
    agents,
    observation: batch.observation.subarray(from * N * spec.observationSize, to * N * spec.observationSize),
    mask: batch.mask.subarray(from * N * spec.actionSize, to * N * spec.actionSize),
    alive: batch.alive.subarray(from * N, to * N),
    episodeStart: batch.episodeStart.subarray(from, to),
  })
  if (policy.actLanes !== undefined) {
    const whole = view(0, B)
    const memory = policy.memory(B, N)
    return {
      act: () =>
        policy.actLanes!(
          whole,
          memory,
          out,
          lanes.map((lane) => lane.rng),
        ),
      says: (lane) => policy.says?.(memory, lane),
      forget: () => undefined, // it sees view.episodeStart
    }
  }
  const views = Array.from({ length: B }, (_, lane) => view(lane, lane + 1))
  const rows = Array.from({ length: B }, (_, lane) => laneRows(out, lane, N, spec.actionDims, spec.actionSize))
  const memories: PolicyMemory[] = Array.from({ length: B }, () => policy.memory(1, N))
  return {
    act: () => {
      for (let lane = 0; lane < B; lane++)
        (policy as Policy).act(views[lane], memories[lane], rows[lane], lanes[lane].rng)
    },
    says: (lane) => (policy as Policy).says?.(memories[lane], 0),
    forget: (lane) => void (memories[lane] = policy.memory(1, N)),
  }
}

/** One lane's row of what a policy said, zero where it left a gap; undefined when it said nothing. */
function said(rows: Float32Array | undefined, lane: number, width: number): Float32Array | undefined {
  const row = rows?.subarray(lane * width, (lane + 1) * width)
  if (row === undefined || row.every(Number.isNaN)) return undefined
  for (let i = 0; i < width; i++) if (Number.isNaN(row[i])) row[i] = 0
  return row
}

function laneRows(out: ActionBatch, lane: number, N: number, D: number, A: number): ActionBatch {
  const part = <Row extends Float32Array | Int32Array>(row: Row, width: number) =>
    row.subarray(lane * N * width, (lane + 1) * N * width) as Row
  return {
    action: part(out.action, D),
    ...(out.probability === undefined ? {} : { probability: part(out.probability, A) }),
    ...(out.value === undefined ? {} : { value: part(out.value, 1) }),
  }
}
