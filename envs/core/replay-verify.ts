/** Is a replay genuine? Play its actions again and compare every digest and the result. */
import { createBatch, openOptions, type DigestibleBatch } from './batch.ts'
import { TroupeError, shown, unknownName } from './errors.ts'
import { GENERATOR } from './random.ts'
import { RunningDigest, actionBits, worldKey } from './replay-chain.ts'
import { CHAIN_EVERY, type Replay, type ReplayHeader, type ReplayResult } from './replay-format.ts'
import { scalarReturn, type TeamReward } from './replay-record.ts'
import { canonicalJson } from './schema.ts'
import { type EnvDefinition, type EnvSpec, type Frame } from './types.ts'

export type Verdict =
  /** `complete`: the episode ended within the recording. */
  { readonly ok: true; readonly steps: number; readonly complete: boolean } | Difference

interface Difference {
  readonly ok: false
  /** The first joint action (0 = the first of the episode) after which the worlds differ; left out for totals. */
  readonly step?: number
  /** What differs: 'scenario …', 'agents', 'seed', 'action', 'state', 'chain', 'keyframe', 'picture', 'length', 'result …'. */
  readonly what: string
  /** Whose action it is that cannot be, where it is one: 'agent_1', 'agent_1, dimension 0'. */
  readonly agent?: string
  readonly expected: string
  readonly actual: string
}

/**
 * Whether this build may play a replay with a definition: same environment, same version, same generator.
 * @throws TroupeError bad-version naming both; such a replay is never reinterpreted, its stored frames may be shown
 */
export function checkPlayable(header: ReplayHeader, definition: EnvDefinition, where = 'replay'): void {
  if (header.env !== definition.id || header.version !== definition.version) {
    throw new TroupeError('bad-version', {
      where: `${where}: environment`,
      got: `${header.env} version ${header.version}`,
      expected: `${definition.id} version ${definition.version}, the one this build plays`,
    })
  }
  if (header.generator !== GENERATOR) {
    throw new TroupeError('bad-version', {
      where: `${where}: generator`,
      got: shown(header.generator),
      expected: GENERATOR,
    })
  }
}

/**
 * The definition that plays a replay, from a table of built-in ones.
 * @throws TroupeError unknown-name, or bad-version for another version, another generator or a plug-in's replay
 */
export function definitionOf(
  header: ReplayHeader,
  definitions: Readonly<Record<string, EnvDefinition>>,
  where = 'replay',
): EnvDefinition {
  if (header.plugin !== undefined) {
    throw new TroupeError('bad-version', {
      where: `${where}: environment`,
      got: `the plug-in ${header.plugin.name} (SHA-256 ${header.plugin.sha256.slice(0, 12)}…)`,
      expected: 'a built-in environment, or that plug-in named on the command line',
    })
  }
  if (!Object.hasOwn(definitions, header.env)) {
    throw unknownName(`${where}: environment`, header.env, Object.keys(definitions))
  }
  const definition = definitions[header.env]
  checkPlayable(header, definition, where)
  return definition
}

const differs = (what: string, expected: unknown, actual: unknown, step?: number): Difference => ({
  ok: false,
  ...(step === undefined ? {} : { step }),
  what,
  expected: typeof expected === 'string' ? expected : shown(expected),
  actual: typeof actual === 'string' ? actual : shown(actual),
})

const alike = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((part, i) => part === b[i])

/** Compares what the header says about options, seats and actions with the world; undefined when they agree. */
export function specDifference(header: ReplayHeader, spec: EnvSpec): Verdict | undefined {
  const agents = spec.agents.map((agent) => agent.id)
  if (!alike(header.agents, agents)) return differs('agents', header.agents.join(', '), agents.join(', '))
  const { kind, sizes, dims } = header.action
  if (kind !== spec.actionKind || dims !== spec.actionDims || !alike(sizes, spec.actionSizes)) {
    const ours = `${spec.actionKind} ${spec.actionSizes.join(', ')} (${spec.actionDims} dimensions)`
    return differs('action encoding', `${kind} ${sizes.join(', ')} (${dims} dimensions)`, ours)
  }
  // Recorded options are resolved ones: resolving them again changes nothing. An option that the header does not have was
  // added to the world later, with a default that leaves older episodes as they were (else its version had been raised).
  const names = new Set([...Object.keys(header.options), ...Object.keys(spec.options)])
  for (const name of names) {
    if (!Object.hasOwn(header.options, name)) continue
    const [a, b] = [header.options[name], spec.options[name]]
    if (a === b || (typeof a === 'object' && typeof b === 'object' && canonicalJson(a) === canonicalJson(b))) continue
    return differs(`option ${name}`, a, b)
  }
  return undefined
}

