/** Records one lane of a batch as a replay. */
import { type DigestibleBatch } from './batch.ts'
import { TroupeError, shown } from './errors.ts'
import { GENERATOR } from './random.ts'
import { Growing } from './replay-bytes.ts'
import { RunningDigest, actionBits, worldKey } from './replay-chain.ts'
import { CHAIN_EVERY, checkHeader, type Keyframe, type Note, type Replay, type ReplayHeader } from './replay-format.ts'
import { checkFrame } from './replay-frames.ts'
import { writeReplay } from './replay-write.ts'
import { type Frame } from './types.ts'

export type TeamReward = 'none' | 'sum' | 'mean'

/** The header fields that the batch cannot tell. */
export type RecordingHeader = Pick<ReplayHeader, 'scenario' | 'policies' | 'package' | 'plugin' | 'purpose' | 'label'>

export interface RecordingOptions {
  /** Steps between keyframes (snapshot and frame); default 0 = none, since seeking re-simulates. */
  readonly keyframeEvery?: number
  /** A frame for every step, for readers without the environment; always so for plug-ins. Default false. */
  readonly frames?: boolean
  /** Keeps the probabilities and values handed to `record`. Default false. */
  readonly channels?: boolean
}

/** What a policy can say about the step it chose. Row views of one lane. */
export interface StepExtra {
  readonly probability?: Float32Array // [N, A]
  readonly value?: Float32Array // [N]
  readonly note?: string
}

/** The scenario's scalar of one episode: the sum over agents for `none` and `sum`, their mean for `mean`. */
export function scalarReturn(teamReward: TeamReward, returns: ArrayLike<number>): number {
  let sum = 0
  for (let n = 0; n < returns.length; n++) sum += returns[n]
  return teamReward === 'mean' ? sum / returns.length : sum
}

/**
 * Open it right after `batch.reset`, call `record` after every `batch.step` while the lane's episode runs, and `finish`
 * when it has ended, or earlier: what was played so far is a valid replay.
 */
export class ReplayRecorder {
  private readonly batch: DigestibleBatch
  private readonly lane: number
  private readonly header: ReplayHeader
  private readonly running: RunningDigest
  private readonly actions: Growing<Int32Array> = new Growing((length) => new Int32Array(length)) // as bits
  private readonly digests = new Growing((length) => new Uint16Array(length))
  private readonly probability = new Growing((length) => new Float32Array(length))
  private readonly value = new Growing((length) => new Float32Array(length))
  private readonly keyframes: Keyframe[] = []
  private readonly notes: Note[] = []
  private readonly every: number
  private readonly frames: boolean
  private readonly channels: boolean
  private finished = false

  /**
   * @param batch autoreset disabled, freshly reset in `lane`
   * @throws TroupeError bad-usage for another autoreset mode or a running episode; bad-file for an impossible header
   */
  constructor(batch: DigestibleBatch, lane: number, header: RecordingHeader, options: RecordingOptions = {}) {
    const { spec } = batch
    const where = `${spec.env}: recording`
    if (batch.autoreset !== 'disabled') {
      throw new TroupeError('bad-usage', { where, got: `autoreset ${batch.autoreset}`, expected: 'autoreset disabled' })
    }
    if (batch.stepCount[lane] !== 0 || batch.episodeStart[lane] !== 1) {
      const got = `opened at step ${shown(batch.stepCount[lane])}`
      throw new TroupeError('bad-usage', { where, got, expected: 'step 0, right after reset' })
    }
    const every = options.keyframeEvery ?? 0
    if (!Number.isInteger(every) || every < 0) {
      const expected = 'a whole number of 0 (none) or more'
      throw new TroupeError('bad-option', { where: `${where}: keyframeEvery`, got: shown(every), expected })
    }
    const { scenario, policies, plugin, purpose, label } = header
    this.header = checkHeader(
      {
        format: 1,
        env: spec.env,
        version: spec.version,
        scenario,
        options: spec.options,
        control: [...spec.seats],
        agents: spec.agents.map((agent) => agent.id),
        generator: GENERATOR,
        seed: batch.seedOf(lane),
        policies,
        action: { kind: spec.actionKind, sizes: [...spec.actionSizes], dims: spec.actionDims },
        package: header.package,
        ...(plugin === undefined ? {} : { plugin }),
        ...(purpose === undefined ? {} : { purpose }),
        ...(label === undefined ? {} : { label }),
      },
      where,
    )
    this.batch = batch
    this.lane = lane
    this.every = every
    this.frames = (options.frames ?? false) || plugin !== undefined
    this.channels = options.channels ?? false
    this.running = new RunningDigest(batch, lane, worldKey(this.header), this.header)
    this.keep()
  }

  /** Steps recorded so far. */
  get steps(): number {
    return this.running.steps
  }

  /** Keeps a keyframe of the state that the lane is in, where the options ask for one. */
  private keep(): void {
    const { steps } = this
    const whole = this.every > 0 && steps % this.every === 0
    if (!whole && !this.frames) return
    // Through JSON now: worlds may hand out the same frame object at every step.
    const where = `${this.batch.spec.env}: frame at step ${steps}`
    const frame = JSON.parse(JSON.stringify(checkFrame(this.batch.frame(this.lane), where))) as Frame
    this.keyframes.push({ step: steps, snapshot: whole ? this.batch.save(this.lane) : null, frame })
  }

