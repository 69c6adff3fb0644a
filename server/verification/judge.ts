/**
 * The judge of level "replayed": are these replays the episodes that were asked for, and what are they worth? Pure: bytes
 * in, a verdict out; the worker reads files around it, tests call it directly.
 */
import { ENVS, TroupeError, canonicalJson, openOptions, shown } from '../../envs/index.ts'
import { readReplay, verifyReplays, worldText, type Replay, type Verdict } from '../../envs/core/replay.ts'
import { scenarioDefinition, scenarioHash, scenarioSpec, teamReturn, type Scenario } from '../../scenarios/open.ts'
import { type Failure } from '../protocol/rest.ts'

/** What one replay may cost; checked before memory is taken. */
export interface ReplayCaps {
  readonly replayBytes: number
  /** Unpacked. */
  readonly memoryBytes: number
  readonly steps: number
  readonly agents: number
}

export interface JudgeJob {
  readonly scenario: Scenario
  /** Seeds of all episodes, in order. */
  readonly seeds: readonly string[]
  /** Number of the first replay handed in. */
  readonly first: number
  readonly caps: ReplayCaps
}

export interface JudgedEpisode {
  readonly episode: number
  readonly return: number
  readonly length: number
  readonly terminated: boolean
  readonly truncated: boolean
  readonly returns: number[]
  readonly metrics: Record<string, number | null>
  readonly chain: string
}

export type Judgement =
  { readonly ok: true; readonly episodes: JudgedEpisode[] } | { readonly ok: false; readonly failure: Failure }

/** A failure of what was submitted; `where` begins with the episode. */
function faulty(
  code: string,
  episode: number,
  message: string,
  more: Partial<Pick<Failure, 'step' | 'expected' | 'actual'>> = {},
): Failure {
  return { code, message: `episode ${episode}: ${message}`.slice(0, 2000), episode, ...more, fault: 'submission' }
}

const cut = (text: string) => text.slice(0, 1000)

/** @returns the episodes in order, or the first failure in order of episodes */
export function judge(job: JudgeJob, files: readonly Uint8Array[]): Judgement {
  const definition = scenarioDefinition(job.scenario)
  const world = worldOf(job.scenario)
  const replays: Replay[] = []
  const refuse = (failure: Failure): Judgement => ({ ok: false, failure })
  let broken: Failure | undefined
  for (let k = 0; k < files.length; k++) {
    const read = readEpisode(job, world, job.first + k, files[k])
    if ('failure' in read) {
      broken = read.failure
      break // those before it may be worse: they are played first
    }
    replays.push(read.replay)
  }
  const verdicts = verifyReplays(replays, definition)
  const episodes: JudgedEpisode[] = []
  for (let k = 0; k < replays.length; k++) {
    const failure = failureOf(job.first + k, verdicts[k])
    if (failure !== undefined) return refuse(failure)
    const { header, steps, chain } = replays[k]
    const result = header.result!
    const total = teamReturn(job.scenario.teamReward, result.returns)
    if (!Number.isFinite(total)) {
      return refuse(faulty('wrong-score', job.first + k, `the return is ${total}; expected a finite number`))
    }
    episodes.push({
      episode: job.first + k,
      return: total + 0, // -0 is 0 here
      length: steps,
      terminated: result.terminated,
      truncated: result.truncated,
      returns: result.returns.map((value) => value + 0),
      metrics: result.metrics,
      chain: chain[chain.length - 1] ?? '',
    })
  }
  return broken === undefined ? { ok: true, episodes } : refuse(broken)
}

interface World {
  readonly hash: string
  readonly options: Readonly<Record<string, unknown>>
  readonly seats: string
  readonly agents: number
  /** Worlds of headers that were found to be the task's. */
  readonly right: Set<string>
}

function worldOf(scenario: Scenario): World {
  const spec = scenarioSpec(scenario)
  return {
    hash: scenarioHash(scenario),
    options: spec.options,
    seats: spec.seats.join(),
    agents: spec.agents.length,
    right: new Set(),
  }
}

