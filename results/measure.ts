/**
 * Episodes that are measured: played in portions so that an interrupt is noticed, a few of them written as replays.
 * Results do not depend on the portions.
 */
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { episodeSeed, type EnvBatch, type EnvDefinition, type SeedPurpose } from '../envs/core/index.ts'
import { type RecordingHeader } from '../envs/core/replay.ts'
import { summarise, type Evaluation } from '../agents/core/evaluate.ts'
import { playEpisodes, type PlayedEpisode } from '../agents/core/play.ts'
import { type AnyPolicy } from '../agents/core/policy.ts'
import { openScenario } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { sha256, writeAtomic } from './files.ts'
import { type EvaluationPoint } from './record.ts'

/** Episodes played side by side; changes nothing but the speed. */
const LANES = 32

export interface MeasureRequest {
  readonly scenario: Scenario
  readonly environments: Readonly<Record<string, EnvDefinition>>
  readonly policy: AnyPolicy
  /** How it chooses, for the protocol. */
  readonly manner: string
  readonly purpose: SeedPurpose
  /** Number of the evaluation; the seeds are purpose | point | 0, 1, 2 … */
  readonly point: number
  readonly episodes: number
  /** Root of the seeds and of the policy's draws. */
  readonly seed: string
  /** The folder of the run; replays go into `replays/` in it, which must be there. */
  readonly folder: string
  /** How many episodes are recorded, from the first. */
  readonly replays: number
  /** How many of those with the lowest returns are recorded as well; they are played a second time. */
  readonly worst?: number
  readonly header: RecordingHeader
  /** File name of an episode's replay. */
  readonly nameOf: (episode: number) => string
  /** Opens a critic for so many lanes: writes its estimates for a recording, [B, N] in reward units. */
  readonly critic?: (lanes: number) => (batch: EnvBatch, out: Float32Array) => void
  readonly signal?: AbortSignal
  /** After every portion. */
  readonly onEpisodes?: (played: number) => void
}

export interface Measurement {
  readonly summary: Evaluation
  readonly replays: EvaluationPoint['replays']
}

/** @returns undefined when interrupted */
export async function measureEpisodes(request: MeasureRequest): Promise<Measurement | undefined> {
  const { scenario, policy, purpose, point, episodes, seed, folder, header, signal } = request
  // A privileged policy gets the whole batch and one generator: alone in its lane an episode follows from its seed.
  const lanes = policy.privileged === true ? 1 : Math.min(episodes, LANES)
  const batch = openScenario(scenario, { lanes, autoreset: 'disabled' }, request.environments)
  const values = request.critic?.(lanes)
  const play = (numbers: readonly number[], recorded: (episode: number) => boolean): PlayedEpisode[] =>
    playEpisodes({
      batch,
      policy,
      seeds: numbers.map((episode) => episodeSeed(seed, purpose, point, episode)),
      rng: seed,
      teamReward: scenario.teamReward,
      record: (k) => (recorded(numbers[k]) ? header : null),
      ...(values === undefined ? {} : { values }),
    }).episodes

  const played: PlayedEpisode[] = []
  for (let from = 0; from < episodes; from += lanes) {
    const numbers = Array.from({ length: Math.min(lanes, episodes - from) }, (_, k) => from + k)
    played.push(...play(numbers, (episode) => episode < request.replays))
    await turn()
    request.onEpisodes?.(played.length)
    if (signal?.aborted === true && played.length < episodes) return undefined
  }
  const again = worstEpisodes(played, request.worst ?? 0).filter((episode) => played[episode].replay === undefined)
  for (let from = 0; from < again.length; from += lanes) {
    const numbers = again.slice(from, from + lanes)
    play(numbers, () => true).forEach((episode, k) => {
      const first = played[numbers[k]]
      // Lanes do not depend on each other and an episode follows from its seed: anything else is a defect of ours.
      if (episode.return !== first.return) {
        throw new Error(
          `episode ${numbers[k]} returned ${first.return}, and ${episode.return} when it was played again`,
        )
      }
      played[numbers[k]] = episode
    })
  }
  const replays: EvaluationPoint['replays'] = []
  played.forEach(({ replay }, episode) => {
    if (replay === undefined) return
    const name = request.nameOf(episode)
    writeAtomic(join(folder, 'replays', name), replay)
    replays.push({ file: `replays/${name}`, sha256: sha256(replay), episode })
  })
  return { summary: summarise(played, request.manner, scenario.teamReward), replays }
}

/** Numbers of the `count` episodes with the lowest returns, worst first; of equal ones the earlier. */
export function worstEpisodes(played: readonly { readonly return: number }[], count: number): number[] {
  return played
    .map((_, episode) => episode)
    .sort((a, b) => played[a].return - played[b].return || a - b)
    .slice(0, count)
}
