/** Files that only this page has, under names that addresses of this page can hold while it lives. */
import { type Lasting } from './bytes.ts'

const files = new Map<string, File>()
let next = 1

/** How an address names a source: a replay id, 'url:' and an address of this server, or 'local:' and a number. */
export function placeOf(source: Lasting): string {
  if (source.kind === 'server') return source.id
  if (source.kind === 'address') return `url:${source.address}`
  for (const [place, file] of files) if (file === source.file) return place
  const place = `local:${next++}`
  files.set(place, source.file)
  return place
}

/** @returns null for a file that this page does not have any more */
export function sourceAt(place: string): Lasting | null {
  if (place.startsWith('url:')) return { kind: 'address', address: place.slice(4) }
  if (!place.startsWith('local:')) return { kind: 'server', id: place }
  const file = files.get(place)
  return file === undefined ? null : { kind: 'file', file }
}
