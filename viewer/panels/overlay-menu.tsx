/** The list of what can be drawn over the picture. */
import { useComputed, useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { overlaysOf } from '../overlays.ts'
import { type Session } from '../session.ts'
import { strings } from '../strings.ts'

const words = strings.overlays

/** Opened and closed by the key as well: the page sends this event. */
export const OVERLAYS_EVENT = 'troupe-overlays'

export function OverlayMenu({ session }: { session: Session }): JSX.Element {
  const open = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const begun = useComputed(() => session.record.value !== null)
  const offered = useComputed(() => {
    const info = session.info.value
    const { done } = session.overview.value
    void done // what an episode offers is known once it was surveyed
    const first = session.at(0) ?? session.record.peek()
    return info === null || !begun.value || first === null ? [] : overlaysOf(info, session.overview.peek(), first.frame)
  })
  const on = session.overlays.value
  const close = () => {
    open.value = false
    box.current?.querySelector('button')?.focus()
  }

  useEffect(() => {
    const toggle = () => {
      open.value = !open.value
      if (open.value) setTimeout(() => box.current?.querySelector('input')?.focus(), 0)
      else close()
    }
    const outside = (event: PointerEvent) => {
      if (open.value && !box.current?.contains(event.target as Node)) open.value = false
    }
    // Wherever the focus is: what lies over the picture goes first.
    const escape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !open.value) return
      event.stopPropagation()
      event.preventDefault()
      close()
    }
    addEventListener(OVERLAYS_EVENT, toggle)
    addEventListener('pointerdown', outside)
    addEventListener('keydown', escape, true)
    return () => {
      removeEventListener(OVERLAYS_EVENT, toggle)
      removeEventListener('pointerdown', outside)
      removeEventListener('keydown', escape, true)
    }
  }, [])

  const count = offered.value.filter((id) => on.has(id)).length
  return (
    <div class="overlay-menu" ref={box}>
      <button
        type="button"
        class="tool overlays-button"
        title={words.tip}
        aria-label={words.menuOf(count)}
        aria-expanded={open.value}
        aria-controls="overlay-list"
        onClick={() => (open.value = !open.value)}
      >
        <Icon name="layers" />
        <span class="wide" aria-hidden="true">
          {words.menuOf(count)}
        </span>
      </button>
      {open.value && (
        <fieldset id="overlay-list" class="overlay-list">
          <legend class="hidden">{words.menu}</legend>
          {offered.value.length === 0 && <p class="muted">{words.none}</p>}
          {offered.value.map((id) => (
            <label key={id}>
              <input type="checkbox" checked={on.has(id)} onChange={() => session.toggleOverlay(id)} />
              {words[id].name}
            </label>
          ))}
          {count > 0 && (
            <button type="button" class="quiet-button" onClick={() => (session.overlays.value = new Set())}>
              {words.clear}
            </button>
          )}
        </fieldset>
      )}
    </div>
  )
}
