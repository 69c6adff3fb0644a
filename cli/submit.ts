/**
 * `troupe submit`: puts a policy on the board of a server. The server gives seeds, the policy plays them here, the replays
 * go up, and the server plays them again. `--dry-run` tries everything that can be tried without opening a submission.
 */
import { existsSync, statSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { type Command } from 'commander'
import { TroupeError, episodeSeed, type EpisodeSeed } from '../envs/core/index.ts'
import { ENVS } from '../envs/index.ts'
import { readReplay, writeReplay } from '../envs/core/replay.ts'
import { playEpisodes } from '../agents/core/play.ts'
import { type PlayMode } from '../agents/core/learner.ts'
import { readRecord, type ResultRecord } from '../results/record.ts'
import { loadScenario } from '../scenarios/load.ts'
import { openScenario, scenarioHash, type Scenario } from '../scenarios/open.ts'
import { BOARD_LIMITS } from '../server/board-limits.ts'
import { BUNDLE_TYPE, writeBundle } from '../server/protocol/bundle.ts'
import { type ErrorFields } from '../server/protocol/hello.ts'
import {
  type BoardsState,
  type Description,
  type NewSubmission,
  type ScenarioDetail,
  type Submission,
} from '../server/protocol/rest.ts'
import { judge } from '../server/verification/judge.ts'
import { backendOption } from './backend-option.ts'
import { type CommandFile, type Session } from './command.ts'
import { EXIT, readable } from './output.ts'
import { resolvePlayer, type Player } from './policies.ts'
import { printed } from './print-config.ts'
import { effective, oneOf, whole } from './settings.ts'
import { DEFAULT_PORT } from './viewer-server.ts'

interface Values {
  readonly server: string
  readonly key?: string
  readonly scenario?: string
  readonly policy?: string
  readonly level: 'claimed' | 'replayed'
  readonly mode?: PlayMode
  readonly lanes: number
  readonly name?: string
  readonly authors?: string
  readonly recipe?: string
  readonly code?: string
  readonly notes?: string
  readonly centralised?: boolean
  readonly blind?: boolean
  readonly dryRun?: boolean
  readonly live?: boolean
  readonly backend: string
  readonly data: string
}

/** Who plays what, and what is said about it. */
interface Entry {
  readonly scenario: Scenario
  readonly player: Player
  readonly description: Description
  readonly record: ResultRecord | undefined
}

/** Episodes a dry run plays, on seeds of its own. */
const DRY_EPISODES = 8
/** Looks at a submission that goes on, in ms: soon at first, then less often. */
const LOOK_MS = 250
const LOOK_MOST_MS = 3000

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('[what]', 'folder of a run or its record.json; without it, --policy and --scenario')
    .option('--server <url>', 'the server', `http://127.0.0.1:${DEFAULT_PORT}`)
    .option('--key <key>', 'API key with scope submit; better given as TROUPE_KEY')
    .option('--scenario <id>', 'scenario, where no run says it')
    .option('--policy <name>', 'who plays: a name, the folder of a checkpoint, a module (default: the run)')
    .option(
      '--level <level>',
      'replayed: the server checks; claimed: numbers only, never ranked',
      oneOf('--level', ['replayed', 'claimed']),
      'replayed',
    )
    .option('--live', 'the server plays the worlds, the policy answers here: the strongest evidence')
    .option('--mode <mode>', 'greedy or sample (default: the scenario says)', oneOf('--mode', ['greedy', 'sample']))
    .option(
      '--lanes <n>',
      'episodes played side by side; changes nothing but the speed',
      whole('--lanes', 1, 65536),
      16,
    )
    .option('--name <text>', 'what the row is called (default: the algorithm)')
    .option('--authors <text>', 'who made it')
    .option('--recipe <text>', 'name of the settings: five runs of one recipe become a row of the algorithm board')
    .option('--code <url>', 'where the code is')
    .option('--notes <text>', 'anything a reader should know')
    .option('--centralised', 'one mind saw the observations of several agents')
    .option('--blind', 'hide names until you show them')
    .option('--dry-run', 'check everything, open nothing')
    .addOption(backendOption())
    .addHelpText(
      'after',
      '\nExit code 0 published, 1 the server found it not genuine, 2 refused, 3 the server could not be reached.',
    )
    .action((what: string | undefined) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const values = options.values as unknown as Values
        const entry = await entryOf(what, values, session)
        try {
          if (values.live === true && values.dryRun !== true) return await live(entry, values, session)
          return values.dryRun === true ? await dryRun(entry, values, session) : await submit(entry, values, session)
        } finally {
          const { policy } = entry.player
          if ('dispose' in policy) policy.dispose?.()
        }
      }),
    )
}

