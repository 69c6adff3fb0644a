/** The steps a page has at hand: asks the simulator for runs of steps around the clock and forgets the farthest. */
import { type StepRecord } from './messages.ts'

/** Bytes of records kept, estimated. */
const BUDGET_BYTES = 96 * 1024 * 1024
/** Bytes asked for at once. */
const RUN_BYTES = 512 * 1024

export interface FrameSource {
  records(from: number, count: number): Promise<readonly StepRecord[]>
}

export class FrameStore {
  /** Called when new steps arrived. */
  onArrive: () => void = () => {}
  /** Called with one sentence when a run of steps could not be had. */
  onFail: (message: string) => void = () => {}
  readonly #source: FrameSource
  #last: number
  /** Steps per run; runs start at multiples of it. */
  readonly run: number
  readonly #runs = new Map<number, readonly StepRecord[]>()
  readonly #asked = new Set<number>()
  /** A step that was gone to, alone: it comes sooner than its run. */
  #ahead: StepRecord | undefined
  readonly #keep: number
  /** Raised when the episode changes: answers to older questions are about another one. */
  #turn = 0
  #grows = false

  /** @param bytesPerStep estimated size of a record */
  constructor(source: FrameSource, last: number, bytesPerStep: number) {
    this.#source = source
    this.#last = last
    this.run = Math.min(64, Math.max(4, Math.floor(RUN_BYTES / Math.max(1, bytesPerStep))))
    this.#keep = Math.max(6, Math.floor(BUDGET_BYTES / Math.max(1, bytesPerStep * this.run)))
  }

  /**
   * The episode is another one after a step: it grew, or was cut there and played differently.
   * @param kept last step that is as it was
   */
  regrow(last: number, kept: number): void {
    this.#last = last
    this.#grows = true
    this.#turn++
    this.#asked.clear()
    if (this.#ahead !== undefined && this.#ahead.step > kept) this.#ahead = undefined
    for (const index of [...this.#runs.keys()]) {
      const runs = this.#runs.get(index)!
      const good = kept - index * this.run + 1
      if (good <= 0) this.#runs.delete(index)
      else if (good < this.run && runs.length > good) this.#runs.set(index, runs.slice(0, good))
    }
  }

  /** The record of a step, if it is at hand. */
  get(step: number): StepRecord | undefined {
    const inRun = this.#runs.get(Math.floor(step / this.run))?.[step % this.run]
    return inRun ?? (this.#ahead?.step === step ? this.#ahead : undefined)
  }

  /** Makes sure a step is on its way, and what follows in the direction of play. */
  want(step: number, speed: number): void {
    const at = Math.floor(step / this.run)
    const ahead = Math.abs(speed) >= 16 ? 3 : 1
    if (this.get(step) === undefined && !this.#asked.has(at)) this.#askOne(step)
    this.#ask(at)
    for (let k = 1; k <= ahead; k++) this.#ask(speed < 0 ? at - k : at + k)
    this.#forget(at)
  }

  #ask(index: number): void {
    if (index < 0 || index * this.run > this.#last || this.#asked.has(index)) return
    const known = this.#runs.get(index)
    const whole = Math.min(this.run, this.#last - index * this.run + 1)
    if (known !== undefined && (known.length >= whole || !this.#grows)) return
    this.#asked.add(index)
    const turn = this.#turn
    this.#source
      .records(index * this.run, this.run)
      .then((records) => {
        if (turn !== this.#turn) return
        this.#runs.set(index, records)
        if (this.#ahead !== undefined && Math.floor(this.#ahead.step / this.run) === index) this.#ahead = undefined
        this.onArrive()
      })
      .catch((error: unknown) => this.onFail(error instanceof Error ? error.message : String(error)))
      .finally(() => {
        if (turn === this.#turn) this.#asked.delete(index)
      })
  }

  /** Failing is no matter: the run that is asked for next says what is wrong. */
  #askOne(step: number): void {
    const turn = this.#turn
    this.#source
      .records(step, 1)
      .then(([record]) => {
        if (turn !== this.#turn || record === undefined) return
        this.#ahead = record
        this.onArrive()
      })
      .catch(() => {})
  }

  #forget(at: number): void {
    while (this.#runs.size > this.#keep) {
      let farthest = at
      for (const index of this.#runs.keys()) if (Math.abs(index - at) > Math.abs(farthest - at)) farthest = index
      if (Math.abs(farthest - at) <= 4) return
      this.#runs.delete(farthest)
    }
  }
}
