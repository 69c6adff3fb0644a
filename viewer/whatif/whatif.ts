/**
 * What would have come of each legal action of one agent at one step: many futures of the policies that play on, each
 * action tried in the same futures. Runs in a worker; knows no page.
 *
 * At the step itself everybody else does what was recorded (at the end of a recording: what their policy says). From
 * the next step on the policies play. A future is a fresh seed of every generator stream of the world, the same for
 * all actions of a round, so that differences between actions are not luck.
 */
import { base64 } from '@scure/base'
import { createBatch, type DigestibleBatch } from '../../envs/core/batch.ts'
import { TroupeError, shown } from '../../envs/core/errors.ts'
import { Generator } from '../../envs/core/random.ts'
import { Resimulation, type Replay } from '../../envs/core/replay.ts'
import { namedSeed } from '../../envs/core/seeds.ts'
import { type EnvDefinition, type Snapshot } from '../../envs/core/types.ts'
import { Cast, type Part } from '../fork/cast.ts'
import { strings } from '../strings.ts'
import { teamRewardOf } from '../survey.ts'
import { meanInterval95 } from './interval.ts'

/** Lanes that run side by side. */
const LANES = 32
/** Joint choices tried at most, for actions of several dimensions. */
const MOST_ACTIONS = 64

export interface Outcome {
  readonly action: readonly number[] // [D]
  readonly mean: number | null
  /** 95 % interval of the mean; null with fewer than two futures. */
  readonly interval: readonly [number, number] | null
  /** The action that was recorded. */
  readonly taken: boolean
}

export interface Estimate {
  readonly step: number
  readonly agent: number
  /** Futures tried per action. */
  readonly futures: number
  readonly outcomes: readonly Outcome[]
  /** What the critic said when the episode was recorded; null where the file has no values. */
  readonly critic: number | null
  /** Steps looked ahead. */
  readonly depth: number
  readonly discount: number
}

export interface WhatIfSettings {
  readonly step: number
  readonly agent: number
  /** Steps looked ahead at most; shorter where the episode ends. */
  readonly depth: number
  /** Per step, 0 to 1. */
  readonly discount: number
}

export class WhatIf {
  readonly actions: readonly (readonly number[])[]
  readonly settings: WhatIfSettings
  readonly #replay: Replay
  readonly #batch: DigestibleBatch
  readonly #cast: Cast
  readonly #remembered: unknown
  readonly #start: Snapshot
  readonly #streams: number
  /** Futures per action and round. */
  readonly #together: number
  readonly #team: readonly number[]
  readonly #returns: number[][]
  readonly #joint: Int32Array
  /** The recorded joint action at the step, where there is one. */
  readonly #recorded: Int32Array | null
  #futures = 0

  /**
   * @param parts policies of all controlled agents
   * @throws TroupeError bad-usage where there is nothing to choose: real-valued actions, or the end of the episode
   */
  constructor(replay: Replay, definition: EnvDefinition, parts: readonly Part[], settings: WhatIfSettings) {
    const { step, agent } = settings
    this.settings = settings
    this.#replay = replay
    const there = new Resimulation(replay, definition)
    there.seek(step)
    const { spec } = there.batch
    if (spec.actionKind === 'box') throw refused(strings.whatIf.realNumbers, strings.whatIf.needsChoices)
    if (there.batch.terminated[0] === 1 || there.batch.truncated[0] === 1) {
      throw refused(strings.whatIf.atEnd, strings.whatIf.needsStep)
    }
    if (there.batch.alive[agent] === 0) throw refused(strings.whatIf.dead, strings.whatIf.needsAlive)
    this.#start = there.batch.save(0)
    this.#streams = base64.decode(this.#start.arrays.random).length / 16
    this.actions = legalActions(there.batch, agent)
    this.#together = Math.max(1, Math.floor(LANES / this.actions.length))
    const lanes = this.actions.length * this.#together
    const { options, control, seed } = replay.header
    this.#batch = createBatch(definition, options, { lanes, control, autoreset: 'disabled' })
    this.#cast = new Cast(this.#batch, parts, `what if ${seed ?? ''}`)
    this.#joint = new Int32Array(lanes * spec.agents.length * spec.actionDims)
    this.#returns = this.actions.map(() => [])
    const kind = teamRewardOf(replay.header.scenario)
    const mates = spec.agents.flatMap(({ team }, n) => (team === spec.agents[agent].team ? [n] : []))
    this.#team = kind === 'none' ? [agent] : mates
    const width = spec.agents.length * spec.actionDims
    this.#recorded = step < replay.steps ? (replay.actions.slice(step * width, (step + 1) * width) as Int32Array) : null
    this.#remembered = this.#watch()
  }

