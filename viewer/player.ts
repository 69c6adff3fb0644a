/**
 * The clock of a page: which step is shown, how fast it moves, and who may move it. Knows nothing of pixels or pages,
 * so that it is tested without a screen.
 *
 * Time is an integer step plus a fraction on the way to the next one. Pausing, seeking and stepping land on whole steps.
 * The clock follows real time whatever the frame rate: a slow screen drops pictures, never steps. It waits, on a whole
 * step, for steps that have not been simulated yet.
 */

/** Steps per second at speed 1. */
export const STEPS_PER_SECOND = 4
/** Magnitudes of the signed speed. */
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64] as const
/** Longest stretch of real time one picture may stand for, in milliseconds (a tab that was asleep does not jump). */
const LONGEST_TICK_MS = 1000

/** A stretch of steps, both ends included, `from` before `to`. */
export interface StepRange {
  readonly from: number
  readonly to: number
}

export interface PlayerState {
  /** Whole step shown, 0 to `last`. */
  readonly step: number
  /** Way from `step` to the next one, 0 to 1 (exclusive); 0 whenever the clock stands. */
  readonly fraction: number
  readonly playing: boolean
  /** Signed: negative plays backwards. One of ±SPEEDS. */
  readonly speed: number
  readonly loop: boolean
  /** What the loop plays, both ends included; null = the whole episode. Only matters while looping. */
  readonly range: StepRange | null
  /** Follow what arrives; ends when the user moves the clock. */
  readonly live: boolean
  /** Last step that exists. */
  readonly last: number
  /** Playing, but the next step is not there yet. */
  readonly waiting: boolean
}

export interface PlayerSettings {
  readonly last?: number
  readonly step?: number
  readonly speed?: number
  /** Whether a step can be drawn already; default: all. */
  readonly ready?: (step: number) => boolean
}

export class Player {
  #step: number
  #fraction = 0
  #playing = false
  #speed: number
  #loop = false
  #range: StepRange | null = null
  #live = false
  #last: number
  #waiting = false
  readonly #ready: (step: number) => boolean
  readonly #listeners = new Set<(state: PlayerState) => void>()

  constructor(settings: PlayerSettings = {}) {
    this.#last = Math.max(0, Math.floor(settings.last ?? 0))
    this.#step = clampStep(settings.step ?? 0, this.#last)
    this.#speed = settings.speed ?? 1
    this.#ready = settings.ready ?? (() => true)
  }

  get state(): PlayerState {
    return {
      step: this.#step,
      fraction: this.#fraction,
      playing: this.#playing,
      speed: this.#speed,
      loop: this.#loop,
      range: this.#range,
      live: this.#live,
      last: this.#last,
      waiting: this.#waiting,
    }
  }

