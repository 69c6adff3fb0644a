/** The button that opens a replay file from the user's computer. */
import { type JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { openFile } from '../opened-file.ts'
import { strings } from '../strings.ts'

/** @param onFile what becomes of the file; left out, it is opened */
export function FilePicker({ onFile = openFile }: { onFile?: (file: File) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" class="button" onClick={() => input.current?.click()}>
        <Icon name="file" size={16} />
        {strings.home.openFile}
      </button>
      <input
        ref={input}
        hidden
        type="file"
        accept=".replay"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0]
          event.currentTarget.value = ''
          if (file !== undefined) onFile(file)
        }}
      />
    </>
  )
}
