/**
 * One run of a bench: what is asked for, and what its folder says is done. The folders are the only memory of a bench,
 * and everything in them is whole or absent, so a bench may be killed at any moment and started again.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { TroupeError, canonicalJson, shown, withDefaults } from '../../envs/core/index.ts'
import { LEARNERS } from '../../agents/index.ts'
import { scenarioHash } from '../../scenarios/open.ts'
import { checkScenario, type Scenario } from '../../scenarios/schema.ts'
import { presentFolder } from '../files.ts'
import { readRecord, type ResultRecord } from '../record.ts'

/** Plain data: it is sent to another process. */
export interface BenchJob {
  readonly scenario: Scenario
  /** Name of a learner or of a policy. */
  readonly algorithm: string
  readonly kind: 'learner' | 'policy'
  readonly seed: string
  /** Folder of the run. */
  readonly folder: string
  /** Environment steps; 0 for a policy that is not learned. */
  readonly steps: number
  /** Overrides of the learner's settings. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly evaluation: {
    readonly points: number
    readonly episodes: number
    readonly absoluteEpisodes: number
    /** Replays kept of the absolute episodes with the lowest returns. */
    readonly worst: number
  }
  readonly backend: string
  readonly workers: number
  /** 'records': checkpoints and log go once the record is there. 'weights': the best stays in `best`, in half precision. */
  readonly keep: 'all' | 'weights' | 'records'
  /** Modules to load the environment and the policy from, where they are foreign. */
  readonly envModule?: string
  readonly policyModule?: string
}

export type JobState =
  | { readonly kind: 'done'; readonly record: ResultRecord }
  /** Has a checkpoint to go on from. */
  | { readonly kind: 'started'; readonly step: number }
  | { readonly kind: 'new' }

export const recordFile = (job: BenchJob): string => join(job.folder, 'record.json')

/**
 * How far a run is.
 * @throws TroupeError bad-usage when the folder holds a run that was measured in another way: mixing the two in one table
 *   would be a lie, and throwing the first away a loss
 */
export function inspectJob(job: BenchJob): JobState {
  if (existsSync(recordFile(job))) {
    const record = readRecord(recordFile(job))
    const { steps, protocol } = record
    const absolute = { absoluteEpisodes: protocol.absoluteEpisodes }
    const planned = { steps: steps.requested, points: protocol.points, episodes: protocol.episodes, ...absolute }
    requireSame(job, { ...record, ...planned })
    if (record.status !== 'interrupted') return { kind: 'done', record }
  }
  const path = join(job.folder, 'run.json')
  if (!existsSync(path) || presentFolder(join(job.folder, 'checkpoints/last')) === undefined) return { kind: 'new' }
  const run = JSON.parse(readFileSync(path, 'utf8')) as Found & { step: number; evaluation: Found }
  requireSame(job, { ...run, ...run.evaluation, scenario: checkScenario(run.scenario, `${path}: scenario`) })
  return { kind: 'started', step: run.step }
}

/** What a folder says of its run, as far as it says it. */
interface Found {
  readonly scenario: Scenario
  readonly algorithm: string
  readonly seed: string
  readonly settings: Readonly<Record<string, unknown>>
  readonly steps: number
  readonly points?: number
  readonly episodes?: number
  readonly absoluteEpisodes?: number
}

function requireSame(job: BenchJob, found: Found): void {
  const { evaluation } = job
  const learner = job.kind === 'learner' ? LEARNERS[job.algorithm] : undefined
  const asked: Record<string, unknown> = {
    algorithm: job.algorithm,
    seed: job.seed,
    scenario: scenarioHash(job.scenario),
    steps: job.steps,
    points: evaluation.points,
    episodes: evaluation.episodes,
    absoluteEpisodes: evaluation.absoluteEpisodes,
  }
  const there: Record<string, unknown> = { ...found, scenario: scenarioHash(found.scenario) }
  if (learner !== undefined) {
    const settings = withDefaults(learner.settings, job.settings, `${job.algorithm} settings`) as Record<
      string,
      unknown
    >
    // null asks the learner to find a value, which stands in what it wrote.
    for (const [name, value] of Object.entries(settings)) if (value !== null) asked[`setting ${name}`] = value
    for (const [name, value] of Object.entries(found.settings)) there[`setting ${name}`] = value
  }
  for (const [name, value] of Object.entries(asked)) {
    if (there[name] === undefined || canonicalJson(there[name]) === canonicalJson(value)) continue
    throw new TroupeError('bad-usage', {
      where: `${job.folder}: ${name}`,
      got: `${shown(there[name])} in the run that is there`,
      expected: `${shown(value)} as asked for now; choose another folder for the other measurement`,
    })
  }
}
