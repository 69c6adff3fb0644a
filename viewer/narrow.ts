/** Whether the page has the width of a phone. */
import { signal } from '@preact/signals'

const query = typeof matchMedia === 'function' ? matchMedia('(max-width: 700px)') : undefined
const narrow = signal(query?.matches ?? false)
query?.addEventListener('change', () => {
  narrow.value = query.matches
})

export function useNarrow(): boolean {
  return narrow.value
}
