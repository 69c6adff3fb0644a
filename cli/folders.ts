/** Folders that will be written to. */
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/** Makes a folder that will be written to, before any work is done. */
export function writableFolder(folder: string): string {
  const path = resolve(folder)
  makeFolder(path)
  accessSync(path, constants.W_OK)
  return path
}

/** As `mkdir -p`, one folder after the other: Node's own never comes back where the system keeps refusing (/proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}
