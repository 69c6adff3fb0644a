/**
 * Statistics of results, for reports, boards and pages. Pure: no Node, no files, no clock, so the viewer imports it too.
 *
 * `scores.ts` what is computed from a matrix of runs × tasks · `bootstrap.ts` how sure one may be of it · `curves.ts` the
 * same along training · `ranks.ts` who may be said to be better · `games.ts` players against and beside each other ·
 * `runs.ts` how many runs allow which statement.
 */
export * from './statistics/scores.ts'
export * from './statistics/bootstrap.ts'
export * from './statistics/curves.ts'
export * from './statistics/ranks.ts'
export * from './statistics/games.ts'
export * from './statistics/runs.ts'
