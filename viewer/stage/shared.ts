/** The one stage of the page, made when first needed. */
import { PALETTES, theme } from '../theme.ts'
import { type Stage } from './stage.ts'

let made: Promise<Stage> | undefined

/** @throws Error when the browser cannot draw */
export function sharedStage(): Promise<Stage> {
  made ??= import('./stage.ts').then(({ Stage }) => Stage.create(PALETTES[theme.peek()]))
  return made
}