async function live({ scenario, player, description }: Entry, values: Values, session: Session): Promise<number> {
  const { submitLive } = await import('./submit-live.ts')
  const { server, key, lanes, blind } = values
  const asked = { server, lanes, ...(key === undefined ? {} : { key }), ...(blind === undefined ? {} : { blind }) }
  return submitLive({ scenario, player, description, ...asked }, session)
}

async function entryOf(what: string | undefined, values: Values, session: Session): Promise<Entry> {
  const run = what === undefined ? undefined : runFolder(what, values.data)
  const record = run === undefined ? undefined : readRecord(join(run, 'record.json'))
  const id = values.scenario ?? record?.scenario.id
  if (id === undefined) {
    throw new TroupeError('bad-usage', {
      where: 'troupe submit',
      got: 'without a run and without --scenario',
      expected: '`troupe submit <run>`, or --scenario and --policy',
    })
  }
  const scenario = values.scenario === undefined && record !== undefined ? record.scenario : loadScenario(id)
  const learned = run !== undefined && existsSync(join(run, 'checkpoints'))
  const named = values.policy ?? (learned ? run : record?.algorithm)
  if (named === undefined) {
    throw new TroupeError('bad-usage', { where: '--policy', got: 'missing', expected: 'who plays, such as random' })
  }
  const mode = values.mode ?? scenario.evaluation.policy
  const player = await resolvePlayer(named, scenario, ENVS, mode, session, values.backend)
  return { scenario, player, record, description: describe(player, record, values, session) }
}

/** The folder of a run: given as such, as its record, or by its name in the data folder. */
function runFolder(what: string, data: string): string {
  const choices = [what, join(data, 'runs', what)].map((path) =>
    basename(path) === 'record.json' ? dirname(path) : path,
  )
  const found = choices.find(
    (path) => existsSync(path) && statSync(path).isDirectory() && existsSync(join(path, 'record.json')),
  )
  if (found !== undefined) return found
  throw new TroupeError('bad-file', {
    where: what,
    got: 'no run with a record',
    expected: `the folder of a run that has ended, its record.json, or the name of a run in ${join(data, 'runs')}`,
  })
}

function describe(player: Player, record: ResultRecord | undefined, values: Values, session: Session): Description {
  const { name, authors, recipe, code, notes, centralised = false } = values
  const learned = player.manner === 'greedy' || player.manner === 'sample'
  const manner = learned ? (player.manner as 'greedy' | 'sample') : player.manner === 'planner' ? 'planner' : 'scripted'
  const ran = record !== undefined && record.algorithm === player.name ? record : undefined
  return {
    name: name ?? player.name,
    algorithm: player.name,
    mode: manner,
    centralised,
    privileged: player.policy.privileged === true,
    package: session.version,
    ...(authors === undefined ? {} : { authors }),
    ...(recipe === undefined ? {} : { recipe }),
    ...(code === undefined ? {} : { code }),
    ...(notes === undefined ? {} : { notes }),
    ...(player.hash === undefined ? {} : { policyHash: player.hash }),
    ...(ran === undefined
      ? {}
      : {
          trainingSeed: ran.seed,
          settings: ran.settings,
          paper: ran.paper,
          compute: {
            steps: ran.steps.total,
            seconds: ran.seconds,
            device: `${ran.hardware.cpu}, ${ran.hardware.cores} cores, ${ran.hardware.backend}`.slice(0, 200),
          },
        }),
  }
}

