/** Everything that can be sent to somebody else: link, embedding code, page, picture, film, file. */
import { useComputed, useSignal } from '@preact/signals'
import { type ComponentChildren, type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { linkTo } from '../panels/bar.tsx'
import { copyText } from '../panels/copy.tsx'
import { Dialog } from '../panels/dialog.tsx'
import { embedPath } from '../route.ts'
import { nameOf, type Session } from '../session.ts'
import { bytesOf, plainName, saveAs } from '../sources/bytes.ts'
import { madeStage } from '../stage/shared.ts'
import { strings } from '../strings.ts'
import { film, filmFormats, still, type FilmFormat } from './film.ts'
import { pageFile } from './page-file.ts'
import './share.css'

const words = strings.share
const RATES = [1, 2, 4, 8, 16, 32] as const
const WIDTHS = [320, 480, 640, 960, 1280] as const

interface Props {
  readonly session: Session
  readonly open: boolean
  onClose(): void
}

export function ShareDialog({ session, open, onClose }: Props): JSX.Element {
  return (
    <Dialog id="share" title={words.title} open={open} onClose={onClose} class="share-dialog">
      {session.info.value !== null && <Ways session={session} />}
    </Dialog>
  )
}

function Ways({ session }: { session: Session }): JSX.Element {
  const source = session.source.value
  const failure = useSignal<string | null>(null)
  const address = useComputed(() => {
    void session.clock.value
    return `${location.origin}${linkTo(session)}`
  }).value
  const name = source === null ? '' : plainName(nameOf(source))
  const attempt = async (work: () => Promise<void>) => {
    failure.value = null
    try {
      await work()
    } catch (error) {
      if ((error as Error).name !== 'AbortError') failure.value = error instanceof Error ? error.message : String(error)
    }
  }
  const savePage = async () => {
    if (source === null || source.kind === 'fork') return
    const about = {
      name: nameOf(source),
      step: session.clock.peek().step,
      agent: session.agent.peek(),
      overlays: [...session.overlays.peek()],
    }
    saveAs(`${name}.html`, await pageFile(await bytesOf(source), about))
  }
  const savePicture = async () => {
    const stage = madeStage()
    if (stage === undefined) throw new Error(strings.stage.none)
    saveAs(`${name}-step-${session.clock.peek().step}.png`, await still(session, stage, 1280))
  }
  return (
    <>
      {failure.value !== null && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <Way title={words.link} help={source?.kind === 'file' ? words.local : words.linkHelp}>
        {source?.kind !== 'file' && <Copied label={words.linkLabel} text={address} />}
      </Way>
      {source?.kind === 'server' && (
        <Way title={words.embed} help={words.embedHelp}>
          <Copied
            label={words.embedLabel}
            text={`<iframe src="${location.origin}${embedPath(source.id, { step: session.clock.value.step, agent: session.agent.value })}" width="800" height="600" title="troupe"></iframe>`}
          />
        </Way>
      )}
      <Way title={words.page} help={words.pageHelp}>
        <button type="button" class="button" onClick={() => void attempt(savePage)}>
          {words.savePage}
        </button>
      </Way>
      <Way title={words.picture}>
        <button type="button" class="button" onClick={() => void attempt(savePicture)}>
          {words.savePicture}
        </button>
      </Way>
      <Film session={session} name={name} attempt={attempt} />
      {source !== null && source.kind !== 'fork' && (
        <Way title={words.file}>
          <button
            type="button"
            class="button"
            onClick={() => void attempt(async () => saveAs(`${name}.replay`, await bytesOf(source)))}
          >
            {words.saveFile}
          </button>
        </Way>
      )}
    </>
  )
}

function Way({ title, help, children }: { title: string; help?: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="way">
      <h3>{title}</h3>
      {help !== undefined && <p class="muted">{help}</p>}
      {children}
    </section>
  )
}

function Copied({ label, text }: { label: string; text: string }): JSX.Element {
  const said = useSignal('')
  return (
    <div class="row copied">
      <input
        type="text"
        readOnly
        class="mono"
        aria-label={label}
        value={text}
        onFocus={(event) => event.currentTarget.select()}
      />
      <button
        type="button"
        class="button"
        aria-label={`${words.copy}: ${label}`}
        onClick={async () => {
          said.value = (await copyText(text)) ? words.copied : strings.bar.copyFailed
        }}
      >
        {words.copy}
      </button>
      <span role="status" class="muted">
        {said.value}
      </span>
    </div>
  )
}

function Film(props: {
  session: Session
  name: string
  attempt: (work: () => Promise<void>) => Promise<void>
}): JSX.Element {
  const { session, name, attempt } = props
  const { last, step } = session.clock.value
  const range = session.clock.value.range
  const formats = useSignal<readonly FilmFormat[]>(['gif'])
  const format = useSignal<FilmFormat>('gif')
  const from = useSignal(range?.from ?? Math.min(step, Math.max(0, last - 1)))
  const to = useSignal(range?.to ?? Math.min(last, from.value + 60))
  const rate = useSignal<number>(4)
  const width = useSignal<number>(480)
  const part = useSignal<number | null>(null)
  const abort = useSignal<AbortController | null>(null)
  useEffect(() => {
    void filmFormats().then((found) => (formats.value = found))
    return () => abort.peek()?.abort()
  }, [formats, abort])
  const make = () =>
    attempt(async () => {
      const stage = madeStage()
      if (stage === undefined) throw new Error(strings.stage.none)
      const controller = new AbortController()
      abort.value = controller
      part.value = 0
      try {
        const plan = {
          format: format.value,
          from: from.value,
          to: to.value,
          stepsPerSecond: rate.value,
          width: width.value,
        }
        const blob = await film(session, stage, plan, (done) => (part.value = done), controller.signal)
        saveAs(`${name}-${plan.from}-${plan.to}.${plan.format}`, blob)
      } finally {
        part.value = null
        abort.value = null
      }
    })
  const whole = (text: string, least: number, most: number) =>
    Math.min(most, Math.max(least, Math.floor(Number(text) || 0)))
  return (
    <Way title={words.film}>
      <div class="film-settings">
        <label>
          {words.from}
          <input
            type="number"
            min={0}
            max={last}
            value={from.value}
            onChange={(event) => (from.value = whole(event.currentTarget.value, 0, last))}
          />
        </label>
        <label>
          {words.to}
          <input
            type="number"
            min={0}
            max={last}
            value={to.value}
            onChange={(event) => (to.value = whole(event.currentTarget.value, 0, last))}
          />
        </label>
        <Choice label={words.perSecond} value={rate.value} choices={RATES} onChange={(value) => (rate.value = value)} />
        <Choice label={words.width} value={width.value} choices={WIDTHS} onChange={(value) => (width.value = value)} />
        <label>
          {words.format}
          <select value={format.value} onChange={(event) => (format.value = event.currentTarget.value as FilmFormat)}>
            {formats.value.map((kind) => (
              <option key={kind} value={kind}>
                {words.formats[kind]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {part.value === null ? (
        <button type="button" class="button" disabled={to.value <= from.value} onClick={() => void make()}>
          {words.saveFilm}
        </button>
      ) : (
        <div class="row">
          <button type="button" class="button" onClick={() => abort.peek()?.abort()}>
            {words.stop}
          </button>
          <span role="status">{words.making(Math.floor(100 * part.value))}</span>
        </div>
      )}
    </Way>
  )
}

function Choice(props: {
  label: string
  value: number
  choices: readonly number[]
  onChange: (value: number) => void
}): JSX.Element {
  return (
    <label>
      {props.label}
      <select value={String(props.value)} onChange={(event) => props.onChange(Number(event.currentTarget.value))}>
        {props.choices.map((choice) => (
          <option key={choice} value={String(choice)}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  )
}
