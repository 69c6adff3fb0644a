import { expect, it } from 'vitest'
import { attentionAt, memoryOf, notesAt } from './said.ts'

const notes = [
  { step: 0, text: 'agent_0 memory 0' },
  { step: 2, text: 'agent_0 memory 1.25\nagent_1 memory 0.5\nagent_1 attends agent_0 0.7 shelf_3 0.25' },
  { step: 2, text: 'I go left' },
  { step: 5, text: 'agent_0 attends agent_1 2 nobody' },
]

it('finds the notes of a step', () => {
  expect(notesAt(notes, 2)).toEqual(notes.slice(1, 3))
  expect(notesAt(notes, 1)).toEqual([])
  expect(notesAt([], 0)).toEqual([])
})

it('reads how much an agent carries from step to step, and nothing where nobody says', () => {
  expect(memoryOf(notes, 2, 'agent_0')).toBe(1.25)
  expect(memoryOf(notes, 2, 'agent_1')).toBe(0.5)
  expect(memoryOf(notes, 0, 'agent_0')).toBe(0)
  expect(memoryOf(notes, 1, 'agent_0')).toBeNull()
})

it('reads whom an agent attends to, and takes no line that is not one', () => {
  expect(attentionAt(notes, 2)).toEqual([
    { from: 'agent_1', to: 'agent_0', weight: 0.7 },
    { from: 'agent_1', to: 'shelf_3', weight: 0.25 },
  ])
  expect(attentionAt(notes, 5)).toEqual([])
})
