/** `troupe render`: a picture or a film of a replay, drawn by the viewer in a headless browser. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { REPLAY_LIMITS, readReplay } from '../envs/core/replay.ts'
import { startServer } from '../server/index.ts'
import { writeAtomic } from '../results/files.ts'
import { BrowserPage, findChromium } from './chromium.ts'
import { type CommandFile } from './command.ts'
import { printed } from './print-config.ts'
import { effective, oneOf, whole } from './settings.ts'
import { viewerFolder } from './viewer-server.ts'

const FORMATS = ['png', 'gif', 'mp4', 'webm'] as const
type Format = (typeof FORMATS)[number]
/** Steps of a film when nothing is said. */
const USUAL_STEPS = 100
/** How long a page may take to simulate and show an episode, in milliseconds. */
const READY_MS = 300_000
/** Room around the world in the window that is filmed, in pixels. */
const CHROME_HEIGHT = 240

interface Options extends Partial<Record<Format, string | true>> {
  step?: number
  from?: number
  to?: number
  speed: number
  width: number
  theme: 'light' | 'dark'
  agent?: string
  overlays?: string
}

/** Which format was asked for, and the file to write. */
function target(file: string, options: Options): { format: Format; out: string } {
  const asked = FORMATS.filter((format) => options[format] !== undefined)
  if (asked.length !== 1) {
    throw new TroupeError('bad-usage', {
      where: 'render',
      got: asked.length === 0 ? 'no format' : asked.map((format) => `--${format}`).join(' and '),
      expected: `one of ${FORMATS.map((format) => `--${format}`).join(', ')}`,
    })
  }
  const [format] = asked
  const named = options[format]
  return { format, out: typeof named === 'string' ? named : `${basename(file).replace(/\.replay$/, '')}.${format}` }
}

function readFile(file: string): Buffer {
  if (!existsSync(file) || !statSync(file).isFile()) {
    throw new TroupeError('bad-file', { where: file, got: 'not there', expected: 'a replay file' })
  }
  const { size } = statSync(file)
  if (size > REPLAY_LIMITS.fileBytes) {
    const expected = `at most ${REPLAY_LIMITS.fileBytes}`
    throw new TroupeError('bad-file', { where: file, got: `${size} bytes`, expected })
  }
  return readFileSync(file)
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<replay>', 'a replay file')
    .option('--png [file]', 'a picture of one step')
    .option('--gif [file]', 'an animated GIF')
    .option('--mp4 [file]', 'a film; the browser must have an encoder for it')
    .option('--webm [file]', 'a film; the browser must have an encoder for it')
    .option('--step <n>', 'step of the picture (default: the last)', whole('--step', 0, 1_000_000_000))
    .option('--from <n>', 'first step of the film', whole('--from', 0, 1_000_000_000))
    .option('--to <n>', `last step of the film (default: ${USUAL_STEPS} more)`, whole('--to', 0, 1_000_000_000))
    .option('--speed <n>', 'steps per second', whole('--speed', 1, 60), 4)
    .option(
      '--width <pixels>',
      'width of the picture; the height follows from the world',
      whole('--width', 64, 3840),
      640,
    )
    .option('--theme <theme>', 'light or dark', oneOf('--theme', ['light', 'dark']), 'light')
    .option('--agent <id>', 'agent that is selected')
    .option('--overlays <ids>', 'overlays that are on, separated by commas')
    .addHelpText(
      'after',
      '\nDraws in a headless Chromium, Chrome or Edge (TROUPE_CHROMIUM names another place).\n\nExamples:\n  troupe render episode.replay --gif --to 60\n  troupe render episode.replay --png step42.png --step 42 --agent agent_1',
    )
    .action((file: string) =>
      perform(async (session) => {
        const settings = effective(command)
        if (printed(settings, session)) return
        const options = settings.values as unknown as Options
        const { format, out } = target(file, options)
        const bytes = readFile(file)
        const { steps, header } = readReplay(bytes, {}, file)
        if (options.agent !== undefined && !header.agents.includes(options.agent)) {
          const expected = `one of ${header.agents.slice(0, 20).join(', ')}`
          throw new TroupeError('unknown-name', { where: '--agent', got: `"${options.agent}"`, expected })
        }
        const picture = format === 'png'
        const from = picture ? (options.step ?? steps) : (options.from ?? 0)
        const to = picture ? from : (options.to ?? Math.min(steps, from + USUAL_STEPS))
        for (const [name, step] of [
          [picture ? '--step' : '--from', from],
          ['--to', to],
        ] as const) {
          if (step > steps || (name === '--to' && step < from)) {
            const expected = `a step of ${name === '--to' ? from : 0} to ${steps}, the last of ${basename(file)}`
            throw new TroupeError('bad-option', { where: name, got: String(step), expected })
          }
        }
        const plan = { format, from, to, stepsPerSecond: options.speed, width: options.width }
        const made = await render(bytes, plan, options)
        mkdirSync(dirname(out), { recursive: true })
        writeAtomic(out, made)
        session.out.result(
          { file: out, format, bytes: made.length, from, to },
          () => `${out} (${made.length} bytes, ${picture ? `step ${from}` : `steps ${from} to ${to}`})`,
        )
      }),
    )
}

