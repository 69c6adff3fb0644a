/** Takes a replay file dropped anywhere on the page. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { openFile } from '../opened-file.ts'
import { strings } from '../strings.ts'

export function DropZone(): JSX.Element | null {
  const over = useSignal(false)
  useEffect(() => {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true
    const drag = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      over.value = true
    }
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) over.value = false
    }
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      over.value = false
      const file = event.dataTransfer?.files[0]
      if (file !== undefined) openFile(file)
    }
    addEventListener('dragenter', drag)
    addEventListener('dragover', drag)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragenter', drag)
      removeEventListener('dragover', drag)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [over])
  return over.value ? <div class="drop-zone">{strings.files.drop}</div> : null
}
