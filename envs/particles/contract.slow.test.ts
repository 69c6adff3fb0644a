/** The promises of every environment, for both kinds of action and other numbers; garbage for all. */
import { test } from 'vitest'
import { contract } from '../core/contract.ts'
import { particles, TASK_NAMES } from './index.ts'

const MORE = [
  ...TASK_NAMES.map((task) => ({ task, actions: 'continuous' })),
  { task: 'spread', agents: 6, localRatio: 0.2, dynamics: 'legacy' },
  { task: 'spread', agents: 1, actions: 'continuous' },
  { task: 'tag', adversaries: 4, good: 2, obstacles: 3, horizonEnds: 'termination' },
  { task: 'world-comm', adversaries: 2, good: 3, obstacles: 0, food: 1, forests: 3, actions: 'continuous' },
]

for (const { name, run } of contract(particles, MORE)) test(name, run)

const first = contract(
  particles,
  TASK_NAMES.map((task) => ({ task })),
)
for (const { name, run } of first) if (name.endsWith('steps leave no garbage')) test(name, run)
