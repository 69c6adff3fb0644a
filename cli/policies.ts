/** Who plays: a policy by name, a plug-in, or the weights of a run or checkpoint. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { TroupeError, nearestName, shown, type EnvDefinition } from '../envs/core/index.ts'
import { LEARNERS, POLICIES } from '../agents/index.ts'
import { weightsHash } from '../agents/core/checkpoint.ts'
import { type PlayMode } from '../agents/core/learner.ts'
import { type AnyPolicy, type PolicyDefinition } from '../agents/core/policy.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { useBackend } from '../results/backend.ts'
import { readCheckpoint } from '../results/files.ts'
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

async function learned(
  folder: string,
  scenario: Scenario,
  definitions: Record<string, EnvDefinition>,
  mode: PlayMode,
  backend: string,
): Promise<Player> {
  const { weights, state: all } = readCheckpoint(checkpointFolder(folder))
  const { run: _ledger, ...state } = all // the run's own notes lie beside the learner's
  const { algorithm } = state
  if (typeof algorithm !== 'string' || !Object.hasOwn(LEARNERS, algorithm)) {
    throw new TroupeError('unknown-name', {
      where: `${folder}: algorithm`,
      got: shown(algorithm),
      expected: `one of ${Object.keys(LEARNERS).join(', ')}`,
    })
  }
  await useBackend(backend)
  const policy = LEARNERS[algorithm].policy(scenarioSpec(scenario, definitions), { weights, state }, mode)
  return { policy, name: algorithm, hash: weightsHash({ weights }), manner: mode }
}

/**
 * @param wanted name in POLICIES, folder of a run or checkpoint, module or package
 * @param mode how learned policies choose
 * @param backend what computes tensors for them
 */
export async function resolvePlayer(
  wanted: string,
  scenario: Scenario,
  definitions: Record<string, EnvDefinition>,
  mode: PlayMode,
  session: Session,
  backend = 'auto',
): Promise<Player> {
  const names = Object.keys(POLICIES)
  if (!names.includes(wanted) && isFolder(wanted) && !existsSync(join(wanted, 'package.json'))) {
    return learned(wanted, scenario, definitions, mode, backend)
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
