/**
 * A run of a policy that is not learned: the absolute episodes and nothing else. Its record is a learner's record without
 * training: no evaluations, no settings, no weights.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { TroupeError, type EnvDefinition } from '../../envs/core/index.ts'
import { type PolicyDefinition } from '../../agents/core/policy.ts'
import { scenarioHash, scenarioSpec } from '../../scenarios/open.ts'
import { type Scenario } from '../../scenarios/schema.ts'
import { claimFolder, writeAtomic } from '../files.ts'
import { measureEpisodes } from '../measure.ts'
import { RECORD_FORMAT, hardware, packageVersion, recordText, type ResultRecord } from '../record.ts'

export interface PolicyRunRequest {
  readonly scenario: Scenario
  readonly environments: Readonly<Record<string, EnvDefinition>>
  readonly policy: PolicyDefinition
  /** Of the policy's entry file, where it is a plug-in. */
  readonly sha256?: string
  readonly plugin?: { readonly name: string; readonly sha256: string }
  readonly seed: string
  readonly out: string
  readonly episodes: number
  readonly worst: number
  readonly signal?: AbortSignal
  readonly onEpisodes?: (played: number) => void
}

/** @returns the record, which is then in the folder; undefined when interrupted: nothing is written */
export async function runPolicy(request: PolicyRunRequest): Promise<ResultRecord | undefined> {
  const { scenario, environments, policy: definition, seed, out, episodes, plugin, sha256 } = request
  if (definition.envs !== undefined && !definition.envs.includes(scenario.env)) {
    throw new TroupeError('bad-option', {
      where: `policy ${definition.name}`,
      got: `for ${definition.envs.join(', ')}`,
      expected: `one that plays ${scenario.env}`,
    })
  }
  const policy = definition.create(scenarioSpec(scenario, environments))
  const release = claimFolder(out)
  const began = performance.now()
  try {
    mkdirSync(join(out, 'replays'), { recursive: true })
    const measured = await measureEpisodes({
      scenario,
      environments,
      policy,
      manner: definition.kind,
      purpose: 'absolute',
      point: 0,
      episodes,
      seed,
      folder: out,
      replays: 0,
      worst: request.worst,
      header: {
        scenario: scenario as unknown as Record<string, unknown>,
        policies: [{ name: definition.name, ...(sha256 === undefined ? {} : { hash: sha256 }) }],
        package: packageVersion(),
        ...(plugin === undefined ? {} : { plugin }),
        purpose: 'absolute',
        label: `${definition.name}, seed ${seed}, ${definition.kind}`,
      },
      nameOf: (episode) => `absolute-${episode}.replay`,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(request.onEpisodes === undefined ? {} : { onEpisodes: request.onEpisodes }),
    })
    if (measured === undefined) return undefined
    const { summary, replays } = measured
    const { interval, ...numbers } = summary.return
    const record: ResultRecord = {
      format: RECORD_FORMAT,
      scenario,
      scenarioHash: scenarioHash(scenario),
      environment: { id: scenario.env, version: scenario.version },
      ...(plugin === undefined ? {} : { plugin }),
      algorithm: definition.name,
      paper: definition.paper ?? '',
      settings: {},
      seed,
      status: 'finished',
      protocol: {
        policy: definition.kind,
        return: summary.protocol.return,
        teamReward: scenario.teamReward,
        points: 0,
        episodes: 0,
        absoluteEpisodes: episodes,
      },
      steps: { requested: 0, total: 0, perLane: 0, lanes: 0 },
      evaluations: [],
      best: null,
      absolute: {
        step: 0,
        return: { ...numbers, interval: [interval[0], interval[1]] },
        returns: summary.returns,
        lengths: summary.lengths,
        metrics: summary.metrics,
        replays,
      },
      weightsHash: null,
      policy: { privileged: definition.privileged, ...(sha256 === undefined ? {} : { sha256 }) },
      seconds: Math.round(performance.now() - began) / 1000,
      stepsPerSecond: 0,
      hardware: hardware({ detail: 'none', portable: true }),
      package: packageVersion(),
      evidence: 0,
    }
    writeAtomic(join(out, 'record.json'), recordText(record))
    return record
  } finally {
    if (policy.privileged !== true) policy.dispose?.()
    release()
  }
}
