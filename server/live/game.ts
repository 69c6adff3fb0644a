/**
 * The episodes of one live run, as the server holds them: worlds, seeds and recordings inside; outside only what the
 * agents see. No sockets and no clock in here.
 */
import { TroupeError, type DigestibleBatch, type EnvDefinition, type EpisodeSeed } from '../../envs/core/index.ts'
import { ReplayRecorder, type RecordingHeader } from '../../envs/core/replay.ts'
import { openScenario, teamReturn } from '../../scenarios/open.ts'
import { type Scenario } from '../../scenarios/schema.ts'
import { encodeObservation, observationBytes, LIVE_LIMITS } from '../protocol/live.ts'

export interface GameRequest {
  readonly scenario: Scenario
  readonly definitions?: Readonly<Record<string, EnvDefinition>>
  /** One per episode, in the order they are played. */
  readonly seeds: readonly EpisodeSeed[]
  /** Parallel episodes wanted. */
  readonly lanes: number
  /** What an episode's replay says about itself. */
  readonly header: (episode: number) => RecordingHeader
}

export interface GameEpisode {
  /** Place among the run's episodes. */
  readonly episode: number
  readonly seed: EpisodeSeed
  /** The scenario's scalar. */
  readonly return: number
  readonly returns: number[]
  readonly length: number
  readonly terminated: boolean
  readonly truncated: boolean
  readonly metrics: Record<string, number | null>
  /** Steps that the server chose since no legal action had come. */
  readonly lateSteps: number
  readonly replay: Uint8Array
}

interface Lane {
  episode: number // -1 = idle for good
  recorder: ReplayRecorder | undefined
  lateSteps: number
}

export class LiveGame {
  readonly batch: DigestibleBatch
  /** Numbers per lane in an action frame, N × D. */
  readonly width: number
  /** Ended episodes, in the order they ended. */
  readonly ended: GameEpisode[] = []
  private readonly request: GameRequest
  private readonly lanes: Lane[]
  private readonly action: Int32Array | Float32Array
  private readonly given: (EpisodeSeed | null)[]
  private readonly chosen: Uint8Array
  private next = 0

  /** @throws TroupeError bad-usage for a scenario whose episodes need not end, and what opening it throws */
  constructor(request: GameRequest) {
    const { scenario, seeds } = request
    this.request = request
    const settings = { autoreset: 'disabled' as const }
    const probe = openScenario(scenario, { ...settings, lanes: 1 }, request.definitions)
    const { spec } = probe
    if (spec.horizon === null) {
      throw new TroupeError('bad-usage', {
        where: `live evaluation of ${scenario.id}: horizon`,
        got: 'null',
        expected: 'a scenario whose episodes have a last step',
      })
    }
    const frame = observationBytes(1, spec.agents.length, spec.observationSize, spec.actionSize)
    const fitting = Math.max(1, Math.floor(LIVE_LIMITS.frameBytes / frame))
    const lanes = Math.max(1, Math.min(request.lanes, LIVE_LIMITS.lanes, seeds.length, fitting))
    this.batch = lanes === 1 ? probe : openScenario(scenario, { ...settings, lanes }, request.definitions)
    this.width = spec.agents.length * spec.actionDims
    this.action = spec.actionKind === 'box' ? new Float32Array(lanes * this.width) : new Int32Array(lanes * this.width)
    this.lanes = Array.from({ length: lanes }, () => ({ episode: -1, recorder: undefined, lateSteps: 0 }))
    this.given = new Array<EpisodeSeed | null>(lanes).fill(seeds[0])
    this.chosen = new Uint8Array(lanes).fill(1)
    this.begin()
  }

  /** Lanes with an episode that goes on: rows of the next question. */
  get waiting(): number {
    return this.lanes.reduce((sum, { episode }) => sum + (episode >= 0 ? 1 : 0), 0)
  }

  get over(): boolean {
    return this.lanes.every(({ episode }) => episode < 0)
  }

  /** Steps done in every running episode together: how much a run has taken so far. */
  get begun(): number {
    return this.next
  }

  /** Starts the next episodes in the lanes marked in `chosen`. */
  private begin(): void {
    const { seeds, header } = this.request
    let any = false
    for (let lane = 0; lane < this.lanes.length; lane++) {
      if (this.chosen[lane] === 0) continue
      const episode = this.next < seeds.length ? this.next++ : -1
      this.lanes[lane] = { episode, recorder: undefined, lateSteps: 0 }
      if (episode < 0) this.chosen[lane] = 0
      else {
        this.given[lane] = seeds[episode]
        any = true
      }
    }
    if (any) this.batch.reset(this.given, this.chosen)
    for (let lane = 0; lane < this.lanes.length; lane++) {
      if (this.chosen[lane] === 0) continue
      const record = this.lanes[lane]
      record.recorder = new ReplayRecorder(this.batch, lane, header(record.episode))
    }
    this.chosen.fill(0)
  }

