/** The page's end of the simulation worker: questions in, promises out. One worker per opened replay. */
import { type Frame } from '../../envs/core/types.ts'
import { strings } from '../strings.ts'
import { startWorker } from './start-worker.ts'
import {
  type Answer,
  type EpisodeInfo,
  type Material,
  type Request,
  type StepRecord,
  type Survey,
  type Verdict,
} from './messages.ts'
import { unpacked } from './pack.ts'

/** What a page needs of a worker, so that tests can hand in another. */
export interface WorkerLike {
  onmessage: ((event: MessageEvent<Answer>) => void) | null
  onerror: ((event: ErrorEvent) => void) | null
  postMessage(message: Request, transfer?: Transferable[]): void
  terminate(): void
}

type Waiting = { resolve: (answer: Answer) => void; reject: (error: Error) => void }
type Question<R = Request> = R extends { id: number } ? Omit<R, 'id'> : never

export class Simulator {
  onSurvey: (survey: Survey) => void = () => {}
  readonly #worker: WorkerLike
  readonly #waiting = new Map<number, Waiting>()
  #next = 1
  #closed = false
  #first: Frame | undefined

  constructor(worker: WorkerLike = startWorker()) {
    this.#worker = worker
    worker.onmessage = ({ data }) => {
      if (data.kind === 'survey') {
        this.onSurvey(data.survey)
        return
      }
      const waiting = this.#waiting.get(data.id)
      this.#waiting.delete(data.id)
      if (data.kind === 'refused') waiting?.reject(new Error(data.message))
      else waiting?.resolve(data)
    }
    worker.onerror = () => this.#fail(strings.files.workerStopped)
  }

  /** @throws Error with one sentence for the user */
  async open(name: string, material: Material): Promise<EpisodeInfo> {
    const answer = await this.#ask({ kind: 'open', name, material })
    if (answer.kind !== 'opened') throw new Error(strings.files.workerStopped)
    this.#first = answer.first
    return answer.info
  }

  async records(from: number, count: number): Promise<readonly StepRecord[]> {
    const answer = await this.#ask({ kind: 'records', from, count })
    const first = this.#first
    if (answer.kind !== 'records') return []
    return first === undefined
      ? (answer.records as readonly StepRecord[])
      : answer.records.map((record) => unpacked(record, first))
  }

  async verify(): Promise<Verdict> {
    const answer = await this.#ask({ kind: 'verify' })
    if (answer.kind !== 'verdict') throw new Error(strings.files.workerStopped)
    return answer.verdict
  }

  close(): void {
    this.#closed = true
    this.#worker.terminate()
    this.#fail(strings.files.closed)
  }

  get closed(): boolean {
    return this.#closed
  }

  #ask(question: Question): Promise<Answer> {
    if (this.#closed) return Promise.reject(new Error(strings.files.closed))
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...question, id } as Request)
    })
  }

  #fail(message: string): void {
    for (const { reject } of this.#waiting.values()) reject(new Error(message))
    this.#waiting.clear()
  }
}
