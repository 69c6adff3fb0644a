/** What a page and the worker that plays on say to each other, besides what any simulation worker answers. */
import { type EpisodeInfo, type Request } from '../sources/messages.ts'
import { type Estimate } from '../whatif/whatif.ts'
import { type Scenario } from '../../scenarios/open.ts'
import { type Preview } from '../scenarios/preview.ts'
import { type Played } from './fork.ts'

/** Who plays, as plain data. */
export type Plan =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'person' }
  /** A scripted policy by its name. */
  | { readonly kind: 'policy'; readonly name: string }
  | { readonly kind: 'checkpoint'; readonly checkpoint: CheckpointFiles; readonly mode: 'greedy' | 'sample' }

/** The two files of a checkpoint, and what the user calls it. */
export interface CheckpointFiles {
  readonly name: string
  readonly weights: Uint8Array
  /** state.json */
  readonly state: string
}

export interface PolicyChoice {
  readonly name: string
  readonly summary: string
  /** Sees the whole world. */
  readonly privileged: boolean
}

export type ForkRequest =
  | Exclude<Request, { kind: 'open' }>
  | { readonly id: number; readonly kind: 'policies'; readonly env: string }
  | {
      readonly id: number
      readonly kind: 'preview'
      readonly scenario: Scenario
      /** null for the usual one. */
      readonly policy: string | null
      readonly seed: string
    }
  | {
      readonly id: number
      readonly kind: 'fork'
      readonly name: string
      readonly bytes: Uint8Array
      readonly at: number
      readonly plans: readonly Plan[]
      readonly label: string
    }
  | {
      readonly id: number
      readonly kind: 'advance'
      readonly steps: number
      readonly choices: readonly (readonly [agent: number, choice: readonly number[]])[]
    }
  | { readonly id: number; readonly kind: 'cut'; readonly step: number }
  | { readonly id: number; readonly kind: 'drive'; readonly plans: readonly Plan[] }
  | { readonly id: number; readonly kind: 'file' }
  | {
      readonly id: number
      readonly kind: 'whatIf'
      readonly name: string
      readonly bytes: Uint8Array
      readonly step: number
      readonly agent: number
      readonly plans: readonly Plan[]
      readonly discount: number
      /** Steps looked ahead. */
      readonly depth: number
    }

/** Where a fork stands. */
export interface ForkState {
  readonly at: number
  readonly over: boolean
  /** Choice of everybody who says nothing now, [N][D]. */
  readonly idle: readonly (readonly number[])[]
}

export type ForkAnswer =
  | { readonly id: number; readonly kind: 'policies'; readonly policies: readonly PolicyChoice[] }
  | {
      readonly id: number
      readonly kind: 'forked'
      readonly info: EpisodeInfo
      readonly played: Played
      readonly state: ForkState
    }
  | { readonly id: number; readonly kind: 'played'; readonly played: Played; readonly state: ForkState }
  | { readonly id: number; readonly kind: 'file'; readonly bytes: Uint8Array }
  | { readonly id: number; readonly kind: 'preview'; readonly preview: Preview }
  | { readonly id: number; readonly kind: 'whatIf'; readonly estimate: Estimate }
