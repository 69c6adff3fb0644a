/** All replays of the server, with filters that the address holds. */
import { useComputed, useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { type ReplayInfo } from '../../server/protocol/index.ts'
import { Brand, ThemeButton } from '../panels/bar.tsx'
import { SiteLinks } from '../panels/page-frame.tsx'
import { FilePicker } from '../panels/file-picker.tsx'
import { rewrite } from '../route.ts'
import { listReplays } from '../sources/load.ts'
import { strings } from '../strings.ts'
import { ReplayTable } from './home.tsx'
import { filtered, filterOf, filterSearch, ORDERS, type Order, type ReplayFilter } from './replay-filter.ts'

const words = strings.replays
/** Replays asked for: as many as the server gives at once. */
const LISTED = 500

export function ReplaysPage(): JSX.Element {
  const list = useSignal<{ replays: readonly ReplayInfo[]; total: number } | null>(null)
  const failed = useSignal(false)
  const filter = useSignal(filterOf(location.search))
  useEffect(() => {
    document.title = `${words.title} · ${strings.name}`
    listReplays(LISTED).then(
      (found) => (list.value = found),
      () => (failed.value = true),
    )
  }, [list, failed])
  const change = (part: Partial<ReplayFilter>) => {
    filter.value = { ...filter.value, ...part }
    rewrite(`/replays${filterSearch(filter.value)}`)
  }
  const shown = useComputed(() => filtered(list.value?.replays ?? [], filter.value)).value
  const known = (name: 'env' | 'origin') =>
    [...new Set((list.value?.replays ?? []).map((replay) => replay[name]))].sort()
  const { text, env, origin, order } = filter.value
  return (
    <div class="page">
      <header class="bar">
        <Brand />
        <SiteLinks />
        <div class="bar-actions">
          <FilePicker />
          <ThemeButton />
        </div>
      </header>
      <main class="home">
        <h1 id="replays">{words.title}</h1>
        <form class="row" role="search" aria-label={words.filters} onSubmit={(event) => event.preventDefault()}>
          <input
            type="search"
            size={28}
            aria-label={words.text}
            placeholder={words.text}
            value={text}
            onInput={(event) => change({ text: event.currentTarget.value })}
          />
          <select aria-label={words.env} value={env} onChange={(event) => change({ env: event.currentTarget.value })}>
            <option value="">{words.allWorlds}</option>
            {known('env').map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
          <select
            aria-label={strings.home.replayColumns.origin}
            value={origin}
            onChange={(event) => change({ origin: event.currentTarget.value })}
          >
            <option value="">{words.allOrigins}</option>
            {known('origin').map((name) => (
              <option key={name} value={name}>
                {strings.home.origins[name] ?? name}
              </option>
            ))}
          </select>
          <select
            aria-label={words.order}
            value={order}
            onChange={(event) => change({ order: event.currentTarget.value as Order })}
          >
            {ORDERS.map((name) => (
              <option key={name} value={name}>
                {words.orders[name]}
              </option>
            ))}
          </select>
        </form>
        {failed.value && <p class="notice">{strings.home.noServer}</p>}
        {list.value !== null && (
          <p class="muted" role="status">
            {words.found(shown.length, list.value.total)}
          </p>
        )}
        {shown.length > 0 && <ReplayTable replays={shown} />}
      </main>
    </div>
  )
}
