/** Finds where two replays part, away from the page. */
import { ENVS } from '../../envs/index.ts'
import { definitionOf, readReplay } from '../../envs/core/replay.ts'
import { firstState } from './divergence.ts'

export interface PartRequest {
  readonly a: Uint8Array
  readonly b: Uint8Array
  /** A step up to which both are known to be the same. */
  readonly from: number
}

/** The first step whose states differ, null when none does; undefined where this page cannot simulate both. */
export interface PartAnswer {
  readonly state: number | null | undefined
}

self.onmessage = ({ data }: MessageEvent<PartRequest>) => {
  const answer = (state: PartAnswer['state']) => self.postMessage({ state } satisfies PartAnswer)
  try {
    const open = (bytes: Uint8Array) => {
      const replay = readReplay(bytes)
      return [replay, definitionOf(replay.header, ENVS)] as [typeof replay, ReturnType<typeof definitionOf>]
    }
    answer(firstState(open(data.a), open(data.b), data.from))
  } catch {
    answer(undefined) // other versions, stored frames only: then pictures are all there is to compare
  }
}
