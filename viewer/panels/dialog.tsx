/** A panel above the page, closed by Escape, by its button, and by whoever opened it. */
import { type ComponentChildren, type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { strings } from '../strings.ts'

interface Props {
  readonly id: string
  readonly title: string
  readonly open: boolean
  readonly class?: string
  onClose(): void
  readonly children: ComponentChildren
}

export function Dialog({ id, title, open, onClose, children, class: kind = '' }: Props): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal()
    if (!open && dialog.current?.open === true) dialog.current.close()
  }, [open])
  return (
    <dialog ref={dialog} class={`panel ${kind}`} aria-labelledby={`${id}-title`} onClose={onClose}>
      <div class="help-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <button type="button" class="quiet-button" onClick={onClose}>
          <Icon name="cross" size={16} />
          {strings.help.close}
        </button>
      </div>
      {open && children}
    </dialog>
  )
}
