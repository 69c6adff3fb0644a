/** `troupe watch`: opens the viewer on a replay, a run, or the list of both. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { REPLAY_LIMITS, readReplayHeader } from '../envs/core/replay.ts'
import { sha256, writeAtomic } from '../results/files.ts'
import { type CommandFile } from './command.ts'
import { writableFolder } from './folders.ts'
import { printed } from './print-config.ts'
import { effective } from './settings.ts'
import { EXIT } from './output.ts'
import { openBrowser, parsePort, serveViewer, untilInterrupted } from './viewer-server.ts'

interface Place {
  readonly data: string
  /** Path of the page. */
  readonly path: string
}

/** The page of a replay file; one that lies elsewhere is copied into the data folder, where the server looks. */
function replayPlace(file: string, data: string): Place {
  const { size } = statSync(file)
  if (size > REPLAY_LIMITS.fileBytes) {
    throw new TroupeError('bad-file', {
      where: file,
      got: `${size} bytes`,
      expected: `at most ${REPLAY_LIMITS.fileBytes}`,
    })
  }
  const bytes = readFileSync(file)
  readReplayHeader(bytes, {}, file)
  const path = resolve(file)
  const name = basename(file).replace(/\.replay$/, '')
  const id = (text: string) => `/replay/${encodeURIComponent(text)}`
  const replays = resolve(data, 'replays')
  if (dirname(path) === replays && file.endsWith('.replay')) return { data, path: id(`file:${name}`) }
  if (basename(dirname(path)) === 'replays') {
    const run = dirname(dirname(path))
    if (basename(dirname(run)) === 'runs' && existsSync(join(run, 'run.json'))) {
      return { data: dirname(dirname(run)), path: id(`run:${basename(run)}:${name}`) }
    }
  }
  const plain = name.replace(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'replay'
  const copy = join(replays, `${plain}.replay`)
  const taken = existsSync(copy) && !readFileSync(copy).equals(bytes)
  const target = taken ? `${plain}-${sha256(bytes).slice(0, 8)}` : plain
  writableFolder(replays)
  writeAtomic(join(replays, `${target}.replay`), bytes)
  return { data, path: id(`file:${target}`) }
}

/** The page of a run's folder. */
function runPlace(folder: string): Place {
  const path = resolve(folder)
  if (basename(dirname(path)) !== 'runs') {
    throw new TroupeError('bad-usage', {
      where: folder,
      got: 'a run outside a folder called runs',
      expected: '<data>/runs/<run>: the server lists the runs of a data folder',
    })
  }
  return { data: dirname(dirname(path)), path: `/run/${encodeURIComponent(basename(path))}` }
}

function placeOf(wanted: string | undefined, data: string): Place {
  if (wanted === undefined) return { data, path: '/' }
  const choices = [
    wanted,
    join(data, 'runs', wanted),
    join(data, 'replays', wanted),
    join(data, 'replays', `${wanted}.replay`),
  ]
  const found = choices.find((choice) => existsSync(choice))
  if (found === undefined) {
    throw new TroupeError('bad-file', {
      where: `troupe watch ${wanted}`,
      got: 'not there',
      expected: 'a replay file, the folder of a run, or the name of one in the data folder',
    })
  }
  if (!statSync(found).isDirectory()) return replayPlace(found, data)
  if (existsSync(join(found, 'run.json'))) return runPlace(found)
  throw new TroupeError('bad-file', { where: found, got: 'a folder without run.json', expected: 'the folder of a run' })
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('[replay or run]', 'replay file, folder of a run, or the name of one (default: the list)')
    .option('--no-open', 'print the link, open no browser')
    .option('--port <n>', 'port (default: 7340, or the next free one)', parsePort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addHelpText(
      'after',
      '\nA replay from elsewhere is copied into <data>/replays, where the server looks. Ctrl-C ends, exit code 0.',
    )
    .action((wanted: string | undefined) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { open, port, host, data } = options.values as {
          open: boolean
          port?: number
          host: string
          data: string
        }
        const place = placeOf(wanted, data)
        const served = await serveViewer({ data: place.data, host, ...(port === undefined ? {} : { port }) }, session)
        const url = `${served.url.replace(/\/$/, '')}${place.path}`
        const interrupted = untilInterrupted() // before the link is out: somebody may be quick
        session.out.result({ url }, () => `Viewer: ${url}`)
        session.out.log('Ctrl-C ends.')
        if (open) await openBrowser(url)
        await interrupted
        await served.close()
        return EXIT.fine
      }),
    )
}
