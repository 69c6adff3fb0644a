/** Addresses of the pages. Unknown ones get a page that says so. */
import { signal } from '@preact/signals'
import { type Sight } from './stage/camera.ts'

export type Route =
  | { readonly page: 'home' }
  | { readonly page: 'replay'; readonly id: string | null; readonly query: ReplayQuery }
  | { readonly page: 'run'; readonly id: string }
  | { readonly page: 'compare'; readonly query: CompareQuery }
  | { readonly page: 'embed'; readonly id: string | null; readonly query: ReplayQuery; readonly parent: string | null }
  | { readonly page: 'replays' }
  | { readonly page: 'runs' }
  | { readonly page: 'help' }
  | { readonly page: 'scenarios' }
  | { readonly page: 'scenario'; readonly id: string }
  | { readonly page: 'boards' }
  /** A board of a scenario or a suite. */
  | { readonly page: 'board'; readonly place: 'scenario' | 'suite'; readonly id: string; readonly query: BoardQuery }
  | { readonly page: 'entry'; readonly id: string }
  | { readonly page: 'submit' }
  | { readonly page: 'tournaments' }
  | { readonly page: 'tournament'; readonly id: string }
  | { readonly page: 'unknown' }

export interface BoardQuery {
  readonly kind: 'policy' | 'algorithm'
  /** Level of evidence; null = the strongest that has rows. */
  readonly level: string | null
  readonly offset: number
}

export interface ReplayQuery {
  readonly step: number
  readonly agent: string | null
  /** Address of a replay on this server, instead of an id. */
  readonly url: string | null
  /** Where the camera looks; null = the whole world. */
  readonly camera: Sight | null
  readonly overlays: readonly string[]
}

/** Two replays side by side; places as sources/kept.ts names them. */
export interface CompareQuery {
  readonly a: string | null
  readonly b: string | null
  readonly step: number
  readonly agent: string | null
}

/** In the place of an id (ids hold a colon): a file that only this page has, and a replay given by its address. */
const LOCAL = 'local'
const LINK = 'link'

export function parseRoute(path: string, search: string): Route {
  const parts = path.split('/').filter((part) => part !== '')
  if (parts.length === 0) return { page: 'home' }
  if (parts.length === 1 && parts[0] === 'replays') return { page: 'replays' }
  if (parts.length === 1 && parts[0] === 'runs') return { page: 'runs' }
  if (parts.length === 1 && parts[0] === 'help') return { page: 'help' }
  if (parts.length === 1 && parts[0] === 'scenarios') return { page: 'scenarios' }
  if (parts.length === 1 && parts[0] === 'compare') return { page: 'compare', query: parseCompare(search) }
  if (parts[0] === 'embed' && parts.length <= 2) {
    const parent = new URLSearchParams(search).get('parent')
    return { page: 'embed', id: parts.length === 2 ? decode(parts[1]) : null, query: parseQuery(search), parent }
  }
  const id = parts.length === 2 ? decode(parts[1]) : null
  if (parts[0] === 'replay' && id !== null) {
    return { page: 'replay', id: id === LOCAL || id === LINK ? null : id, query: parseQuery(search) }
  }
  // Names of scenarios hold a slash; links write it as %2F, people write it as it is.
  const name = parts.length === 3 ? `${decode(parts[1])}/${decode(parts[2])}` : id
  if (parts[0] === 'scenario' && name !== null) return { page: 'scenario', id: name }
  if (parts[0] === 'run' && id !== null) return { page: 'run', id }
  if (parts.length === 1 && parts[0] === 'boards') return { page: 'boards' }
  if (parts.length === 1 && parts[0] === 'submit') return { page: 'submit' }
  if (parts.length === 1 && parts[0] === 'tournaments') return { page: 'tournaments' }
  if (parts[0] === 'tournament' && id !== null) return { page: 'tournament', id }
  if (parts[0] === 'entry' && id !== null) return { page: 'entry', id }
  if (parts[0] === 'board' && name !== null) {
    return { page: 'board', place: 'scenario', id: name, query: boardQuery(search) }
  }
  if (parts[0] === 'suite' && id !== null) return { page: 'board', place: 'suite', id, query: boardQuery(search) }
  return { page: 'unknown' }
}

function parseQuery(search: string): ReplayQuery {
  const query = new URLSearchParams(search)
  const step = Number(query.get('step') ?? 0)
  return {
    step: Number.isFinite(step) && step > 0 ? Math.floor(step) : 0,
    agent: query.get('agent'),
    url: query.get('url'),
    camera: parseCamera(query.get('camera')),
    overlays: (query.get('overlays') ?? '').split(',').filter((id) => id !== ''),
  }
}

