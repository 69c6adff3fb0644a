/** `troupe serve`: runs the server until Ctrl-C. */
import { type Command } from 'commander'
import { type CommandFile } from './command.ts'
import { effective } from './settings.ts'
import { printed } from './print-config.ts'
import { EXIT } from './output.ts'
import { whole } from './settings.ts'
import { DEFAULT_PORT, parsePort, serveViewer, untilInterrupted } from './viewer-server.ts'

interface Values {
  readonly port?: number
  readonly host: string
  readonly data: string
  readonly workers?: number
  readonly newAdminKey?: boolean
  readonly baselines: boolean
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .option('--port <n>', `port (default: ${DEFAULT_PORT}, or the next free one)`, parsePort)
    .option('--host <address>', 'address to listen on; 0.0.0.0 = reachable from other machines', '127.0.0.1')
    .option('--no-boards', 'show runs and replays only: no leaderboard')
    .option('--no-baselines', 'leave the baselines that come with troupe off the boards')
    .option('--new-admin-key', 'void the admin key of the leaderboard and make another')
    .option(
      '--workers <n>',
      'threads that verify submissions (default: one less than the cores)',
      whole('--workers', 1, 256),
    )
    .addHelpText(
      'after',
      '\nThe first start makes an admin key for the leaderboard and shows it once, and plays the baselines that come with troupe again to put them on the boards (two minutes of one core, beside everything else).\nEnds with Ctrl-C, exit code 0. A port given with --port that is in use is an error (3).',
    )
    .action(() =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { port, host, data, workers, newAdminKey = false, baselines } = options.values as unknown as Values
        const boards = options.values.boards !== false && {
          newAdminKey,
          ...(workers === undefined ? {} : { workers }),
        }
        const served = await serveViewer({ data, host, boards, ...(port === undefined ? {} : { port }) }, session)
        const interrupted = untilInterrupted() // before the link is out: somebody may be quick
        const adminKey = served.boards.on ? served.boards.open.adminKey : undefined
        const state = served.boards.on ? { on: true } : { on: false, problem: served.boards.problem }
        const said = { url: served.url, port: served.port, data, boards: state }
        session.out.result(adminKey === undefined ? said : { ...said, adminKey }, () => `Viewer: ${served.url}`)
        // Shown whatever is quiet: nobody can show it again.
        if (adminKey !== undefined && !session.out.json) {
          session.out.warn(`Admin key of the leaderboard, shown this once: ${adminKey}`)
        }
        if (!served.boards.on && boards !== false) session.out.warn(`No leaderboard: ${served.boards.problem}.`)
        if (served.boards.on && baselines) void served.boards.open.baselines.start()
        session.out.log(`Runs and replays of ${data}. Ctrl-C ends.`)
        await interrupted
        await served.close()
        return EXIT.fine
      }),
    )
}
