/** The tables of what acts and what learns. An algorithm adds a line here, a scripted policy in scripted/index.ts. */
import { bc } from './bc.ts'
import { type LearnerDefinition } from './core/learner.ts'
import { dqsa } from './dqsa.ts'
import { ippo } from './ippo.ts'
import { iql } from './iql.ts'
import { happo } from './happo.ts'
import { hasac } from './hasac.ts'
import { maddpg } from './maddpg.ts'
import { mappo } from './mappo.ts'
import { qmix } from './qmix.ts'
import { vdn } from './vdn.ts'
export { POLICIES } from './scripted/index.ts'

/** Algorithms, by name. */
export const LEARNERS: Record<string, LearnerDefinition> = {
  mappo,
  ippo,
  iql,
  vdn,
  qmix,
  dqsa,
  maddpg,
  hasac,
  happo,
  bc,
}

export * from './core/policy.ts'
export * from './core/learner.ts'
export * from './core/checkpoint.ts'
export * from './core/evaluate.ts'
export * from './core/play.ts'
export * from './core/teams.ts'