/**
 * Compares the world that was played with the scenario that the header says it was: whoever reads the scenario's name
 * and options believes that they were played. Undefined when they agree; what the scenario leaves out claims nothing.
 */
export function scenarioDifference(header: ReplayHeader, definition: EnvDefinition): Verdict | undefined {
  const { scenario } = header
  for (const name of ['env', 'version'] as const) {
    if (scenario[name] !== undefined && scenario[name] !== header[name]) {
      return differs(`scenario ${name}`, scenario[name], header[name])
    }
  }
  const { options, control } = scenario
  if (options !== undefined) {
    let claimed: Record<string, unknown>
    let resolved: Record<string, unknown>
    try {
      claimed = openOptions(definition, options)
      resolved = openOptions(definition, header.options)
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error
      return differs('scenario options', options, header.options)
    }
    for (const [name, value] of Object.entries(claimed)) {
      const played = resolved[name]
      if (value === played || canonicalJson(value) === canonicalJson(played)) continue
      return differs(`scenario option ${name}`, value, played)
    }
  }
  if (Array.isArray(control) && !alike(control, header.agents))
    return differs('scenario control', control, header.agents)
  return undefined
}

/** The batch used last for each definition: verifying many replays of one world opens it once. */
const opened = new WeakMap<EnvDefinition, { key: string; batch: DigestibleBatch }>()

function batchFor(header: ReplayHeader, definition: EnvDefinition, key: string): DigestibleBatch {
  const last = opened.get(definition)
  if (last?.key === key) return last.batch // equal keys have equal options
  const batch = createBatch(definition, header.options, {
    lanes: 1,
    control: header.control,
    autoreset: 'disabled',
    observe: false,
  })
  opened.set(definition, { key, batch })
  return batch
}

/**
 * Re-simulates a replay and compares scenario, digests, chain, stored snapshots and pictures, length, returns and metrics.
 * Policy channels and notes are what somebody says about the episode, and proof of nothing.
 * @returns a verdict; an illegal action is a verdict, too
 * @throws TroupeError when the replay cannot be judged: another environment, version or generator, impossible options
 */
