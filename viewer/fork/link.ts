/** The page's end of a fork: the worker that plays on, and what is known of the episode so far. */
import { signal, type Signal } from '@preact/signals'
import { type Answer, type EpisodeInfo, type Request, type StepEvent } from '../sources/messages.ts'
import { type Scenario } from '../../scenarios/open.ts'
import { type Preview } from '../scenarios/preview.ts'
import { Simulator, type WorkerLike } from '../sources/simulator.ts'
import { strings } from '../strings.ts'
import { type Overview } from '../survey.ts'
import { type Session } from '../session.ts'
import { type Played } from './fork.ts'
import { type ForkAnswer, type ForkRequest, type ForkState, type Plan, type PolicyChoice } from './messages.ts'

/** Steps played between two looks at the page when a fork plays to its end. */
const SLICE = 25
/** Questions of this file count from here, so that they never meet those of the simulator beside it. */
const FIRST_ID = 1_000_000_000

type Question<R = ForkRequest> = R extends { id: number } ? Omit<R, 'id'> : never

/** One worker that plays on, for forks and what-if futures. */
export class ForkWorker {
  /** Answers to what the simulator beside it asked. */
  onSimulator: (answer: Answer) => void = () => {}
  readonly #worker: Worker
  readonly #waiting = new Map<number, { heard: (answer: ForkAnswer) => void; failed: (error: Error) => void }>()
  #next = FIRST_ID

  constructor() {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    this.#worker.onmessage = ({ data }: MessageEvent<Answer | ForkAnswer>) => {
      const waiting = this.#waiting.get(data.id)
      if (waiting === undefined) this.onSimulator(data as Answer)
      else if (data.kind === 'refused') waiting.failed(new Error(data.message))
      else waiting.heard(data as ForkAnswer)
    }
    this.#worker.onerror = () => this.#giveUp(strings.files.workerStopped)
  }

  /** One question, one answer. @throws Error with one sentence */
  ask<Kind extends ForkAnswer['kind']>(question: Question, kind: Kind): Promise<ForkAnswer & { kind: Kind }> {
    return new Promise((resolve, reject) => {
      const id = this.#next++
      const done = () => this.#waiting.delete(id)
      this.#waiting.set(id, {
        heard: (answer) => {
          done()
          if (answer.kind === kind) resolve(answer as ForkAnswer & { kind: Kind })
          else reject(new Error(strings.files.workerStopped))
        },
        failed: (error) => {
          done()
          reject(error)
        },
      })
      this.#worker.postMessage({ ...question, id })
    })
  }

  /** One question, answers until another is asked. */
  follow(question: Question, heard: (answer: ForkAnswer) => void, failed: (error: Error) => void): void {
    const id = this.#next++
    this.#waiting.set(id, { heard, failed })
    this.#worker.postMessage({ ...question, id })
  }

  /** As the simulator of a session sees it. */
  asSimulator(): WorkerLike {
    const like: WorkerLike = {
      onmessage: null,
      onerror: null,
      postMessage: (message: Request) => this.#worker.postMessage(message),
      terminate: () => this.close(),
    }
    this.onSimulator = (data) => like.onmessage?.({ data } as MessageEvent<Answer>)
    return like
  }

  close(): void {
    this.#worker.terminate()
    this.#giveUp(strings.files.closed)
  }

  /** Nobody waits any more when they are told, for who is told may close again. */
  #giveUp(why: string): void {
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { failed } of waiting) failed(new Error(why))
  }
}

export class ForkLink {
  /** Name of what it was forked from, as the user calls it. */
  readonly origin: string
  readonly state: Signal<ForkState>
  readonly plans: Signal<readonly Plan[]>
  /** Playing to the end. */
  readonly running: Signal<boolean> = signal(false)
  readonly replaced: Signal<number> = signal(0)
  readonly failure: Signal<string | null> = signal(null)
  readonly simulator: Simulator
  readonly #worker: ForkWorker
  readonly #session: Session
  #info: EpisodeInfo
  #returns: number[]
  #rewards: number[]
  #places: number[] = []
  #events: StepEvent[] = []
  #queue: Promise<void> = Promise.resolve()

  private constructor(
    session: Session,
    worker: ForkWorker,
    origin: string,
    plans: readonly Plan[],
    first: ForkAnswer & { kind: 'forked' },
  ) {
    this.origin = origin
    this.#session = session
    this.#worker = worker
    this.#info = first.info
    this.#returns = new Array<number>(first.info.agents.length).fill(0)
    this.#rewards = this.#returns.slice()
    this.state = signal(first.state)
    this.plans = signal(plans)
    this.simulator = new Simulator(worker.asSimulator())
    this.#take(first.played)
  }

