/** Learning dynamics: the deterministic limit of actor-critic learning in small games, and what can be asked of it. */
export * from './basins.ts'
export * from './flow.ts'
export * from './integrate.ts'
export * from './learners.ts'
export * from './lyapunov.ts'
export * from './stability.ts'
