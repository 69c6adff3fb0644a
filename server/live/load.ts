/**
 * How many live sessions and replay viewers one server carries. Run from the built files, on a quiet machine:
 *
 *   node dist/server/live/load.js sessions 500 15     500 sessions of warehouse/tiny-2ag, deadline 100 ms, for 15 s
 *   node dist/server/live/load.js viewers 1000        1,000 viewers of one replay at once
 *
 * Clients live in a process of their own. A session thinks 80 ms over every answer, so that with the deadline of 100 ms
 * it makes at least 10 steps a second and leaves the server 20 ms for everything else.
 */
import { fork } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { decodeObservation, encodeActions } from '../protocol/live.ts'
import { startServer } from '../index.ts'

const THINK_MS = 80
const DEADLINE_MS = 100
/** Clients come one after the other, not in one rush; what is counted begins when all are there. */
const COMING_MS = 30
const SETTLE_MS = 1500

interface Job {
  readonly kind: 'sessions' | 'viewers'
  readonly url: string
  readonly key: string
  readonly count: number
  readonly seconds: number
}

async function main(kind: Job['kind'], count: number, seconds: number): Promise<void> {
  const data = await mkdtemp(join(tmpdir(), 'troupe-load-'))
  const server = await startServer({
    port: 0,
    data,
    log: pino({ level: 'error' }, pino.destination(2)),
    limits: { viewers: count + 10, viewersPerAddress: count + 10 },
    boards: { limits: { openPerKey: 1e6, perEpoch: 1e6, perDay: 1e6, perDayPerAddress: 1e6 } },
    live: { stepMs: DEADLINE_MS, episodes: { shared: 16, fresh: 16 }, runs: count + 10 },
  })
  if (!server.boards.on) throw new Error(server.boards.problem)
  const before = process.cpuUsage()
  const start = performance.now()
  const job: Job = { kind, url: server.url, key: server.boards.open.adminKey!, count, seconds }
  const child = fork(fileURLToPath(import.meta.url), ['client'])
  child.send(job)
  const told = await new Promise((done, fail) => {
    child.once('message', done)
    child.once('exit', (code) => fail(new Error(`the clients ended with ${code}`)))
  })
  const { user, system } = process.cpuUsage(before)
  const cpu = (user + system) / 1e6
  const wall = (performance.now() - start) / 1000
  const memoryMb = Math.round(process.memoryUsage().rss / 1e6)
  const result = { ...(told as object), serverCpuSeconds: round(cpu), wallSeconds: round(wall), memoryMb }
  process.stdout.write(`${JSON.stringify(result, undefined, 1)}\n`)
  child.kill()
  await server.close()
  await rm(data, { recursive: true, force: true })
}

const round = (value: number) => Math.round(value * 100) / 100
const percentile = (sorted: readonly number[], q: number) =>
  round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))])

/** Everybody answers every question 80 ms after it came. What the server takes on top is measured. */
async function sessions({ url, key, count, seconds }: Job): Promise<object> {
  const description = { name: 'load', algorithm: 'none', mode: 'other', centralised: false }
  const first = JSON.stringify({
    type: 'live.start',
    protocol: 1,
    scenario: 'warehouse/tiny-2ag',
    lanes: 1,
    description,
    key,
  })
  const took: number[] = []
  let [steps, late, ownLate, refused, open] = [0, 0, 0, 0, 0]
  const counted = performance.now() + count * COMING_MS + SETTLE_MS
  const end = counted + seconds * 1000
  const come = () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/live`, { perMessageDeflate: false })
    let sentAt = 0
    let slow = false
    socket.on('open', () => socket.send(first))
    socket.on('error', () => void refused++)
    socket.on('message', (data, isBinary) => {
      if (!isBinary) return void (String(data).includes('"error"') && refused++)
      const now = performance.now()
      const question = decodeObservation(data as Buffer)
      if (question.turn === 0) open++
      else if (now > counted && now < end) {
        steps++
        if (!question.late) took.push(now - sentAt)
        else if (slow) ownLate++
        else late++
      }
      const lanes = question.episode.length
      const answer = encodeActions({
        turn: question.turn,
        lanes,
        action: new Int32Array(lanes * question.agents).fill(1),
      })
      setTimeout(() => {
        sentAt = performance.now()
        // A client that kept its answer for longer than the deadline has only itself to blame.
        slow = sentAt - now > DEADLINE_MS - 5
        if (socket.readyState === WebSocket.OPEN) socket.send(answer)
      }, THINK_MS)
    })
    return socket
  }
  const sockets: WebSocket[] = []
  for (let k = 0; k < count; k++) {
    sockets.push(come())
    await new Promise((done) => setTimeout(done, COMING_MS))
  }
  await new Promise((done) => setTimeout(done, end - performance.now()))
  for (const socket of sockets) socket.terminate()
  took.sort((a, b) => a - b)
  return {
    sessions: open,
    refused,
    stepsPerSecondEach: round(steps / seconds / Math.max(1, open)),
    answers: took.length,
    lateByServer: late,
    lateByClient: ownLate,
    serverMs: {
      p50: percentile(took, 0.5),
      p99: percentile(took, 0.99),
      p999: percentile(took, 0.999),
      max: percentile(took, 1),
    },
  }
}

/** Everybody opens the same replay and waits for the whole of it. */
async function viewers({ url, count }: Job): Promise<object> {
  const start = performance.now()
  const took: number[] = []
  let [bytes, failed] = [0, 0]
  const list = (await (await fetch(`${url}/api/replays?limit=10`)).json()) as { replays: { id: string }[] }
  const replay = list.replays[0].id
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((done) => {
          const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { perMessageDeflate: false })
          socket.on('open', () => {
            socket.send('{"type":"hello","protocol":1}')
            socket.send(JSON.stringify({ type: 'replay.open', stream: 1, replay }))
          })
          socket.on('error', () => {
            failed++
            done()
          })
          socket.on('message', (data, isBinary) => {
            bytes += (data as Buffer).length
            if (isBinary || !String(data).includes('"replay.done"')) return
            took.push(performance.now() - start)
            done() // and stays, as a viewer that looks at it does
          })
        }),
    ),
  )
  took.sort((a, b) => a - b)
  return {
    viewers: took.length,
    failed,
    megabytes: round(bytes / 1e6),
    ms: { p50: percentile(took, 0.5), p99: percentile(took, 0.99), max: percentile(took, 1) },
  }
}

const [kind, count, seconds] = process.argv.slice(2)
if (kind === 'client') {
  process.once('message', (job: Job) => {
    const work = job.kind === 'sessions' ? sessions(job) : viewers(job)
    void work.then((result) => process.send!(result))
  })
} else if ((kind === 'sessions' || kind === 'viewers') && Number(count) > 0) {
  await main(kind, Number(count), Number(seconds ?? 15))
} else {
  process.stderr.write('usage: load.js sessions|viewers <count> [seconds]\n')
  process.exitCode = 2
}
