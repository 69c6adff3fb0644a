/** The panel of keys. */
import { type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { strings } from '../strings.ts'

export function Help({ open, onClose }: { open: boolean; onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (open && dialog.current?.open === false) dialog.current.showModal()
    if (!open && dialog.current?.open === true) dialog.current.close()
  }, [open])
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <div class="help-head">
        <h2 id="help-title">{strings.help.title}</h2>
        <button type="button" class="quiet-button" onClick={onClose}>
          <Icon name="cross" size={16} />
          {strings.help.close}
        </button>
      </div>
      <HelpKeys />
      <p>
        <a href="/help">{strings.helpPage.title}</a>
      </p>
    </dialog>
  )
}

export function HelpKeys(): JSX.Element {
  return (
    <>
      <dl>
        {strings.help.rows.map(([keys, does]) => (
          <div key={keys}>
            <dt>{keys}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>{strings.help.mouse}</p>
      <p>{strings.help.ignored}</p>
    </>
  )
}
