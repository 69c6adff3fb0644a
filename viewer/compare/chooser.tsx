/** Chooses what is compared: replays of this server, nearest first, or files. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { type ReplayInfo } from '../../server/protocol/index.ts'
import { FilePicker } from '../panels/file-picker.tsx'
import { Notice } from '../panels/bar.tsx'
import { Command } from '../panels/copy.tsx'
import { comparePath, navigate } from '../route.ts'
import { nameOf } from '../session.ts'
import { type Lasting } from '../sources/bytes.ts'
import { placeOf } from '../sources/kept.ts'
import { listReplays } from '../sources/load.ts'
import { figure, strings } from '../strings.ts'

const words = strings.compare
const columns = strings.home.replayColumns
/** Replays asked for. */
const LISTED = 500

interface Props {
  /** A file of an earlier choice is gone. */
  readonly lost: boolean
  /** What is chosen already. */
  readonly first: Lasting | null
  readonly step: number
}

export function Chooser({ lost, first, step }: Props): JSX.Element {
  const replays = useSignal<readonly ReplayInfo[] | null>(null)
  const failed = useSignal(false)
  useEffect(() => {
    listReplays(LISTED).then(
      (list) => (replays.value = list.replays),
      () => (failed.value = true),
    )
  }, [replays, failed])
  const place = first === null ? null : placeOf(first)
  const known = replays.value?.find(({ id }) => id === place)
  const choose = (chosen: string) =>
    navigate(place === null ? comparePath({ a: chosen }) : comparePath({ a: place, b: chosen, step }))
  const others = (replays.value ?? [])
    .filter(({ id, scenario }) => id !== place && (known === undefined || scenario === known.scenario))
    .sort((a, b) => Number(b.seed === known?.seed) - Number(a.seed === known?.seed))
  return (
    <main class="home">
      <h1>{words.title}</h1>
      <p>{words.what}</p>
      {lost && <Notice text={words.lost} />}
      <section>
        <h2 id="choose">{first === null ? words.chooseFirst : words.choose}</h2>
        {first !== null && (
          <p>
            <span class="sign sign-1" aria-hidden="true">
              1
            </span>{' '}
            <strong>{known?.scenario ?? nameOf(first)}</strong> <span class="muted">{known?.policies.join(', ')}</span>
          </p>
        )}
        {failed.value && <p class="notice">{strings.home.noServer}</p>}
        {replays.value !== null && others.length === 0 && (
          <div class="empty">
            <p>{known === undefined ? words.noReplays : words.noOther}</p>
            <Command title={words.title} command={words.command(known?.scenario ?? 'warehouse/tiny-4ag')} />
          </div>
        )}
        {others.length > 0 && (
          <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="choose">
            <table class="list">
              <thead>
                <tr>
                  <th scope="col">{columns.replay}</th>
                  <th scope="col">{columns.policy}</th>
                  <th scope="col" class="number">
                    {columns.result}
                  </th>
                  {known !== undefined && <th scope="col">{words.seed}</th>}
                </tr>
              </thead>
              <tbody>
                {others.map((replay) => (
                  <tr key={replay.id}>
                    <th scope="row">
                      <button type="button" class="link-button" onClick={() => choose(replay.id)}>
                        {replay.scenario || strings.unknown}
                      </button>
                      {replay.label !== undefined && <span class="muted">{replay.label}</span>}
                      <span class="mono muted">{replay.id}</span>
                    </th>
                    <td>{replay.policies.join(', ') || strings.unknown}</td>
                    <td class="number">{replay.return === null ? '–' : figure(replay.return)}</td>
                    {known !== undefined && (
                      <td>
                        {replay.seed === known.seed ? words.sameSeed : <span class="muted">{words.otherSeed}</span>}
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
        <p>
          <FilePicker onFile={(file) => choose(placeOf({ kind: 'file', file }))} />
        </p>
      </section>
    </main>
  )
}