/** The replays of the policy on these seeds: actions and digests only, which is what a server wants. */
function played(
  { scenario, player, description }: Entry,
  seeds: readonly EpisodeSeed[],
  lanes: number,
  session: Session,
) {
  const width = player.policy.privileged === true ? 1 : Math.min(lanes, seeds.length)
  const batch = openScenario(scenario, { lanes: width, autoreset: 'disabled' })
  const policies = [{ name: player.name, ...(player.hash === undefined ? {} : { hash: player.hash }) }]
  const { episodes } = playEpisodes({
    batch,
    policy: player.policy,
    seeds,
    rng: description.trainingSeed ?? 'submit',
    teamReward: scenario.teamReward,
    record: () => ({ scenario: { ...scenario }, policies, package: session.version, purpose: 'submission' }),
  })
  const replays = episodes.map(({ replay }) => {
    const { probability: _p, value: _v, notes: _n, ...rest } = readReplay(replay!)
    return writeReplay(rest)
  })
  return { replays, mean: episodes.reduce((sum, one) => sum + one.return, 0) / episodes.length }
}

// --- the server

/** One request. @throws TroupeError environment when nobody answers, else in the server's words */
async function asked<T>(
  { server, key }: Values,
  method: string,
  path: string,
  body?: Uint8Array | object,
  headers: Record<string, string> = {},
): Promise<T> {
  const bytes = body instanceof Uint8Array
  let answer: Response
  try {
    // Every request may be sent twice: a submission has its Idempotency-Key, an upload is the same upload again.
    answer = await again(() =>
      fetch(new URL(`/api${path}`, server), {
        method,
        headers: {
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
          ...(body === undefined ? {} : { 'content-type': bytes ? BUNDLE_TYPE : 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: bytes ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) }),
      }),
    )
  } catch (error) {
    const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
    const got = code === 'ERR_INVALID_URL' ? 'no address' : `not reached (${code ?? 'no answer'})`
    throw new TroupeError('environment', {
      where: server,
      got,
      expected: 'a troupe server, such as `troupe serve` starts',
    })
  }
  const said = (await answer.json().catch(() => undefined)) as (T & { error?: ErrorFields }) | undefined
  if (answer.ok && said !== undefined) return said
  const { where = path, got = `status ${answer.status}`, expected = 'an answer of troupe', nearest } = said?.error ?? {}
  const code = answer.status >= 500 ? 'environment' : 'bad-option'
  throw new TroupeError(code, {
    where: `${server}: ${where}`,
    got,
    expected,
    ...(nearest === undefined ? {} : { nearest }),
  })
}

/** Tries again when a connection is lost: one that was kept open while the policy played may have gone stale. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= 3 || (error as Error).message.includes('Invalid URL')) throw error
      await new Promise((resolve) => setTimeout(resolve, 200 * 2 ** tries))
    }
  }
}

const pathOf = (id: string) => encodeURIComponent(id)

async function checkTask({ scenario }: Entry, values: Values): Promise<ScenarioDetail> {
  const task = await asked<ScenarioDetail>(values, 'GET', `/scenarios/${pathOf(scenario.id)}`)
  const own = scenarioHash(scenario)
  if (task.row.hash === own) return task
  throw new TroupeError('bad-version', {
    where: `scenario ${scenario.id}`,
    got: `${own.slice(0, 12)}… here`,
    expected: `${task.row.hash.slice(0, 12)}…, that of the server`,
  })
}

// --- the three ways

async function submit(entry: Entry, values: Values, session: Session): Promise<number> {
  const { scenario, description, record } = entry
  await checkTask(entry, values)
  const { level, blind } = values
  const headers = { 'idempotency-key': randomUUID() }
  const opening = {
    scenario: scenario.id,
    scenarioHash: scenarioHash(scenario),
    level,
    description,
    ...(blind === undefined ? {} : { blind }),
  }
  if (level === 'claimed') {
    const absolute = record?.absolute
    if (absolute == null) {
      throw new TroupeError('bad-usage', {
        where: '--level claimed',
        got: 'without a record that has an absolute metric',
        expected: 'a run that has ended',
      })
    }
    const claim = { mean: absolute.return.mean, episodes: absolute.returns.length }
    const made = await asked<Submission>(
      values,
      'POST',
      '/submissions',
      { ...opening, claim } satisfies NewSubmission,
      headers,
    )
    return told(made, values, session)
  }
  const opened = await asked<Submission>(values, 'POST', '/submissions', opening satisfies NewSubmission, headers)
  const seeds = opened.seeds ?? []
  session.out.log(`Submission ${opened.id}: ${seeds.length} episodes on the server's seeds.`)
  const { replays, mean } = played(entry, seeds, values.lanes, session)
  const bundle = writeBundle(replays)
  session.out.log(`Played; mean return ${readable(mean)}. Sending ${readable(bundle.length)} bytes.`)
  await asked<Submission>(values, 'PUT', `/submissions/${opened.id}/bundle`, bundle)
  return told(await followed(opened.id, values, session), values, session)
}

/** Follows a submission to its end; says what it does. */
async function followed(id: string, values: Values, session: Session): Promise<Submission> {
  let before = ''
  for (let wait = LOOK_MS; ; wait = Math.min(LOOK_MOST_MS, wait * 1.5)) {
    const now = await asked<Submission>(values, 'GET', `/submissions/${id}`)
    if (now.state === 'published' || now.state === 'failed' || now.state === 'expired') return now
    const place = now.queuePosition === null ? '' : `, ${now.queuePosition} before it`
    const part = now.state === 'running' ? ` (episode ${now.progress.done} of ${now.progress.of})` : ''
    const line = `${now.state}${place}${part}`
    if (line !== before) session.out.log(line)
    before = line
    await new Promise((resolve) => setTimeout(resolve, wait))
  }
}

