import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { appendFile, rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { readReplay } from '../envs/core/replay.ts'
import { type ErrorMessage } from './protocol/hello.ts'
import { ReplayAssembly } from './protocol/replays.ts'
import { type RunningServer } from './index.ts'
import {
  Viewer,
  evaluationLine,
  replayBytes,
  runJson,
  sandbox,
  sketchReplay,
  start,
  updateLine,
  writeAtomically,
} from './testing.ts'

let box: Awaited<ReturnType<typeof sandbox>>
let server: RunningServer

const LARGE = { steps: 20_000, agents: 16, probability: true, value: true, keyframeEvery: 500 }

beforeAll(async () => {
  box = await sandbox()
  const replay = (name: string, bytes: Uint8Array | string) =>
    writeAtomically(join(box.data, 'replays', `${name}.replay`), bytes)
  await replay('plain', replayBytes({ steps: 200 }))
  await replay('keyed', replayBytes({ steps: 1000, keyframeEvery: 100 }))
  await replay(
    'rich',
    replayBytes({ steps: 150, probability: true, value: true, keyframeEvery: 50, notes: [{ step: 70, text: 'here' }] }),
  )
  await replay('box', replayBytes({ steps: 70, box: true }))
  await replay('wide', replayBytes({ steps: 70, sizes: 1000 }))
  await replay('plugin', replayBytes({ steps: 130, plugin: true }))
  await replay('none', replayBytes({ steps: 0 }))
  await replay('large', replayBytes(LARGE))
  await replay('garbage', 'this is not a replay')
  await replay('cut', replayBytes({ steps: 200 }).subarray(0, 600))
  await writeAtomically(join(box.data, 'runs', 'one', 'run.json'), runJson('one'))
  server = await start({ data: box.data, viewerDir: box.viewerDir })
})
afterAll(async () => {
  await server.close()
  await box.remove()
})

/** Everything of a stream, put together. */
async function whole(viewer: Viewer, stream: number): Promise<ReplayAssembly> {
  await viewer.next('replay.done', (message) => message.stream === stream)
  const opened = await viewer.next('replay.opened', (message) => message.stream === stream)
  const assembly = new ReplayAssembly(opened)
  for (const chunk of viewer.chunks) if (chunk.stream === stream) assembly.add(chunk)
  return assembly
}

/** Equal kinds and bytes; element by element takes long for a million of them. */
function same(a: ArrayBufferView | undefined, b: ArrayBufferView | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  const bytes = (view: ArrayBufferView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)
  return a.constructor === b.constructor && bytes(a).equals(bytes(b))
}

const errorsOf = (viewer: Viewer) => viewer.messages.filter((m): m is ErrorMessage => m.type === 'error')

describe('the first words', () => {
  it('are hello from both sides, with version and limits', async () => {
    const viewer = await Viewer.greeted(server.url)
    expect(await viewer.next('hello')).toMatchObject({ protocol: 1, package: '0.1.0', limits: { messageBytes: 16384 } })
    await viewer.close()
  })

  it('in another version end the connection, naming both', async () => {
    const viewer = new Viewer(server.url)
    await viewer.open()
    viewer.send('{"type":"hello","protocol":2}')
    expect((await viewer.gone()).code).toBe(4400)
    expect(errorsOf(viewer)).toMatchObject([
      { final: true, error: { code: 'bad-version', message: 'hello: protocol is 2; expected 1' } },
    ])
  })

  it('must come first, and once', async () => {
    const viewer = new Viewer(server.url)
    await viewer.open()
    viewer.send({ type: 'replay.open', stream: 3, replay: 'file:plain' })
    expect(await viewer.next('error')).toMatchObject({
      stream: 3,
      error: { message: 'first message is replay.open; expected hello' },
    })
    viewer.send({ type: 'hello', protocol: 1 })
    await viewer.next('hello')
    viewer.send({ type: 'hello', protocol: 1 })
    await viewer.next('error', ({ error }) => error.where === 'hello')
    await viewer.close()
  })

  it('must come soon', async () => {
    const hasty = await start({ data: box.data, viewerDir: box.viewerDir, limits: { helloMs: 50 } })
    const viewer = new Viewer(hasty.url)
    await viewer.open()
    expect((await viewer.gone()).code).toBe(4408)
    expect(errorsOf(viewer)[0].final).toBe(true)
    await hasty.close()
  })

  it('of pages of other sites are not heard', async () => {
    const status = (options: object) =>
      new Promise<number>((done) => {
        const { socket } = new Viewer(server.url, options)
        socket.on('unexpected-response', (_request, response) => done(response.statusCode!))
        socket.on('open', () => done(101))
      })
    expect(await status({ headers: { Origin: 'https://evil.example' } })).toBe(403)
    expect(await status({ headers: { Origin: 'null' } })).toBe(403)
    expect(await status({ headers: { Host: 'evil.example' } })).toBe(403)
    expect(await status({ headers: { Origin: 'http://localhost:5173' } })).toBe(101)
    expect(await status({ headers: { Origin: server.url } })).toBe(101)
  })

  it('ping is answered', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'ping', id: 42 })
    expect(await viewer.next('pong')).toEqual({ type: 'pong', id: 42 })
    await viewer.close()
  })
})

