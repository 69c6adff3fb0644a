/** The file behind an opened replay, for whoever needs the whole of it: forks, comparisons, exports. */
import { strings } from '../strings.ts'
import { download, readFile, replayAddress, sameOrigin, type Source } from './load.ts'

/** What a page may ask for again: everything but an episode that it is still playing. */
export type Lasting = Exclude<Source, { kind: 'fork' }>

/** @throws Error with one sentence */
export async function bytesOf(source: Lasting): Promise<Uint8Array> {
  if (source.kind === 'file') return readFile(source.file)
  if (source.kind === 'server') return download(replayAddress(source.id), source.id, () => undefined)
  const address = sameOrigin(source.address, location.origin)
  if (address === undefined) throw new Error(strings.files.notSameOrigin)
  return download(address, address, () => undefined)
}

/** Hands bytes to the user as a file. */
export function saveAs(name: string, bytes: Uint8Array | Blob, type = 'application/octet-stream'): void {
  const blob = bytes instanceof Blob ? bytes : new Blob([bytes as Uint8Array<ArrayBuffer>], { type })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** A name that file systems and addresses take, without the ending of a replay. */
export function plainName(name: string): string {
  return name.replace(/\.replay$/, '').replaceAll(/[^A-Za-z0-9._-]+/g, '-')
}
