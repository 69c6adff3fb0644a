/** Lets `troupe render` have pictures and films made by an embedded player: `window.troupeRender`. */
import { type Session } from '../session.ts'
import { madeStage } from '../stage/shared.ts'
import { strings } from '../strings.ts'
import { type FilmPlan } from './film.ts'

export type RenderPlan = Omit<FilmPlan, 'format'> & { readonly format: FilmPlan['format'] | 'png' }

declare global {
  interface Window {
    /** Makes a film, or a picture of the first step; base64 of the file. */
    troupeRender?: (plan: RenderPlan) => Promise<string>
  }
}

/** @returns the way to take it away again */
export function hookRendering(session: Session): () => void {
  window.troupeRender = async ({ format, ...plan }) => {
    const { film, still } = await import('./film.ts')
    const stage = madeStage()
    if (stage === undefined) throw new Error(strings.stage.none)
    if (format !== 'png') return base64Of(await film(session, stage, { format, ...plan }))
    session.player.seek(plan.from)
    return base64Of(await still(session, stage, plan.width))
  }
  return () => delete window.troupeRender
}

async function base64Of(blob: Blob): Promise<string> {
  const bytes = new Uint8Array(await blob.arrayBuffer())
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