  /** Forks a replay and shows the fork in the session. @throws Error with one sentence */
  static async open(
    session: Session,
    origin: string,
    bytes: Uint8Array,
    at: number,
    plans: readonly Plan[],
  ): Promise<ForkLink> {
    const worker = new ForkWorker()
    try {
      const label = strings.fork.label(origin, at)
      const first = await worker.ask({ kind: 'fork', name: origin, bytes, at, plans, label }, 'forked')
      const link = new ForkLink(session, worker, origin, plans, first)
      await session.open({ kind: 'fork', name: label, info: link.#info, simulator: link.simulator }, { step: at })
      link.#show(at)
      return link
    } catch (error) {
      worker.close()
      throw error
    }
  }

  /** The shown episode's length. */
  get steps(): number {
    return this.#info.steps
  }

  /**
   * Plays one step, from the step shown: what was played after it is dropped.
   * @param choices what a person wants, by agent
   */
  step(choices: readonly (readonly [number, readonly number[]])[] = []): Promise<void> {
    return this.#inTurn(async () => {
      const { step } = this.#session.clock.peek()
      if (step < this.steps) await this.#cut(step)
      await this.#advance(1, choices)
      this.#session.player.pause()
      this.#session.player.seek(this.steps)
    })
  }

  /** Plays from the newest step to the end, or until it is told to stop. */
  run(): Promise<void> {
    this.running.value = true
    return this.#inTurn(async () => {
      while (this.running.peek() && !this.state.peek().over) await this.#advance(SLICE, [])
      this.running.value = false
    })
  }

  stop(): void {
    this.running.value = false
  }

  /** Other players from the step shown on. */
  drive(plans: readonly Plan[]): Promise<void> {
    return this.#inTurn(async () => {
      const { step } = this.#session.clock.peek()
      if (step < this.steps) await this.#cut(step)
      const { state } = await this.#worker.ask({ kind: 'drive', plans }, 'played')
      this.plans.value = plans
      this.state.value = state
    })
  }

  /** The fork as a file. */
  async file(): Promise<Uint8Array> {
    return (await this.#worker.ask({ kind: 'file' }, 'file')).bytes
  }

  /** One thing after the other; what goes wrong is told, not thrown. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#queue = this.#queue.then(async () => {
      try {
        this.failure.value = null
        await work()
      } catch (error) {
        this.running.value = false
        if (!this.simulator.closed) this.failure.value = error instanceof Error ? error.message : String(error)
      }
    })
    return this.#queue
  }

  async #cut(step: number): Promise<void> {
    const { played, state } = await this.#worker.ask({ kind: 'cut', step }, 'played')
    this.#returns.length = (step + 1) * this.#info.agents.length
    this.#rewards.length = this.#returns.length
    this.#places.length = 2 * this.#returns.length
    this.#events = this.#events.filter((event) => event.step <= step)
    this.state.value = state
    this.#take(played)
    this.#show(step)
  }

  async #advance(steps: number, choices: readonly (readonly [number, readonly number[]])[]): Promise<void> {
    const before = this.steps
    const { played, state } = await this.#worker.ask({ kind: 'advance', steps, choices }, 'played')
    this.#take(played)
    this.state.value = state
    this.#show(before)
  }

  #take(played: Played): void {
    const { agents, actions, spec } = this.#info
    const N = agents.length
    actions.set(played.actions, played.from * N * spec!.actionDims)
    for (let i = 0; i < played.rewards.length; i++) {
      this.#returns.push(this.#returns[this.#returns.length - N] + played.rewards[i])
      this.#rewards.push(played.rewards[i])
    }
    for (const place of played.places) this.#places.push(place)
    this.#events = [...this.#events, ...played.events]
    this.#info = { ...this.#info, steps: played.steps }
    this.replaced.value = played.replaced
  }

  #show(kept: number): void {
    const overview: Overview = {
      steps: this.steps,
      done: true,
      limited: false,
      returns: Float64Array.from(this.#returns),
      rewards: Float32Array.from(this.#rewards),
      events: this.#events,
      places: Float32Array.from(this.#places),
      placed: this.steps,
    }
    this.#session.regrow(this.#info, overview, kept)
  }
}

/** Scripted policies of an environment. */
/** Opens a scenario and plays an episode of it in a worker. @throws Error with one sentence */
export async function previewOf(scenario: Scenario, policy: string | null, seed: string): Promise<Preview> {
  const worker = new ForkWorker()
  try {
    return (await worker.ask({ kind: 'preview', scenario, policy, seed }, 'preview')).preview
  } finally {
    worker.close()
  }
}

export async function policiesOf(env: string): Promise<readonly PolicyChoice[]> {
  const worker = new ForkWorker()
  try {
    return (await worker.ask({ kind: 'policies', env }, 'policies')).policies
  } finally {
    worker.close()
  }
}
