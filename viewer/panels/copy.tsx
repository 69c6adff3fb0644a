/** A command or link to copy, and a word that it was copied. */
import { type JSX } from 'preact'
import { useSignal } from '@preact/signals'
import { Icon } from '../icons.tsx'
import { strings } from '../strings.ts'

const SHOWN_MS = 2000

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Plain http on another host has no clipboard; the old way still works there.
    const field = document.createElement('textarea')
    field.value = text
    field.className = 'hidden'
    document.body.append(field)
    field.select()
    const done = document.execCommand('copy')
    field.remove()
    return done
  }
}

export function Command({ title, command }: { title: string; command: string }): JSX.Element {
  const copied = useSignal(false)
  const copy = async () => {
    copied.value = await copyText(command)
    setTimeout(() => (copied.value = false), SHOWN_MS)
  }
  return (
    <div class="command">
      <code tabIndex={0}>{command}</code>
      <button type="button" class="quiet-button" aria-label={strings.home.copyCommand(title)} onClick={copy}>
        <Icon name={copied.value ? 'check' : 'copy'} size={16} />
        <span aria-live="polite">{copied.value ? strings.home.copied : strings.home.copy}</span>
      </button>
    </div>
  )
}
