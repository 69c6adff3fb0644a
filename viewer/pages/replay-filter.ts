/** Which replays of a list are shown, and in which order. Pure. */
import { type ReplayInfo } from '../../server/protocol/index.ts'

export const ORDERS = ['newest', 'return', 'steps'] as const
export type Order = (typeof ORDERS)[number]

export interface ReplayFilter {
  /** Words that all must be somewhere in id, scenario, policies or label. */
  readonly text: string
  /** Environment, or '' for all. */
  readonly env: string
  /** Where it is from, or '' for all. */
  readonly origin: string
  readonly order: Order
}

export function filterOf(search: string): ReplayFilter {
  const query = new URLSearchParams(search)
  const order = query.get('order') as Order
  return {
    text: query.get('text') ?? '',
    env: query.get('env') ?? '',
    origin: query.get('origin') ?? '',
    order: ORDERS.includes(order) ? order : 'newest',
  }
}

export function filterSearch({ text, env, origin, order }: ReplayFilter): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ text, env, origin })) if (value !== '') query.set(name, value)
  if (order !== 'newest') query.set('order', order)
  const search = query.toString()
  return search === '' ? '' : `?${search}`
}

/** @param replays newest first, as the server lists them */
export function filtered(replays: readonly ReplayInfo[], filter: ReplayFilter): ReplayInfo[] {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const found = replays.filter((replay) => {
    if (filter.env !== '' && replay.env !== filter.env) return false
    if (filter.origin !== '' && replay.origin !== filter.origin) return false
    const text = [replay.id, replay.scenario, ...replay.policies, replay.label ?? ''].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const key = filter.order === 'return' ? 'return' : 'steps'
  // What is not known comes last; equal ones stay newest first.
  return filter.order === 'newest' ? found : found.sort((a, b) => (b[key] ?? -Infinity) - (a[key] ?? -Infinity) || 0)
}
