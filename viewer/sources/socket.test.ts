import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { PROTOCOL, encodeChunk, type ClientMessage } from '../../server/protocol/index.ts'
import { Connection, type SocketLike } from './socket.ts'

/** A socket whose other end is the test. */
class Socket implements SocketLike {
  binaryType = ''
  readyState: SocketLike['readyState'] = 1
  onopen: (() => void) | null = null
  onclose: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  readonly sent: ClientMessage[] = []
  closed = false

  send(text: unknown): void {
    this.sent.push(JSON.parse(String(text)))
  }

  close(): void {
    this.closed = true
    this.onclose?.()
  }

  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }

  greet(protocol = PROTOCOL): void {
    this.onopen?.()
    const limits = { messageBytes: 1, messagesPerSecond: 1, streams: 1, subscriptions: 1 }
    this.say({ type: 'hello', protocol, package: '0.1.0', limits })
  }
}

const header = {
  format: 1,
  env: 'lanterns',
  version: '1',
  scenario: {},
  options: {},
  control: [0],
  agents: ['carrier_0'],
  generator: 'xoshiro128**',
  seed: null,
  policies: [],
  action: { kind: 'discrete', sizes: [3], dims: 1 },
  package: '0.1.0',
}
const opened = (stream: number) => ({
  type: 'replay.opened',
  stream,
  replay: 'file:a',
  header,
  bytes: 99,
  steps: 4,
  chunkSteps: 2,
  chunks: 2,
  keyframes: 0,
  probabilities: 0,
  values: false,
})
const chunk = (stream: number, index: number) =>
  encodeChunk({
    stream,
    index,
    first: 2 * index,
    steps: 2,
    actions: Int32Array.of(index, 1),
    digests: Uint16Array.of(7, 8),
    probability: new Float32Array(0),
    value: new Float32Array(0),
    chain: index === 1 ? [{ index: 0, sha256: 'a'.repeat(64) }] : [],
    keyframes: [],
    notes: index === 0 ? [{ step: 1, text: 'hm' }] : [],
  }).buffer

const run = { id: 'r', status: 'running', algorithm: 'mappo', scenario: 's', title: '', env: 'e', seed: '1' }
const info = { ...run, startedAt: '1', updatedAt: '1', step: 0, steps: 9, return: null, latestReplay: null }

describe('the connection to the server', () => {
  let sockets: Socket[]
  let connection: Connection
  const socket = () => sockets.at(-1)!

  beforeEach(() => {
    vi.useFakeTimers()
    sockets = []
    connection = new Connection(() => {
      sockets.push(new Socket())
      return socket() as SocketLike
    })
  })
  afterEach(() => {
    connection.close()
    vi.useRealTimers()
  })

  it('greets first, then asks, and puts a replay together from chunks in any order', async () => {
    const parts: number[] = []
    const arriving = connection.openReplay('file:a', 3, (part) => parts.push(part))
    socket().greet()
    expect(socket().sent).toEqual([
      { type: 'hello', protocol: PROTOCOL, client: 'page' },
      { type: 'replay.open', stream: 1, replay: 'file:a', step: 3 },
    ])
    socket().say(opened(1))
    socket().onmessage!({ data: chunk(1, 1) })
    socket().onmessage!({ data: chunk(1, 0) })
    socket().say({ type: 'replay.done', stream: 1 })
    const { data, bytes } = await arriving
    expect(bytes).toBe(99)
    expect(data).toMatchObject({ steps: 4, actions: Int32Array.of(0, 1, 1, 1), chain: ['a'.repeat(64)] })
    expect(data.notes).toEqual([{ step: 1, text: 'hm' }])
    expect(parts).toEqual([0.5, 1])
    expect(socket().sent.at(-1)).toEqual({ type: 'replay.close', stream: 1 })
  })

  it("hands on the server's refusal of a replay", async () => {
    const arriving = connection.openReplay('file:b', 0, () => {})
    socket().greet()
    socket().say({ type: 'error', stream: 1, final: false, error: { code: 'not-found', message: 'no such replay' } })
    await expect(arriving).rejects.toThrow('no such replay')
  })

  it('gives up on a replay when the connection goes, or says nothing for long', async () => {
    const first = connection.openReplay('file:a', 0, () => {})
    socket().close()
    await expect(first).rejects.toThrow('does not answer')
    const second = connection.openReplay('file:a', 0, () => {})
    socket().greet()
    vi.advanceTimersByTime(10_000)
    await expect(second).rejects.toThrow('does not answer')
  })

  it('comes back by itself and subscribes again', () => {
    const lists: string[][] = []
    connection.followRuns({ listed: (runs) => lists.push(runs.map(({ id }) => id)) })
    socket().greet()
    socket().close()
    expect(sockets).toHaveLength(1)
    vi.advanceTimersByTime(250)
    expect(sockets).toHaveLength(2)
    socket().greet()
    expect(socket().sent.at(-1)).toEqual({ type: 'runs.subscribe', subscription: 1 })
    socket().say({ type: 'runs.listed', subscription: 1, runs: [info], skipped: [] })
    const newer = { ...info, id: 'newer', startedAt: '2' }
    socket().say({ type: 'runs.changed', subscription: 1, runs: [newer], removed: ['r'] })
    expect(lists).toEqual([['r'], ['newer']])
  })

  it('stops hearing after it unsubscribed', () => {
    let heard = 0
    const stop = connection.followRuns({ listed: () => heard++ })
    socket().greet()
    stop()
    expect(socket().sent.at(-1)).toEqual({ type: 'unsubscribe', subscription: 1 })
    socket().say({ type: 'runs.listed', subscription: 1, runs: [info], skipped: [] })
    expect(heard).toBe(0)
  })

  it('leaves a server that does not keep to the protocol', async () => {
    const arriving = connection.openReplay('file:a', 0, () => {})
    arriving.catch(() => undefined)
    socket().greet()
    const first = socket()
    first.onmessage!({ data: '{"type":"replay.opened","stream":"one"}' })
    expect(first.closed).toBe(true)
    await expect(arriving).rejects.toThrow('does not answer')
    const again = connection.openReplay('file:a', 0, () => {})
    socket().greet()
    socket().onmessage!({ data: new ArrayBuffer(7) })
    await expect(again).rejects.toThrow('does not answer')
  })
})
