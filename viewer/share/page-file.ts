/** A replay as one HTML file with the player inside: opens from a disk, from a mail, or in the srcdoc of a frame. */
import { base64 } from '@scure/base'
import { strings } from '../strings.ts'

/** Where the built player lies on the server. */
const PLAYER = '/standalone/player.html'
/** Stands in the built player where the replay goes. */
const PLACE = '<!--troupe-replay-->'

/** What a page file holds besides the player. */
export interface Enclosed {
  readonly name: string
  readonly step: number
  readonly agent: string | null
  readonly overlays: readonly string[]
  /** base64 of the file */
  readonly replay: string
}

/** @throws Error with one sentence when the server has no player */
export async function pageFile(bytes: Uint8Array, about: Omit<Enclosed, 'replay'>): Promise<Blob> {
  const response = await fetch(PLAYER)
  const text = response.ok ? await response.text() : ''
  return new Blob([encloseReplay(text, { ...about, replay: base64.encode(bytes) })], { type: 'text/html' })
}

/** @throws Error when the text is not the player */
export function encloseReplay(player: string, enclosed: Enclosed): string {
  if (!player.includes(PLACE)) throw new Error(strings.share.noPlayer)
  // No '<' in it, so that no name or note can end the script.
  const json = JSON.stringify(enclosed).replaceAll('<', '\\u003c')
  return player.replace(PLACE, () => `<script type="application/json" id="troupe-replay">${json}</script>`)
}
