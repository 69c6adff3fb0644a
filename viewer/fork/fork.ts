/**
 * An episode that leaves a recorded one at a step and goes on by itself: agents do what was recorded, what a policy
 * says, or what a person presses. Runs in the simulation worker; knows no page.
 *
 * Up to the step it is the recorded episode, action for action. With everybody doing what was recorded it stays it.
 */
import { createBatch, type DigestibleBatch } from '../../envs/core/batch.ts'
import { TroupeError, shown } from '../../envs/core/errors.ts'
import { ReplayRecorder, Resimulation, type Replay, type ReplayHeader } from '../../envs/core/replay.ts'
import { type EnvDefinition, type Frame } from '../../envs/core/types.ts'
import { strings } from '../strings.ts'
import { simulatedRecord, eventsOf } from '../sources/episode.ts'
import { type StepEvent, type StepRecord } from '../sources/messages.ts'
import { teamRewardOf } from '../survey.ts'
import { type AnyPolicy } from '../../agents/core/policy.ts'
import { Cast } from './cast.ts'

/** Steps of a fork of a world without a horizon. */
const STEP_LIMIT = 10_000
/** Choice made for someone who says nothing, where the world has one of these and it is legal. */
const IDLE = /^(noop|no-op|none|stay|stop|silent|idle|wait)$/i

/** Who moves an agent after the fork. */
export type Driver =
  | { readonly kind: 'recorded' }
  | { readonly kind: 'person' }
  | { readonly kind: 'policy'; readonly policy: AnyPolicy; readonly hash?: string }

/** What happened in the steps that were just played. */
export interface Played {
  /** Joint actions so far. */
  readonly steps: number
  /** First step that is new. */
  readonly from: number
  readonly over: boolean
  /** Joint actions of the new steps [n, N, D]. */
  readonly actions: Int32Array | Float32Array
  /** Rewards of the new steps [n, N]. */
  readonly rewards: Float32Array
  readonly events: readonly StepEvent[]
  /** Where every agent is in the new steps [n, N, 2]; NaN where it is not in the picture. */
  readonly places: Float32Array
  /** Recorded actions that were not legal any more and were replaced, in the whole fork. */
  readonly replaced: number
}

/** A replay that goes on. */
type Growing = Omit<Replay, 'steps' | 'actions'> & { steps: number; actions: Int32Array | Float32Array }

export class Fork {
  readonly original: Replay
  readonly definition: EnvDefinition
  /** Step at which it leaves the original. */
  at: number
  /** Longest that it can become. */
  readonly limit: number
  readonly batch: DigestibleBatch
  readonly header: ReplayHeader
  readonly #row: Int32Array | Float32Array
  #actions: Int32Array | Float32Array
  #steps = 0
  #replaced: number[] = []
  #drivers: readonly Driver[]
  #cast: Cast
  readonly #watched: { replay: Growing; simulation: Resimulation }

