/** Tournaments of the data folder: the list, and one with its ratings and who met whom. */
import { type JSX } from 'preact'
import { type Tournament } from '../../server/protocol/tournaments.ts'
import { BoardFrame, Waiting, moment, useAsked } from '../panels/board-parts.tsx'
import { scenarioPath, tournamentPath } from '../route.ts'
import { listTournaments, oneTournament } from '../sources/board.ts'
import { figure, strings } from '../strings.ts'
import './leaderboard.css'

const words = strings.leaderboard.tournaments

export function TournamentsPage(): JSX.Element {
  const [asked, again] = useAsked(listTournaments, [])
  const here = asked.value.kind === 'here' ? asked.value.value : null
  return (
    <BoardFrame title={words.title} here="tournaments">
      <h1 id="tournaments">{words.title}</h1>
      <p class="muted lead">{words.what}</p>
      <Waiting asked={asked.value} again={again} />
      {here?.tournaments.length === 0 && (
        <>
          <p>{words.none}</p>
          <pre class="command" tabIndex={0}>
            {words.command}
          </pre>
        </>
      )}
      {here !== null && here.tournaments.length > 0 && (
        <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="tournaments">
          <table class="list">
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col">{words.scenario}</th>
                <th scope="col">{words.best}</th>
                <th scope="col" class="number">
                  {words.players}
                </th>
                <th scope="col" class="number">
                  {words.episodes}
                </th>
                <th scope="col">{words.played}</th>
              </tr>
            </thead>
            <tbody>
              {here.tournaments.map(({ id, scenario, players, best, episodes, at }) => (
                <tr key={id}>
                  <th scope="row">
                    <a href={tournamentPath(id)}>{id}</a>
                  </th>
                  <td class="mono">{scenario}</td>
                  <td>{best}</td>
                  <td class="number">{strings.count(players)}</td>
                  <td class="number">{strings.count(episodes)}</td>
                  <td>{moment(at, true)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {here !== null && here.skipped.length > 0 && (
        <section>
          <h2>{words.skipped}</h2>
          <ul>
            {here.skipped.map(({ id, reason }) => (
              <li key={id}>
                <span class="mono">{id}</span>: <span class="reason">{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </BoardFrame>
  )
}

export function TournamentPage({ id }: { id: string }): JSX.Element {
  const [asked, again] = useAsked(() => oneTournament(id), [id])
  const here = asked.value.kind === 'here' ? asked.value.value : null
  return (
    <BoardFrame title={id}>
      <p>
        <a href="/tournaments">{words.all}</a>
      </p>
      <h1>{id}</h1>
      <Waiting asked={asked.value} again={again} />
      {here !== null && <Tables {...here} />}
    </BoardFrame>
  )
}

const reward = (value: number | null): string => (value === null ? '–' : figure(Math.round(value * 1000) / 1000))

function Tables(one: Tournament): JSX.Element {
  const { scenario, seed, players, payoffs, wins, ratings, intransitive, means, order, episodes, error, steps } = one
  const standing = order.map((i) => players[i])
  const inOrder = <T,>(table: readonly (readonly T[])[]) => order.map((i) => order.map((j) => table[i][j]))
  return (
    <>
      <p class="muted lead">
        <a href={scenarioPath(scenario.id)} class="mono">
          {scenario.id}
        </a>
        {' · '}
        {words.facts(episodes, steps, error, seed)}
      </p>
      <section>
        <h2 id="payoffs">{words.payoffs}</h2>
        <p class="muted lead">
          {words.payoffsMean} {words.selfAndCross(reward(one.selfPlay), reward(one.crossPlay))}
        </p>
        <HeatTable
          of="payoffs"
          names={standing}
          cells={inOrder(payoffs)}
          means={order.map((i) => means[i])}
          text={reward}
        />
      </section>
      {ratings.length > 0 && (
        <section>
          <h2 id="ratings">{words.ratings}</h2>
          <p class="muted lead">
            {words.ratingsMean} {words.circles(intransitive.cyclic, intransitive.triples)}
          </p>
          <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="ratings">
            <table class="list">
              <thead>
                <tr>
                  <th scope="col" class="number">
                    {words.place}
                  </th>
                  <th scope="col">{words.player}</th>
                  {[words.rating, words.deviation, words.interval, words.games].map((name) => (
                    <th key={name} scope="col" class="number">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {ratings.map(({ player, rating, deviation, games }, place) => (
                  <tr key={player}>
                    <td class="number">{place + 1}</td>
                    <th scope="row">{player}</th>
                    <td class="number">{rating.toFixed(0)}</td>
                    <td class="number">{deviation.toFixed(1)}</td>
                    <td class="number">
                      {(rating - 1.96 * deviation).toFixed(0)}–{(rating + 1.96 * deviation).toFixed(0)}
                    </td>
                    <td class="number">{strings.count(Math.round(games))}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
      <section>
        <h2 id="wins">{words.wins}</h2>
        <p class="muted lead">{words.winsMean}</p>
        <HeatTable of="wins" names={standing} cells={inOrder(wins)} text={reward} />
      </section>
    </>
  )
}

/** A table whose cells are coloured by their numbers; the numbers are there, so colour is not needed. */
function HeatTable(props: {
  of: string
  names: readonly string[]
  cells: readonly (readonly (number | null)[])[]
  means?: readonly (number | null)[]
  text: (value: number | null) => string
}): JSX.Element {
  const { of, names, cells, means, text } = props
  const known = cells.flat().filter((value) => value !== null)
  const low = known.reduce((least, value) => Math.min(least, value), Infinity)
  const high = known.reduce((most, value) => Math.max(most, value), -Infinity)
  const heat = (value: number) => Math.round(high > low ? (40 * (value - low)) / (high - low) : 0)
  return (
    <>
      <div class="table-scroll" tabIndex={0} role="region" aria-labelledby={of}>
        <table class="list heat">
          <thead>
            <tr>
              <th scope="col">{words.player}</th>
              {means !== undefined && (
                <th scope="col" class="number">
                  {words.mean}
                </th>
              )}
              {names.map((name) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {names.map((name, i) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {means !== undefined && <td class="number">{text(means[i])}</td>}
                {cells[i].map((value, j) =>
                  value === null ? (
                    <td key={names[j]} class="number muted" title={words.notMet}>
                      –
                    </td>
                  ) : (
                    <td key={names[j]} class="number heat-cell" style={{ '--heat': `${heat(value)}%` }}>
                      {text(value)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {known.length > 0 && <p class="muted small-text">{words.scale(text(low), text(high))}</p>}
    </>
  )
}
