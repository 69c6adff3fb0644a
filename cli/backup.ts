/** `troupe backup`: a copy of the leaderboard, made while the server runs, and checked. */
import { type Command } from 'commander'
import { backupBoards } from '../server/backup.ts'
import { type CommandFile } from './command.ts'
import { readable } from './output.ts'
import { printed } from './print-config.ts'
import { effective } from './settings.ts'

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<folder>', 'a new folder for the copy')
    .addHelpText(
      'after',
      '\nThe copy holds the signing key and the secret keys of running epochs: keep it as safe as the original.\nTo restore it, stop the server and put the copy in place of <data>/board.',
    )
    .action((folder: string) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const result = await backupBoards(options.values.data as string, folder)
        const { entries, files, bytes, log } = result
        session.out.result(
          result,
          () =>
            `Copied to ${folder}: ${entries} entries, ${log} records of the log, ${files} files of replays (${readable(bytes)} bytes); all checked.`,
        )
      }),
    )
}