describe('a replay stream', () => {
  it('brings every kind of replay whole: header first, then the chunks, then done', async () => {
    const viewer = await Viewer.greeted(server.url)
    const kinds = ['plain', 'keyed', 'rich', 'box', 'wide', 'plugin', 'none', 'large']
    for (const [i, name] of kinds.entries()) {
      const stream = i + 1
      viewer.send({ type: 'replay.open', stream, replay: `file:${name}` })
      const assembly = await whole(viewer, stream)
      const bytes = new Uint8Array(await (await fetch(`${server.url}/api/replays/file%3A${name}`)).arrayBuffer())
      const replay = readReplay(bytes)
      expect(assembly.complete).toBe(true)
      expect(assembly.opened.bytes).toBe(bytes.length)
      expect(assembly.opened.header).toEqual(replay.header)
      expect(assembly.opened.steps).toBe(replay.steps)
      expect(same(assembly.actions, replay.actions)).toBe(true)
      expect(same(assembly.digests, replay.digests)).toBe(true)
      expect(assembly.chain).toEqual(replay.chain)
      expect(assembly.keyframes).toEqual(replay.keyframes)
      expect(assembly.notes).toEqual(replay.notes ?? [])
      expect(same(assembly.probability, replay.probability)).toBe(true)
      expect(same(assembly.value, replay.value)).toBe(true)
      const mine = viewer.heard.filter((one) => 'stream' in one && one.stream === stream)
      expect('type' in mine[0] && mine[0].type).toBe('replay.opened')
      expect('type' in mine.at(-1)! && (mine.at(-1) as { type: string }).type).toBe('replay.done')
    }
    await viewer.close()
  })

  it('opened at a step begins where its nearest keyframe lies', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:keyed', step: 750 })
    await viewer.next('replay.done')
    // The keyframe at 700 lies in chunk 10 (steps 640 to 703); 16 chunks in all.
    expect(viewer.chunks.map((chunk) => chunk.index)).toEqual([10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    const assembly = new ReplayAssembly(await viewer.next('replay.opened'))
    assembly.add(viewer.chunks[0])
    expect(assembly.ready(750)).toBe(false)
    assembly.add(viewer.chunks[1])
    expect(assembly.ready(750)).toBe(true)
    await viewer.close()
  })

  it('sends what a seek needs before the rest, and nothing twice', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.socket.pause() // so that the stream stands still with its beginning in the pipe
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:large' })
    await new Promise((done) => setTimeout(done, 300))
    viewer.send({ type: 'replay.seek', stream: 1, step: 19_750 })
    await new Promise((done) => setTimeout(done, 100))
    viewer.socket.resume()
    await viewer.next('replay.done', undefined, 20_000)
    const order = viewer.chunks.map((chunk) => chunk.index)
    const jump = order.findIndex((index, i) => i > 0 && index !== order[i - 1] + 1)
    // The keyframe at 19,500 lies in the chunk of step 19,500.
    const { chunkSteps, chunks } = await viewer.next('replay.opened')
    expect(order[jump]).toBe(Math.floor(19_500 / chunkSteps))
    expect(jump).toBeLessThan(0.9 * chunks) // some megabytes are in the pipe already
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: chunks }, (_, i) => i))
    await viewer.close()
  })

  it('closed early sends no more, and frees its number', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.socket.pause()
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:large' })
    await new Promise((done) => setTimeout(done, 300))
    viewer.send({ type: 'replay.close', stream: 1 })
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:plain' })
    await new Promise((done) => setTimeout(done, 50))
    viewer.socket.resume()
    expect(await viewer.next('replay.closed')).toMatchObject({ stream: 1, reason: 'asked' })
    await viewer.next('replay.done')
    const at = viewer.heard.findIndex((one) => 'type' in one && one.type === 'replay.closed')
    expect(viewer.heard.slice(at).filter((one) => !('type' in one))).toHaveLength(4) // ceil(200 / 64) of the other
    await viewer.close()
  })

  it('runs beside others: each gets its turn', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:large' })
    await viewer.next('replay.opened')
    viewer.send({ type: 'replay.open', stream: 2, replay: 'file:keyed' })
    await viewer.next('replay.done', ({ stream }) => stream === 2)
    await viewer.next('replay.done', ({ stream }) => stream === 1)
    await viewer.close()
  })

  it('of a replay that cannot be read says why, and the connection goes on', async () => {
    const viewer = await Viewer.greeted(server.url)
    const wrong: [string, string, RegExp][] = [
      ['file:garbage', 'bad-file', /another kind of file; expected a replay file of troupe/],
      ['file:cut', 'bad-file', /cut off after 600 bytes/],
      ['file:plian', 'unknown-name', /did you mean "file:plain"/],
      ['file:../secret', 'unknown-name', /./],
      ['nonsense', 'unknown-name', /./],
    ]
    for (const [i, [replay, code, message]] of wrong.entries()) {
      viewer.send({ type: 'replay.open', stream: i + 1, replay })
      const { error, final } = await viewer.next('error', ({ stream }) => stream === i + 1)
      expect([error.code, final]).toEqual([code, false])
      expect(error.message).toMatch(message)
      expect(JSON.stringify(error)).not.toContain(box.folder)
    }
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:plain' }) // the number is free again
    await viewer.next('replay.done')
    await viewer.close()
  })

  it('is refused beyond the number of streams, and under a number in use', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.socket.pause()
    for (let stream = 1; stream <= 17; stream++) viewer.send({ type: 'replay.open', stream, replay: 'file:large' })
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:plain' })
    await new Promise((done) => setTimeout(done, 300))
    viewer.socket.resume()
    expect((await viewer.next('error', ({ stream }) => stream === 17)).error.code).toBe('busy')
    expect((await viewer.next('error', ({ stream }) => stream === undefined)).error.message).toMatch(
      /stream 1 is in use/,
    )
    viewer.send({ type: 'replay.seek', stream: 99, step: 1 })
    expect((await viewer.next('error', ({ stream }) => stream === 99)).error.code).toBe('bad-usage')
    viewer.socket.terminate()
  })
})

