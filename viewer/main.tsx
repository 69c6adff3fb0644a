/** Starts the page. */
import { render } from 'preact'
import { App } from './app.tsx'
import { startRouting } from './route.ts'
import { startTheme } from './theme.ts'
import './style.css'

startTheme()
startRouting()
render(<App />, document.getElementById('app')!)
