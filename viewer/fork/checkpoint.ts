/**
 * A trained policy in the browser. Loaded on demand, because TensorFlow.js comes with it. Runs on TensorFlow.js's own
 * CPU backend: a few rows a step need no more, and a worker has it everywhere.
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { TroupeError, shown } from '../../envs/core/errors.ts'
import { type EnvSpec } from '../../envs/core/types.ts'
import { decodeSafetensors, weightsHash } from '../../agents/core/checkpoint.ts'
import { type AnyPolicy } from '../../agents/core/policy.ts'
import { tf } from '../../agents/core/tensors.ts'
import { LEARNERS } from '../../agents/index.ts'
import { type CheckpointFiles } from './messages.ts'

/** @throws TroupeError bad-file when the two files do not belong together; unknown-name for another algorithm */
export async function openCheckpoint(
  { name, weights: bytes, state: text }: CheckpointFiles,
  spec: EnvSpec,
  mode: 'greedy' | 'sample',
): Promise<{ policy: AnyPolicy; hash: string }> {
  const bad = (got: string, expected: string) => new TroupeError('bad-file', { where: name, got, expected })
  let state: Record<string, unknown>
  try {
    state = JSON.parse(text) as Record<string, unknown>
  } catch {
    throw bad('a state.json that is not JSON', 'the state of a checkpoint')
  }
  if (state === null || typeof state !== 'object' || Array.isArray(state)) throw bad(shown(state), 'a JSON object')
  const { weightsFile, run: _ledger, ...rest } = state
  if (weightsFile !== bytesToHex(sha256(bytes))) {
    throw bad('weights that state.json was not written with', 'both files of one checkpoint')
  }
  const { algorithm } = rest
  if (typeof algorithm !== 'string' || !Object.hasOwn(LEARNERS, algorithm)) {
    throw new TroupeError('unknown-name', {
      where: `${name}: algorithm`,
      got: shown(algorithm),
      expected: `one of ${Object.keys(LEARNERS).join(', ')}`,
    })
  }
  await tf.setBackend('cpu')
  const weights = decodeSafetensors(bytes, name)
  const policy = LEARNERS[algorithm].policy(spec, { weights, state: rest }, mode)
  return { policy, hash: weightsHash({ weights }) }
}
