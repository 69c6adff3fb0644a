/** Folders that will be written to. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { TroupeError } from '../envs/core/errors.ts'

/**
 * Makes a folder that will be written to, before any work is done.
 * @throws TroupeError when a file has the name; the system's own errors otherwise
 */
export function writableFolder(folder: string): string {
  const path = resolve(folder)
  makeFolder(path)
  if (!statSync(path).isDirectory()) {
    throw new TroupeError('environment', {
      where: folder,
      got: 'a file',
      expected: 'a folder to write into, or a free name',
    })
  }
  accessSync(path, constants.W_OK)
  return path
}

/** As `mkdir -p`, one folder after the other: Node's own never comes back where the system keeps refusing (/proc). */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}
