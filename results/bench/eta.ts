/** How long a bench will still take, from what its runs have taken so far. */

export interface Task {
  /** Runs with the same key take about as long: algorithm and scenario. */
  readonly key: string
  /** Runs of the same group take about as long per unit of work: the algorithm. */
  readonly group: string
  /** Environment steps, played for training and for evaluations. */
  readonly work: number
}

type State = { readonly kind: 'waiting' } | { readonly kind: 'over' } | Running
interface Running {
  readonly kind: 'running'
  /** Part of the run that is done, 0 to 1. */
  readonly part: number
  /** Part that was done when this sitting began. */
  readonly from: number
  readonly seconds: number
}

/** Part of a run that must have been seen before its own pace is believed. */
const ENOUGH = 0.02

export class Estimator {
  private readonly tasks: readonly Task[]
  private readonly states: State[]
  private readonly byKey = new Map<string, { seconds: number; runs: number }>()
  private readonly byGroup = new Map<string, { seconds: number; work: number }>()
  private readonly all = { seconds: 0, work: 0 }

  constructor(tasks: readonly Task[]) {
    this.tasks = tasks
    this.states = tasks.map(() => ({ kind: 'waiting' }))
  }

  /** @param from part that was done in earlier sittings */
  running(task: number, part: number, seconds: number, from = 0): void {
    this.states[task] = { kind: 'running', part, from, seconds }
  }

  /** @param seconds of this sitting; left out when nothing was to do @param from part of earlier sittings */
  over(task: number, seconds?: number, from = 0): void {
    this.states[task] = { kind: 'over' }
    if (seconds === undefined || from > 1 - ENOUGH) return
    const { key, group, work } = this.tasks[task]
    const whole = seconds / (1 - from)
    const sameKey = this.byKey.get(key) ?? { seconds: 0, runs: 0 }
    this.byKey.set(key, { seconds: sameKey.seconds + whole, runs: sameKey.runs + 1 })
    const sameGroup = this.byGroup.get(group) ?? { seconds: 0, work: 0 }
    this.byGroup.set(group, { seconds: sameGroup.seconds + whole, work: sameGroup.work + work })
    this.all.seconds += whole
    this.all.work += work
  }

  /** Of a whole run; undefined while nothing is known. */
  private guess({ key, group, work }: Task): number | undefined {
    const sameKey = this.byKey.get(key)
    if (sameKey !== undefined) return sameKey.seconds / sameKey.runs
    const { seconds, work: done } = this.byGroup.get(group) ?? this.livePace(group) ?? this.all
    return done > 0 ? (seconds / done) * work : undefined
  }

  /** Pace of the runs of a group that are under way. */
  private livePace(group: string): { seconds: number; work: number } | undefined {
    const pace = { seconds: 0, work: 0 }
    this.states.forEach((state, task) => {
      if (state.kind !== 'running' || this.tasks[task].group !== group || state.part - state.from < ENOUGH) return
      pace.seconds += state.seconds
      pace.work += (state.part - state.from) * this.tasks[task].work
    })
    return pace.work > 0 ? pace : undefined
  }

  /**
   * Seconds until everything is over, with `parallel` runs side by side; undefined while nothing is known.
   * Never shorter than the longest run that is left.
   */
  secondsLeft(parallel: number): number | undefined {
    let total = 0
    let longest = 0
    let open = 0
    for (let task = 0; task < this.tasks.length; task++) {
      const state = this.states[task]
      if (state.kind === 'over') continue
      const left = this.left(this.tasks[task], state)
      if (left === undefined) return undefined
      total += left
      longest = Math.max(longest, left)
      open++
    }
    return open === 0 ? 0 : Math.max(longest, total / Math.min(parallel, open))
  }

  private left(task: Task, state: State): number | undefined {
    if (state.kind !== 'running') return this.guess(task)
    const seen = state.part - state.from
    if (seen >= ENOUGH) return (state.seconds / seen) * (1 - state.part)
    const whole = this.guess(task)
    return whole === undefined ? undefined : Math.max(0, whole * (1 - state.from) - state.seconds)
  }
}
