/** A submission from this page: the server gives seeds, whoever plays them brings the replays back, and they go up. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { readReplayHeader } from '../../envs/core/replay-read.ts'
import { isBundle, readBundle, writeBundle } from '../../server/protocol/bundle.ts'
import { type ScenarioRow, type Submission } from '../../server/protocol/rest.ts'
import { Icon } from '../icons.tsx'
import { useAsked } from '../panels/board-parts.tsx'
import { apiKey, keepKey, listScenarios, openSubmission, uploadBundle } from '../sources/board.ts'
import { readFile } from '../sources/load.ts'
import { strings } from '../strings.ts'

const words = strings.leaderboard.submit.upload

type Step =
  | { readonly kind: 'form' }
  | { readonly kind: 'busy'; readonly opened: Submission | null }
  | { readonly kind: 'opened'; readonly opened: Submission }
  | { readonly kind: 'sent'; readonly opened: Submission }

export function Upload(): JSX.Element {
  const [asked] = useAsked(listScenarios, [])
  const step = useSignal<Step>({ kind: 'form' })
  const failed = useSignal('')
  const scenarios = asked.value.kind === 'here' ? asked.value.value.scenarios : []
  const attempt = async (opened: Submission | null, work: () => Promise<Step>) => {
    failed.value = ''
    step.value = { kind: 'busy', opened }
    try {
      step.value = await work()
    } catch (error) {
      failed.value = (error as Error).message
      step.value = opened === null ? { kind: 'form' } : { kind: 'opened', opened }
    }
  }
  const now = step.value
  const opened = now.kind === 'form' ? null : now.opened
  return (
    <section class="block upload" aria-labelledby="upload">
      <h2 id="upload">{words.title}</h2>
      <p class="muted">{words.what}</p>
      {opened === null ? (
        <Form
          scenarios={scenarios}
          busy={now.kind === 'busy'}
          open={(form) => void attempt(null, async () => ({ kind: 'opened', opened: await openSubmission(form) }))}
        />
      ) : (
        <>
          <p>{words.opened(opened.id, opened.seeds?.length ?? 0, opened.scenario)}</p>
          {now.kind === 'sent' ? (
            <p class="badge good">
              <Icon name="check" size={14} />
              {words.sent}
            </p>
          ) : (
            <div class="row">
              <button type="button" class="button" onClick={() => saveSeeds(opened)}>
                <Icon name="download" size={16} />
                {words.seeds}
              </button>
              <label class="button file-button main-button">
                <Icon name="file" size={16} />
                {words.choose}
                <input
                  type="file"
                  class="hidden"
                  multiple
                  accept=".replay,.replays"
                  disabled={now.kind === 'busy'}
                  onChange={(event) => {
                    const files = [...(event.currentTarget.files ?? [])]
                    event.currentTarget.value = ''
                    if (files.length === 0) return
                    void attempt(opened, async () => {
                      await uploadBundle(opened.id, await bundleOf(files, opened.seeds ?? []))
                      return { kind: 'sent', opened }
                    })
                  }}
                />
              </label>
            </div>
          )}
        </>
      )}
      <div role="status">{failed.value !== '' && <p class="reason">{failed.value}</p>}</div>
    </section>
  )
}

interface Asked {
  readonly scenario: string
  readonly name: string
  readonly algorithm: string
}

function Form(props: { scenarios: readonly ScenarioRow[]; busy: boolean; open: (asked: Asked) => void }): JSX.Element {
  const key = useSignal(apiKey.peek())
  return (
    <form
      class="upload-form"
      onSubmit={(event) => {
        event.preventDefault()
        const form = new FormData(event.currentTarget)
        const text = (name: string) => String(form.get(name) ?? '').trim()
        keepKey(text('key'))
        props.open({ scenario: text('scenario'), name: text('name'), algorithm: text('algorithm') })
      }}
    >
      <label>
        {words.key}
        <input name="key" type="password" required autocomplete="off" value={key.value} />
      </label>
      <label>
        {words.scenario}
        <select name="scenario" required>
          {props.scenarios.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <label>
        {words.name}
        <input name="name" required maxLength={120} />
      </label>
      <label>
        {words.algorithm}
        <input name="algorithm" required maxLength={120} />
      </label>
      <button type="submit" class="button main-button" disabled={props.busy}>
        {words.open}
      </button>
    </form>
  )
}

function saveSeeds({ id, scenario, seeds }: Submission): void {
  const text = JSON.stringify({ submission: id, scenario, seeds }, undefined, 2)
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${id}-seeds.json`
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

/** The replays in the order of the seeds, whatever the order of the files. @throws Error with one sentence */
async function bundleOf(files: readonly File[], seeds: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const bySeed = new Map<string, Uint8Array>()
  for (const bytes of await Promise.all(files.map(readFile))) {
    for (const replay of isBundle(bytes) ? readBundle(bytes) : [bytes]) {
      const { seed } = readReplayHeader(replay)
      if (seed !== null) bySeed.set(seed, replay)
    }
  }
  const replays = seeds.map((seed) => bySeed.get(seed))
  const missing = replays.filter((replay) => replay === undefined).length
  if (missing > 0) throw new Error(words.missing(missing, seeds.length))
  return writeBundle(replays as Uint8Array[]) as Uint8Array<ArrayBuffer>
}
