/** The stages of the page, made when first needed and kept for its life: one, and a second for comparisons. */
import { PALETTES, theme } from '../theme.ts'
import { type Stage } from './stage.ts'

/** 0 is the stage of every page; 1 stands beside it where two episodes are compared. */
export type Slot = 0 | 1

const made: Promise<Stage>[] = []
const current: Stage[] = []

/** The stage, when it has been made. */
export function madeStage(slot: Slot = 0): Stage | undefined {
  return current[slot]
}

/** @throws Error when the browser cannot draw */
export function sharedStage(slot: Slot = 0): Promise<Stage> {
  made[slot] ??= import('./stage.ts').then(async ({ Stage }) => {
    const stage = await Stage.create(PALETTES[theme.peek()])
    current[slot] = stage
    return stage
  })
  return made[slot]
}
