/** Goes to any step of a replay by playing it again, forwards and backwards; what a viewer and a debugger use. */
import { createBatch, type DigestibleBatch } from './batch.ts'
import { TroupeError, shown } from './errors.ts'
import { actionBits } from './replay-chain.ts'
import { type Replay } from './replay-format.ts'
import { checkPlayable, specDifference } from './replay-verify.ts'
import { type EnvDefinition, type Frame, type Snapshot } from './types.ts'

/** Steps between own snapshots: a seek re-simulates half of this on average, well under a millisecond. */
const SNAPSHOT_EVERY = 64
/** Own snapshots kept at most; longer replays space them wider. */
const SNAPSHOTS = 512
/** A stored keyframe is used only when it saves more than this many steps; nearer ones are not worth their trust. */
const KEYFRAME_GAIN = 4096

export class Resimulation {
  /** One lane, autoreset disabled. Its arrays show the state at `step`; rewards are those of the step that led to it. */
  readonly batch: DigestibleBatch
  readonly replay: Replay
  private at = 0
  private readonly snapshots = new Map<number, Snapshot>()
  private readonly row: Int32Array | Float32Array
  private readonly rowBits: Int32Array

  /**
   * @param replay may still be filling up (`ReplayReader.replay`): seek goes as far as its steps
   * @throws TroupeError bad-version when another environment version made it; bad-file when its header fits no such world
   */
  constructor(replay: Replay, definition: EnvDefinition) {
    const { header } = replay
    checkPlayable(header, definition)
    this.replay = replay
    this.batch = createBatch(definition, header.options, { lanes: 1, control: header.control, autoreset: 'disabled' })
    const difference = specDifference(header, this.batch.spec)
    if (difference?.ok === false) {
      throw new TroupeError('bad-file', {
        where: `replay: header: ${difference.what}`,
        got: difference.expected,
        expected: difference.actual,
      })
    }
    const width = header.agents.length * header.action.dims
    this.row = header.action.kind === 'box' ? new Float32Array(width) : new Int32Array(width)
    this.rowBits = actionBits(this.row)
    this.batch.reset([header.seed])
    this.snapshots.set(0, this.batch.save(0))
  }

  /** Joint actions played so far: 0 is the first state. */
  get step(): number {
    return this.at
  }

  /**
   * Goes to the state after `step` joint actions. The last step on the way is always played, so that rewards and
   * events belong to it.
   * @param step 0 to `replay.steps`
   * @throws TroupeError bad-usage for other steps; bad-action where the replay holds an illegal action: the batch is then
   *   at the step before it
   */
  seek(step: number): void {
    if (!Number.isInteger(step) || step < 0 || step > this.replay.steps) {
      const expected = `a whole number of 0 to ${this.replay.steps}`
      throw new TroupeError('bad-usage', { where: 'replay: step', got: shown(step), expected })
    }
    if (step === this.at) return
    if (step === 0) {
      this.batch.reset([this.replay.header.seed])
      this.at = 0
      return
    }
    this.jump(step)
    while (this.at < step) this.play()
  }

  /** Loads the best snapshot before `step`, unless going on from here is as near. */
  private jump(step: number): void {
    const every = this.spacing()
    let from = this.at < step ? this.at : -1
    let best: Snapshot | undefined
    for (let at = Math.floor((step - 1) / every) * every; at > from; at -= every) {
      best = this.snapshots.get(at)
      if (best !== undefined) {
        from = at
        break
      }
    }
    if (this.jumpFar(step, from) || best === undefined) return
    this.batch.load(0, best)
    this.at = from
  }

  /** Loads the file's last keyframe before `step` if it saves much and can be loaded; a broken one is passed over. */
  private jumpFar(step: number, from: number): boolean {
    const { keyframes } = this.replay
    for (let k = keyframes.length - 1; k >= 0; k--) {
      const { step: at, snapshot } = keyframes[k]
      if (at >= step || snapshot === null) continue
      if (at <= from + KEYFRAME_GAIN) return false
      try {
        this.batch.load(0, snapshot)
      } catch (error) {
        if (error instanceof TroupeError) continue
        throw error
      }
      this.at = at
      return true
    }
    return false
  }

  private spacing(): number {
    let every = SNAPSHOT_EVERY
    while (this.replay.steps / every > SNAPSHOTS) every *= 2
    return every
  }

  private play(): void {
    const { actions } = this.replay
    const bits = actionBits(actions)
    const width = this.row.length
    for (let i = 0; i < width; i++) this.rowBits[i] = bits[this.at * width + i]
    this.batch.step(this.row)
    this.at++
    if (this.at % this.spacing() === 0 && !this.snapshots.has(this.at)) this.snapshots.set(this.at, this.batch.save(0))
  }

  frame(): Frame {
    return this.batch.frame(0)
  }

  /** The joint action [N, D] played in the state at `step`, a copy; null at the end. */
  actionsAt(step: number): Int32Array | Float32Array | null {
    const width = this.row.length
    if (!Number.isInteger(step) || step < 0 || step >= this.replay.steps) return null
    return this.replay.actions.slice(step * width, (step + 1) * width)
  }
}
