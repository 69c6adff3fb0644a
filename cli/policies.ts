/** Who plays: a policy by name, a plug-in, or the weights of a run or checkpoint. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { TroupeError, nearestName, shown, type EnvDefinition } from '../envs/core/index.ts'
import { LEARNERS, POLICIES } from '../agents/index.ts'
import { decodeSafetensors, weightsHash, type Checkpoint } from '../agents/core/checkpoint.ts'
import { type PlayMode } from '../agents/core/learner.ts'
import { type AnyPolicy, type PolicyDefinition } from '../agents/core/policy.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { loadPolicyPlugin } from '../results/plugins.ts'
import { type Session } from './command.ts'
import { isFolder, isPolicyModule } from './targets.ts'

export interface Player {
  readonly policy: AnyPolicy
  /** As results name it. */
  readonly name: string
  /** SHA-256 of the plug-in or of the weights. */
  readonly hash?: string
  /** How it chooses, for the protocol label. */
  readonly manner: string
}

const MAX_WEIGHTS = 1 << 30
const MAX_STATE = 1 << 28

/** The folder with weights.safetensors in it: the checkpoint itself, or the best (else last) one of a run. */
export function checkpointFolder(folder: string): string {
  const choices = [folder, ...['checkpoints/best', 'checkpoints/last', 'best', 'last'].map((sub) => join(folder, sub))]
  const found = choices.find((choice) => existsSync(join(choice, 'weights.safetensors')))
  if (found !== undefined) return found
  throw new TroupeError('bad-file', {
    where: folder,
    got: 'a folder without weights.safetensors',
    expected: 'a run or a checkpoint that `troupe train` wrote',
  })
}

function readCapped(path: string, limit: number): Buffer {
  const { size } = statSync(path)
  if (size > limit) {
    throw new TroupeError('bad-file', { where: path, got: `${size} bytes`, expected: `at most ${limit}` })
  }
  return readFileSync(path)
}

/** Reads weights.safetensors and state.json of a checkpoint folder. */
export function readCheckpoint(folder: string): Checkpoint {
  const weightsPath = join(folder, 'weights.safetensors')
  const statePath = join(folder, 'state.json')
  if (!existsSync(statePath)) {
    throw new TroupeError('bad-file', {
      where: folder,
      got: 'a folder without state.json',
      expected: 'a whole checkpoint',
    })
  }
  const weights = decodeSafetensors(readCapped(weightsPath, MAX_WEIGHTS), weightsPath)
  try {
    return { weights, state: JSON.parse(readCapped(statePath, MAX_STATE).toString('utf8')) }
  } catch (error) {
    if (error instanceof TroupeError) throw error
    throw new TroupeError('bad-file', {
      where: statePath,
      got: `not JSON (${(error as Error).message})`,
      expected: 'the state of a checkpoint',
    })
  }
}

function learned(
  folder: string,
  scenario: Scenario,
  definitions: Record<string, EnvDefinition>,
  mode: PlayMode,
): Player {
  const checkpoint = readCheckpoint(checkpointFolder(folder))
  const algorithm = checkpoint.state.algorithm
  if (typeof algorithm !== 'string' || !Object.hasOwn(LEARNERS, algorithm)) {
    throw new TroupeError('unknown-name', {
      where: `${folder}: algorithm`,
      got: shown(algorithm),
      expected: `one of ${Object.keys(LEARNERS).join(', ')}`,
    })
  }
  const policy = LEARNERS[algorithm].policy(scenarioSpec(scenario, definitions), checkpoint, mode)
  return { policy, name: algorithm, hash: weightsHash(checkpoint), manner: mode }
}

/**
 * @param wanted name in POLICIES, folder of a run or checkpoint, module or package
 * @param mode how learned policies choose
 */
export async function resolvePlayer(
  wanted: string,
  scenario: Scenario,
  definitions: Record<string, EnvDefinition>,
  mode: PlayMode,
  session: Session,
): Promise<Player> {
  const names = Object.keys(POLICIES)
  if (!names.includes(wanted) && isFolder(wanted) && !existsSync(join(wanted, 'package.json'))) {
    return learned(wanted, scenario, definitions, mode)
  }
  let definition: PolicyDefinition
  let hash: string | undefined
  if (isPolicyModule(wanted, names)) {
    const plugin = await loadPolicyPlugin(wanted)
    session.foreign.push(plugin.path)
    definition = plugin.definition
    hash = plugin.sha256
  } else if (Object.hasOwn(POLICIES, wanted)) {
    definition = POLICIES[wanted]
  } else {
    const nearest = nearestName(wanted, names)
    throw new TroupeError('unknown-name', {
      where: '--policy',
      got: shown(wanted),
      expected: `one of ${names.join(', ')}; the folder of a run or checkpoint; or a module such as ./mine.js`,
      ...(nearest === undefined ? {} : { nearest: shown(nearest) }),
    })
  }
  if (definition.envs !== undefined && !definition.envs.includes(scenario.env)) {
    throw new TroupeError('bad-option', {
      where: `--policy ${definition.name}`,
      got: `for ${definition.envs.join(', ')}`,
      expected: `one that plays ${scenario.env}, such as random`,
    })
  }
  const policy = definition.create(scenarioSpec(scenario, definitions))
  return { policy, name: definition.name, ...(hash === undefined ? {} : { hash }), manner: definition.kind }
}

/** SHA-256 of a file's bytes, hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
