/** What a command file looks like to main.ts. */
import { type Command } from 'commander'
import { type Output } from './output.ts'

/** What a running command gets. */
export interface Session {
  readonly out: Output
  /** Paths of loaded plug-ins, filled in as they load: crashes inside them are reported as theirs. */
  readonly foreign: string[]
  /** Version of troupe. */
  readonly version: string
}

/** The work of a command; the number is the exit code, nothing means 0. */
export type Work = (session: Session) => Promise<number | void> | number | void

export interface CommandFile {
  /** Adds arguments and options to the command and an action that hands its work to `perform`. */
  define(command: Command, perform: (work: Work) => Promise<void>): void
}
