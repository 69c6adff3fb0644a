/** Contract checks of what decides the future: seeds, state, lanes, snapshots, hashes, frames, replays. */
import { type DigestibleBatch } from './batch.ts'
import {
  OUTPUTS,
  STEPS,
  dice,
  distinct,
  must,
  open,
  row,
  same,
  sameOutputs,
  seeds,
  spied,
  type Check,
} from './contract-tools.ts'
import { TroupeError } from './errors.ts'
import { actionArray, randomActions } from './random-actions.ts'
import { ReplayRecorder, checkFrame, readReplay, verifyReplay, writeReplay } from './replay.ts'
import { canonicalJson } from './schema.ts'
import { type TypedArray } from './types.ts'

export const sameSeedsSameEpisodes: Check = (definition, options) => {
  const a = open(definition, options)
  const b = open(definition, options)
  const action = actionArray(a)
  const rng = dice('same')
  sameOutputs(a, b, 'after reset')
  for (let t = 0; t < STEPS; t++) {
    randomActions(a, rng, action)
    a.step(action)
    b.step(action)
    sameOutputs(a, b, `step ${t}`)
  }
  b.reset([0, 1, 2, 3].map((lane) => seeds(lane, 0)))
  const fresh = open(definition, options)
  for (const name of [
    'observation',
    'state',
    'mask',
    'alive',
    'reward',
    'terminated',
    'truncated',
    'returns',
  ] as const) {
    same(b[name], fresh[name], () => `after many steps and a reset with the first seeds: ${name}`)
  }
  must(b.hash(0) === fresh.hash(0), () => 'a reset leaves something of the episode before in the state (hash differs)')
}

export const savedGamesGoOn: Check = (definition, options) => {
  const a = open(definition, options, { autoreset: 'disabled' })
  const b = open(definition, options, { autoreset: 'disabled' })
  const action = actionArray(a)
  const rng = dice('saved')
  for (const until of [0, 3, 17]) {
    for (let t = a.stepCount[0]; t < until; t++) {
      randomActions(a, rng, action)
      a.step(action)
    }
    const saved = [0, 1, 2, 3].map((lane) => JSON.parse(JSON.stringify(a.save(lane))) as ReturnType<typeof a.save>)
    for (let lane = 0; lane < 4; lane++) b.load(lane, saved[lane])
    const what = (t: number) => `saved at step ${until}, loaded in another batch, ${t} steps later`
    for (let t = 0; t < 15; t++) {
      for (const name of [
        'observation',
        'state',
        'agentState',
        'mask',
        'alive',
        'returns',
        'terminated',
        'truncated',
      ] as const) {
        same(a[name] ?? [], b[name] ?? [], () => `${what(t)}: ${name}`)
      }
      for (let lane = 0; lane < 4; lane++)
        must(a.hash(lane) === b.hash(lane), () => `${what(t)}: lane ${lane} differs (hash)`)
      randomActions(a, rng, action)
      a.step(action)
      b.step(action)
      same(a.reward, b.reward, () => `${what(t)}: reward`)
    }
    for (let lane = 0; lane < 4; lane++) a.load(lane, saved[lane])
  }
}

export const lanesDoNotTouch: Check = (definition, options) => {
  const many = open(definition, options, { lanes: 6 })
  const rng = dice('lanes')
  const action = actionArray(many)
  const alone = [0, 3, 5].map((lane) => ({ lane, batch: open(definition, options, { lanes: 1, firstLane: lane }) }))
  for (let t = 0; t < STEPS; t++) {
    randomActions(many, rng, action)
    for (const { lane, batch } of alone) {
      const what = () => `step ${t}: lane ${lane} of six against the same lane alone`
      for (const name of OUTPUTS) {
        same(row(many[name] ?? new Uint8Array(0), lane, 6), batch[name] ?? [], () => `${what()}: ${name}`)
      }
      must(many.hash(lane) === batch.hash(0), () => `${what()}: state (hash)`)
      batch.step(row(action, lane, 6) as never)
    }
    many.step(action)
  }
}

/** Everything a lane shows and keeps besides the generators. */
function portrait(batch: DigestibleBatch, lane: number): string {
  const { arrays } = batch.save(lane)
  const { random: _, ...rest } = arrays
  return canonicalJson({ rest, reward: Array.from(row(batch.reward, lane, batch.lanes)) })
}

/** Whether lanes that all play lane 0's actions come apart within `STEPS` steps. */
function comeApart(batch: DigestibleBatch): boolean {
  const rng = dice('seeds')
  const action = actionArray(batch)
  const width = action.length / batch.lanes
  for (let t = 0; t < STEPS; t++) {
    const first = portrait(batch, 0)
    for (let lane = 1; lane < batch.lanes; lane++) if (portrait(batch, lane) !== first) return true
    randomActions(batch, rng, action)
    for (let i = width; i < action.length; i++) action[i] = action[i % width]
    batch.step(action)
  }
  return false
}

