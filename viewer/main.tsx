/** Starts the page. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startRouting } from './route.ts'
import { sharedStage } from './stage/shared.ts'
import { startTheme } from './theme.ts'
import './style.css'

startTheme()
startRouting()
// Drawing code and shaders load while the replay is still on its way; pages say so themselves when they cannot draw.
sharedStage().catch(() => undefined)
render(<App />, document.getElementById('app')!)