  /**
   * @param at step to leave at, 0 to `replay.steps`
   * @param drivers one for each controlled agent
   * @throws TroupeError bad-usage for other steps; bad-version when another version made the replay
   */
  constructor(replay: Replay, definition: EnvDefinition, at: number, drivers: readonly Driver[], label: string) {
    if (!Number.isInteger(at) || at < 0 || at > replay.steps) {
      throw new TroupeError('bad-usage', {
        where: strings.fork.where,
        got: shown(at),
        expected: `a step of 0 to ${replay.steps}`,
      })
    }
    this.original = replay
    this.definition = definition
    this.at = at
    const { result: _of, ...header } = replay.header
    this.header = { ...header, label }
    this.batch = this.#open()
    const { spec } = this.batch
    this.limit = Math.max(at, Math.min(spec.horizon ?? STEP_LIMIT, 0xffff_ffff))
    const width = spec.agents.length * spec.actionDims
    this.#row = spec.actionKind === 'box' ? new Float32Array(width) : new Int32Array(width)
    this.#actions = this.#room(Math.min(this.limit, Math.max(1024, at)))
    this.#actions.set(replay.actions.subarray(0, at * width))
    this.#drivers = drivers
    this.#cast = this.#makeCast()
    this.#playAgain(at)
    const growing = { ...replay, header: this.header, keyframes: [], steps: at, actions: this.#actions }
    this.#watched = { replay: growing, simulation: new Resimulation(growing, definition) }
  }

  /** Joint actions so far. */
  get steps(): number {
    return this.#steps
  }

  get over(): boolean {
    return this.batch.terminated[0] === 1 || this.batch.truncated[0] === 1 || this.#steps >= this.limit
  }

  get drivers(): readonly Driver[] {
    return this.#drivers
  }

  /** Joint actions so far [T, N, D], a copy. */
  actions(): Int32Array | Float32Array {
    return this.#actions.slice(0, this.#steps * this.#row.length)
  }

  /**
   * Plays on.
   * @param steps at most
   * @param choices what a person wants, by agent, in the first of these steps; illegal ones are refused
   * @throws TroupeError bad-action naming the agent
   */
  advance(steps: number, choices: ReadonlyMap<number, readonly number[]> = new Map()): Played {
    const { spec } = this.batch
    const from = this.#steps
    const rewards: number[] = []
    const events: StepEvent[] = []
    const places: number[] = []
    for (const [agent, choice] of choices) this.#checkChoice(agent, choice)
    for (let k = 0; k < steps && !this.over; k++) {
      this.#choose(k === 0 ? choices : new Map())
      this.#play()
      for (let n = 0; n < spec.agents.length; n++) rewards.push(this.batch.reward[n])
      const frame = this.batch.frame(0)
      events.push(...eventsOf(this.#steps, frame))
      places.push(...placesIn(frame, this.header.agents))
    }
    this.#grow()
    const width = this.#row.length
    return {
      steps: this.#steps,
      from,
      over: this.over,
      actions: this.#actions.slice(from * width, this.#steps * width),
      rewards: Float32Array.from(rewards),
      events,
      places: Float32Array.from(places),
      replaced: this.#replaced.length,
    }
  }

  /** Takes back everything after a step; before the fork's own step, it leaves the original earlier. */
  cut(step: number): void {
    if (step >= this.#steps) return
    this.at = Math.min(this.at, step)
    this.#replaced = this.#replaced.filter((one) => one < step)
    this.#cast = this.#makeCast()
    this.#playAgain(Math.max(0, step))
    this.#grow(true)
  }

  /** Other drivers from the present step on; new policies have watched the episode so far. */
  drive(drivers: readonly Driver[]): void {
    this.#drivers = drivers
    this.#cast = this.#makeCast()
    this.#playAgain(this.#steps)
  }

  /** The fork as a replay file; it verifies like any other. */
  file(): Uint8Array {
    const batch = this.#open()
    const { label, scenario, package: version, purpose } = this.header
    const recorder = new ReplayRecorder(batch, 0, {
      scenario,
      policies: this.policies(),
      package: version,
      ...(label === undefined ? {} : { label }),
      ...(purpose === undefined ? {} : { purpose }),
    })
    for (let t = 0; t < this.#steps; t++) {
      this.#take(t)
      batch.step(this.#row)
      recorder.record(this.#row, 0, t === this.at ? { note: strings.fork.note(t) } : {})
    }
    return recorder.finish(teamRewardOf(scenario))
  }

  /** Who played, for the header: the original's policies, and those who took over from them. */
  policies(): ReplayHeader['policies'] {
    const agents = this.batch.spec.agents.map((_, n) => n)
    const rows: ReplayHeader['policies'] = this.original.header.policies.map((policy) => ({
      ...policy,
      agents: (policy.agents ?? agents).filter((n) => this.#drivers[n]?.kind === 'recorded'),
    }))
    this.#drivers.forEach((driver, n) => {
      if (driver.kind === 'recorded') return
      const name = driver.kind === 'person' ? strings.fork.person : driver.policy.name
      const known = rows.find((row) => row.name === name && this.#isTaker(row, n))
      if (known !== undefined) known.agents!.push(n)
      else rows.push({ name, ...('hash' in driver ? { hash: driver.hash } : {}), agents: [n] })
    })
    return rows.filter(({ agents: played }) => played!.length > 0)
  }

  #isTaker(row: { agents?: number[] }, agent: number): boolean {
    return (row.agents ?? []).every((n) => this.#drivers[n].kind !== 'recorded') && !row.agents!.includes(agent)
  }

  /** Everything about a step, up to the present one. */
  record(step: number): StepRecord {
    return simulatedRecord(this.#watched.simulation, step)
  }

  #open(): DigestibleBatch {
    const { options, control, seed } = this.header
    const batch = createBatch(this.definition, options, { lanes: 1, control, autoreset: 'disabled' })
    batch.reset([seed])
    return batch
  }

  #makeCast(): Cast {
    const by = new Map<AnyPolicy, number[]>()
    this.#drivers.forEach((driver, n) => {
      if (driver.kind !== 'policy') return
      by.set(driver.policy, [...(by.get(driver.policy) ?? []), n])
    })
    const parts = [...by].map(([policy, agents]) => ({ policy, agents }))
    return new Cast(this.batch, parts, `fork ${this.header.seed ?? ''}`)
  }

  /** From the first step to `step` by the actions that are known, the cast looking on. */
  #playAgain(step: number): void {
    this.batch.reset([this.header.seed])
    this.#steps = 0
    const unused = this.#row.slice()
    while (this.#steps < step) {
      this.#cast.act(unused)
      this.#take(this.#steps)
      this.batch.step(this.#row)
      this.#steps++
    }
  }

  #take(step: number): void {
    const width = this.#row.length
    this.#row.set(this.#actions.subarray(step * width, (step + 1) * width))
  }

  #play(): void {
    const width = this.#row.length
    if ((this.#steps + 1) * width > this.#actions.length) {
      const more = this.#room(Math.min(this.limit, 2 * (this.#steps + 1)))
      more.set(this.#actions)
      this.#actions = more
    }
    this.#actions.set(this.#row, this.#steps * width)
    this.batch.step(this.#row)
    this.#steps++
  }

  #room(steps: number): Int32Array | Float32Array {
    const numbers = Math.max(1, steps) * this.#row.length
    return this.#row instanceof Float32Array ? new Float32Array(numbers) : new Int32Array(numbers)
  }

  /** The watched copy knows as much as the fork. @param cut its past has changed */
  #grow(cut = false): void {
    this.#watched.replay.steps = this.#steps
    this.#watched.replay.actions = this.#actions
    if (cut) this.#watched.simulation = new Resimulation(this.#watched.replay, this.definition)
  }

  #choose(choices: ReadonlyMap<number, readonly number[]>): void {
    const { spec } = this.batch
    const D = spec.actionDims
    this.#cast.act(this.#row)
    this.#drivers.forEach((driver, n) => {
      const row = this.#row.subarray(n * D, (n + 1) * D)
      const choice = choices.get(n)
      if (choice !== undefined) row.set(choice)
      else if (driver.kind === 'person') row.set(this.idle(n))
      else if (driver.kind === 'recorded') {
        const from = (this.#steps * spec.agents.length + n) * D
        const known = this.#steps < this.original.steps
        if (known) row.set(this.original.actions.subarray(from, from + D))
        if (known && this.#legal(n, row)) return
        if (known) this.#replaced.push(this.#steps)
        row.set(this.idle(n))
      }
    })
  }

  /** What someone does who does nothing: the world's idle action where it has one, else the first legal one. */
  idle(agent: number): number[] {
    const { spec, mask } = this.batch
    if (spec.actionKind === 'box') return new Array<number>(spec.actionDims).fill(0)
    const { action } = spec.agents[agent]
    let from = agent * spec.actionSize
    return spec.actionSizes.map((size, d) => {
      const legal = Array.from({ length: size }, (_, k) => k).filter((k) => mask[from + k] === 1)
      from += size
      const names =
        action.kind === 'discrete' ? action.names : action.kind === 'box' ? [] : (action.dimensions[d]?.values ?? [])
      return legal.find((k) => IDLE.test(names[k] ?? '')) ?? legal[0] ?? 0
    })
  }

  #legal(agent: number, row: ArrayLike<number>): boolean {
    const { spec, mask } = this.batch
    if (spec.actionKind === 'box') return true
    let from = agent * spec.actionSize
    return spec.actionSizes.every((size, d) => {
      const legal = mask[from + row[d]] === 1
      from += size
      return legal
    })
  }

  #checkChoice(agent: number, choice: readonly number[]): void {
    const { spec } = this.batch
    const { action, id } = spec.agents[agent]
    const right = choice.length === spec.actionDims && choice.every(Number.isFinite)
    if (right && action.kind === 'box') {
      const fits = action.dimensions.every(({ low, high }, d) => choice[d] >= low && choice[d] <= high)
      if (fits) return
    } else if (right && choice.every((k, d) => Number.isInteger(k) && k >= 0 && k < spec.actionSizes[d])) {
      if (this.#legal(agent, choice)) return
    }
    throw new TroupeError('bad-action', {
      where: `${strings.fork.where}: ${id}`,
      got: shown(choice),
      expected: strings.fork.legalOnly,
    })
  }
}

/** Places of the agents [N, 2] in a picture. */
export function placesIn(frame: Frame, agents: readonly string[]): number[] {
  const at = new Map(frame.entities.map((entity) => [entity.id, entity]))
  return agents.flatMap((agent) => [at.get(agent)?.x ?? NaN, at.get(agent)?.y ?? NaN])
}
