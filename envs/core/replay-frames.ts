/** Checks of the parts of a replay that hold plain JSON: frames, snapshots, notes. */
import { badReplay, type Keyframe, type Note } from './replay-format.ts'
import { shown } from './errors.ts'
import { type Frame, type Snapshot } from './types.ts'

const MAX_CELLS = 1 << 22
const MAX_TEXT = 10_000

type Fields = Record<string, unknown>

/** Reads fields of one object and says which of them is wrong. */
class Reader {
  private readonly where: string

  constructor(where: string) {
    this.where = where
  }

  fail(path: string, got: unknown, expected: string): never {
    throw badReplay(`${this.where}: ${path}`, got === undefined ? 'missing' : shown(got), expected)
  }

  object(value: unknown, path: string): Fields {
    if (value === null || typeof value !== 'object' || Array.isArray(value)) this.fail(path, value, 'an object')
    return value as Fields
  }

  list(value: unknown, path: string): unknown[] {
    if (!Array.isArray(value)) this.fail(path, value, 'a list')
    return value as unknown[]
  }

  text(value: unknown, path: string): string {
    if (typeof value !== 'string' || value.length > MAX_TEXT)
      this.fail(path, value, `text of up to ${MAX_TEXT} characters`)
    return value as string
  }

  number(value: unknown, path: string): number {
    if (typeof value !== 'number' || !Number.isFinite(value)) this.fail(path, value, 'a finite number')
    return value as number
  }

  whole(value: unknown, path: string, most = 0xffffffff): number {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) > most) {
      this.fail(path, value, `a whole number of 0 to ${most}`)
    }
    return value as number
  }
}

/**
 * @throws TroupeError bad-file naming the first field that is not as `Frame` says
 */
export function checkFrame(value: unknown, where: string): Frame {
  const r = new Reader(where)
  const frame = r.object(value, 'frame')
  r.whole(frame.step, 'frame.step')
  r.list(frame.entities, 'frame.entities').forEach((item, i) => {
    const path = `frame.entities[${i}]`
    const entity = r.object(item, path)
    r.text(entity.id, `${path}.id`)
    r.text(entity.kind, `${path}.kind`)
    r.number(entity.x, `${path}.x`)
    r.number(entity.y, `${path}.y`)
    if (entity.heading !== undefined) r.number(entity.heading, `${path}.heading`)
    if (entity.team !== undefined) r.text(entity.team, `${path}.team`)
    if (entity.state === undefined) return
    for (const [name, part] of Object.entries(r.object(entity.state, `${path}.state`))) {
      if (typeof part === 'boolean' || part === null) continue
      if (typeof part === 'number') r.number(part, `${path}.state.${name}`)
      else r.text(part, `${path}.state.${name}`)
    }
  })
  if (frame.layers !== undefined) {
    r.list(frame.layers, 'frame.layers').forEach((item, i) => {
      const path = `frame.layers[${i}]`
      const layer = r.object(item, path)
      r.text(layer.name, `${path}.name`)
      const cells =
        r.whole(layer.width, `${path}.width`, MAX_CELLS) * r.whole(layer.height, `${path}.height`, MAX_CELLS)
      const list = r.list(layer.cells, `${path}.cells`)
      if (list.length !== cells) r.fail(`${path}.cells`, `${list.length} cells`, `width times height, ${cells}`)
      for (const cell of list) r.number(cell, `${path}.cells`)
    })
  }
  if (frame.links !== undefined) {
    r.list(frame.links, 'frame.links').forEach((item, i) => {
      const link = r.object(item, `frame.links[${i}]`)
      for (const name of ['from', 'to', 'kind']) r.text(link[name], `frame.links[${i}].${name}`)
    })
  }
  if (frame.texts !== undefined) {
    r.list(frame.texts, 'frame.texts').forEach((item, i) => {
      const text = r.object(item, `frame.texts[${i}]`)
      r.number(text.x, `frame.texts[${i}].x`)
      r.number(text.y, `frame.texts[${i}].y`)
      r.text(text.text, `frame.texts[${i}].text`)
    })
  }
  r.list(frame.events, 'frame.events').forEach((item, i) => {
    const path = `frame.events[${i}]`
    const event = r.object(item, path)
    r.text(event.kind, `${path}.kind`)
    if (event.at !== undefined) {
      const at = r.object(event.at, `${path}.at`)
      r.number(at.x, `${path}.at.x`)
      r.number(at.y, `${path}.at.y`)
    }
    if (event.agents !== undefined) {
      for (const agent of r.list(event.agents, `${path}.agents`)) r.text(agent, `${path}.agents`)
    }
    if (event.value !== undefined) r.number(event.value, `${path}.value`)
  })
  const counters = r.object(frame.counters, 'frame.counters')
  for (const [name, count] of Object.entries(counters)) r.number(count, `frame.counters.${name}`)
  return value as Frame
}

function checkSnapshot(value: unknown, where: string): Snapshot {
  const r = new Reader(where)
  const snapshot = r.object(value, 'snapshot')
  for (const name of ['env', 'version', 'generator']) r.text(snapshot[name], `snapshot.${name}`)
  if (typeof snapshot.returns !== 'string') r.fail('snapshot.returns', snapshot.returns, 'base64')
  if (snapshot.seed !== null) r.text(snapshot.seed, 'snapshot.seed')
  for (const name of ['format', 'episode', 'step']) r.whole(snapshot[name], `snapshot.${name}`)
  for (const name of ['terminated', 'truncated']) {
    if (typeof snapshot[name] !== 'boolean') r.fail(`snapshot.${name}`, snapshot[name], 'true or false')
  }
  for (const [name, text] of Object.entries(r.object(snapshot.arrays, 'snapshot.arrays'))) {
    if (typeof text !== 'string') r.fail(`snapshot.arrays.${name}`, text, 'base64')
  }
  return value as Snapshot
}

/** @throws TroupeError bad-file */
export function checkKeyframe(value: unknown, where: string): Keyframe {
  const r = new Reader(where)
  const { step, snapshot, frame } = r.object(value, 'keyframe')
  r.whole(step, 'step')
  if (snapshot !== null) checkSnapshot(snapshot, `${where}: step ${step as number}`)
  if (frame !== null) checkFrame(frame, `${where}: step ${step as number}`)
  for (const part of [snapshot, frame] as ({ step: unknown } | null)[]) {
    if (part !== null && part.step !== step) r.fail('step', part.step, `${step as number}, as the keyframe says`)
  }
  return { step: step as number, snapshot: snapshot as Snapshot | null, frame: frame as Frame | null }
}

/** @throws TroupeError bad-file */
export function checkNote(value: unknown, where: string): Note {
  const r = new Reader(where)
  const { step, agent, text } = r.object(value, 'note')
  const note = { step: r.whole(step, 'note.step'), text: r.text(text, 'note.text') }
  return agent === undefined ? note : { ...note, agent: r.text(agent, 'note.agent') }
}
