/** One worker of `basinTable`. */
import { serveJob } from '../workers.ts'
import { countBasins, type BasinAnswer, type BasinJob } from './basin-table.ts'

await serveJob<BasinJob, BasinAnswer>((job) => Promise.resolve(() => countBasins(job)))
