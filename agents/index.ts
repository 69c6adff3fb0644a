/** The tables of what acts and what learns. An algorithm adds a line here, a scripted policy in scripted/index.ts. */
import { bc } from './bc.ts'
import { type LearnerDefinition } from './core/learner.ts'
import { dqsa } from './dqsa.ts'
import { ippo } from './ippo.ts'
import { iql } from './iql.ts'
import { happo } from './happo.ts'
import { ia2c } from './ia2c.ts'
import { coma } from './coma.ts'
import { iagc } from './iagc.ts'
import { hasac } from './hasac.ts'
import { maa2c } from './maa2c.ts'
import { maddpg } from './maddpg.ts'
import { mappo } from './mappo.ts'
import { openLoop } from './open-loop.ts'
import { qmix } from './qmix.ts'
import { reinforce } from './reinforce.ts'
import { seac } from './seac.ts'
import { snac } from './snac.ts'
import { vdn } from './vdn.ts'
export { POLICIES } from './scripted/index.ts'

/** Algorithms, by name. */
export const LEARNERS: Record<string, LearnerDefinition> = {
  mappo,
  ippo,
  maa2c,
  ia2c,
  coma,
  seac,
  snac,
  iagc,
  reinforce,
  'open-loop': openLoop,
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
