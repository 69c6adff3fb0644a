/** Game theory for the games of this folder: pure functions, each with its equation. */
export * from './equality.ts'
export * from './equilibria.ts'
export * from './memory-one.ts'
export * from './normal-form.ts'
export * from './regret.ts'
export * from './stochastic.ts'
