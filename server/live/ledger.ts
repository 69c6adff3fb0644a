/** What live evaluation asks of the store: keys of epochs, who may begin, and a place where runs are kept. */
import { type Scenario } from '../../scenarios/schema.ts'
import { type Description } from '../protocol/rest.ts'
import { type GameEpisode } from './game.ts'
import { type LivePanel, type PanelEpisode } from './panels.ts'
import { type LiveTimes } from './run.ts'

/** A run as it begins. */
export interface LiveOpening {
  readonly entry: string
  readonly scenario: Scenario
  readonly scenarioHash: string
  readonly description: Description
  readonly blind: boolean
  /** As `admit` named it. */
  readonly owner: string
  readonly address: string
  readonly epoch: number
  readonly openedAt: number
  /** In the order they are played. */
  readonly panel: readonly PanelEpisode[]
  readonly stepMs: number
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

/** The key that a run's seeds come from. It stays secret until it is released by all. */
export interface HeldEpoch {
  readonly id: number
  /** 32 bytes as hex digits. */
  readonly key: string
  readonly commitment: string
  release(): void
}

export interface LiveLedger {
  /** Takes the key of the epoch that is open now. */
  epoch(): Promise<HeldEpoch>
  /**
   * Who begins a run.
   * @returns a name for whoever it is: attempts and parallel runs are counted by it
   * @throws Refusal when the key is unknown, expired or not for submitting, or a quota is used up
   */
  admit(asked: {
    readonly key: string | undefined
    readonly address: string
    readonly scenario: Scenario
    readonly scenarioHash: string
    readonly epoch: number
  }): Promise<string>
  /** Keeps a begun run before its first question goes out. @throws what makes it impossible to begin */
  opened(opening: LiveOpening): Promise<void>
  /** Keeps the result of a run. */
  finished(opening: LiveOpening, result: LiveResult): Promise<void>
  /** The server could not go on with a run; it uses up no quota. */
  failed(opening: LiveOpening, reason: string): Promise<void>
}
