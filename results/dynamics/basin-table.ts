/** Basin shares for several entropies, spread over worker threads; the counts are the same for any number of them. */
import { availableParallelism } from 'node:os'
import { formulaGame } from '../../envs/matrix/start.ts'
import { tensorsOf } from '../../envs/matrix/theory/index.ts'
import { compiled, runWorkers } from '../workers.ts'
import { basinCounts, basinShares, type BasinSettings } from './basins.ts'
import { type FlowSettings } from './flow.ts'

export interface BasinJob {
  readonly game: string
  readonly parameters: Readonly<Record<string, number>>
  readonly flows: readonly Partial<FlowSettings>[]
  readonly settings: Partial<BasinSettings>
}

/** Counts by class code, per flow. */
export type BasinAnswer = [code: number, count: number][][]

/** The work of one job, in this thread. */
export function countBasins({ game, parameters, flows, settings }: BasinJob): BasinAnswer {
  const tensors = tensorsOf(formulaGame(game, parameters))
  return flows.map((flow) => [...basinCounts(tensors, flow, settings)])
}

/**
 * Shares of the starts that end in each class, one record per flow.
 * @param workers threads; 1 = none but this one
 */
export async function basinTable(job: BasinJob, workers = availableParallelism()): Promise<Record<string, number>[]> {
  const starts = job.settings.starts ?? 10_000
  const first = job.settings.first ?? 0
  const threads = Math.max(1, Math.min(workers, starts))
  const jobs = Array.from({ length: threads }, (_, k) => {
    const [from, to] = [k, k + 1].map((part) => Math.floor((starts * part) / threads))
    return { ...job, settings: { ...job.settings, first: first + from, starts: to - from } }
  })
  const answers =
    threads === 1
      ? [countBasins(job)]
      : await runWorkers<BasinJob, BasinAnswer>({
          file: compiled('./basin-worker.ts', import.meta.url),
          jobs,
          timeoutMs: 3_600_000,
        })
  const tensors = tensorsOf(formulaGame(job.game, job.parameters))
  return job.flows.map((_, flow) => {
    const counts = new Map<number, number>()
    for (const answer of answers) {
      for (const [code, count] of answer[flow]) counts.set(code, (counts.get(code) ?? 0) + count)
    }
    return basinShares(tensors, counts)
  })
}
