/** The reference client: plays a whole live run with a policy that sees observations and masks, and nothing else. */
import WebSocket, { type RawData } from 'ws'
import { Generator, TroupeError, namedSeed, type EnvDefinition, type EnvSpec } from '../../envs/core/index.ts'
import { type ActionBatch, type AgentView, type Policy, type PolicyMemory } from '../../agents/core/policy.ts'
import { checkScenario, scenarioHash, scenarioSpec } from '../../scenarios/open.ts'
import {
  LIVE_LIMITS,
  LIVE_PATH,
  LIVE_PROTOCOL,
  decodeObservation,
  encodeActions,
  readLiveServerMessage,
  type LiveDone,
  type LiveStarted,
} from '../protocol/live.ts'
import { type ErrorFields } from '../protocol/hello.ts'
import { type Description } from '../protocol/rest.ts'

export interface LivePlay {
  /** Of the server: http://127.0.0.1:7340 */
  readonly server: string
  readonly scenario: string
  /** Made once the server has said what is played. @throws what makes it impossible to play */
  readonly policy: (started: LiveStarted) => Policy
  readonly description: Description
  readonly blind?: boolean
  readonly key?: string
  /** Parallel episodes; default 16. */
  readonly lanes?: number
  /** Root of the policy's own draws. */
  readonly rng?: string
  readonly definitions?: Readonly<Record<string, EnvDefinition>>
  readonly onStart?: (started: LiveStarted) => void
  /** After every turn: episodes begun so far. */
  readonly onTurn?: (turn: number, episodesBegun: number) => void
  /** Tries to come back after a lost connection; default 5. */
  readonly tries?: number
}

/** A refusal of the server, in its words. */
export class LiveRefused extends Error {
  readonly fields: ErrorFields

  constructor(fields: ErrorFields) {
    super(fields.message)
    this.name = 'LiveRefused'
    this.fields = fields
  }
}

/** Pause before coming back, doubled each time. */
const AGAIN_MS = 200

/**
 * Plays a run to its end. A lost connection is taken up again.
 * @throws LiveRefused, TroupeError environment when the server cannot be reached
 */
export async function playLive(play: LivePlay): Promise<LiveDone> {
  const player = new Player(play)
  for (let attempt = 0; ; attempt++) {
    const lost = await player.connect()
    if (lost === null) return player.done!
    if (!player.begun || attempt >= (play.tries ?? 5)) {
      throw new TroupeError('environment', { where: play.server, got: lost, expected: 'a troupe server that answers' })
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS * 2 ** attempt))
  }
}

class Player {
  done: LiveDone | undefined
  private readonly play: LivePlay
  private started: LiveStarted | undefined
  private seats: Seats | undefined

  constructor(play: LivePlay) {
    this.play = play
  }

  get begun(): boolean {
    return this.started !== undefined
  }

  /** One connection. @returns null when the run is done, else why it was lost */
  connect(): Promise<string | null> {
    const { play, started } = this
    const address = `${play.server.replace(/^http/, 'ws').replace(/\/$/, '')}${LIVE_PATH}`
    return new Promise((resolve, reject) => {
      let socket: WebSocket
      try {
        socket = new WebSocket(address, { maxPayload: LIVE_LIMITS.serverMessageBytes, perMessageDeflate: false })
      } catch {
        const expected = 'an address such as http://127.0.0.1:7340'
        return reject(new TroupeError('bad-option', { where: '--server', got: play.server, expected }))
      }
      let why = 'no answer'
      const fail = (error: unknown) => {
        socket.close()
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      socket.on('open', () => {
        why = 'the connection was lost'
        const { scenario, description, blind, key, lanes = 16 } = play
        const first =
          started === undefined
            ? {
                type: 'live.start',
                protocol: LIVE_PROTOCOL,
                scenario,
                lanes,
                description,
                ...(blind === undefined ? {} : { blind }),
                ...(key === undefined ? {} : { key }),
              }
            : { type: 'live.resume', protocol: LIVE_PROTOCOL, entry: started.entry, token: started.token }
        socket.send(JSON.stringify(first))
      })
      socket.on('error', (error) => (why = error.message))
      socket.on('close', () => resolve(this.done === undefined ? why : null))
      socket.on('message', (data, isBinary) => {
        try {
          const answer = isBinary ? this.answer(data) : this.heard(String(data))
          if (answer !== null) socket.send(answer)
        } catch (error) {
          fail(error)
        }
      })
    })
  }

  private heard(text: string): null {
    const message = readLiveServerMessage(text)
    if (message.type === 'error') throw new LiveRefused(message.error)
    if (message.type === 'live.done') this.done = message
    else if (this.started === undefined) {
      this.seats = new Seats(this.play, message)
      this.started = message
      this.play.onStart?.(message)
    }
    return null
  }

  private answer(data: RawData): Uint8Array {
    if (this.seats === undefined) {
      throw new TroupeError('bad-message', { where: 'first message', got: 'binary', expected: 'live.started' })
    }
    return this.seats.answer(data as Buffer)
  }
}

/**
 * A policy over the episodes that run. Each episode sits in a slot as long as it lasts and has a generator of its own, so
 * that what is drawn in it does not depend on its neighbours.
 */
class Seats {
  private readonly play: LivePlay
  private readonly spec: EnvSpec
  private readonly policy: Policy
  private readonly root: string
  private readonly agents: Int32Array
  /** Episode of each slot; -1 = free. */
  private readonly slots: Int32Array
  private readonly rngs: Generator[]
  /** One memory for all slots, where the policy chooses for all at once; else one per slot. */
  private readonly memories: PolicyMemory[]
  private readonly view: Omit<AgentView, 'alive' | 'mask' | 'observation' | 'episodeStart'> & {
    readonly observation: Float32Array
    readonly mask: Uint8Array
    readonly alive: Uint8Array
    readonly episodeStart: Uint8Array
  }
  private readonly out: ActionBatch
  /** The last answer: a question that comes again after a lost connection gets the same one. */
  private last: { turn: number; bytes: Uint8Array } | undefined
  private begun = 0

