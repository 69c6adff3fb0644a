/** The promises of every environment: every task, and continuous actions where agents differ in theirs. */
import { test } from 'vitest'
import { contract } from '../core/contract.ts'
import { particles, TASK_NAMES } from './index.ts'

const SETS = [...TASK_NAMES.map((task) => ({ task })), { task: 'world-comm', actions: 'continuous' }]

// How much garbage steps leave takes long to measure; contract.slow.test.ts does it.
for (const { name, run } of contract(particles, SETS)) if (!name.endsWith('steps leave no garbage')) test(name, run)
