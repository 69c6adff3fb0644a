/** A read-only look at what the page shows, for tests and curious people in the console: `window.troupe`. */
import { type StepRecord } from './sources/messages.ts'
import { type Session } from './session.ts'

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
}

declare global {
  interface Window {
    troupe?: Exposed
  }
}

/** @returns the way to take it away again */
export function exposeSession(session: Session): () => void {
  const exposed: Exposed = Object.freeze({
    get step() {
      return session.clock.peek().step
    },
    get shownStep() {
      return session.record.peek()?.step ?? null
    },
    get playing() {
      return session.clock.peek().playing
    },
    get speed() {
      return session.clock.peek().speed
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
  })
  window.troupe = exposed
  return () => {
    if (window.troupe === exposed) delete window.troupe
  }
}
