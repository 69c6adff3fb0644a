/** All runs of the server, as they go on. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { type RunInfo } from '../../server/protocol/index.ts'
import { Command } from '../panels/copy.tsx'
import { PageFrame } from '../panels/page-frame.tsx'
import { listRuns } from '../sources/load.ts'
import { type Connection } from '../sources/socket.ts'
import { strings } from '../strings.ts'
import { RunTable } from './home.tsx'

const words = strings.runs

export function RunsPage({ connection }: { connection: Connection }): JSX.Element {
  const runs = useSignal<readonly RunInfo[] | null>(null)
  const failed = useSignal(false)
  const text = useSignal('')
  const status = useSignal('')
  useEffect(() => {
    listRuns().then(
      (found) => (runs.value ??= found),
      () => (failed.value = true),
    )
    return connection.followRuns({
      listed: (listed) => {
        runs.value = listed
        failed.value = false
      },
    })
  }, [connection, runs, failed])
  const all = runs.value ?? []
  const wanted = text.value.trim().toLowerCase()
  const shown = all.filter(
    (run) =>
      (status.value === '' || run.status === status.value) &&
      `${run.id} ${run.algorithm} ${run.scenario}`.toLowerCase().includes(wanted),
  )
  const statuses = [...new Set(all.map((run) => run.status))].sort()
  return (
    <PageFrame title={words.title} id="runs">
      {failed.value && <p class="notice">{strings.home.noServer}</p>}
      {runs.value !== null && all.length === 0 && (
        <div class="empty">
          <p>{strings.home.noRuns}</p>
          <Command title={words.title} command={strings.home.noRunsCommand} />
        </div>
      )}
      {all.length > 0 && (
        <>
          <form class="row" role="search" aria-label={words.filters} onSubmit={(event) => event.preventDefault()}>
            <input
              type="search"
              size={28}
              aria-label={words.text}
              placeholder={words.text}
              value={text.value}
              onInput={(event) => (text.value = event.currentTarget.value)}
            />
            <select
              aria-label={strings.home.runColumns.status}
              value={status.value}
              onChange={(event) => (status.value = event.currentTarget.value)}
            >
              <option value="">{words.anyStatus}</option>
              {statuses.map((name) => (
                <option key={name} value={name}>
                  {strings.run.status[name] ?? name}
                </option>
              ))}
            </select>
          </form>
          <p class="muted" role="status">
            {words.found(shown.length, all.length)}
          </p>
          {shown.length > 0 && <RunTable runs={shown} />}
        </>
      )}
    </PageFrame>
  )
}
