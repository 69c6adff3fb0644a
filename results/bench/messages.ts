/** What a bench and its worker processes tell each other. */
import { type ErrorParts, type TroupeError } from '../../envs/core/index.ts'
import { type RunStatus } from '../run.ts'
import { type BenchJob } from './job.ts'

export type ToWorker = { readonly kind: 'job'; readonly job: BenchJob } | { readonly kind: 'stop' }

/** How a run ended in this sitting. */
export interface Outcome {
  readonly status: RunStatus
  /** Path of record.json; '' when there is none yet. */
  readonly record: string
  /** Mean of the absolute metric; null when there is none. */
  readonly mean: number | null
}

export type FromWorker =
  | { readonly kind: 'ready' }
  /** `part` of the run is done, 0 to 1; `note` says what was seen last, for people. */
  | { readonly kind: 'progress'; readonly part: number; readonly note: string }
  | { readonly kind: 'ended'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly error: { code?: TroupeError['code']; message: string; parts?: ErrorParts } }
