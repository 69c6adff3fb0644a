/** What live evaluation asks of the store: who may begin, keys of epochs, and a place where runs are kept. */
import { type Scenario } from '../../scenarios/schema.ts'
import { type Description } from '../protocol/rest.ts'
import { type GameEpisode } from './game.ts'
import { type LivePanel, type PanelEpisode } from './panels.ts'
import { type LiveTimes } from './run.ts'

export interface LiveAsked {
  readonly key: string | undefined
  readonly address: string
  readonly scenario: string
  readonly description: Description
  readonly blind: boolean
}

/** A run that is on record. */
export interface LiveOpening {
  readonly entry: string
  readonly scenario: Scenario
  readonly scenarioHash: string
  readonly description: Description
  readonly blind: boolean
  readonly openedAt: number
  readonly epoch: {
    readonly id: number
    /** 32 bytes as hex digits: the run's seeds come from it. Stays on the server. */
    readonly key: string
    readonly commitment: string
  }
}

export interface LiveEpisode extends Omit<GameEpisode, 'episode'> {
  readonly panel: LivePanel
  /** Place within the panel. */
  readonly episode: number
}

export interface LiveResult {
  /** All episodes of the run, shared panel first, each in the panel's order. */
  readonly episodes: readonly LiveEpisode[]
  readonly times: LiveTimes
  readonly stepMs: number
  readonly closedAt: number
}

export interface LiveLedger {
  /**
   * Puts a run on record.
   * @throws Refusal when the key is missing, unknown, expired or not for submitting, or a quota is used up; TroupeError
   *   for an unknown scenario
   */
  open(asked: LiveAsked): Promise<LiveOpening>
  /** Keeps which episodes were begun, before the first question goes out. @throws what makes it impossible to begin */
  begin(opening: LiveOpening, panel: readonly PanelEpisode[]): Promise<void>
  /** Keeps the result of a run. */
  finish(opening: LiveOpening, result: LiveResult): Promise<void>
  /** The server could not go on with a run; it uses up no quota. */
  fail(opening: LiveOpening, reason: string): Promise<void>
}
