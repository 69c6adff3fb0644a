/** Everything that happened, as a list to read and to jump from. */
import { useComputed } from '@preact/signals'
import { type JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { EventGlyph } from '../icons.tsx'
import { type Session } from '../session.ts'
import { figure, strings } from '../strings.ts'
import { useThrottled } from './throttle.ts'
import { eventName } from './timeline.tsx'

/** Rows listed at most: around the step shown. */
const ROWS = 200

export function Events({ session }: { session: Session }): JSX.Element {
  const all = session.overview.value.events
  const events = session.events.value.length > 0 ? session.events.value : all
  const common = useMemo(() => {
    const listed = new Set(events.map(({ kind }) => kind))
    return [...new Set(all.map(({ kind }) => kind))].filter((kind) => !listed.has(kind)).map(eventName)
  }, [all, events])
  const step = useThrottled(
    useComputed(() => session.clock.value.step),
    150,
  ).value
  if (events.length === 0) return <p class="muted">{strings.events.none}</p>
  const at = events.findIndex((event) => event.step >= step)
  const middle = at < 0 ? events.length : at
  const first = Math.max(0, Math.min(middle - ROWS / 2, events.length - ROWS))
  return (
    <>
      {common.length > 0 && <p class="muted">{strings.events.common(common)}</p>}
      <ol class="events" start={first + 1} aria-label={strings.events.label}>
        {events.slice(first, first + ROWS).map((event, index) => (
          <li key={first + index} class={event.step === step ? 'now' : ''}>
            <button type="button" aria-current={event.step === step} onClick={() => session.player.seek(event.step)}>
              <span class="event-step">{strings.events.row(event.step)}</span>
              <EventGlyph kind={event.kind} />
              <span>
                {eventName(event.kind)}
                {event.value !== null && ` ${figure(event.value)}`}
              </span>
              <span class="muted">{event.agents.join(', ')}</span>
            </button>
          </li>
        ))}
      </ol>
    </>
  )
}
