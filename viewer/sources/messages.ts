/** What the pages and the simulation worker say to each other. Plain data only. */
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { type Note, type Replay, type ReplayHeader, type Verdict } from '../../envs/core/replay.ts'

import { type PackedRecord } from './pack.ts'

/** Largest file a page opens, in bytes. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

/** Events of a kind that are kept, the first so many; of a kind that has as many nobody knows what happens later. */
export const TOO_MANY = 5000

/** A replay file, or the parts of one that came as a stream. */
export type Material = Uint8Array | { readonly data: Replay; readonly bytes: number }

/** How pictures are made: simulated again from the actions, or only those that the file stores. */
export type Mode = 'resimulate' | 'stored'

/** Everything about an opened replay that does not change with the step. */
export interface EpisodeInfo {
  /** What the user calls it: a file name or a replay id. */
  readonly name: string
  readonly header: ReplayHeader
  /** null when this build cannot simulate the environment; then only stored frames are shown. */
  readonly spec: EnvSpec | null
  readonly mode: Mode
  /** Why only stored frames are shown, in one sentence; null when simulated. */
  readonly notice: string | null
  readonly steps: number
  /** Steps with a stored frame, ascending; all steps count as stored when simulated. */
  readonly stored: readonly number[]
  readonly agents: readonly string[]
  /** Joint actions [T, N, D]. */
  readonly actions: Int32Array | Float32Array
  /** [T, N, A] where the policy told. */
  readonly probability: Float32Array | null
  /** [T, N] where the policy has a critic. */
  readonly value: Float32Array | null
  readonly notes: readonly Note[]
  readonly bytes: number
}

/** One step as the inspector and the stage show it. N controlled agents. */
export interface StepRecord {
  readonly step: number
  readonly frame: Frame
  /** Step the frame belongs to: earlier than `step` where only some frames are stored. */
  readonly frameStep: number
  readonly observation: Float32Array | null // [N, F]
  readonly mask: Uint8Array | null // [N, A]
  readonly alive: Uint8Array | null // [N]
  /** Received on arriving at this step; zeros at step 0. [N] */
  readonly reward: Float32Array | null
  /** The same by term, [N] each, where the environment tells. */
  readonly terms: Readonly<Record<string, Float32Array>> | null
  /** Sums of rewards up to this step. [N] */
  readonly returns: Float64Array | null
  readonly ended: 'no' | 'terminated' | 'truncated'
}

/** An event with the step it led to. */
export interface StepEvent {
  readonly step: number
  readonly kind: string
  readonly agents: readonly string[]
  readonly at: { readonly x: number; readonly y: number } | null
  readonly value: number | null
}

/** Part of a pass over the whole episode, for the timeline. */
export interface Survey {
  /** First step of this part: rewards received on arriving at `from + 1`, `from + 2` … */
  readonly from: number
  readonly rewards: Float32Array // [steps, N]
  readonly events: readonly StepEvent[]
  /** [rows, N, 2] x and y of every controlled agent from step `placesFrom` on; NaN where the world does not draw it. */
  readonly places?: Float32Array
  readonly placesFrom?: number
  readonly done: boolean
  /** No more will come although the episode goes on: it is longer than what is surveyed. */
  readonly limited?: boolean
  /** Why the episode cannot be played any further than this part, in one sentence. */
  readonly stopped: string | null
}

export { type Verdict }

export type Request =
  | { readonly id: number; readonly kind: 'open'; readonly name: string; readonly material: Material }
  | { readonly id: number; readonly kind: 'records'; readonly from: number; readonly count: number }
  | { readonly id: number; readonly kind: 'verify' }

export type Answer =
  | {
      readonly id: number
      readonly kind: 'opened'
      readonly info: EpisodeInfo
      /** The first frame, from which the things that stand still in other frames are taken. */
      readonly first?: Frame
    }
  | { readonly id: number; readonly kind: 'records'; readonly records: readonly (StepRecord | PackedRecord)[] }
  | { readonly id: number; readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly id: number; readonly kind: 'refused'; readonly message: string }
  | { readonly id: number; readonly kind: 'survey'; readonly survey: Survey }