export function verifyReplay(replay: Replay, definition: EnvDefinition): Verdict {
  for (const [name, value, field] of [
    ['replay', replay, 'header'],
    ['definition', definition, 'create'],
  ] as const) {
    if (value !== null && typeof value === 'object' && field in value) continue
    throw new TroupeError('bad-usage', {
      where: `verifyReplay: ${name}`,
      got: shown(value),
      expected: name === 'replay' ? 'what readReplay returns' : 'the environment of the replay, such as ENVS.warehouse',
    })
  }
  const { header, steps, actions, digests, chain, keyframes } = replay
  checkPlayable(header, definition)
  const key = worldKey(header)
  const batch = batchFor(header, definition, key)
  const difference = specDifference(header, batch.spec) ?? scenarioDifference(header, definition)
  if (difference !== undefined) return difference
  const width = header.agents.length * header.action.dims
  if (actions.length !== steps * width || digests.length !== steps || chain.length !== Math.ceil(steps / CHAIN_EVERY)) {
    return differs('length', `${steps} steps`, `${actions.length / width} actions, ${digests.length} digests`)
  }
  batch.reset([header.seed])
  if (batch.seedOf(0) !== header.seed) return differs('seed', header.seed, 'a world that draws chance and needs one')
  const running = new RunningDigest(batch, 0, key, header)
  const bits = actionBits(actions)
  const row = header.action.kind === 'box' ? new Float32Array(width) : new Int32Array(width)
  const rowBits = actionBits(row)
  const { terminated, truncated } = batch
  let keyframe = 0
  let t = 0
  try {
    for (; t <= steps; t++) {
      if (keyframe < keyframes.length && keyframes[keyframe].step === t) {
        const { snapshot, frame } = keyframes[keyframe++]
        const difference =
          (snapshot === null ? undefined : snapshotDifference(snapshot, batch, t)) ??
          (frame === null ? undefined : frameDifference(frame, batch, t))
        if (difference !== undefined) return difference
      }
      if (t === steps) break
      if ((terminated[0] | truncated[0]) !== 0)
        return differs('length', `${steps} steps`, `an episode of ${t} steps`, t)
      for (let i = 0, at = t * width; i < width; i++, at++) rowBits[i] = bits[at]
      batch.step(row)
      const digest = running.step(rowBits, 0)
      if (digest !== digests[t]) return differs('state', `digest ${digests[t]}`, `digest ${digest}`, t)
      if (running.steps % CHAIN_EVERY === 0 || running.steps === steps) {
        const entry = running.link(bits)
        const said = chain[running.chain.length - 1]
        if (entry !== said) return differs('chain', said, entry, t)
      }
    }
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'bad-action') {
      return {
        ...differs('action', error.expected, error.got, t),
        ...(error.agent === undefined ? {} : { agent: error.agent }),
      }
    }
    throw error
  }
  const complete = terminated[0] === 1 || truncated[0] === 1
  const result = header.result === undefined ? undefined : resultDifference(header.result, replay, batch, running.hex)
  return result ?? { ok: true, steps, complete }
}

function snapshotDifference(said: unknown, batch: DigestibleBatch, step: number): Verdict | undefined {
  // Lane histories differ: the number of the episode in its lane decides nothing.
  const claimed = canonicalJson({ ...(said as object), episode: 0 })
  const actual = canonicalJson({ ...batch.save(0), episode: 0 })
  if (claimed === actual) return undefined
  return differs('keyframe', claimed.slice(0, 200), actual.slice(0, 200), Math.max(0, step - 1))
}

function frameDifference(said: Frame, batch: DigestibleBatch, step: number): Verdict | undefined {
  const claimed = canonicalJson(said)
  const actual = canonicalJson(JSON.parse(JSON.stringify(batch.frame(0)))) // as a file holds it: no -0, no undefined
  if (claimed === actual) return undefined
  return differs('picture', claimed.slice(0, 200), actual.slice(0, 200), Math.max(0, step - 1))
}

/** Compares what the header says of the end with the lane that has played it; undefined when they agree. */
export function resultDifference(
  said: ReplayResult,
  replay: Replay,
  batch: DigestibleBatch,
  digest: string,
  lane = 0,
): Verdict | undefined {
  const { agents, scenario } = replay.header
  if (said.steps !== replay.steps) return differs('result steps', said.steps, replay.steps)
  for (const name of ['terminated', 'truncated'] as const) {
    const actual = batch[name][lane] === 1
    if (said[name] !== actual) return differs(`result ${name}`, said[name], actual)
  }
  const returns = batch.returns.subarray(lane * agents.length, (lane + 1) * agents.length)
  for (let n = 0; n < agents.length; n++) {
    if (said.returns[n] !== returns[n]) return differs(`result return of ${agents[n]}`, said.returns[n], returns[n])
  }
  const ways: TeamReward[] = ['none', 'sum', 'mean']
  const named = ways.filter((way) => way === scenario.teamReward)
  const scalars = (named.length > 0 ? named : ways).map((way) => scalarReturn(way, returns))
  if (!scalars.includes(said.return)) return differs('result return', said.return, scalars[0])
  const metrics = batch.metrics(lane)
  for (const name of new Set([...Object.keys(metrics), ...Object.keys(said.metrics)])) {
    const [a, b] = [said, { metrics }].map((part) =>
      Object.hasOwn(part.metrics, name) ? part.metrics[name] : undefined,
    )
    if (a !== b) return differs(`result metric ${name}`, a, b)
  }
  if (said.digest !== digest) return differs('result digest', said.digest, digest)
  return undefined
}
