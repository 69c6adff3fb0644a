/** What threads had of the processors: on a machine that others use, the clock alone says little about threads that wait for each other. */
import { readFileSync, readdirSync } from 'node:fs'

export interface ThreadTime {
  /** Milliseconds it ran. */
  readonly ran: number
  /** Milliseconds it could have run, but other programs or threads did. */
  readonly waited: number
}

/** Of every thread of this process, by number. Null where the system does not say; Linux does. */
export function threadTimes(): ReadonlyMap<string, ThreadTime> | null {
  const found = new Map<string, ThreadTime>()
  try {
    for (const thread of readdirSync('/proc/self/task')) {
      const [ran, waited] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ').map(Number)
      found.set(thread, { ran: ran / 1e6, waited: waited / 1e6 })
    }
  } catch {
    return null
  }
  return found
}

/**
 * The `count` threads that ran most between two looks: the workers of a learner.
 * @returns what the busiest of them ran, and the longest that one of them waited
 */
export function busiest(
  before: ReadonlyMap<string, ThreadTime>,
  after: ReadonlyMap<string, ThreadTime>,
  count: number,
): ThreadTime {
  const since = [...after].map(([thread, { ran, waited }]): ThreadTime => {
    const { ran: first, waited: already } = before.get(thread) ?? { ran: 0, waited: 0 }
    return { ran: ran - first, waited: waited - already }
  })
  const workers = since.sort((a, b) => b.ran - a.ran).slice(0, count)
  return { ran: workers[0].ran, waited: Math.max(...workers.map(({ waited }) => waited)) }
}