  /** Tries every action in some more futures. */
  round(): Estimate {
    const { depth, discount, agent } = this.settings
    const batch = this.#batch
    const { spec } = batch
    const N = spec.agents.length
    const D = spec.actionDims
    const future = (lane: number) => this.#futures + (lane % this.#together)
    for (let lane = 0; lane < batch.lanes; lane++) batch.load(lane, this.#inFuture(future(lane)))
    this.#cast.load(this.#remembered)
    this.#cast.reseed(`what if ${this.#futures}`)
    const sums = new Float64Array(batch.lanes)
    const share = teamRewardOf(this.#replay.header.scenario) === 'mean' ? 1 / this.#team.length : 1
    let weight = 1
    for (let t = 0; t < depth; t++) {
      const running = Array.from(batch.terminated, (ended, lane) => ended === 0 && batch.truncated[lane] === 0)
      if (!running.includes(true)) break
      this.#cast.act(this.#joint)
      if (t === 0) {
        for (let lane = 0; lane < batch.lanes; lane++) {
          if (this.#recorded !== null) this.#joint.set(this.#recorded, lane * N * D)
          this.#joint.set(this.actions[Math.floor(lane / this.#together)], (lane * N + agent) * D)
        }
      }
      batch.step(this.#joint)
      running.forEach((went, lane) => {
        if (went) for (const n of this.#team) sums[lane] += weight * share * batch.reward[lane * N + n]
      })
      weight *= discount
    }
    sums.forEach((sum, lane) => this.#returns[Math.floor(lane / this.#together)].push(sum))
    this.#futures += this.#together
    return this.estimate()
  }

  estimate(): Estimate {
    const { step, agent, depth, discount } = this.settings
    const { value, header } = this.#replay
    const D = this.#batch.spec.actionDims
    const taken = this.#recorded === null ? null : [...this.#recorded.subarray(agent * D, (agent + 1) * D)].join()
    return {
      step,
      agent,
      depth,
      discount,
      futures: this.#futures,
      critic: value === undefined || step >= this.#replay.steps ? null : value[step * header.agents.length + agent],
      outcomes: this.actions.map((action, k) => {
        const values = this.#returns[k]
        const known = meanInterval95(values)
        const mean = values.length === 0 ? null : (known?.mean ?? values[0])
        const interval = known === null ? null : ([known.low, known.high] as const)
        return { action, mean, interval, taken: action.join() === taken }
      }),
    }
  }

  /** What the policies remember at the step, having watched the recorded episode up to it in every lane. */
  #watch(): unknown {
    const { header, actions } = this.#replay
    const batch = this.#batch
    batch.reset(new Array<string | null>(batch.lanes).fill(header.seed))
    const width = batch.spec.agents.length * batch.spec.actionDims
    const unused = this.#joint.slice()
    for (let t = 0; t < this.settings.step; t++) {
      this.#cast.act(unused)
      const row = actions.subarray(t * width, (t + 1) * width)
      for (let lane = 0; lane < batch.lanes; lane++) this.#joint.set(row, lane * width)
      batch.step(this.#joint)
    }
    return this.#cast.save()
  }

  /** The state at the step with other chances ahead. */
  #inFuture(future: number): Snapshot {
    const seed = namedSeed(`what if ${this.#replay.header.seed ?? ''} ${this.settings.step}`, `future ${future}`)
    const bytes = new Uint8Array(this.#streams * 16)
    const view = new DataView(bytes.buffer)
    for (let stream = 0; stream < this.#streams; stream++) {
      new Generator(seed, stream).state.forEach((word, k) => view.setUint32(stream * 16 + k * 4, word, true))
    }
    return { ...this.#start, arrays: { ...this.#start.arrays, random: base64.encode(bytes) } }
  }
}

/** Every choice of an agent that the mask allows, [D] each. */
export function legalActions(batch: DigestibleBatch, agent: number): number[][] {
  const { spec, mask } = batch
  let from = agent * spec.actionSize
  let choices: number[][] = [[]]
  for (const size of spec.actionSizes) {
    const legal = Array.from({ length: size }, (_, k) => k).filter((k) => mask[from + k] === 1)
    choices = choices.flatMap((choice) => legal.map((k) => [...choice, k]))
    from += size
  }
  if (choices.length > MOST_ACTIONS) {
    throw refused(strings.whatIf.tooMany(choices.length), strings.whatIf.atMost(MOST_ACTIONS))
  }
  return choices
}

function refused(got: string, expected: string): TroupeError {
  return new TroupeError('bad-usage', { where: strings.whatIf.where, got: shown(got).replaceAll('"', ''), expected })
}
