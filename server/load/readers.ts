/** Concurrent readers of a board in a process of their own: each asks for one random page after the other. */
import { Agent, request } from 'node:http'
import { Generator, namedSeed } from '../../envs/core/index.ts'

interface Wanted {
  readonly port: number
  readonly path: string
  readonly rows: number
  readonly readers: number
  readonly seconds: number
  /** Every page is read once before time is taken. */
  readonly all: boolean
}

const { port, path, rows, readers, seconds, all } = await new Promise<Wanted>((told) =>
  process.once('message', (wanted: Wanted) => told(wanted)),
)
const PAGE = 50
const agent = new Agent({ keepAlive: true, maxSockets: readers })
const rng = new Generator(namedSeed('load', 'pages'))

/** One page. @returns ms from the request to its last byte */
function page(offset = rng.below(Math.max(1, rows - PAGE))): Promise<number> {
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
if (all) for (let offset = 0; offset < rows; offset += PAGE) await page(offset)
process.send!('begins')
const until = performance.now() + 1000 * seconds
const times: number[] = []
await Promise.all(
  Array.from({ length: readers }, async () => {
    while (performance.now() < until) times.push(await page())
  }),
)
agent.destroy()
process.send!(times, () => process.disconnect())