describe('memory for open replays', () => {
  it('is bounded, and free again when a stream or its viewer is gone', async () => {
    // The two weigh some 31 and 20 kB (steps and keyframes); both together do not fit.
    const small = await start({
      data: box.data,
      viewerDir: box.viewerDir,
      limits: { openBytes: 45_000, highWaterBytes: 1 },
    })
    const opens = async (viewer: Viewer, stream: number, replay: string) => {
      viewer.send({ type: 'replay.open', stream, replay })
      const answer = await viewer.until(
        () => viewer.messages.find((m) => 'stream' in m && m.stream === stream && m.type !== 'replay.done'),
        'an answer',
      )
      return answer.type === 'error' ? answer.error.code : answer.type
    }
    const one = await Viewer.greeted(small.url)
    expect(await opens(one, 1, 'file:large')).toBe('busy') // too heavy by itself
    expect(await opens(one, 2, 'file:keyed')).toBe('replay.opened')
    await one.next('replay.done', ({ stream }) => stream === 2)
    const two = await Viewer.greeted(small.url)
    for (let stream = 1; stream <= 10; stream++) {
      expect(await opens(two, stream, stream % 2 === 0 ? 'file:keyed' : 'file:rich')).toBe('replay.opened')
      await two.next('replay.done', (message) => message.stream === stream)
    }
    await small.close()
  })
})

