/**
 * One opened replay, simulated again or shown from stored frames. Runs in the worker; knows no page.
 *
 * A replay is never reinterpreted: when this build does not hold the environment in exactly the version the file names,
 * only the frames stored in the file are shown, with a notice that says why.
 */
import { TroupeError } from '../../envs/core/errors.ts'
import { type EnvDefinition, type Frame } from '../../envs/core/types.ts'
import { GENERATOR } from '../../envs/core/random.ts'
import { readReplay, Resimulation, verifyReplay, writeReplay, type Replay } from '../../envs/core/replay.ts'
import { strings } from '../strings.ts'
import {
  MAX_FILE_BYTES,
  TOO_MANY,
  type EpisodeInfo,
  type Material,
  type StepEvent,
  type StepRecord,
  type Survey,
  type Verdict,
} from './messages.ts'

/** Places kept for paths and heat maps: agents times steps at most (32 MB). */
const MAX_PLACES = 4_000_000

export class Episode {
  readonly info: EpisodeInfo
  readonly #replay: Replay
  readonly #definition: EnvDefinition | undefined
  readonly #simulation: Resimulation | null
  readonly #stored: readonly { step: number; frame: Frame }[]
  /** Row of each controlled agent by id. */
  readonly #index: ReadonlyMap<string, number>
  #survey: { simulation: Resimulation | null; step: number }
  /** Events kept so far, by kind. */
  readonly #kept = new Map<string, number>()

  /**
   * @param definitions the environments this build can simulate, by id
   * @throws TroupeError when the file is broken, or holds nothing that could be shown
   */
  constructor(name: string, material: Material, definitions: Readonly<Record<string, EnvDefinition>>) {
    // What came as a stream goes through the same door as a file, with all its checks.
    const file = material instanceof Uint8Array ? material : writeReplay(material.data)
    if (file.length > MAX_FILE_BYTES) throw tooLarge(file.length)
    const replay = readReplay(file, {}, name)
    const { header } = replay
    const known = Object.hasOwn(definitions, header.env) ? definitions[header.env] : undefined
    const notice = whyStored(replay, known)
    const definition = notice === null ? known : undefined
    this.#replay = replay
    this.#definition = definition
    this.#index = new Map(header.agents.map((id, n) => [id, n]))
    this.#stored = replay.keyframes
      .filter((key): key is { step: number; snapshot: null; frame: Frame } => key.frame !== null)
      .map(({ step, frame }) => ({ step, frame }))
      .sort((a, b) => a.step - b.step)
    if (definition === undefined && this.#stored.length === 0) {
      throw new TroupeError('bad-version', {
        where: strings.files.environment,
        got: `${header.env} version ${header.version}${header.plugin ? ` (${strings.files.plugin(header.plugin.name)})` : ''}`,
        expected: strings.files.expectedVersion(Object.values(definitions).map((d) => `${d.id} version ${d.version}`)),
      })
    }
    this.#simulation = definition === undefined ? null : new Resimulation(replay, definition)
    this.#survey = {
      simulation: definition === undefined ? null : new Resimulation(replay, definition),
      step: 0,
    }
    this.info = {
      name,
      header,
      spec: this.#simulation?.batch.spec ?? null,
      mode: definition === undefined ? 'stored' : 'resimulate',
      notice,
      steps: replay.steps,
      stored: this.#stored.map(({ step }) => step),
      agents: header.agents,
      actions: replay.actions,
      probability: replay.probability ?? null,
      value: replay.value ?? null,
      notes: replay.notes ?? [],
      bytes: material instanceof Uint8Array ? material.length : material.bytes,
    }
  }

  /** The records of up to `count` steps from `from` on. */
  records(from: number, count: number): StepRecord[] {
    const first = Math.min(this.info.steps, Math.max(0, Math.floor(from)))
    const last = Math.min(this.info.steps, first + Math.max(0, Math.floor(count)) - 1)
    const records: StepRecord[] = []
    try {
      for (let step = first; step <= last; step++) {
        records.push(this.#simulation === null ? this.#storedRecord(step) : simulatedRecord(this.#simulation, step))
      }
    } catch (error) {
      // An illegal action ends what can be shown; the steps before it are still good.
      if (records.length === 0) throw error
    }
    return records
  }

  /** The next part of the pass over the whole episode. @param count steps at most */
  survey(count: number): Survey {
    const agents = this.info.agents.length
    const { simulation } = this.#survey
    const from = this.#survey.step
    if (simulation === null) {
      const rows = this.#keepsPlaces ? this.#storedPlaces() : {}
      return { from, rewards: new Float32Array(0), events: this.#storedEvents(), ...rows, done: true, stopped: null }
    }
    const to = Math.min(this.info.steps, from + count)
    const rewards = new Float32Array((to - from) * agents)
    const events: StepEvent[] = []
    const placesFrom = from === 0 ? 0 : from + 1
    const places = new Float32Array(this.#keepsPlaces ? (to + 1 - placesFrom) * agents * 2 : 0)
    if (from === 0) this.#place(simulation.frame(), places, 0)
    for (let step = from + 1; step <= to; step++) {
      try {
        simulation.seek(step)
      } catch (error) {
        const stopped = sentence(this.info.name, error)
        const known = rewards.slice(0, (step - 1 - from) * agents)
        const rows = places.slice(0, (step - placesFrom) * agents * 2)
        return { from, rewards: known, events, places: rows, placesFrom, done: true, stopped }
      }
      rewards.set(simulation.batch.reward.subarray(0, agents), (step - 1 - from) * agents)
      const frame = simulation.frame()
      events.push(...this.#fewEnough(eventsOf(step, frame)))
      this.#place(frame, places, (step - placesFrom) * agents * 2)
    }
    this.#survey.step = to
    return { from, rewards, events, places, placesFrom, done: to >= this.info.steps, stopped: null }
  }

  /** Simulates everything again and compares digests and result. */
  verify(): Verdict {
    if (this.#definition === undefined) {
      return {
        ok: false,
        what: strings.files.environment,
        expected: strings.verify.cannot,
        actual: this.info.header.env,
      }
    }
    return verifyReplay(this.#replay, this.#definition)
  }

  #storedRecord(step: number): StepRecord {
    let found = this.#stored[0]
    for (const stored of this.#stored) if (stored.step <= step) found = stored
    const bare = { observation: null, mask: null, alive: null, reward: null, terms: null, returns: null }
    return { step, frame: found.frame, frameStep: found.step, ...bare, ended: 'no' }
  }

  get #keepsPlaces(): boolean {
    return (this.info.steps + 1) * this.info.agents.length <= MAX_PLACES
  }

  /** Writes one row of places [N, 2]. */
  #place(frame: Frame, into: Float32Array, offset: number): void {
    if (into.length === 0) return
    const { agents } = this.info
    into.fill(NaN, offset, offset + agents.length * 2)
    for (const { id, x, y } of frame.entities) {
      const n = this.#index.get(id)
      if (n === undefined) continue
      into[offset + 2 * n] = x
      into[offset + 2 * n + 1] = y
    }
  }

  /** Places of every step, from the frame that the file stores last before it. */
  #storedPlaces(): { places: Float32Array; placesFrom: number } {
    const { steps, agents } = this.info
    const places = new Float32Array((steps + 1) * agents.length * 2).fill(NaN)
    let next = 0
    for (let step = 0; step <= steps; step++) {
      while (this.#stored[next + 1] !== undefined && this.#stored[next + 1].step <= step) next++
      this.#place(this.#stored[next].frame, places, step * agents.length * 2)
    }
    return { places, placesFrom: 0 }
  }

  #storedEvents(): StepEvent[] {
    return this.#fewEnough(this.#stored.flatMap(({ step, frame }) => eventsOf(step, frame)))
  }

  /** Without those of which too many were kept: what happens all the time leaves room for the rest. */
  #fewEnough(events: readonly StepEvent[]): StepEvent[] {
    return events.filter(({ kind }) => {
      const kept = this.#kept.get(kind) ?? 0
      if (kept < TOO_MANY) this.#kept.set(kind, kept + 1)
      return kept < TOO_MANY
    })
  }
}

