/** What policies say in the notes of a replay, a line each: what they remember, and whom they attend to. */
import { type Note } from '../envs/core/replay.ts'

export interface Attention {
  readonly from: string
  readonly to: string
  /** 0 to 1. */
  readonly weight: number
}

/** Lines `agent_0 memory 1.25`: the length (Euclidean norm) of what the agent's recurrent network carries. */
export function memoryOf(notes: readonly Note[], step: number, agent: string): number | null {
  for (const line of linesAt(notes, step)) {
    const match = /^(\S+) memory (\d+(?:\.\d+)?)$/.exec(line)
    if (match !== null && match[1] === agent) return Number(match[2])
  }
  return null
}

/** Lines `agent_0 attends agent_1 0.7 shelf_3 0.2`: weights of other things in the agent's choice. */
export function attentionAt(notes: readonly Note[], step: number): Attention[] {
  return linesAt(notes, step).flatMap(attentionIn)
}

export function attentionIn(line: string): Attention[] {
  const match = /^(\S+) attends((?: \S+ (?:0|1|0?\.\d+|1\.0+))+)$/.exec(line.trim())
  if (match === null) return []
  const words = match[2].trim().split(' ')
  return Array.from({ length: words.length / 2 }, (_, k) => ({
    from: match[1],
    to: words[2 * k],
    weight: Number(words[2 * k + 1]),
  }))
}

/** Lines that the inspector has as a number; others are shown as they are. */
export function isMemory(line: string): boolean {
  return /^\S+ memory \d/.test(line.trim())
}

function linesAt(notes: readonly Note[], step: number): string[] {
  return notesAt(notes, step).flatMap(({ text }) => text.split('\n').map((line) => line.trim()))
}

/** Notes are in order of steps, and long episodes have many. */
export function notesAt(notes: readonly Note[], step: number): Note[] {
  let [low, high] = [0, notes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (notes[middle].step < step) low = middle + 1
    else high = middle
  }
  const found: Note[] = []
  for (let k = low; k < notes.length && notes[k].step === step; k++) found.push(notes[k])
  return found
}