  /** Calls back after every change; returns the way to stop. */
  subscribe(listener: (state: PlayerState) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Lets real time pass. @param ms since the last call */
  advance(ms: number): void {
    if (!this.#playing || !(ms > 0)) return
    const travel = (this.#speed * STEPS_PER_SECOND * Math.min(ms, LONGEST_TICK_MS)) / 1000
    if (travel > 0) this.#forward(travel)
    else this.#backward(-travel)
    this.#tell()
  }

  play(): void {
    // Pressing play at the end starts over instead of doing nothing, and so does playing a stretch from outside of it.
    const { from, to } = this.#bounds
    const at = this.#step + this.#fraction
    if (this.#speed > 0 && (at < from || at >= to) && !this.#live) this.#land(from)
    if (this.#speed < 0 && (at <= from || at > to)) this.#land(to)
    this.#playing = true
    this.#tell()
  }

  /** Stops on the nearest whole step. */
  pause(): void {
    this.#playing = false
    this.#land(Math.round(this.#step + this.#fraction))
    this.#tell()
  }

  toggle(): void {
    if (this.#playing) this.pause()
    else this.play()
  }

  /** The user goes to a step: the clock keeps running if it ran, but no longer follows what arrives. */
  seek(step: number): void {
    this.#live = false
    this.#land(step)
    this.#tell()
  }

  /** Another clock leads this one: shows its place, which may be between two steps. */
  place(step: number, fraction: number): void {
    this.#live = false
    this.#playing = false
    this.#land(step)
    if (this.#step < this.#last && fraction > 0 && fraction < 1) this.#fraction = fraction
    this.#tell()
  }

  /** The user takes single steps: the clock stops. */
  stepBy(steps: number): void {
    this.#live = false
    this.#playing = false
    const from = steps < 0 ? Math.ceil(this.#step + this.#fraction) : this.#step
    this.#land(from + steps)
    this.#tell()
  }

  home(): void {
    this.seek(0)
  }

  end(): void {
    this.seek(this.#last)
  }

  /** @param speed signed; snapped to the nearest known magnitude */
  setSpeed(speed: number): void {
    if (!Number.isFinite(speed) || speed === 0) return
    const size = SPEEDS.reduce((best, s) =>
      Math.abs(s - Math.abs(speed)) < Math.abs(best - Math.abs(speed)) ? s : best,
    )
    this.#speed = speed < 0 ? -size : size
    this.#tell()
  }

  faster(): void {
    this.#shift(1)
  }

  slower(): void {
    this.#shift(-1)
  }

  reverse(): void {
    this.#speed = -this.#speed
    this.#tell()
  }

  setLoop(loop: boolean): void {
    this.#loop = loop
    this.#tell()
  }

  /** Loops over the steps between two, in either order; null, or one and the same step, gives the stretch up. */
  setRange(range: StepRange | null): void {
    const ends = range === null ? [] : [clampStep(range.from, this.#last), clampStep(range.to, this.#last)]
    const [from, to] = ends.sort((a, b) => a - b)
    this.#range = range === null || from === to ? null : { from, to }
    this.#loop = this.#range !== null
    this.#tell()
  }

  setLive(live: boolean): void {
    this.#live = live
    if (live && this.#speed < 0) this.#speed = -this.#speed
    this.#tell()
  }

  /** More of the episode has become known, or another episode was opened. */
  setLast(last: number): void {
    this.#last = Math.max(0, Math.floor(last))
    if (this.#step >= this.#last) this.#land(this.#last)
    if (this.#range !== null && this.#range.to > this.#last) this.#range = null
    this.#tell()
  }

  /** Opens another episode at a step without touching speed, loop or live; a stretch belonged to the one before. */
  open(last: number, step: number, playing: boolean): void {
    this.#last = Math.max(0, Math.floor(last))
    this.#playing = playing
    this.#range = null
    this.#land(step)
    this.#tell()
  }

  /** The step after this one when going forward; the last one is shown as long as the others before a loop begins anew. */
  #following(): number | undefined {
    const { from, to } = this.#bounds
    if (this.#step < this.#last && this.#step !== to) return this.#step + 1
    return this.#loop && to > from ? from : undefined
  }

  #preceding(): number | undefined {
    const { from, to } = this.#bounds
    if (this.#step > 0 && this.#step !== from) return this.#step - 1
    return this.#loop && to > from ? to : undefined
  }

  /** The steps that playing stays within. */
  get #bounds(): StepRange {
    return this.#loop && this.#range !== null ? this.#range : { from: 0, to: this.#last }
  }

  #forward(travel: number): void {
    let left = travel + this.#fraction
    this.#fraction = 0
    this.#waiting = false
    while (left > 0) {
      const next = this.#following()
      if (next === undefined) {
        // Following live, the clock waits at the end for more.
        if (this.#live) this.#waiting = true
        else this.#playing = false
        return
      }
      if (!this.#ready(next)) {
        this.#waiting = true
        return
      }
      if (left < 1) {
        this.#fraction = left
        return
      }
      this.#step = next
      // Who follows live looks for a newer episode at the end of this one: slow screens must not jump over it.
      if (this.#live && this.#loop && next === this.#last) return
      left--
    }
  }

  #backward(travel: number): void {
    let left = travel
    this.#waiting = false
    while (left > 0) {
      if (this.#fraction > 0) {
        const part = Math.min(left, this.#fraction)
        this.#fraction = this.#fraction - part < 1e-9 ? 0 : this.#fraction - part
        left -= part
        continue
      }
      const previous = this.#preceding()
      if (previous === undefined) {
        this.#playing = false
        return
      }
      if (!this.#ready(previous)) {
        this.#waiting = true
        return
      }
      this.#step = previous
      this.#fraction = left < 1 ? 1 - left : 0
      left--
    }
  }

  #land(step: number): void {
    this.#step = clampStep(step, this.#last)
    this.#fraction = 0
    this.#waiting = false
  }

  #shift(by: number): void {
    const at = SPEEDS.indexOf(Math.abs(this.#speed) as (typeof SPEEDS)[number])
    const size = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + by))]
    this.#speed = this.#speed < 0 ? -size : size
    this.#tell()
  }

  #tell(): void {
    const state = this.state
    for (const listener of this.#listeners) listener(state)
  }
}

function clampStep(step: number, last: number): number {
  if (!Number.isFinite(step)) return 0
  return Math.min(last, Math.max(0, Math.round(step)))
}