describe('a run that is followed', () => {
  const path = (...parts: string[]) => join(box.data, 'runs', ...parts)

  it('tells its updates, evaluations and episodes as they are written', async () => {
    const viewer = await Viewer.greeted(server.url)
    await writeAtomically(path('live', 'run.json'), runJson('live'))
    viewer.send({ type: 'run.subscribe', subscription: 1, run: 'live' })
    const { detail } = await viewer.next('run.opened')
    expect(detail).toMatchObject({
      run: { id: 'live', status: 'running', step: 0 },
      evaluations: [],
      update: null,
      replays: [],
    })

    await appendFile(path('live', 'log.jsonl'), updateLine(100))
    expect(await viewer.next('run.progress', ({ update }) => update?.step === 100)).toMatchObject({
      subscription: 1,
      run: { step: 100 },
      update: { metrics: { loss: 100 } },
    })
    await writeAtomically(path('live', 'replays', '0000000200-0.replay'), replayBytes({ label: 'at 200' }))
    const { replay, stream } = await viewer.next('run.replay')
    expect([replay.id, replay.label, stream]).toEqual(['run:live:0000000200-0', 'at 200', undefined])

    await appendFile(path('live', 'log.jsonl'), evaluationLine(200, 1.5, 'x/0000000200-0.replay'))
    const told = await viewer.next('run.progress', ({ evaluations }) => evaluations.length > 0)
    expect(told.evaluations).toMatchObject([{ step: 200, return: { mean: 1.5 }, replay: 'run:live:0000000200-0' }])
    await writeAtomically(path('live', 'run.json'), runJson('live', { status: 'finished', step: 1000 }))
    await viewer.next('run.progress', ({ run }) => run.status === 'finished' && run.step === 1000)

    viewer.send({ type: 'unsubscribe', subscription: 1 })
    await viewer.next('unsubscribed')
    const heard = viewer.heard.length
    await appendFile(path('live', 'log.jsonl'), updateLine(300))
    await new Promise((done) => setTimeout(done, 200))
    expect(viewer.heard.length).toBe(heard)
    await viewer.close()
  })

  it('streams each new episode at once when asked, the newest there is first', async () => {
    await writeAtomically(path('show', 'run.json'), runJson('show'))
    await writeAtomically(path('show', 'replays', '0000000001-0.replay'), replayBytes({ label: 'old' }))
    await writeAtomically(path('show', 'replays', '0000000002-0.replay'), replayBytes({ label: 'newest' }))
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'run.subscribe', subscription: 5, run: 'show', replays: 'stream' })
    const first = await viewer.next('run.replay')
    expect(first.replay.label).toBe('newest')
    expect(first.stream).toBeGreaterThanOrEqual(2 ** 31)
    expect((await whole(viewer, first.stream!)).complete).toBe(true)
    expect((await viewer.next('replay.opened')).subscription).toBe(5)

    const sketch = { label: 'third', steps: 300 }
    await writeAtomically(path('show', 'replays', '0000000003-0.replay'), replayBytes(sketch))
    const third = await viewer.next('run.replay', ({ replay }) => replay.label === 'third')
    expect((await whole(viewer, third.stream!)).actions).toEqual(sketchReplay(sketch).actions)
    await viewer.close()
  })

  it('says when an episode cannot be read, and goes on', async () => {
    await writeAtomically(path('rough', 'run.json'), runJson('rough'))
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'run.subscribe', subscription: 1, run: 'rough' })
    await viewer.next('run.opened')
    await writeAtomically(path('rough', 'replays', '0000000001-0.replay'), 'nothing of use')
    expect((await viewer.next('error')).error.message).toMatch(/another kind of file/)
    await writeAtomically(path('rough', 'run.json'), '{')
    await appendFile(path('rough', 'log.jsonl'), 'nonsense\n')
    await writeAtomically(path('rough', 'replays', '0000000002-0.replay'), replayBytes())
    await viewer.next('run.replay')
    await writeAtomically(path('rough', 'run.json'), runJson('rough', { status: 'diverged' }))
    await viewer.next('run.progress', ({ run }) => run.status === 'diverged')
    await viewer.close()
  })

  it('ends when its folder is removed', async () => {
    await writeAtomically(path('short', 'run.json'), runJson('short'))
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'run.subscribe', subscription: 1, run: 'short' })
    await viewer.next('run.opened')
    await rm(path('short'), { recursive: true })
    expect(await viewer.next('run.gone')).toMatchObject({ subscription: 1, run: 'short' })
    viewer.send({ type: 'run.subscribe', subscription: 1, run: 'one' }) // the number is free again
    await viewer.next('run.opened', ({ detail }) => detail.run.id === 'one')
    await viewer.close()
  })

  it('that is not there is refused by name', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'run.subscribe', subscription: 1, run: 'onne' })
    const { error, subscription } = await viewer.next('error')
    expect([error.code, subscription]).toEqual(['unknown-name', 1])
    expect(error.message).toMatch(/did you mean "one"/)
    viewer.send({ type: 'unsubscribe', subscription: 1 })
    await viewer.next('error', (message) => message.error.where === 'unsubscribe: subscription')
    await viewer.close()
  })

  it('shows in the list of runs, which tells only what differs', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'runs.subscribe', subscription: 9 })
    const { runs } = await viewer.next('runs.listed')
    expect(runs.map(({ id }) => id)).toContain('one')
    await writeAtomically(path('fresh', 'run.json'), runJson('fresh'))
    const news = await viewer.next('runs.changed', (message) => message.runs.some(({ id }) => id === 'fresh'))
    expect(news.runs.map(({ id }) => id)).toEqual(['fresh'])
    await appendFile(path('fresh', 'log.jsonl'), updateLine(77))
    await viewer.next('runs.changed', (message) => message.runs.some(({ id, step }) => id === 'fresh' && step === 77))
    // Followed for a while and then no more: the list goes on.
    viewer.send({ type: 'run.subscribe', subscription: 10, run: 'fresh' })
    await viewer.next('run.opened')
    viewer.send({ type: 'unsubscribe', subscription: 10 })
    await viewer.next('unsubscribed')
    await writeAtomically(path('fresh', 'run.json'), runJson('fresh', { step: 99, return: { mean: 4 } }))
    await appendFile(path('fresh', 'log.jsonl'), updateLine(101))
    await viewer.next('runs.changed', ({ runs: [run] }) => run?.step === 101 && run.return?.mean === 4)
    await rm(path('fresh'), { recursive: true })
    await viewer.next('runs.changed', ({ removed }) => removed.includes('fresh'))
    await viewer.close()
  })
})

