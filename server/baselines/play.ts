/** The replays of a shipped run: played by its policy's rules, or from the log of its actions. Pure; the worker runs it. */
import { POLICIES } from '../../agents/scripted/index.ts'
import { playEpisodes } from '../../agents/core/play.ts'
import { TroupeError } from '../../envs/core/errors.ts'
import { ReplayRecorder } from '../../envs/core/replay.ts'
import { openScenario, scenarioSpec, type Scenario } from '../../scenarios/open.ts'
import { writeBundle } from '../protocol/bundle.ts'
import { readActionLog, type ShippedRun } from './shipped.ts'

/** Plain data: jobs travel to the worker. */
export interface BaselineJob {
  readonly scenario: Scenario
  readonly seeds: readonly string[]
  readonly run: ShippedRun
  /** Version of the package, for the headers. */
  readonly version: string
}

const LANES = 32

/** @returns the bundle that is submitted */
export function playBaseline({ scenario, seeds, run, version }: BaselineJob): Uint8Array {
  const policies = [{ name: run.algorithm, ...(run.policyHash === undefined ? {} : { hash: run.policyHash }) }]
  const header = { scenario: { ...scenario }, policies, package: version, purpose: 'submission' }
  if (run.log !== undefined) return writeBundle(replayed(scenario, seeds, run.log, header))
  if (!Object.hasOwn(POLICIES, run.algorithm)) {
    throw new TroupeError('unknown-name', { where: 'baselines', got: run.algorithm, expected: 'a policy with rules' })
  }
  const policy = POLICIES[run.algorithm].create(scenarioSpec(scenario))
  const lanes = policy.privileged === true ? 1 : Math.min(LANES, seeds.length)
  const batch = openScenario(scenario, { lanes, autoreset: 'disabled' })
  const { teamReward } = scenario
  const { episodes } = playEpisodes({
    batch,
    policy,
    seeds,
    rng: run.seed,
    teamReward,
    channels: false,
    record: () => header,
  })
  return writeBundle(episodes.map(({ replay }) => replay!))
}

/** The worlds again, with the actions of the log. */
function replayed(
  scenario: Scenario,
  seeds: readonly string[],
  log: number,
  header: ConstructorParameters<typeof ReplayRecorder>[2],
): Uint8Array[] {
  const lanes = Math.min(LANES, seeds.length)
  const batch = openScenario(scenario, { lanes, autoreset: 'disabled' })
  const width = batch.spec.agents.length * batch.spec.actionDims
  const { lengths, actions } = readActionLog(scenario.id, log, seeds.length, width)
  const starts = new Float64Array(seeds.length + 1)
  lengths.forEach((length, k) => (starts[k + 1] = starts[k] + length * width))
  const row = new Int32Array(lanes * width)
  const replays: Uint8Array[] = []
  for (let first = 0; first < seeds.length; first += lanes) {
    const count = Math.min(lanes, seeds.length - first)
    batch.reset(Array.from({ length: lanes }, (_, lane) => seeds[first + Math.min(lane, count - 1)]))
    const recorders = Array.from({ length: count }, (_, lane) => new ReplayRecorder(batch, lane, header))
    const longest = Math.max(...lengths.subarray(first, first + count))
    for (let t = 0; t < longest; t++) {
      for (let lane = 0; lane < count; lane++) {
        if (t >= lengths[first + lane]) continue // an ended lane ignores what it is told
        const from = starts[first + lane] + t * width
        for (let i = 0; i < width; i++) row[lane * width + i] = actions[from + i]
      }
      for (let lane = count; lane < lanes; lane++) row.copyWithin(lane * width, (count - 1) * width, count * width)
      batch.step(row)
      recorders.forEach((recorder, lane) => t < lengths[first + lane] && recorder.record(row, lane * width))
    }
    for (const recorder of recorders) replays.push(recorder.finish(scenario.teamReward))
  }
  return replays
}
