/** Starts the player of a single file: everything it needs is in the page. */
import { base64 } from '@scure/base'
import { render } from 'preact'
import { EmbedPage } from './share/embed-page.tsx'
import { type Enclosed } from './share/page-file.ts'
import { startTheme } from './theme.ts'
import './style.css'

startTheme()
const enclosed = JSON.parse(document.getElementById('troupe-replay')?.textContent ?? 'null') as Enclosed | null
const query = {
  step: enclosed?.step ?? 0,
  agent: enclosed?.agent ?? null,
  overlays: enclosed?.overlays ?? [],
  camera: null,
}
const source =
  enclosed === null
    ? null
    : ({
        kind: 'file',
        file: new File([base64.decode(enclosed.replay) as Uint8Array<ArrayBuffer>], enclosed.name),
      } as const)
if (enclosed !== null) document.title = enclosed.name
render(<EmbedPage source={source} query={query} parent={null} />, document.getElementById('app')!)