describe('a data folder that appears later', () => {
  it('is noticed, with the run and the episode in it', async () => {
    const other = await sandbox()
    const late = await start({ data: join(other.folder, 'not', 'yet'), viewerDir: other.viewerDir })
    const viewer = await Viewer.greeted(late.url)
    viewer.send({ type: 'runs.subscribe', subscription: 1 })
    expect((await viewer.next('runs.listed')).runs).toEqual([])
    await writeAtomically(join(other.folder, 'not', 'yet', 'runs', 'first', 'run.json'), runJson('first'))
    await viewer.next('runs.changed', ({ runs }) => runs[0]?.id === 'first')
    viewer.send({ type: 'run.subscribe', subscription: 2, run: 'first' })
    await viewer.next('run.opened')
    await writeAtomically(join(other.folder, 'not', 'yet', 'runs', 'first', 'replays', '1-0.replay'), replayBytes())
    expect((await viewer.next('run.replay')).replay.id).toBe('run:first:1-0')
    await late.close()
    await other.remove()
  })
})

describe('bad input', () => {
  it('gets one clear error each, and the connection goes on', async () => {
    const viewer = await Viewer.greeted(server.url)
    const wrong: [string | Buffer, RegExp][] = [
      ['{', /not JSON/],
      ['[]', /expected one JSON object with a type/],
      ['{"type":"replay.oben","stream":1}', /did you mean "replay.open"/],
      ['{"type":"replay.open","stream":1}', /replay.open: replay is missing/],
      ['{"type":"replay.open","stream":0,"replay":"file:plain"}', /stream is 0; expected a whole number of 1 to/],
      [
        '{"type":"run.subscribe","subscription":1,"run":"one","replays":"strem"}',
        /expected one of none, announce, stream; did you mean "stream"/,
      ],
      [Buffer.from([0, 1, 2, 255]), /message is binary; expected text/],
      [`{"type":"ping","id":1,"x":"${'x'.repeat(20_000)}"}`, /length is 20029 bytes; expected 16384 or less/],
    ]
    for (const [i, [data, message]] of wrong.entries()) {
      viewer.send(data)
      await viewer.until(() => errorsOf(viewer).length > i, 'an error')
      expect(errorsOf(viewer)).toHaveLength(i + 1)
      expect(errorsOf(viewer)[i]).toMatchObject({ final: false, error: { code: 'bad-message' } })
      expect(errorsOf(viewer)[i].error.message).toMatch(message)
    }
    viewer.send({ type: 'ping', id: 1 })
    await viewer.next('pong')
    await viewer.close()
  })

  it('without end closes the connection with the last error', async () => {
    const viewer = await Viewer.greeted(server.url)
    for (let i = 0; i < 25; i++) viewer.send('nonsense')
    expect((await viewer.gone()).code).toBe(1008)
    expect(errorsOf(viewer)).toHaveLength(20)
    expect(errorsOf(viewer).map(({ final }) => final)).toEqual([...new Array(19).fill(false), true])
  })

  it('of a size no message has closes the connection', async () => {
    const viewer = await Viewer.greeted(server.url)
    viewer.send('x'.repeat(1_100_000))
    expect((await viewer.gone()).code).toBe(1009)
  })

  it('in floods closes the connection and no other', async () => {
    const [flooder, other] = [await Viewer.greeted(server.url), await Viewer.greeted(server.url)]
    for (let i = 0; i < 2000; i++) flooder.send({ type: 'ping', id: i })
    expect((await flooder.gone()).code).toBe(1008)
    expect(errorsOf(flooder)).toMatchObject([{ final: true, error: { message: expect.stringMatching(/flooded/) } }])
    other.send({ type: 'ping', id: 1 })
    await other.next('pong')
    await other.close()
  })

  it('of any shape leaves the server up', async () => {
    const types = [
      'hello',
      'ping',
      'replay.open',
      'replay.seek',
      'replay.close',
      'runs.subscribe',
      'run.subscribe',
      'unsubscribe',
      'x',
    ]
    const near = fc.record(
      {
        type: fc.constantFrom(...types),
        stream: fc.oneof(fc.integer(), fc.jsonValue()),
        subscription: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.jsonValue()),
        replay: fc.oneof(fc.constantFrom('file:plain', 'file:cut', 'run:one:x', 'file:../x'), fc.string()),
        run: fc.oneof(fc.constantFrom('one', '..', ''), fc.string()),
        step: fc.oneof(fc.integer(), fc.double()),
      },
      { requiredKeys: ['type'] },
    )
    const data = fc.oneof(
      near.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string(),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(data, { maxLength: 15 }), async (messages) => {
        const viewer = await Viewer.greeted(server.url)
        for (const message of messages) viewer.send(message)
        viewer.send({ type: 'ping', id: 123456 })
        await viewer.next('pong', ({ id }) => id === 123456)
        viewer.socket.terminate()
      }),
      { numRuns: 40 },
    )
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
  })

  it('below the protocol (broken frames) closes that connection only', async () => {
    const viewer = await Viewer.greeted(server.url)
    const raw = (viewer.socket as unknown as { _socket: { write(bytes: Buffer): void } })._socket
    raw.write(randomBytes(5000))
    expect([1002, 1006, 1007, 1009]).toContain((await viewer.gone()).code)
    expect((await fetch(`${server.url}/api/health`)).status).toBe(200)
  })
})

