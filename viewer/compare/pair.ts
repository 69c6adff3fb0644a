/** Two opened replays on one clock. Holds no pixels. */
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { Player, type PlayerState } from '../player.ts'
import { Session } from '../session.ts'
import { bytesOf, type Lasting } from '../sources/bytes.ts'
import { type Connection } from '../sources/socket.ts'
import { strings } from '../strings.ts'
import { firstAction, type Divergence } from './divergence.ts'
import { type PartAnswer, type PartRequest } from './worker.ts'

export class Pair {
  readonly a: Session
  readonly b: Session
  /** Leads both; as long as the longer one. */
  readonly player: Player
  readonly clock: Signal<PlayerState>
  /** The first session with the common clock, for controls and keys. */
  readonly lead: Session
  readonly divergence: Signal<Divergence | null> = signal(null)
  /** Both are open. */
  readonly ready: ReadonlySignal<boolean>
  readonly #stops: (() => void)[] = []
  #worker: Worker | undefined
  #turn = 0

  constructor(connection: Connection) {
    this.a = new Session(connection)
    this.b = new Session(connection)
    const at = (session: Session, step: number) => session.at(Math.min(step, session.info.peek()?.steps ?? 0))
    this.player = new Player({
      ready: (step) => at(this.a, step) !== undefined && at(this.b, step) !== undefined,
    })
    this.clock = signal(this.player.state)
    this.lead = Object.create(this.a, { player: { value: this.player }, clock: { value: this.clock } }) as Session
    this.ready = computed(() => this.a.info.value !== null && this.b.info.value !== null)
    this.player.subscribe((state) => {
      this.clock.value = state
      for (const session of [this.a, this.b]) session.player.place(state.step, state.fraction)
    })
    // One agent is looked at, in both, with the same overlays.
    this.#stops.push(
      effect(() => this.b.select(this.a.agent.value)),
      effect(() => {
        this.b.overlays.value = this.a.overlays.value
        this.b.following.value = this.a.following.value
      }),
      effect(() => {
        const picked = this.b.agent.value
        if (picked !== this.a.agent.peek()) this.a.select(picked)
      }),
      effect(() => {
        const longest = Math.max(this.a.info.value?.steps ?? 0, this.b.info.value?.steps ?? 0)
        this.player.setLast(longest)
      }),
    )
  }

  /** Opens both at a step. Never throws: see the sessions' `failure`. */
  async open(a: Lasting, b: Lasting, step: number, agent: string | null): Promise<void> {
    const turn = ++this.#turn
    this.divergence.value = null
    await Promise.all([this.a.open(a, { step, agent }), this.b.open(b, { step, agent })])
    const [one, other] = [this.a.info.peek(), this.b.info.peek()]
    if (turn !== this.#turn || one === null || other === null) return
    this.player.seek(step)
    const action = firstAction(one, other)
    const alike = sameStart(this)
    this.divergence.value = { action, state: alike && action === null ? null : alike ? null : 0 }
    await this.#part(turn, a, b, alike ? (action ?? Math.min(one.steps, other.steps)) : 0, action)
  }

  /** The way to the first step that differs. */
  get first(): number | null {
    const found = this.divergence.value
    if (found === null) return null
    const steps = [found.action, found.state].filter((step) => step !== null)
    return steps.length === 0 ? null : Math.min(...steps)
  }

  close(): void {
    this.#turn++
    for (const stop of this.#stops) stop()
    this.#worker?.terminate()
    this.a.close()
    this.b.close()
    this.player.pause()
  }

  async #part(turn: number, a: Lasting, b: Lasting, from: number, action: number | null): Promise<void> {
    let request: PartRequest
    try {
      const [bytesA, bytesB] = await Promise.all([bytesOf(a), bytesOf(b)])
      request = { a: bytesA, b: bytesB, from }
    } catch {
      return // the sessions say what is wrong
    }
    if (turn !== this.#turn) return
    this.#worker?.terminate()
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' })
    this.#worker = worker
    worker.onmessage = ({ data }: MessageEvent<PartAnswer>) => {
      worker.terminate()
      if (turn !== this.#turn || data.state === undefined) return
      this.divergence.value = { action, state: data.state }
    }
    worker.postMessage(request)
  }
}

/** Whether both begin in the same state: same world, options and seed. */
export function sameStart({ a, b }: Pick<Pair, 'a' | 'b'>): boolean {
  const [one, other] = [a.info.peek()?.header, b.info.peek()?.header]
  if (one === undefined || other === undefined) return false
  const start = ({ env, version, seed, options, control }: typeof one) =>
    JSON.stringify([env, version, seed, Object.entries(options).sort(([x], [y]) => (x < y ? -1 : 1)), control])
  return start(one) === start(other)
}

/** Why two replays do not begin alike, in words; null when they do. */
export function whyApart(pair: Pick<Pair, 'a' | 'b'>): string | null {
  const [one, other] = [pair.a.info.value?.header, pair.b.info.value?.header]
  if (one === undefined || other === undefined) return null
  if (one.env !== other.env) return strings.compare.otherWorlds(one.env, other.env)
  if (one.version !== other.version) return strings.compare.otherVersions(one.version, other.version)
  if (one.seed !== other.seed) return strings.compare.otherSeeds
  return sameStart(pair) ? null : strings.compare.otherOptions
}