function told(submission: Submission, { server }: Values, session: Session): number {
  const { id, state, failure } = submission
  const url = new URL(`/entry/${id}`, server).href
  session.out.result({ id, status: state, url, ...(failure === null ? {} : { failure }) }, () =>
    state === 'published' ? `Published: ${url}` : `${state}: ${failure?.message ?? 'its time ran out'}\n${url}`,
  )
  if (state === 'published') return EXIT.fine
  return failure?.fault === 'submission' ? EXIT.failed : EXIT.environment
}

/** Everything but opening: the server, its task, the key, and eight episodes judged as the server would. */
async function dryRun(entry: Entry, values: Values, session: Session): Promise<number> {
  const { scenario } = entry
  const boards = await asked<BoardsState>(values, 'GET', '/boards')
  if (!boards.on)
    throw new TroupeError('environment', {
      where: `${values.server}: boards`,
      got: `off (${boards.problem})`,
      expected: 'a server with a leaderboard',
    })
  const { row } = await checkTask(entry, values)
  await asked(values, 'GET', '/submissions?mine=true&limit=1')
  const seeds = Array.from({ length: DRY_EPISODES }, (_, k) => episodeSeed('dry run', 'eval', 0, k))
  const { replays, mean } = played(entry, seeds, values.lanes, session)
  const { replayBytes, replayMemoryBytes: memoryBytes, agents } = BOARD_LIMITS
  const steps = row.horizon ?? boards.limits.stepsPerEpisode
  const verdict = judge({ scenario, seeds, first: 0, caps: { replayBytes, memoryBytes, steps, agents } }, replays)
  const perEpisode = replays.reduce((sum, replay) => sum + replay.length, 0) / replays.length
  const bytes = Math.round(perEpisode * row.episodes)
  const fits = bytes <= boards.limits.uploadBytes
  const said = {
    dryRun: true,
    ok: verdict.ok && fits,
    scenario: scenario.id,
    episodes: row.episodes,
    mean,
    bytes,
    description: entry.description,
  }
  session.out.result(verdict.ok ? said : { ...said, failure: verdict.failure }, () =>
    verdict.ok && fits
      ? `Ready: ${row.episodes} episodes, about ${readable(bytes)} bytes; mean of ${DRY_EPISODES} on other seeds ${readable(mean)}. Nothing was opened.`
      : verdict.ok
        ? `Too large: about ${readable(bytes)} bytes; the server takes ${readable(boards.limits.uploadBytes)}.`
        : `It would fail: ${verdict.failure.message}`,
  )
  return said.ok ? EXIT.fine : EXIT.failed
}