  /**
   * Records a step that `batch.step` has just made in the lane. Do not call it for a lane whose episode had ended.
   * @param action the actions played: one lane's row [N, D], or the whole batch's array with `offset`
   * @param offset index of the lane's first number in `action`
   * @param extra row views of what the policy said; kept when the option `channels` is set (notes always)
   */
  record(action: Int32Array | Float32Array, offset = 0, extra: StepExtra = {}): void {
    const { batch, lane, steps } = this
    const where = `${batch.spec.env}: recording step ${steps}`
    if (this.finished) {
      throw new TroupeError('bad-usage', {
        where,
        got: 'called after the replay was finished',
        expected: 'a new recorder',
      })
    }
    if (batch.stepCount[lane] !== steps + 1) {
      const got = `called with the lane at step ${batch.stepCount[lane]}`
      throw new TroupeError('bad-usage', { where, got, expected: `step ${steps + 1}: one call after every batch.step` })
    }
    const width = batch.spec.agents.length * batch.spec.actionDims
    const right = batch.spec.actionKind === 'box' ? action instanceof Float32Array : action instanceof Int32Array
    if (!right || !Number.isInteger(offset) || offset < 0 || offset + width > action.length) {
      const got = `${shown(action)} from ${shown(offset)}`
      throw new TroupeError('bad-usage', { where, got, expected: `${width} action numbers of the lane` })
    }
    const bits = actionBits(action)
    const room = this.actions.add(width)
    for (let i = 0; i < width; i++) room[i] = bits[offset + i]
    this.digests.add(1)[0] = this.running.step(room, 0)
    if (this.steps % CHAIN_EVERY === 0) this.running.link(this.actions.part)
    if (this.channels) {
      this.channel(this.probability, extra.probability, batch.spec.agents.length * batch.spec.actionSize, 'probability')
      this.channel(this.value, extra.value, batch.spec.agents.length, 'value')
    }
    if (extra.note !== undefined) this.notes.push({ step: steps, text: extra.note })
    this.keep()
  }

  private channel(into: Growing<Float32Array>, row: Float32Array | undefined, width: number, name: string): void {
    if (row === undefined && into.length === 0) return
    if (row?.length !== width || into.length !== (this.steps - 1) * width) {
      const got = row === undefined ? 'missing' : `${row.length} numbers`
      const expected = `${width} numbers in every step, or in none`
      throw new TroupeError('bad-usage', { where: `${this.batch.spec.env}: recording ${name}`, got, expected })
    }
    into.add(width).set(row)
  }

  /**
   * The replay so far, in memory.
   * @throws TroupeError diverged when a return is not a finite number; bad-usage when `teamReward` is not the scenario's
   */
  replay(teamReward: TeamReward): Replay {
    const { batch, lane, steps, running } = this
    const named = this.header.scenario.teamReward
    if (named !== undefined && named !== teamReward) {
      const expected = `${shown(named)}, as the scenario says`
      throw new TroupeError('bad-usage', { where: 'recording: teamReward', got: shown(teamReward), expected })
    }
    const N = batch.spec.agents.length
    const returns = [...batch.returns.subarray(lane * N, (lane + 1) * N)]
    returns.forEach((value, n) => {
      if (Number.isFinite(value)) return
      const where = `${batch.spec.env}: return of ${batch.spec.agents[n].id}`
      throw new TroupeError('diverged', { where, got: String(value), expected: 'a finite number' })
    })
    if (batch.stepCount[lane] !== steps) {
      const got = `at step ${batch.stepCount[lane]}`
      throw new TroupeError('bad-usage', {
        where: 'recording: lane',
        got,
        expected: `step ${steps}, the last recorded`,
      })
    }
    this.finished = true
    const bits = this.actions.part.slice()
    if (steps % CHAIN_EVERY !== 0 && running.chain.length * CHAIN_EVERY < steps) running.link(bits)
    const actions = batch.spec.actionKind === 'box' ? new Float32Array(bits.buffer) : bits
    const result = {
      steps,
      terminated: batch.terminated[lane] === 1,
      truncated: batch.truncated[lane] === 1,
      returns: returns.map((value) => value + 0), // JSON knows no -0
      return: scalarReturn(teamReward, returns) + 0,
      metrics: batch.metrics(lane),
      digest: running.hex,
    }
    return {
      header: { ...this.header, result },
      steps,
      actions,
      digests: this.digests.part.slice(),
      chain: [...running.chain],
      keyframes: this.keyframes,
      ...(this.probability.length > 0 && steps > 0 ? { probability: this.probability.part.slice() } : {}),
      ...(this.value.length > 0 ? { value: this.value.part.slice() } : {}),
      ...(this.notes.length > 0 ? { notes: this.notes } : {}),
    }
  }

  /** The finished file; `teamReward` as in `replay`. */
  finish(teamReward: TeamReward): Uint8Array {
    return writeReplay(this.replay(teamReward))
  }
}
