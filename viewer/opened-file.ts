/** The file that was dropped or chosen last: only this page has it, so its address names none. */
import { signal } from '@preact/signals'
import { navigate, replayPath } from './route.ts'
import { type Lasting } from './sources/bytes.ts'

export const openedFile = signal<Lasting | null>(null)

export function openFile(file: File): void {
  openedFile.value = { kind: 'file', file }
  navigate(replayPath(null))
}
