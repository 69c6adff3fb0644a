/**
 * Many replays of one world, verified side by side in the lanes of one batch: several times as fast as one after the
 * other. Only what agrees in everything is settled here; whatever differs anywhere is judged again by `verifyReplay`, so
 * that both always say the same.
 */
import { createBatch, type DigestibleBatch } from './batch.ts'
import { TroupeError } from './errors.ts'
import { RunningDigest, actionBits, worldKey } from './replay-chain.ts'
import { CHAIN_EVERY, worldText, type Replay } from './replay-format.ts'
import { resultDifference, scenarioDifference, specDifference, verifyReplay, type Verdict } from './replay-verify.ts'
import { type EnvDefinition } from './types.ts'

/** The batch used last for each definition. */
const opened = new WeakMap<EnvDefinition, { key: string; batch: DigestibleBatch }>()

function batchFor(replay: Replay, definition: EnvDefinition, key: string, lanes: number): DigestibleBatch {
  const name = `${lanes}|${key}`
  const last = opened.get(definition)
  if (last?.key === name) return last.batch
  const { options, control } = replay.header
  const batch = createBatch(definition, options, { lanes, control, autoreset: 'disabled', observe: false })
  opened.set(definition, { key: name, batch })
  return batch
}

/** What a replay needs to be played in company: actions and digests of a whole episode, nothing to look at on the way. */
function isPlain({ header, steps, actions, digests, chain, keyframes }: Replay): boolean {
  const width = header.agents.length * header.action.dims
  return (
    steps > 0 &&
    header.seed !== null &&
    header.result !== undefined &&
    keyframes.length === 0 &&
    actions.length === steps * width &&
    digests.length === steps &&
    chain.length === Math.ceil(steps / CHAIN_EVERY)
  )
}

/**
 * Verifies replays of one world; the verdicts are those of `verifyReplay`, in order.
 * @param lanes episodes played side by side; changes nothing but the speed
 * @throws TroupeError as `verifyReplay`, for the first that cannot be judged
 */
export function verifyReplays(replays: readonly Replay[], definition: EnvDefinition, lanes = 32): Verdict[] {
  const verdicts = new Array<Verdict | undefined>(replays.length).fill(undefined)
  const groups = new Map<string, number[]>()
  const keys = new Map<string, string>()
  replays.forEach((replay, index) => {
    const { header } = replay
    if (header.env !== definition.id || header.version !== definition.version || !isPlain(replay)) return
    const text = worldText(header)
    const key = keys.get(text) ?? worldKey(header)
    keys.set(text, key)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [index])
    else group.push(index)
  })
  for (const [key, indices] of groups) {
    // Episodes of like length together: a lane that is done waits for the longest of its company.
    indices.sort((a, b) => replays[a].steps - replays[b].steps || a - b)
    for (let from = 0; from < indices.length; from += lanes) {
      const company = indices.slice(from, from + lanes)
      if (company.length < 2) continue
      for (const [index, verdict] of together(replays, company, definition, key)) verdicts[index] = verdict
    }
  }
  return verdicts.map((verdict, index) => verdict ?? verifyReplay(replays[index], definition))
}

/** Those of the company that agree in everything; the others are left to be judged alone. */
function together(
  replays: readonly Replay[],
  company: readonly number[],
  definition: EnvDefinition,
  key: string,
): Map<number, Verdict> {
  const settled = new Map<number, Verdict>()
  const lanes = company.length
  let batch: DigestibleBatch
  try {
    batch = batchFor(replays[company[0]], definition, key, lanes)
  } catch (error) {
    if (error instanceof TroupeError) return settled
    throw error
  }
  const { header: world } = replays[company[0]]
  const width = world.agents.length * world.action.dims
  const action = world.action.kind === 'box' ? new Float32Array(lanes * width) : new Int32Array(lanes * width)
  const bits = actionBits(action)
  const recorded = company.map((index) => actionBits(replays[index].actions))
  const fine = new Uint8Array(lanes)
  const agreeing = new Set<string>()
  company.forEach((index, lane) => {
    const { header } = replays[index]
    const text = worldText(header)
    if (!agreeing.has(text)) {
      if ((specDifference(header, batch.spec) ?? scenarioDifference(header, definition)) !== undefined) return
      agreeing.add(text)
    }
    fine[lane] = 1
  })
  const longest = Math.max(...company.map((index) => replays[index].steps))
  const { terminated, truncated } = batch
  try {
    batch.reset(company.map((index) => replays[index].header.seed))
    const running = company.map((index, lane) => new RunningDigest(batch, lane, key, replays[index].header))
    for (let lane = 0; lane < lanes; lane++) {
      if (batch.seedOf(lane) !== replays[company[lane]].header.seed) fine[lane] = 0
    }
    for (let t = 0; t < longest; t++) {
      for (let lane = 0; lane < lanes; lane++) {
        const { steps } = replays[company[lane]]
        if (t >= steps) continue // its last actions again: an ended lane ignores them
        if ((terminated[lane] | truncated[lane]) !== 0) fine[lane] = 0
        const row = recorded[lane]
        for (let i = lane * width, at = t * width; i < (lane + 1) * width; i++, at++) bits[i] = row[at]
      }
      batch.step(action)
      for (let lane = 0; lane < lanes; lane++) {
        const { steps, digests, chain } = replays[company[lane]]
        if (t >= steps || fine[lane] === 0) continue
        const digest = running[lane]
        if (digest.step(bits, lane * width) !== digests[t]) fine[lane] = 0
        else if (digest.steps % CHAIN_EVERY === 0 || digest.steps === steps) {
          if (digest.link(recorded[lane]) !== chain[digest.chain.length - 1]) fine[lane] = 0
        }
      }
    }
    company.forEach((index, lane) => {
      const replay = replays[index]
      const complete = terminated[lane] === 1 || truncated[lane] === 1
      if (fine[lane] === 0 || !complete || replay.header.result === undefined) return
      if (resultDifference(replay.header.result, replay, batch, running[lane].hex, lane) !== undefined) return
      settled.set(index, { ok: true, steps: replay.steps, complete })
    })
  } catch (error) {
    // An illegal action of one stops the batch for all: each is judged alone.
    if (error instanceof TroupeError) return new Map()
    throw error
  }
  return settled
}
