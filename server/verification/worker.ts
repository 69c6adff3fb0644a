/** What runs in a worker thread: reads its part of a bundle and judges it; or takes the statistics of many returns. */
import { closeSync, openSync, readSync } from 'node:fs'
import { type StoredScore } from '../store/store.ts'
import { judge, type JudgeJob, type Judgement } from './judge.ts'
import { scoreOf } from './score.ts'

/** Plain data: a job may as well travel to another machine, with the file beside it. */
export type WorkerTask =
  | {
      readonly kind: 'judge'
      readonly job: JudgeJob
      readonly file: string
      readonly parts: readonly { readonly from: number; readonly bytes: number }[]
    }
  | {
      readonly kind: 'score'
      readonly returns: readonly (number | null)[]
      readonly name: string
      readonly least: number
    }

export type WorkerAnswer = Judgement | { readonly score: StoredScore | null }

export default function work(task: WorkerTask): WorkerAnswer {
  if (task.kind === 'score') return { score: scoreOf(task.returns, task.name, task.least) }
  const handle = openSync(task.file, 'r')
  try {
    const files = task.parts.map(({ from, bytes }) => {
      const part = new Uint8Array(bytes)
      for (let have = 0; have < bytes;) {
        const count = readSync(handle, part, have, bytes - have, from + have)
        if (count === 0) throw new Error('the bundle is shorter than its head says')
        have += count
      }
      return part
    })
    return judge(task.job, files)
  } finally {
    closeSync(handle)
  }
}