describe('viewers that read slowly', () => {
  it('cost no memory, however much there is to send, and get everything in the end', async () => {
    const viewers = await Promise.all(Array.from({ length: 4 }, () => Viewer.greeted(server.url)))
    for (const viewer of viewers) viewer.socket.pause()
    viewers[0].send({ type: 'replay.open', stream: 1, replay: 'file:large' })
    await new Promise((done) => setTimeout(done, 1000)) // decoded and encoded once; shared from here on
    const used = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed
    const before = used()
    for (const viewer of viewers) {
      for (let stream = 2; stream <= 8; stream++) viewer.send({ type: 'replay.open', stream, replay: 'file:large' })
    }
    await new Promise((done) => setTimeout(done, 2000))
    const grown = used() - before
    // 4 viewers × (256 kB high water + a chunk) is 2 MB; everything would be 4 × 7 × 8 MB = 224 MB.
    expect(grown).toBeLessThan(60e6)
    for (const viewer of viewers.slice(1)) viewer.socket.terminate()
    const [viewer] = viewers
    for (let stream = 2; stream <= 8; stream++) viewer.send({ type: 'replay.close', stream })
    viewer.socket.resume()
    await viewer.next('replay.done', undefined, 30_000)
    const { chunks } = await viewer.next('replay.opened', ({ stream }) => stream === 1)
    expect(viewer.chunks.filter(({ stream }) => stream === 1)).toHaveLength(chunks)
    viewer.socket.terminate()
  })

  it('get the latest of the progress, every evaluation, and the newest episode', async () => {
    const path = (...parts: string[]) => join(box.data, 'runs', 'busy', ...parts)
    await writeAtomically(path('run.json'), runJson('busy'))
    const viewer = await Viewer.greeted(server.url)
    viewer.send({ type: 'run.subscribe', subscription: 1, run: 'busy' })
    await viewer.next('run.opened')
    viewer.socket.pause()
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:large' }) // fills the pipe
    await new Promise((done) => setTimeout(done, 500))
    for (let i = 1; i <= 20; i++) {
      let lines = ''
      for (let k = 1; k <= 50; k++) lines += updateLine((i - 1) * 50 + k)
      await appendFile(path('log.jsonl'), lines + evaluationLine(i * 50, i))
      await writeAtomically(path('replays', `${String(i).padStart(10, '0')}-0.replay`), replayBytes({ label: `${i}` }))
      await new Promise((done) => setTimeout(done, 60))
    }
    await new Promise((done) => setTimeout(done, 1500)) // a poll, at the latest
    viewer.socket.resume()
    await viewer.next('run.progress', ({ update }) => update?.step === 1000)
    const progress = viewer.messages.filter((message) => message.type === 'run.progress')
    expect(progress.length).toBeLessThan(5)
    expect(progress.reduce((sum, { skipped, update }) => sum + skipped + (update === null ? 0 : 1), 0)).toBe(1000)
    expect(progress.flatMap(({ evaluations }) => evaluations.map(({ step }) => step))).toEqual(
      Array.from({ length: 20 }, (_, i) => 50 * (i + 1)),
    )
    const { replay, skipped } = await viewer.next('run.replay')
    expect([replay.label, skipped]).toEqual(['20', 19])
    viewer.socket.terminate()
  })

  it('and ask without reading are sent away', async () => {
    const strict = await start({
      data: box.data,
      viewerDir: box.viewerDir,
      limits: { unreadBytes: 20_000, highWaterBytes: 1000 },
    })
    const viewer = await Viewer.greeted(strict.url)
    viewer.socket.pause()
    viewer.send({ type: 'replay.open', stream: 1, replay: 'file:large' })
    let left = 1
    for (let round = 0; round < 100 && left > 0; round++) {
      // 9 in 100 ms is below the allowed rate; each answer has some 400 bytes.
      for (let i = 0; i < 9; i++) viewer.send({ type: 'run.subscribe', subscription: i + 1, run: 'x'.repeat(190) })
      await new Promise((done) => setTimeout(done, 100))
      left = ((await (await fetch(`${strict.url}/api/health`)).json()) as { viewers: number }).viewers
    }
    expect(left).toBe(0)
    viewer.socket.terminate()
    await strict.close()
  })

  it('and do not answer the heartbeat are cut off; the others stay', async () => {
    const brisk = await start({ data: box.data, viewerDir: box.viewerDir, limits: { heartbeatMs: 100 } })
    const [dead, alive] = [await Viewer.greeted(brisk.url), await Viewer.greeted(brisk.url)]
    dead.socket.pause()
    await new Promise((done) => setTimeout(done, 500))
    expect(((await (await fetch(`${brisk.url}/api/health`)).json()) as { viewers: number }).viewers).toBe(1)
    alive.send({ type: 'ping', id: 1 })
    await alive.next('pong')
    dead.socket.terminate()
    await brisk.close()
  })
})

