/**
 * What an embedded player and the page around it say to each other by postMessage. Every message is a plain object with
 * `troupe: 1`. The player sends `ready` when it listens, `state` after every change, `refused` when it could not do
 * something. Pure: both ends may import it.
 */

export const CONTRACT = 1

/** From the page around to the player. */
export type EmbedCommand =
  /** Opens a replay: an id of the player's own server, or the bytes of a file. */
  | {
      readonly type: 'load'
      readonly replay: string | ArrayBuffer
      readonly name?: string
      readonly step?: number
      readonly agent?: string | null
    }
  | { readonly type: 'step'; readonly step: number }
  | { readonly type: 'playing'; readonly playing: boolean }
  /** Signed; snapped to the nearest speed there is. */
  | { readonly type: 'speed'; readonly speed: number }
  | { readonly type: 'select'; readonly agent: string | null }
  | { readonly type: 'overlays'; readonly overlays: readonly string[] }
  | { readonly type: 'theme'; readonly theme: 'light' | 'dark' }

export const CAPABILITIES = ['load', 'step', 'playing', 'speed', 'select', 'overlays', 'theme'] as const

export interface EmbedState {
  readonly step: number
  readonly last: number
  readonly playing: boolean
  readonly speed: number
  readonly agent: string | null
  readonly overlays: readonly string[]
  readonly theme: 'light' | 'dark'
  /** null until a replay is open. */
  readonly replay: {
    readonly name: string
    readonly scenario: string
    readonly agents: readonly string[]
    readonly steps: number
    readonly return: number | null
  } | null
}

/** From the player to the page around. */
export type EmbedEvent =
  | { readonly type: 'ready'; readonly capabilities: readonly string[] }
  | { readonly type: 'state'; readonly state: EmbedState }
  | { readonly type: 'refused'; readonly message: string }

const MOST_OVERLAYS = 50
const text = (value: unknown): value is string => typeof value === 'string' && value.length <= 400
const number = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
const agentOf = (value: unknown): value is string | null => value === null || text(value)

/** A message that keeps the contract, or null: whatever else the page around says is not for us. */
export function readCommand(data: unknown): EmbedCommand | null {
  if (typeof data !== 'object' || data === null) return null
  const message = data as Record<string, unknown>
  if (message.troupe !== CONTRACT) return null
  switch (message.type) {
    case 'load': {
      const { replay, name, step, agent } = message
      const right = (text(replay) || replay instanceof ArrayBuffer) && (name === undefined || text(name))
      if (!right || (step !== undefined && !number(step)) || (agent !== undefined && !agentOf(agent))) return null
      return {
        type: 'load',
        replay,
        ...(name === undefined ? {} : { name }),
        ...(step === undefined ? {} : { step }),
        ...(agent === undefined ? {} : { agent }),
      }
    }
    case 'step':
      return number(message.step) ? { type: 'step', step: message.step } : null
    case 'playing':
      return typeof message.playing === 'boolean' ? { type: 'playing', playing: message.playing } : null
    case 'speed':
      return number(message.speed) ? { type: 'speed', speed: message.speed } : null
    case 'select':
      return agentOf(message.agent) ? { type: 'select', agent: message.agent } : null
    case 'overlays': {
      const { overlays } = message
      if (!Array.isArray(overlays) || overlays.length > MOST_OVERLAYS || !overlays.every(text)) return null
      return { type: 'overlays', overlays: [...overlays] }
    }
    case 'theme':
      return message.theme === 'light' || message.theme === 'dark' ? { type: 'theme', theme: message.theme } : null
    default:
      return null
  }
}

/** An origin as `?parent=` names it, or null when it is none. */
export function originOf(value: string | null): string | null {
  if (value === null) return null
  try {
    const { origin } = new URL(value)
    return origin === 'null' ? null : origin
  } catch {
    return null
  }
}

/** Whether a message may be obeyed: from the page around, and from the origin that was named, where one was. */
export function mayCommand(event: { source: unknown; origin: string }, parent: unknown, named: string | null): boolean {
  return event.source === parent && (named === null || event.origin === named)
}
