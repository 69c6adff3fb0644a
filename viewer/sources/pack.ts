/**
 * Frames on their way from the worker to the page, as columns of numbers that change hands without being copied. What is
 * as in the first frame is not sent at all. The page makes objects of a frame when it is first looked at: at high speeds
 * most frames never are, and reading two hundred robots' objects out of every message cost more than drawing them.
 */
import { type Entity, type Frame, type FrameEvent } from '../../envs/core/types.ts'
import { type StepRecord } from './messages.ts'

/** From how many entities on it is worth while. */
const WORTH = 60

type Word = string | number | boolean | null

/** Entities of one frame that differ from those of the first; k of them. */
interface Things {
  /** [k] places in the list of the first frame, whose id, kind and names of state they have. */
  readonly at: Uint32Array
  readonly x: Float64Array // [k]
  readonly y: Float64Array // [k]
  readonly heading: Float64Array // [k]; NaN where there is none
  /** Their values of state, one after the other, as places in the list of words. */
  readonly state: Uint32Array
  /** Those that changed in more than that. */
  readonly odd: readonly (readonly [at: number, entity: Entity])[]
}

/** Events of one frame; e of them. */
interface Happenings {
  readonly kind: Uint32Array // [e] words
  readonly x: Float64Array // [e]; NaN where an event has no place
  readonly y: Float64Array // [e]
  readonly value: Float64Array // [e]; NaN where it has none
  /** [e] how many agents it names, plus one; 0 where it names no list. */
  readonly count: Uint32Array
  readonly agents: Uint32Array // words, one event after the other
}

type PackedFrame = Omit<Frame, 'entities' | 'events'> & { readonly things: Things; readonly happenings: Happenings }

export interface PackedRecord extends Omit<StepRecord, 'frame'> {
  readonly packed: PackedFrame
  /** Words of all records of one message: shared, so that they are sent once. */
  readonly words: readonly Word[]
}

/** Packs the records of one message. */
export class Packer {
  readonly #first: Frame
  readonly #words: Word[] = []
  readonly #codes = new Map<Word, number>()

  constructor(first: Frame) {
    this.#first = first
  }

  pack(record: StepRecord): StepRecord | PackedRecord {
    const { frame, ...rest } = record
    if (frame.entities.length < WORTH || frame.entities.length !== this.#first.entities.length) return record
    const { entities, events, ...others } = frame
    const packed = { ...others, things: this.#things(entities), happenings: this.#happenings(events) }
    return { ...rest, packed, words: this.#words }
  }

  #things(entities: readonly Entity[]): Things {
    const at: number[] = []
    const state: number[] = []
    const odd: [number, Entity][] = []
    entities.forEach((entity, index) => {
      const before = this.#first.entities[index]
      if (entity === before || same(entity, before)) return
      if (!alike(entity, before)) {
        odd.push([index, entity])
        return
      }
      at.push(index)
      for (const name in entity.state) state.push(this.#code(entity.state[name]))
    })
    const column = (of: (entity: Entity) => number) => Float64Array.from(at, (index) => of(entities[index]))
    return {
      at: Uint32Array.from(at),
      x: column(({ x }) => x),
      y: column(({ y }) => y),
      heading: column(({ heading }) => heading ?? NaN),
      state: Uint32Array.from(state),
      odd,
    }
  }

  #happenings(events: readonly FrameEvent[]): Happenings {
    return {
      kind: Uint32Array.from(events, ({ kind }) => this.#code(kind)),
      x: Float64Array.from(events, ({ at }) => at?.x ?? NaN),
      y: Float64Array.from(events, ({ at }) => at?.y ?? NaN),
      value: Float64Array.from(events, ({ value }) => value ?? NaN),
      count: Uint32Array.from(events, ({ agents }) => (agents === undefined ? 0 : agents.length + 1)),
      agents: Uint32Array.from(events.flatMap(({ agents }) => (agents ?? []).map((id) => this.#code(id)))),
    }
  }

  #code(word: Word): number {
    let code = this.#codes.get(word)
    if (code === undefined) {
      code = this.#words.push(word) - 1
      this.#codes.set(word, code)
    }
    return code
  }
}

/** The record as it was; its frame is made when it is first asked for. */
export function unpacked(record: StepRecord | PackedRecord, first: Frame): StepRecord {
  if (!('packed' in record)) return record
  const { packed, words, ...rest } = record
  let frame: Frame | undefined
  const out = rest as unknown as StepRecord
  Object.defineProperty(out, 'frame', {
    enumerable: true,
    get: () => (frame ??= frameOf(packed, words, first)),
  })
  return out
}

function frameOf({ things, happenings, ...rest }: PackedFrame, words: readonly Word[], first: Frame): Frame {
  const entities = first.entities.slice()
  let from = 0
  for (let k = 0; k < things.at.length; k++) {
    const index = things.at[k]
    const { id, kind, heading, team, state } = first.entities[index]
    const now: { -readonly [name in keyof Entity]: Entity[name] } = { id, kind, x: things.x[k], y: things.y[k] }
    if (heading !== undefined) now.heading = things.heading[k]
    if (team !== undefined) now.team = team
    if (state !== undefined) {
      const values: Record<string, Word> = {}
      for (const name in state) values[name] = words[things.state[from++]]
      now.state = values
    }
    entities[index] = now
  }
  for (const [index, entity] of things.odd) entities[index] = entity
  return { ...rest, entities, events: eventsOf(happenings, words) }
}

function eventsOf({ kind, x, y, value, count, agents }: Happenings, words: readonly Word[]): FrameEvent[] {
  let from = 0
  return Array.from(kind, (code, e) => {
    const event: { -readonly [name in keyof FrameEvent]: FrameEvent[name] } = { kind: words[code] as string }
    if (!Number.isNaN(x[e])) event.at = { x: x[e], y: y[e] }
    if (count[e] > 0) {
      event.agents = Array.from(agents.subarray(from, from + count[e] - 1), (of) => words[of] as string)
      from += count[e] - 1
    }
    if (!Number.isNaN(value[e])) event.value = value[e]
    return event
  })
}

/** Whether two entities differ in place, heading and values of state at most. */
function alike(a: Entity, b: Entity): boolean {
  if (a.id !== b.id || a.kind !== b.kind || a.team !== b.team) return false
  if ((a.heading === undefined) !== (b.heading === undefined)) return false
  if (a.state === undefined || b.state === undefined) return a.state === b.state
  const names = Object.keys(a.state)
  const others = Object.keys(b.state)
  return names.length === others.length && names.every((name, k) => name === others[k])
}

function same(a: Entity, b: Entity): boolean {
  if (a.x !== b.x || a.y !== b.y || a.heading !== b.heading || !alike(a, b)) return false
  for (const name in a.state) if (a.state[name] !== b.state![name]) return false
  return true
}

/** The memory of a message that may change hands: each array stands alone in its buffer. */
export function buffersOf(value: unknown, found = new Set<ArrayBuffer>()): ArrayBuffer[] {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.byteLength > 0) found.add(value.buffer)
  } else if (Array.isArray(value) && typeof value[0] === 'object') for (const item of value) buffersOf(item, found)
  else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const item of Object.values(value)) if (typeof item === 'object') buffersOf(item, found)
  }
  return [...found]
}
