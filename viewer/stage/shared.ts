/** The one stage of the page, made when first needed. */
import { PALETTES, theme } from '../theme.ts'
import { type Stage } from './stage.ts'

let made: Promise<Stage> | undefined
let current: Stage | undefined

/** The stage, when it has been made. */
export function madeStage(): Stage | undefined {
  return current
}

/** @throws Error when the browser cannot draw */
export function sharedStage(): Promise<Stage> {
  made ??= import('./stage.ts').then(async ({ Stage }) => {
    current = await Stage.create(PALETTES[theme.peek()])
    return current
  })
  return made
}
