/**
 * troupe as a library: `import { makeBatch, playEpisodes, readReplay } from 'troupe'`.
 *
 * Environments alone, without tensors and without Node, are `troupe/envs`; policies and learners are `troupe/agents`.
 */
export * from './envs/index.ts'
export * from './scenarios/open.ts'
export * from './scenarios/load.ts'
export * from './agents/index.ts'
export { teamReturn, type TeamReward } from './scenarios/open.ts' // the same under both names
export * from './results/run.ts'
export * from './results/speed/index.ts'
export { loadEnvPlugin, loadPolicyPlugin, type EnvPlugin, type PolicyPlugin } from './results/plugins.ts'
