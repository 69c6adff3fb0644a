/** The tables of what acts and what learns. Adding a policy or an algorithm adds a line here. */
import { ippo } from './ippo.ts'
import { mappo } from './mappo.ts'
import { type LearnerDefinition } from './core/learner.ts'

export const LEARNERS: Record<string, LearnerDefinition> = { mappo, ippo }

export * from './core/policy.ts'
export * from './core/learner.ts'
export * from './core/checkpoint.ts'
export * from './core/evaluate.ts'
export * from './core/play.ts'
export * from './core/teams.ts'
