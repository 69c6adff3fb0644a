/** A read-only look at what the page shows, for tests and curious people in the console: `window.troupe`. */
import { type StepRecord } from './sources/messages.ts'
import { type Session } from './session.ts'
import { madeStage, type Slot } from './stage/shared.ts'

export interface Exposed {
  /** Step of the clock. */
  readonly step: number
  /** Step whose record is shown; follows the clock when it is simulated. */
  readonly shownStep: number | null
  readonly playing: boolean
  readonly speed: number
  readonly steps: number | null
  readonly agent: string | null
  /** The record shown, as plain data. */
  readonly record: StepRecord | null
  readonly surveyed: boolean
  /** Of the episode beside this one, where two are compared. */
  readonly other: { readonly shownStep: number | null; readonly record: StepRecord | null } | null
  /** Pictures of a world drawn so far, and the part of a step that the last one was on its way. */
  readonly drawn: { readonly pictures: number; readonly fraction: number } | null
  /** Where a world point is in the window, in pixels; null without a stage. */
  placeOf(x: number, y: number, slot?: Slot): { x: number; y: number } | null
}

declare global {
  interface Window {
    troupe?: Exposed
  }
}

/**
 * @param beside another session on the same clock
 * @returns the way to take it away again
 */
export function exposeSession(session: Session, beside?: { other: Session; clock: Session['clock'] }): () => void {
  const clock = beside?.clock ?? session.clock
  const exposed: Exposed = Object.freeze({
    get step() {
      return clock.peek().step
    },
    get shownStep() {
      return session.record.peek()?.step ?? null
    },
    get playing() {
      return clock.peek().playing
    },
    get speed() {
      return clock.peek().speed
    },
    get steps() {
      return session.info.peek()?.steps ?? null
    },
    get agent() {
      return session.agent.peek()
    },
    get record() {
      return session.record.peek()
    },
    get surveyed() {
      return session.overview.peek().done
    },
    get other() {
      const record = beside?.other.record.peek() ?? null
      return beside === undefined ? null : { shownStep: record?.step ?? null, record }
    },
    get drawn() {
      return madeStage()?.drawn ?? null
    },
    placeOf: (x: number, y: number, slot?: Slot) => madeStage(slot)?.toWindow(x, y) ?? null,
  })
  window.troupe = exposed
  return () => {
    if (window.troupe === exposed) delete window.troupe
  }
}
