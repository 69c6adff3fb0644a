/** Trained policies that may take over: of a run on this server, or two files that the user chooses. */
import { signal, type Signal } from '@preact/signals'
import { strings } from '../strings.ts'
import { type CheckpointFiles } from './messages.ts'

/** Largest checkpoint that a page loads, in bytes. */
const MOST_BYTES = 64 * 1024 * 1024

/** Loaded so far; they stay for the life of the page. */
export const checkpoints: Signal<readonly CheckpointFiles[]> = signal([])

function keep(files: CheckpointFiles): CheckpointFiles {
  checkpoints.value = [...checkpoints.value.filter(({ name }) => name !== files.name), files]
  return files
}

/** @param files weights.safetensors and state.json of one folder @throws Error with one sentence */
export async function chosenCheckpoint(files: readonly File[]): Promise<CheckpointFiles> {
  const weights = files.find(({ name }) => name.endsWith('.safetensors'))
  const state = files.find(({ name }) => name.endsWith('.json'))
  if (weights === undefined || state === undefined) throw new Error(strings.fork.needsBoth)
  if (weights.size + state.size > MOST_BYTES) {
    throw new Error(`${weights.name}: ${strings.files.atMost(MOST_BYTES)}`)
  }
  const folder = /([^/]+)\/[^/]*$/.exec(weights.webkitRelativePath)?.[1]
  const name = folder ?? `checkpoint ${checkpoints.value.length + 1}`
  return keep({ name, weights: new Uint8Array(await weights.arrayBuffer()), state: await state.text() })
}

/** The best (else last) checkpoint of a run on this server; undefined when it has none. @throws Error when it is broken off */
export async function runCheckpoint(run: string): Promise<CheckpointFiles | undefined> {
  const name = strings.fork.ofRun(run)
  const known = checkpoints.value.find((one) => one.name === name)
  if (known !== undefined) return known
  const at = `/api/runs/${encodeURIComponent(run)}/policy`
  const [weights, state] = await Promise.all([fetch(`${at}/weights.safetensors`), fetch(`${at}/state.json`)])
  if (!weights.ok || !state.ok) return undefined
  return keep({ name, weights: new Uint8Array(await weights.arrayBuffer()), state: await state.text() })
}

/** The run an episode belongs to: ids of its episodes are `run:<run>:<name>`. */
export function runOf(id: string): string | null {
  return /^run:(.+):[^:]+$/.exec(id)?.[1] ?? null
}
