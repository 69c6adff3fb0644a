/** Which page is shown. */
import { type JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { lazy } from './lazy.tsx'
import { openedFile } from './opened-file.ts'
import { Brand, ThemeButton } from './panels/bar.tsx'
import { DropZone } from './panels/drop-zone.tsx'
import { route, type Route } from './route.ts'
import { type Lasting } from './sources/bytes.ts'
import { Connection } from './sources/socket.ts'
import { strings } from './strings.ts'

const HomePage = lazy(async () => (await import('./pages/home.tsx')).HomePage)
const ReplayPage = lazy(async () => (await import('./pages/replay.tsx')).ReplayPage)
const RunPage = lazy(async () => (await import('./pages/run.tsx')).RunPage)
const ComparePage = lazy(async () => (await import('./compare/page.tsx')).ComparePage)
const ReplaysPage = lazy(async () => (await import('./pages/replays.tsx')).ReplaysPage)
const RunsPage = lazy(async () => (await import('./pages/runs.tsx')).RunsPage)
const HelpPage = lazy(async () => (await import('./pages/help.tsx')).HelpPage)
const ScenariosPage = lazy(async () => (await import('./pages/scenarios.tsx')).ScenariosPage)
const ScenarioPage = lazy(async () => (await import('./pages/scenario.tsx')).ScenarioPage)
const BoardsPage = lazy(async () => (await import('./pages/boards.tsx')).BoardsPage)
const BoardPage = lazy(async () => (await import('./pages/board.tsx')).BoardPage)
const EntryPage = lazy(async () => (await import('./pages/entry.tsx')).EntryPage)
const SubmitPage = lazy(async () => (await import('./pages/submit.tsx')).SubmitPage)
const TournamentsPage = lazy(async () => (await import('./pages/tournaments.tsx')).TournamentsPage)
const TournamentPage = lazy(async () => (await import('./pages/tournaments.tsx')).TournamentPage)

const EmbedPage = lazy(async () => {
  const [{ EmbedPage }, { hookRendering }] = await Promise.all([
    import('./share/embed-page.tsx'),
    import('./share/render-hook.ts'),
  ])
  return (props: Omit<Parameters<typeof EmbedPage>[0], 'onSession'>) =>
    EmbedPage({ ...props, onSession: hookRendering })
})

export function App(): JSX.Element {
  const connection = useMemo(() => new Connection(), [])
  return (
    <>
      <Page connection={connection} route={route.value} />
      <DropZone />
    </>
  )
}

function Page({ connection, route }: { connection: Connection; route: Route }): JSX.Element {
  const file = openedFile.value
  const source = useMemo(() => sourceOf(route, file), [route, file])
  if (route.page === 'home') return <HomePage connection={connection} />
  if (route.page === 'replay') return <ReplayPage connection={connection} source={source} query={route.query} />
  if (route.page === 'compare') return <ComparePage connection={connection} query={route.query} />
  if (route.page === 'embed') {
    const { query, parent } = route
    return <EmbedPage connection={connection} source={source} query={query} parent={parent} />
  }
  if (route.page === 'run') return <RunPage key={route.id} connection={connection} id={route.id} />
  if (route.page === 'replays') return <ReplaysPage />
  if (route.page === 'runs') return <RunsPage connection={connection} />
  if (route.page === 'help') return <HelpPage />
  if (route.page === 'scenarios') return <ScenariosPage />
  if (route.page === 'scenario') return <ScenarioPage key={route.id} id={route.id} />
  if (route.page === 'boards') return <BoardsPage />
  if (route.page === 'board') return <BoardPage place={route.place} id={route.id} query={route.query} />
  if (route.page === 'entry') return <EntryPage id={route.id} />
  if (route.page === 'submit') return <SubmitPage />
  if (route.page === 'tournaments') return <TournamentsPage />
  if (route.page === 'tournament') return <TournamentPage key={route.id} id={route.id} />
  return (
    <div class="page">
      <header class="bar">
        <Brand />
        <div class="bar-actions">
          <ThemeButton />
        </div>
      </header>
      <main class="message">
        <h1>{strings.notFound}</h1>
        <a class="button" href="/">
          {strings.files.home}
        </a>
      </main>
    </div>
  )
}

function sourceOf(route: Route, file: Lasting | null): Lasting | null {
  if (route.page === 'embed') return route.id === null ? null : { kind: 'server', id: route.id }
  if (route.page !== 'replay') return null
  if (route.id !== null) return { kind: 'server', id: route.id }
  if (route.query.url !== null) return { kind: 'address', address: route.query.url }
  return file
}
