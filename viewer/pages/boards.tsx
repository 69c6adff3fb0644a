/** All boards: suites, scenarios, and how many entries each has. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { LEVELS, type ScenarioRow } from '../../server/protocol/rest.ts'
import { BoardFrame, EvidenceBadge, Waiting, useAsked } from '../panels/board-parts.tsx'
import { Notice } from '../panels/bar.tsx'
import { boardPath } from '../route.ts'
import { boardsState, listScenarios } from '../sources/board.ts'
import { strings } from '../strings.ts'
import './leaderboard.css'

const words = strings.leaderboard.boards

export function BoardsPage(): JSX.Element {
  const [asked, again] = useAsked(async () => ({ list: await listScenarios(), state: await boardsState() }), [])
  const typed = useSignal('')
  const filled = useSignal(false)
  const here = asked.value.kind === 'here' ? asked.value.value : null
  const entriesOf = ({ entries }: ScenarioRow) => Object.values(entries).reduce((sum, n) => sum + n, 0)
  const rows = (here?.list.scenarios ?? [])
    .filter((row) => `${row.id} ${row.title}`.toLowerCase().includes(typed.value.trim().toLowerCase()))
    .filter((row) => !filled.value || entriesOf(row) > 0)
    // Boards with rows first; the order of the server within.
    .sort((a, b) => Math.sign(entriesOf(b)) - Math.sign(entriesOf(a)))
  return (
    <BoardFrame title={words.title} here="boards">
      <h1>{words.title}</h1>
      <p class="muted lead">{words.what}</p>
      {here !== null && !here.state.on && (
        <Notice text={`${strings.leaderboard.off} ${here.state.problem ?? ''}`.trim()} />
      )}
      <Waiting asked={asked.value} again={again} />
      {here !== null && (
        <>
          <section aria-labelledby="suites">
            <h2 id="suites">{words.suites}</h2>
            <ul class="suite-list">
              {here.list.suites.map((suite) => (
                <li key={suite.id}>
                  <a href={boardPath('suite', suite.id)}>{suite.title}</a>
                  <span class="muted">
                    <span class="mono">{suite.id}</span> · {words.suiteOf(suite.scenarios.length)}
                  </span>
                </li>
              ))}
            </ul>
          </section>
          <p>
            <a href="/tournaments">{strings.leaderboard.tournaments.title}</a>{' '}
            <span class="muted">{strings.leaderboard.tournaments.what}</span>
          </p>
          <section>
            <h2 id="scenarios">{words.scenarios}</h2>
            <div class="filter board-filter">
              <input
                type="search"
                placeholder={words.filter}
                aria-label={words.filter}
                value={typed.value}
                onInput={(event) => (typed.value = event.currentTarget.value)}
              />
              <label>
                <input
                  type="checkbox"
                  checked={filled.value}
                  onChange={(event) => (filled.value = event.currentTarget.checked)}
                />
                {words.onlyFilled}
              </label>
            </div>
            {rows.length === 0 && <p class="muted">{words.noMatch}</p>}
            {rows.length > 0 && (
              <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="scenarios">
                <table class="list">
                  <thead>
                    <tr>
                      <th scope="col">{words.scenario}</th>
                      <th scope="col">{words.entries}</th>
                      <th scope="col" class="number">
                        {words.agents}
                      </th>
                      <th scope="col" class="number">
                        {words.horizon}
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.id}>
                        <th scope="row">
                          <a href={boardPath('scenario', row.id)}>{row.title}</a>
                          <span class="mono muted">{row.id}</span>
                        </th>
                        <td>
                          {entriesOf(row) === 0 ? (
                            <span class="muted">{words.none}</span>
                          ) : (
                            <span class="row">
                              {[...LEVELS]
                                .reverse()
                                .filter((level) => (row.entries[level] ?? 0) > 0)
                                .map((level) => (
                                  <span key={level} class="row">
                                    {strings.count(row.entries[level])} <EvidenceBadge level={level} />
                                  </span>
                                ))}
                            </span>
                          )}
                        </td>
                        <td class="number">{strings.count(row.agents)}</td>
                        <td class="number">{row.horizon === null ? words.noEnd : strings.count(row.horizon)}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </section>
        </>
      )}
    </BoardFrame>
  )
}