  constructor(play: LivePlay, started: LiveStarted) {
    this.play = play
    const scenario = checkScenario(started.scenario, 'live.started: scenario')
    const own = scenarioHash(scenario)
    if (own !== started.scenarioHash) {
      const where = 'live.started: scenarioHash'
      throw new TroupeError('bad-message', { where, got: started.scenarioHash, expected: own })
    }
    this.spec = scenarioSpec(scenario, play.definitions)
    const { spec } = this
    const N = spec.agents.length
    const { lanes } = started
    this.policy = play.policy(started)
    this.root = play.rng ?? started.entry
    this.agents = Int32Array.from(spec.agents, (_, n) => n)
    this.slots = new Int32Array(lanes).fill(-1)
    this.rngs = Array.from({ length: lanes }, () => new Generator(namedSeed(this.root, 'idle')))
    this.memories = this.policy.actLanes === undefined ? new Array(lanes) : [this.policy.memory(lanes, N)]
    this.view = {
      spec,
      lanes,
      agents: this.agents,
      observation: new Float32Array(lanes * N * spec.observationSize),
      mask: new Uint8Array(lanes * N * spec.actionSize).fill(1), // free slots play along unseen
      alive: new Uint8Array(lanes * N).fill(1),
      episodeStart: new Uint8Array(lanes),
    }
    const length = lanes * N * spec.actionDims
    this.out = { action: spec.actionKind === 'box' ? new Float32Array(length) : new Int32Array(length) }
  }

  answer(data: Uint8Array): Uint8Array {
    const frame = decodeObservation(data)
    if (this.last?.turn === frame.turn) return this.last.bytes
    const { spec, out } = this
    const N = spec.agents.length
    if (frame.agents !== N || frame.features !== spec.observationSize || frame.actions !== spec.actionSize) {
      const got = `${frame.agents} agents, ${frame.features} features, ${frame.actions} choices`
      const expected = `${N}, ${spec.observationSize} and ${spec.actionSize}, as the scenario says`
      throw new TroupeError('bad-message', { where: 'observation frame', got, expected })
    }
    const slots = this.seat(frame)
    this.act(slots)
    const n = slots.length
    const width = N * spec.actionDims
    const action = spec.actionKind === 'box' ? new Float32Array(n * width) : new Int32Array(n * width)
    slots.forEach((slot, row) => action.set(out.action.subarray(slot * width, (slot + 1) * width), row * width))
    const bytes = encodeActions({ turn: frame.turn, lanes: n, action })
    this.last = { turn: frame.turn, bytes }
    this.play.onTurn?.(frame.turn, this.begun)
    return bytes
  }

  /** Copies the rows of a question to the slots of their episodes. @returns [n] the slot of each row */
  private seat(frame: ReturnType<typeof decodeObservation>): number[] {
    const { slots, view, spec } = this
    const N = spec.agents.length
    const running = new Set(frame.episode)
    for (let slot = 0; slot < slots.length; slot++) if (!running.has(slots[slot])) slots[slot] = -1
    view.episodeStart.fill(0)
    return Array.from(frame.episode, (episode, row) => {
      let slot = slots.indexOf(episode)
      if (slot < 0) {
        slot = slots.indexOf(-1)
        slots[slot] = episode
        this.rngs[slot] = new Generator(namedSeed(this.root, `episode ${episode}`))
        if (this.policy.actLanes === undefined) this.memories[slot] = this.policy.memory(1, N)
        view.episodeStart[slot] = 1
        this.begun = Math.max(this.begun, episode + 1)
      }
      for (const [name, size] of [
        ['observation', N * spec.observationSize],
        ['mask', N * spec.actionSize],
        ['alive', N],
      ] as const) {
        view[name].set(frame[name].subarray(row * size, (row + 1) * size), slot * size)
      }
      return slot
    })
  }

  private act(slots: readonly number[]): void {
    const { policy, view, out, spec } = this
    if (policy.actLanes !== undefined) return policy.actLanes(view, this.memories[0], out, this.rngs)
    const N = spec.agents.length
    const part = <Row extends Float32Array | Int32Array | Uint8Array>(rows: Row, slot: number, size: number) =>
      rows.subarray(slot * size, (slot + 1) * size) as Row
    for (const slot of slots) {
      const own = {
        ...view,
        lanes: 1,
        observation: part(view.observation, slot, N * spec.observationSize),
        mask: part(view.mask, slot, N * spec.actionSize),
        alive: part(view.alive, slot, N),
        episodeStart: part(view.episodeStart, slot, 1),
      }
      policy.act(own, this.memories[slot], { action: part(out.action, slot, N * spec.actionDims) }, this.rngs[slot])
    }
  }
}