/** Everything about one step of an episode that is simulated again. */
export function simulatedRecord(simulation: Resimulation, step: number): StepRecord {
  simulation.seek(step)
  const { batch } = simulation
  const terms = batch.rewardTerms?.(0)
  return {
    step,
    frame: simulation.frame(),
    frameStep: step,
    observation: batch.observation.slice(),
    mask: batch.mask.slice(),
    alive: batch.alive.slice(),
    reward: step === 0 ? new Float32Array(batch.spec.agents.length) : batch.reward.slice(),
    terms: terms === undefined || step === 0 ? null : seatTerms(terms, batch.spec.seats),
    returns: batch.returns.slice(),
    ended: batch.terminated[0] === 1 ? 'terminated' : batch.truncated[0] === 1 ? 'truncated' : 'no',
  }
}

/** Why a replay cannot be simulated again by this build, or null when it can. */
function whyStored(replay: Replay, known: EnvDefinition | undefined): string | null {
  const { env, version, plugin, generator } = replay.header
  if (plugin !== undefined) return strings.notice.plugin(env, plugin.name)
  if (known === undefined) return strings.notice.unknownEnvironment(env)
  if (known.version !== version) return strings.notice.otherVersion(env, version, known.version)
  if (generator !== GENERATOR) return strings.notice.otherGenerator(generator, GENERATOR)
  return null
}

export function eventsOf(step: number, frame: Frame): StepEvent[] {
  return frame.events.map(({ kind, agents, at, value }) => ({
    step,
    kind,
    agents: agents ?? [],
    at: at ?? null,
    value: value ?? null,
  }))
}

/** Reward terms of the controlled agents; the world tells them for all its agents. */
function seatTerms(terms: Record<string, Float32Array>, seats: readonly number[]): Record<string, Float32Array> {
  return Object.fromEntries(
    Object.entries(terms).map(([name, values]) => [name, Float32Array.from(seats, (seat) => values[seat] ?? 0)]),
  )
}

/** The refusal of a file that is too large to be opened in a page. */
export function tooLarge(bytes: number): TroupeError {
  return new TroupeError('bad-file', {
    where: strings.files.file,
    got: strings.files.megabytes(bytes),
    expected: strings.files.atMost(MAX_FILE_BYTES),
  })
}

/** One sentence for whatever went wrong. */
export function sentence(name: string, error: unknown): string {
  if (error instanceof TroupeError) return `${error.message.startsWith(name) ? '' : `${name}: `}${error.message}.`
  return strings.files.unreadable(name)
}
