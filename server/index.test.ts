import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createServer, connect } from 'node:net'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { TroupeError } from '../envs/core/errors.ts'
import { LIVE_SETTINGS } from './live/index.ts'
import { LIMITS } from './limits.ts'
import { Viewer, sandbox, start } from './testing.ts'

let box: Awaited<ReturnType<typeof sandbox>>
beforeAll(async () => (box = await sandbox()))
afterAll(() => box.remove())

const settings = () => ({ data: box.data, viewerDir: box.viewerDir })

async function refusal(task: Promise<unknown>): Promise<TroupeError> {
  const error = await task.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TroupeError)
  return error as TroupeError
}

describe('starting', () => {
  it('takes any free port for 0 and says which', async () => {
    const server = await start(settings())
    expect(server.port).toBeGreaterThan(0)
    expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
    await server.close()
  })

  it('listens on this machine only unless told otherwise', async () => {
    const server = await start(settings())
    // 127.0.0.2 is the same machine under another loopback address (Linux answers on all of them).
    const socket = connect(server.port, '127.0.0.2')
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException]
    expect(error.code).toBe('ECONNREFUSED')
    await server.close()
  })

  it('on a port in use names the nearest free one', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const error = await refusal(start({ ...settings(), port }))
    expect(error.code).toBe('environment')
    expect(error.message).toMatch(
      new RegExp(`^server: port ${port} is in use by another program; expected a free port`),
    )
    const nearest = Number(error.nearest!.replace('port ', ''))
    expect(nearest).toBeGreaterThan(port)
    const server = await start({ ...settings(), port: nearest })
    await server.close()
    other.close()
  })

  it('on a port or host that cannot be is refused in one sentence', async () => {
    expect((await refusal(start({ ...settings(), port: 70_000 }))).message).toMatch(
      /port is 70000; expected 0 to 65535/,
    )
    expect((await refusal(start({ ...settings(), host: '203.0.113.7' }))).code).toBe('environment')
  })
})

describe('stopping', () => {
  it('tells viewers 1001, waits for nobody who does not answer, and frees the port', async () => {
    const server = await start(settings())
    const [polite, frozen] = [await Viewer.greeted(server.url), await Viewer.greeted(server.url)]
    frozen.socket.pause() // will not answer the closing handshake
    const idle = connect(server.port, '127.0.0.1') // says nothing at all
    idle.on('error', () => undefined)
    await once(idle, 'connect')
    await Promise.all([server.close(), server.close()])
    expect((await polite.gone()).code).toBe(1001)
    await expect(fetch(`${server.url}/api/health`)).rejects.toThrow()
    const again = await start({ ...settings(), port: server.port })
    await again.close()
    frozen.socket.terminate()
    idle.destroy()
  })

  it('in the middle of answers leaves nothing behind', async () => {
    const server = await start(settings())
    const viewers = await Promise.all(Array.from({ length: 20 }, () => Viewer.greeted(server.url)))
    for (const viewer of viewers) {
      viewer.send({ type: 'runs.subscribe', subscription: 1 })
      viewer.send({ type: 'replay.open', stream: 1, replay: 'shipped:welcome' })
    }
    await server.close()
    for (const viewer of viewers) await viewer.gone()
  })
})

describe('the documentation', () => {
  it('shows the limits as they are', () => {
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
    const tables = readme.split(/^#+ /m).map((section) => {
      const rows = [...section.matchAll(/^\| `(\w+)` \| (\d+) \|/gm)].map((row) => [row[1], Number(row[2])])
      return Object.fromEntries(rows) as Record<string, number>
    })
    const shown = tables.filter((table) => Object.keys(table).length > 0)
    const { episodes, ...live } = LIVE_SETTINGS
    expect(shown).toEqual([LIMITS, live])
    expect(readme).toContain(`${episodes.shared} shared, ${episodes.fresh} fresh`)
  })
})
