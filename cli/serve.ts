/** `troupe serve`: runs the server until Ctrl-C. */
import { type Command } from 'commander'
import { type CommandFile } from './command.ts'
import { effective } from './settings.ts'
import { printed } from './print-config.ts'
import { EXIT } from './output.ts'
import { DEFAULT_PORT, parsePort, serveViewer, untilInterrupted } from './viewer-server.ts'

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .option('--port <n>', `port (default: ${DEFAULT_PORT}, or the next free one)`, parsePort)
    .option('--host <address>', 'address to listen on; 0.0.0.0 = reachable from other machines', '127.0.0.1')
    .addHelpText('after', '\nEnds with Ctrl-C, exit code 0. A port given with --port that is in use is an error (3).')
    .action(() =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { port, host, data } = options.values as { port?: number; host: string; data: string }
        const served = await serveViewer({ data, host, ...(port === undefined ? {} : { port }) }, session)
        const interrupted = untilInterrupted() // before the link is out: somebody may be quick
        session.out.result({ url: served.url, port: served.port, data }, () => `Viewer: ${served.url}`)
        session.out.log(`Runs and replays of ${data}. Ctrl-C ends.`)
        await interrupted
        await served.close()
        return EXIT.fine
      }),
    )
}
