/** Starts the page. */
import { render } from 'preact'
import { App } from './app.tsx'
import { hasStage, route, startRouting } from './route.ts'
import { sharedStage } from './stage/shared.ts'
import { startTheme } from './theme.ts'
import './style.css'

startTheme()
startRouting()
// Where something moves, drawing code and shaders load while the replay is still on its way; pages say so themselves when
// they cannot draw. Boards, lists and forms have no stage.
if (hasStage(route.peek())) sharedStage().catch(() => undefined)
render(<App />, document.getElementById('app')!)
