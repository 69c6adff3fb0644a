/**
 * Frames on their way from the worker to the page. Most things of a large world stand still: those that are as in the
 * first frame go as a number, so that ten thousand shelves cost nothing to send.
 */
import { type Entity, type Frame } from '../../envs/core/types.ts'
import { type StepRecord } from './messages.ts'

/** From how many entities on it is worth while. */
const WORTH = 500

/** A frame whose entities that are as in the first frame are left out: 0 in their places. */
export interface PackedRecord extends Omit<StepRecord, 'frame'> {
  readonly frame: Omit<Frame, 'entities'> & { readonly entities: readonly (Entity | 0)[] }
}

export function packed(record: StepRecord, first: Frame): StepRecord | PackedRecord {
  const { frame } = record
  if (frame.entities.length < WORTH) return record
  const entities = frame.entities.map((entity, index) => (same(entity, first.entities[index]) ? 0 : entity))
  return { ...record, frame: { ...frame, entities } }
}

export function unpacked(record: StepRecord | PackedRecord, first: Frame): StepRecord {
  const { frame } = record
  if (frame.entities.length < WORTH) return record as StepRecord
  const entities = frame.entities.map((entity, index) => (entity === 0 ? first.entities[index] : entity))
  return { ...record, frame: { ...frame, entities } }
}

function same(a: Entity, b: Entity | undefined): boolean {
  if (b === undefined || a.id !== b.id || a.x !== b.x || a.y !== b.y) return false
  if (a.heading !== b.heading || a.kind !== b.kind || a.team !== b.team) return false
  if (a.state === undefined || b.state === undefined) return a.state === b.state
  const names = Object.keys(a.state)
  if (names.length !== Object.keys(b.state).length) return false
  for (const name of names) if (a.state[name] !== b.state[name]) return false
  return true
}
