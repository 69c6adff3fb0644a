/** The line above the transport while a fork is shown: play on, save, compare, go back. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { Notice } from '../panels/bar.tsx'
import { type Session } from '../session.ts'
import { plainName, saveAs } from '../sources/bytes.ts'
import { strings } from '../strings.ts'
import { type ForkLink } from './link.ts'
import { Pad } from './pad.tsx'
import './fork.css'

const words = strings.fork

interface Props {
  readonly session: Session
  readonly link: ForkLink
  onChange(): void
  onBack(): void
  onCompare(file: File): void
}

export function ForkStrip({ session, link, onChange, onBack, onCompare }: Props): JSX.Element {
  const saved = useSignal(false)
  const info = session.info.value
  const record = session.record.value
  const { step } = session.clock.value
  const { at, over, idle } = link.state.value
  const mine = link.plans.value.findIndex(({ kind }) => kind === 'person')
  const newest = step >= link.steps
  const spec = info?.spec
  const A = spec?.actionSize ?? 0
  const legal = record?.mask == null || A === 0 ? null : record.mask.subarray(mine * A, (mine + 1) * A)
  const ended = newest ? over : false
  const fileName = `${plainName(link.origin)}-fork-${at}.replay`
  const save = async () => {
    saveAs(fileName, await link.file())
    saved.value = true
  }
  return (
    <section class="fork-strip" aria-label={words.bar(link.origin, at)}>
      <div class="fork-line">
        <p>
          <strong>{words.bar(link.origin, at)}</strong>{' '}
          <span class="muted" role="status">
            {saved.value ? words.saved : words.unsaved}
          </span>
        </p>
        <div class="row">
          {mine < 0 && (
            <button type="button" class="quiet-button" disabled={ended} onClick={() => void link.step()}>
              {words.step}
            </button>
          )}
          {link.running.value ? (
            <button type="button" class="quiet-button" onClick={() => link.stop()}>
              {words.pause}
            </button>
          ) : (
            <button type="button" class="quiet-button" disabled={over} onClick={() => void link.run()}>
              {words.toEnd}
            </button>
          )}
          <button type="button" class="quiet-button" onClick={onChange}>
            {words.change}
          </button>
          <button type="button" class="button" onClick={() => void save()}>
            {words.save}
          </button>
          <button
            type="button"
            class="quiet-button"
            onClick={async () => onCompare(new File([(await link.file()) as Uint8Array<ArrayBuffer>], fileName))}
          >
            {words.compare}
          </button>
          <button type="button" class="quiet-button" onClick={onBack}>
            {words.back}
          </button>
        </div>
      </div>
      {link.failure.value !== null && <Notice text={link.failure.value} />}
      {link.replaced.value > 0 && <p class="muted">{words.replaced(link.replaced.value)}</p>}
      {mine >= 0 && spec != null && (
        <>
          <Pad
            agent={info!.agents[mine]}
            space={spec.agents[mine].action}
            legal={legal}
            idle={idle[mine]}
            over={ended}
            onChoice={(choice) => void link.step([[mine, choice]])}
          />
          {!newest && <p class="muted">{words.cutHere(step)}</p>}
        </>
      )}
    </section>
  )
}