describe('many viewers', () => {
  it('200 watch the same replay and follow the same run', async () => {
    const server = await start({ data: box.data, viewerDir: box.viewerDir })
    await writeAtomically(join(box.data, 'runs', 'popular', 'run.json'), runJson('popular'))
    const viewers = await Promise.all(Array.from({ length: 200 }, () => Viewer.greeted(server.url)))
    expect(((await (await fetch(`${server.url}/api/health`)).json()) as { viewers: number }).viewers).toBe(200)
    const started = performance.now()
    for (const viewer of viewers) {
      viewer.send({ type: 'replay.open', stream: 1, replay: 'file:keyed', step: 500 })
      viewer.send({ type: 'run.subscribe', subscription: 1, run: 'popular' })
    }
    for (const viewer of viewers) {
      expect((await whole(viewer, 1)).complete).toBe(true)
      await viewer.next('run.opened')
    }
    await appendFile(join(box.data, 'runs', 'popular', 'log.jsonl'), updateLine(5))
    for (const viewer of viewers) await viewer.next('run.progress')
    expect(performance.now() - started).toBeLessThan(20_000)
    // Half of them are killed without a word; the others notice nothing, and everything of theirs is freed.
    for (const viewer of viewers.slice(0, 100)) viewer.socket.terminate()
    await appendFile(join(box.data, 'runs', 'popular', 'log.jsonl'), updateLine(6))
    for (const viewer of viewers.slice(100)) await viewer.next('run.progress', ({ update }) => update?.step === 6)
    expect(((await (await fetch(`${server.url}/api/health`)).json()) as { viewers: number }).viewers).toBe(100)
    await server.close()
  })

  it('more than allowed are told so: from one address, and in all', async () => {
    const small = await start({ data: box.data, viewerDir: box.viewerDir, limits: { viewersPerAddress: 2 } })
    const viewers = [await Viewer.greeted(small.url), await Viewer.greeted(small.url)]
    const third = new Viewer(small.url)
    expect((await third.gone()).code).toBe(1013)
    expect(errorsOf(third)).toMatchObject([{ final: true, error: { code: 'busy' } }])
    await viewers[0].close()
    viewers[0] = await Viewer.greeted(small.url) // there is room again
    await small.close()
  })

  it('see their own sessions only', async () => {
    const [one, two] = [await Viewer.greeted(server.url), await Viewer.greeted(server.url)]
    one.send({ type: 'replay.open', stream: 1, replay: 'file:plain' })
    two.send({ type: 'replay.open', stream: 1, replay: 'file:keyed' })
    expect((await whole(one, 1)).opened.replay).toBe('file:plain')
    expect((await whole(two, 1)).opened.replay).toBe('file:keyed')
    expect(one.messages.filter(({ type }) => type === 'replay.opened')).toHaveLength(1)
    await one.close()
    await two.close()
  })
})