  /**
   * The question of a turn: observations, masks and lives of the waiting lanes, and nothing else of the world.
   * @param late whether the turn before was played by the server
   */
  frame(turn: number, late: boolean): Uint8Array {
    const { observation, mask, alive, spec, stepCount } = this.batch
    const N = spec.agents.length
    const [F, A] = [N * spec.observationSize, N * spec.actionSize]
    const n = this.waiting
    const frame = {
      turn,
      late,
      agents: N,
      episode: new Uint32Array(n),
      step: new Uint32Array(n),
      observation: new Float32Array(n * F),
      mask: new Uint8Array(n * A),
      alive: new Uint8Array(n * N),
    }
    let row = 0
    for (let lane = 0; lane < this.lanes.length; lane++) {
      if (this.lanes[lane].episode < 0) continue
      frame.episode[row] = this.lanes[lane].episode
      frame.step[row] = stepCount[lane]
      frame.observation.set(observation.subarray(lane * F, (lane + 1) * F), row * F)
      frame.mask.set(mask.subarray(lane * A, (lane + 1) * A), row * A)
      frame.alive.set(alive.subarray(lane * N, (lane + 1) * N), row * N)
      row++
    }
    return encodeObservation(frame, spec.observationSize, spec.actionSize)
  }

  /**
   * One step in every waiting lane.
   * @param answer [n, N, D] rows as in the question; null = default actions: the first legal choice of every dimension,
   *   or the number nearest to zero
   * @throws TroupeError bad-action naming episode and agent; nothing has changed then
   */
  play(answer: Int32Array | Float32Array | null): void {
    const { batch, width, lanes } = this
    if (answer === null) this.defaults()
    else {
      let row = 0
      for (let lane = 0; lane < lanes.length; lane++) {
        if (lanes[lane].episode < 0) continue
        this.action.set(answer.subarray(row * width, (row + 1) * width), lane * width)
        row++
      }
    }
    this.step(answer === null)
    for (let lane = 0; lane < lanes.length; lane++) {
      const { episode, recorder } = lanes[lane]
      if (episode < 0 || recorder === undefined) continue
      if (answer === null) lanes[lane].lateSteps++
      recorder.record(this.action, lane * width)
      if (batch.terminated[lane] === 0 && batch.truncated[lane] === 0) continue
      this.ended.push(this.episodeOf(lane, lanes[lane], recorder))
      this.chosen[lane] = 1
    }
    this.begin()
  }

  private step(own: boolean): void {
    try {
      this.batch.step(this.action)
    } catch (error) {
      if (!(error instanceof TroupeError) || error.code !== 'bad-action' || own) throw error
      // The batch's own lane numbers and steps are an inner matter; the run's episodes are what the client knows.
      const place = /\[lane (\d+), (.+?)\]/.exec(error.where)
      const episode = place === null ? undefined : this.lanes[Number(place[1])]?.episode
      const where = place === null ? 'action frame' : `action frame: episode ${episode}, ${place[2]}`
      throw new TroupeError('bad-action', { where, got: error.got, expected: error.expected })
    }
  }

  private episodeOf(lane: number, { episode, lateSteps }: Lane, recorder: ReplayRecorder): GameEpisode {
    const { batch } = this
    const { teamReward } = this.request.scenario
    const N = batch.spec.agents.length
    const returns = [...batch.finalReturns.subarray(lane * N, (lane + 1) * N)]
    return {
      episode,
      seed: this.request.seeds[episode],
      return: teamReturn(teamReward, returns),
      returns,
      length: batch.finalLength[lane],
      terminated: batch.terminated[lane] === 1,
      truncated: batch.truncated[lane] === 1,
      metrics: batch.finalMetrics(lane),
      lateSteps,
      replay: recorder.finish(teamReward),
    }
  }

  private defaults(): void {
    const { spec, mask } = this.batch
    const D = spec.actionDims
    for (let row = 0; row < this.lanes.length * spec.agents.length; row++) {
      const agent = spec.agents[row % spec.agents.length]
      let from = row * spec.actionSize
      for (let d = 0; d < D; d++) {
        const i = row * D + d
        if (agent.action.kind === 'box') {
          const range = agent.action.dimensions[d]
          this.action[i] = range === undefined ? 0 : Math.min(range.high, Math.max(range.low, 0))
          continue
        }
        const size = spec.actionSizes[d]
        const first = mask.subarray(from, from + size).indexOf(1)
        this.action[i] = Math.max(0, first)
        from += size
      }
    }
  }
}