/** Everything that can be known without playing: the file's form, the task, the seed, that it has an end. */
function readEpisode(
  job: JudgeJob,
  world: World,
  episode: number,
  bytes: Uint8Array,
): { replay: Replay } | { failure: Failure } {
  const { scenario, caps } = job
  let replay: Replay
  try {
    replay = readReplay(bytes, {
      fileBytes: caps.replayBytes,
      sectionBytes: caps.memoryBytes,
      memoryBytes: caps.memoryBytes,
      steps: caps.steps,
      agents: caps.agents,
    })
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    return { failure: faulty(error.code, episode, error.message, { expected: error.expected, actual: error.got }) }
  }
  const { header } = replay
  const odd = (code: string, what: string, actual: unknown, expected: unknown) => ({
    failure: faulty(code, episode, `${what} is ${plain(actual)}; expected ${plain(expected)}`, {
      expected: cut(plain(expected)),
      actual: cut(plain(actual)),
    }),
  })
  const text = worldText(header)
  if (!world.right.has(text)) {
    const wrong = wrongTask(replay, scenario, world)
    if (wrong !== undefined) return odd('wrong-task', ...wrong)
    world.right.add(text)
  }
  if (header.seed !== job.seeds[episode]) return { failure: wrongSeed(job, episode, header.seed) }
  if (replay.keyframes.length > 0) {
    return odd('bad-file', 'the number of keyframes', replay.keyframes.length, '0: pictures are made again by playing')
  }
  if (header.result === undefined) return odd('wrong-episode', 'its result', 'missing', 'the end of a whole episode')
  return { replay }
}

/** What of a replay's world is not the task's: its name, what it is, what it should be. */
function wrongTask(
  { header }: Replay,
  scenario: Scenario,
  world: World,
): [what: string, actual: string, expected: string] | undefined {
  if (header.plugin !== undefined) return ['the environment', 'a plug-in', `built-in ${scenario.env}`]
  if (header.env !== scenario.env || header.version !== scenario.version) {
    const asked = `${scenario.env} version ${scenario.version}`
    return ['the environment', `${header.env} version ${header.version}`, asked]
  }
  const task = difference(() => scenarioHash(header.scenario as unknown as Scenario))
  if (task !== world.hash) return ['the hash of its scenario', task, world.hash]
  const option = oddOption(header.options, world.options, scenario.env)
  if (option !== undefined) return option
  if (header.control.join() === world.seats && header.agents.length === world.agents) return undefined
  return ['the list of controlled agents', header.control.join(), world.seats]
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : shown(value))

/** What a check makes of a header that fits nothing: its complaint instead of a value. */
function difference(make: () => string): string {
  try {
    return make()
  } catch (error) {
    if (error instanceof TroupeError) return error.message
    return 'of another shape'
  }
}

/** The first option of the world that is not the task's: its name, what it is, what it should be. */
function oddOption(
  options: Record<string, unknown>,
  expected: Readonly<Record<string, unknown>>,
  env: string,
): [what: string, actual: string, expected: string] | undefined {
  let played: Record<string, unknown>
  try {
    played = openOptions(ENVS[env], options)
  } catch (error) {
    if (error instanceof TroupeError) return ['its world', error.message, "the task's"]
    throw error
  }
  for (const [name, value] of Object.entries(expected)) {
    const [a, b] = [canonicalJson(played[name]), canonicalJson(value)]
    if (a !== b) return [`option ${name} of its world`, a, b]
  }
  return undefined
}

/** Says which of the ways of choosing one's episodes it was. */
function wrongSeed({ seeds }: JudgeJob, episode: number, seed: string | null): Failure {
  const other = seed === null ? -1 : seeds.indexOf(seed)
  const what =
    other < 0
      ? 'it was not played on a seed of this submission'
      : other < episode
        ? `it is episode ${other} again (a duplicate)`
        : `it is episode ${other}; one was skipped`
  return faulty('wrong-episode', episode, `${what}; expected seed ${seeds[episode]}`, {
    expected: seeds[episode],
    actual: String(seed),
  })
}

function failureOf(episode: number, verdict: Verdict): Failure | undefined {
  if (verdict.ok) {
    if (verdict.complete) return undefined
    return faulty('wrong-episode', episode, `it stops after ${verdict.steps} steps, before the episode is over`, {
      expected: 'a whole episode',
      actual: `${verdict.steps} steps`,
    })
  }
  const { step, what, agent, expected, actual } = verdict
  const place = step === undefined ? '' : ` at step ${step}`
  const code = what === 'action' ? 'bad-action' : what === 'length' ? 'wrong-episode' : 'not-genuine'
  const message =
    what === 'action'
      ? `illegal action${agent === undefined ? '' : ` of ${agent}`}${place}: ${actual}; expected ${expected}`
      : `${what} differs${place}; recorded ${expected}, played again ${actual}`
  return faulty(code, episode, message, {
    ...(step === undefined ? {} : { step }),
    expected: cut(expected),
    actual: cut(actual),
  })
}