/** `x,y,zoom`: the world point in the middle, and how much larger than fitted. */
function parseCamera(text: string | null): Sight | null {
  const numbers = text?.split(',').map(Number) ?? []
  if (numbers.length !== 3 || !numbers.every(Number.isFinite) || !(numbers[2] > 0)) return null
  const [x, y, zoom] = numbers
  return { x, y, zoom }
}

/** Up to three decimals say where to look closely enough. */
function cameraText({ x, y, zoom }: Sight): string {
  return [x, y, zoom].map((value) => Number(value.toFixed(3))).join(',')
}

function parseCompare(search: string): CompareQuery {
  const query = new URLSearchParams(search)
  const { step, agent } = parseQuery(search)
  return { a: query.get('a'), b: query.get('b'), step, agent }
}

export function comparePath({ a, b, step, agent }: Partial<CompareQuery>): string {
  const search = new URLSearchParams()
  for (const [name, place] of Object.entries({ a, b })) if (place != null) search.set(name, place)
  if (step !== undefined && step > 0) search.set('step', String(step))
  if (agent != null) search.set('agent', agent)
  return `/compare?${search.toString()}`
}

/** Where a replay is, at a step, with an agent. @param id null for a file that only this page has */
export function replayPath(id: string | null, query: Partial<ReplayQuery> = {}): string {
  const search = new URLSearchParams()
  if (query.url != null) search.set('url', query.url)
  if (query.step !== undefined && query.step > 0) search.set('step', String(query.step))
  if (query.agent != null) search.set('agent', query.agent)
  if (query.camera != null) search.set('camera', cameraText(query.camera))
  if (query.overlays !== undefined && query.overlays.length > 0) search.set('overlays', query.overlays.join(','))
  const text = search.toString()
  const place = id ?? (query.url != null ? LINK : LOCAL)
  return `/replay/${encodeURIComponent(place)}${text === '' ? '' : `?${text}`}`
}

function boardQuery(search: string): BoardQuery {
  const query = new URLSearchParams(search)
  const offset = Number(query.get('from') ?? 0)
  return {
    kind: query.get('rows') === 'algorithm' ? 'algorithm' : 'policy',
    level: query.get('evidence'),
    offset: Number.isInteger(offset) && offset > 0 && offset < 1e9 ? offset : 0,
  }
}

/** Where a board is. @param place whose board: a scenario's or a suite's */
export function boardPath(place: 'scenario' | 'suite', id: string, query: Partial<BoardQuery> = {}): string {
  const search = new URLSearchParams()
  if (query.kind === 'algorithm') search.set('rows', query.kind)
  if (query.level != null) search.set('evidence', query.level)
  if (query.offset !== undefined && query.offset > 0) search.set('from', String(query.offset))
  const text = search.toString()
  return `/${place === 'scenario' ? 'board' : 'suite'}/${encodeURIComponent(id)}${text === '' ? '' : `?${text}`}`
}

export function entryPath(id: string): string {
  return `/entry/${encodeURIComponent(id)}`
}

export function tournamentPath(id: string): string {
  return `/tournament/${encodeURIComponent(id)}`
}

/** The player alone, for a frame of another page. */
export function embedPath(id: string, query: Partial<ReplayQuery>): string {
  return replayPath(id, query).replace('/replay/', '/embed/')
}

export function scenarioPath(id: string): string {
  return `/scenario/${encodeURIComponent(id)}`
}

export function runPath(id: string): string {
  return `/run/${encodeURIComponent(id)}`
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Pages that draw a world as soon as they are there. */
export function hasStage({ page }: Route): boolean {
  return (
    page === 'home' ||
    page === 'replay' ||
    page === 'compare' ||
    page === 'embed' ||
    page === 'run' ||
    page === 'scenario'
  )
}

export const route = signal<Route>({ page: 'home' })

export function startRouting(): void {
  const read = () => {
    route.value = parseRoute(location.pathname, location.search)
  }
  addEventListener('popstate', read)
  // Links of our own pages change the page without loading it anew.
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const link = (event.target as Element | null)?.closest?.('a')
    if (link == null || link.origin !== location.origin || link.hasAttribute('download') || link.target !== '') return
    if (link.pathname.startsWith('/api/')) return
    event.preventDefault()
    navigate(link.pathname + link.search)
  })
  read()
}

export function navigate(path: string): void {
  history.pushState(null, '', path)
  route.value = parseRoute(location.pathname, location.search)
  scrollTo(0, 0)
}

/** Rewrites the address without another entry in the history, and without opening anything. */
export function rewrite(path: string): void {
  if (location.pathname + location.search !== path) history.replaceState(history.state, '', path)
}
