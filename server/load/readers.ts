/** Concurrent readers of a board in a thread of their own: each asks for one random page after the other. */
import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import { Generator, namedSeed } from '../../envs/core/index.ts'

const { port, path, rows, readers, seconds } = workerData as {
  port: number
  path: string
  rows: number
  readers: number
  seconds: number
}
const PAGE = 50
const agent = new Agent({ keepAlive: true, maxSockets: readers })
const rng = new Generator(namedSeed('load', 'pages'))

/** One page. @returns ms from the request to its last byte */
function page(): Promise<number> {
  const offset = rng.below(Math.max(1, rows - PAGE))
  const began = performance.now()
  return new Promise((done, fail) => {
    const asked = request(
      { host: '127.0.0.1', port, path: `${path}&offset=${offset}&limit=${PAGE}`, agent },
      (answer) => {
        if (answer.statusCode !== 200) fail(new Error(`status ${answer.statusCode}`))
        answer.on('data', () => undefined)
        answer.on('end', () => done(performance.now() - began))
      },
    )
    asked.on('error', fail)
    asked.end()
  })
}

await page() // the first makes the ranking
const until = performance.now() + 1000 * seconds
const times: number[] = []
await Promise.all(
  Array.from({ length: readers }, async () => {
    while (performance.now() < until) times.push(await page())
  }),
)
agent.destroy()
parentPort!.postMessage(times)