interface Plan {
  readonly format: Format
  readonly from: number
  readonly to: number
  readonly stepsPerSecond: number
  readonly width: number
}

/** Serves the replay from a folder of its own, opens it in a browser and has the page make the file. */
async function render(bytes: Uint8Array, plan: Plan, { theme, agent, overlays }: Options): Promise<Buffer> {
  const executable = findChromium()
  const data = mkdtempSync(join(tmpdir(), 'troupe-render-data-'))
  let server: Awaited<ReturnType<typeof startServer>> | undefined
  let page: BrowserPage | undefined
  try {
    mkdirSync(join(data, 'replays'))
    writeFileSync(join(data, 'replays', 'episode.replay'), bytes)
    server = await startServer({ port: 0, data, viewerDir: viewerFolder() })
    const width = Math.max(800, plan.width + 80)
    page = await BrowserPage.open(executable, { width, height: width + CHROME_HEIGHT, dark: theme === 'dark' })
    const query = new URLSearchParams({
      step: String(plan.from),
      ...(agent === undefined ? {} : { agent }),
      ...(overlays === undefined ? {} : { overlays }),
    })
    await page.go(`${server.url}/embed/file%3Aepisode?${query}`)
    // Ready when the step is on the picture and the page has its size: the same place on two looks in a row.
    const problem = await page.run<string | null>(`new Promise((resolve) => {
      let place = ''
      const look = () => {
        const notice = document.querySelector('.embed-message .notice')
        const troupe = window.troupe
        const ready = troupe?.surveyed === true && troupe.shownStep === ${plan.from} && troupe.drawn?.pictures > 0
        const before = place
        place = ready ? JSON.stringify([troupe.placeOf(0, 0), troupe.placeOf(1, 1)]) : ''
        if (notice !== null) resolve(notice.textContent)
        else if (place !== '' && place === before && window.troupeRender) resolve(null)
        else if (performance.now() > ${READY_MS}) resolve('not on the screen after ${READY_MS / 1000} s')
        else setTimeout(look, 200)
      }
      look()
    })`)
    if (problem !== null)
      throw new TroupeError('bad-file', { where: 'render', got: problem, expected: 'a replay to draw' })
    try {
      return Buffer.from(await page.run<string>(`window.troupeRender(${JSON.stringify(plan)})`), 'base64')
    } catch (error) {
      if (error instanceof TroupeError) throw error
      const got = (error as Error).message
      throw new TroupeError('environment', {
        where: `render --${plan.format}`,
        got,
        expected: 'a film that can be made',
      })
    }
  } finally {
    await page?.close()
    await server?.close()
    rmSync(data, { recursive: true, force: true })
  }
}