export const seedsMatter: Check = (definition, options) => {
  const lanes = 16
  const alike = open(definition, options, { lanes, seeds: (_, episode) => seeds(0, episode) })
  must(!comeApart(alike), () => 'the same seed and the same actions give different episodes in different lanes')
  const batch = open(definition, options, { lanes })
  const { streams } = batch.spec.world
  const differ = comeApart(batch)
  must(
    differ || streams.length === 0,
    () => `streams are declared (${streams.join(', ')}), yet ${lanes} seeds give one episode`,
  )
  must(!differ || streams.length > 0, () => 'no streams are declared, yet lanes with different seeds differ')
}

export const hashesTellStates: Check = (definition, options) => {
  const batch = open(definition, options, { autoreset: 'disabled' })
  const rng = dice('hash')
  const action = actionArray(batch)
  for (let t = 0; t < 4; t++) {
    randomActions(batch, rng, action)
    batch.step(action)
  }
  const saved = batch.save(0)
  const hash = batch.hash(0)
  must(/^[0-9a-f]{32}$/.test(hash), () => `hash is ${hash}, not 32 hex digits`)
  batch.load(1, saved)
  must(batch.hash(1) === hash, () => 'equal states in two lanes have different hashes')
  const spy = spied(definition)
  const own = open(spy.definition, options, { autoreset: 'disabled' })
  const before = own.hash(0)
  for (const [name, array] of Object.entries(spy.rules().arrays) as [string, TypedArray][]) {
    if (array.length === 0) continue
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
    bytes[0] ^= 1
    must(own.hash(0) !== before, () => `the hash does not see a changed bit of the state array "${name}"`)
    bytes[0] ^= 1
  }
}

export const framesAreDrawable: Check = (definition, options) => {
  const a = open(definition, options, { autoreset: 'disabled' })
  const b = open(definition, options, { autoreset: 'disabled' })
  const rng = dice('frames')
  const action = actionArray(a)
  for (let t = 0; t < 25; t++) {
    const what = () => `frame at step ${t}`
    const frame = a.frame(0)
    checkFrame(frame, 'frame')
    const text = canonicalJson(frame)
    must(canonicalJson(JSON.parse(JSON.stringify(frame))) === text, () => `${what()} changes when it goes through JSON`)
    must(frame.step === a.stepCount[0], () => `${what()} says step ${frame.step}`)
    distinct(
      frame.entities.map((entity) => entity.id),
      `${what()}: entities`,
    )
    b.load(0, a.save(0))
    must(canonicalJson(b.frame(0)) === text, () => `${what()} differs after save and load`)
    randomActions(a, rng, action)
    a.step(action)
  }
}

export const replaysVerify: Check = (definition, options) => {
  const batch = open(definition, options, { lanes: 1, autoreset: 'disabled' })
  const recorder = new ReplayRecorder(
    batch,
    0,
    { scenario: { teamReward: 'sum' }, policies: [{ name: 'random' }], package: 'contract' },
    { keyframeEvery: 16 },
  )
  const rng = dice('replay')
  const action = actionArray(batch)
  while (batch.terminated[0] + batch.truncated[0] === 0) {
    randomActions(batch, rng, action)
    batch.step(action)
    recorder.record(action)
  }
  const replay = recorder.replay('sum')
  const bytes = writeReplay(replay)
  const verdict = verifyReplay(readReplay(bytes), definition)
  must(verdict.ok, () => `a fresh replay does not verify: ${JSON.stringify(verdict)}`)
  for (let k = 0; k < 64; k++) {
    const damaged = bytes.slice()
    damaged[Math.floor((k * bytes.length) / 64)] ^= 1 << (k & 7)
    let found = false
    try {
      found = !verifyReplay(readReplay(damaged), definition).ok
    } catch (error) {
      found = error instanceof TroupeError
    }
    must(found, () => `a replay with byte ${Math.floor((k * bytes.length) / 64)} changed passes for genuine`)
  }
  const step = Math.floor(replay.steps / 2)
  const actions = replay.actions.slice()
  const at = step * batch.spec.agents.length * batch.spec.actionDims
  const { action: space } = batch.spec.agents[0]
  const choices = space.kind === 'box' ? 0 : batch.spec.actionSizes[0]
  if (choices === 1) return
  if (space.kind === 'box') actions[at] = (space.dimensions[0].low + actions[at]) / 2
  else actions[at] = (actions[at] + 1) % choices
  if (actions[at] === replay.actions[at]) return
  const changed = verifyReplay({ ...replay, actions }, definition)
  const named = !changed.ok && changed.step === step
  must(named, () => `another action at step ${step} gives ${JSON.stringify(changed)}; expected that step to be named`)
}
