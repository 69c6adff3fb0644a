import { describe, expect, it } from 'vitest'
import { type Answer, type Request, type Survey } from './messages.ts'
import { Simulator, type WorkerLike } from './simulator.ts'

/** A worker that keeps its questions and answers when told. */
class Worker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null
  onerror: WorkerLike['onerror'] = null
  readonly asked: Request[] = []
  terminated = false

  postMessage(message: Request): void {
    this.asked.push(message)
  }

  terminate(): void {
    this.terminated = true
  }

  answer(message: Answer): void {
    this.onmessage?.({ data: message } as MessageEvent<Answer>)
  }
}

describe('the simulation worker, seen from the page', () => {
  it('gives every answer to its own question, whatever the order', async () => {
    const worker = new Worker()
    const simulator = new Simulator(worker)
    const [first, second] = [simulator.records(0, 4), simulator.records(64, 4)]
    const [a, b] = worker.asked
    worker.answer({ id: b.id, kind: 'records', records: [{ step: 64 } as never] })
    worker.answer({ id: a.id, kind: 'records', records: [{ step: 0 } as never] })
    expect((await first)[0].step).toBe(0)
    expect((await second)[0].step).toBe(64)
  })

  it('hands on refusals as sentences', async () => {
    const worker = new Worker()
    const simulator = new Simulator(worker)
    const opening = simulator.open('a.replay', new Uint8Array(3))
    worker.answer({ id: worker.asked[0].id, kind: 'refused', message: 'a.replay: it is cut.' })
    await expect(opening).rejects.toThrow('a.replay: it is cut.')
  })

  it('passes surveys on as they come', () => {
    const worker = new Worker()
    const simulator = new Simulator(worker)
    const heard: Survey[] = []
    simulator.onSurvey = (part) => heard.push(part)
    const survey = { from: 0, rewards: new Float32Array(2), events: [], done: true, stopped: null }
    worker.answer({ id: 1, kind: 'survey', survey })
    expect(heard).toEqual([survey])
  })

  it('lets nobody wait for a worker that died or was closed', async () => {
    const worker = new Worker()
    const simulator = new Simulator(worker)
    const verdict = simulator.verify()
    worker.onerror?.({} as ErrorEvent)
    await expect(verdict).rejects.toThrow('The simulation stopped unexpectedly')
    simulator.close()
    expect(worker.terminated).toBe(true)
    await expect(simulator.verify()).rejects.toThrow('closed')
  })
})
