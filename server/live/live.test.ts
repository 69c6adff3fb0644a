import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { ENVS } from '../../envs/index.ts'
import { readReplay, verifyReplay } from '../../envs/core/replay.ts'
import { POLICIES } from '../../agents/index.ts'
import { type Policy } from '../../agents/core/policy.ts'
import { scenarioHash, scenarioSpec } from '../../scenarios/open.ts'
import { decodeObservation, encodeActions } from '../protocol/live.ts'
import { Refusal } from '../refusal.ts'
import { panelSeeds } from '../seeds.ts'
import { LiveRefused, playLive, type LivePlay } from './client.ts'
import { panelEpisodes } from './panels.ts'
import { Caller, DESCRIPTION, KEY, MemoryLedger, short, stage, type Stage } from './testing.ts'

const WAREHOUSE = short('warehouse/tiny-2ag', 30)
const FAST = { stepMs: 2000, graceMs: 300, graceTotalMs: 1000 }

let open: Stage[] = []
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()))
  open = []
})

async function opened(...[scenarios, settings, ledger]: Parameters<typeof stage>): Promise<Stage> {
  const one = await stage(scenarios, { ...FAST, ...settings }, ledger)
  open.push(one)
  return one
}

const random = (): Policy => POLICIES.random.create(scenarioSpec(WAREHOUSE)) as Policy

const play = (url: string, more: Partial<LivePlay> = {}) =>
  playLive({ server: url, scenario: WAREHOUSE.id, policy: random, description: DESCRIPTION, rng: 'r', ...more })

/** Answers a question with the same choice for everybody. */
const allChoose = (frame: Buffer, choice: number): Buffer => {
  const { turn, episode, agents } = decodeObservation(frame)
  const action = new Int32Array(episode.length * agents).fill(choice)
  return Buffer.from(encodeActions({ turn, lanes: episode.length, action }))
}

/** Answers every question until the end. */
function answering(caller: Caller, choice = 0): void {
  const answer = (frame: Buffer) => caller.socket.send(allChoose(frame, choice))
  caller.socket.on('message', (data, isBinary) => isBinary && answer(data as Buffer))
  const waiting = caller.frames.at(-1)
  if (waiting !== undefined) answer(waiting)
}

describe('a live run', () => {
  it('plays both panels and leaves genuine replays whose returns are what the client is told', async () => {
    const { url, ledger } = await opened([WAREHOUSE])
    const done = await play(url, { lanes: 3 })
    const [opening] = ledger.openings
    const result = ledger.results.get(done.entry)!
    expect(done).toMatchObject({ entry: opening.entry, episodes: 4, lateTurns: 0, path: `/entry/${opening.entry}` })
    expect(result.episodes.map(({ panel, episode }) => `${panel} ${episode}`)).toEqual([
      'shared 0',
      'shared 1',
      'fresh 0',
      'fresh 1',
    ])
    const hash = scenarioHash(WAREHOUSE)
    expect(result.episodes.map(({ seed }) => seed)).toEqual([
      ...panelSeeds(KEY, hash, 'shared', '', 2),
      ...panelSeeds(KEY, hash, 'fresh', opening.entry, 2),
    ])
    let sum = 0
    for (const { replay } of result.episodes) {
      const read = readReplay(replay)
      expect(verifyReplay(read, ENVS.warehouse)).toMatchObject({ ok: true, complete: true })
      sum += read.header.result!.return
    }
    expect(done.return.mean).toBe(sum / 4)
    expect(result.times).toMatchObject({ end: 'played', lostConnections: 0, lateTurns: 0 })
    expect(result.times.latency.reduce((a, b) => a + b)).toBe(result.times.turns)
  })

  it('is on record before its client sees anything', async () => {
    const ledger = new MemoryLedger()
    let release: () => void = () => undefined
    const gate = new Promise<void>((done) => (release = done))
    ledger.begin = async ({ entry }, panel) => {
      await gate
      ledger.panels.set(entry, panel)
    }
    const { url } = await opened([WAREHOUSE], {}, ledger)
    const caller = await Caller.open(url)
    caller.say({ type: 'live.start', protocol: 1, scenario: WAREHOUSE.id, description: DESCRIPTION })
    await new Promise((done) => setTimeout(done, 60))
    expect([caller.texts.length, caller.frames.length]).toEqual([0, 0])
    release()
    await caller.until(() => caller.frames.length > 0)
    expect(ledger.panels.get(ledger.openings[0].entry)).toHaveLength(4)
  })

  it('is the same on two servers with the same key, and the client cannot tell the panels apart', async () => {
    const [a, b] = [await opened([WAREHOUSE]), await opened([WAREHOUSE])]
    const first = await play(a.url, { rng: 'same', lanes: 4 })
    const second = await play(b.url, { rng: 'same', lanes: 4 })
    const panel = (one: Stage, entry: string) =>
      one.ledger.results.get(entry)!.episodes.filter((episode) => episode.panel === 'shared')
    expect(panel(a, first.entry).map(({ seed }) => seed)).toEqual(panel(b, second.entry).map(({ seed }) => seed))
    // Orders differ by entry, so shared episodes meet other draws of the policy; a policy without draws meets none.
    const idle = async (one: Stage) => {
      const caller = await Caller.started(one.url, WAREHOUSE.id, 2)
      answering(caller, 1)
      const { entry } = await caller.until(() => caller.first('live.done'))
      return panel(one, entry).map(({ replay }) => readReplay(replay).header.result)
    }
    expect(await idle(a)).toEqual(await idle(b))
    const orders = ['one', 'two', 'three', 'four'].map((entry) =>
      panelEpisodes(KEY, scenarioHash(WAREHOUSE), entry, { shared: 8, fresh: 8 })
        .map(({ panel }) => panel)
        .join(),
    )
    expect(new Set(orders).size).toBe(4)
  })

  it('counts when its client is killed in the middle of an episode', async () => {
    const { url, ledger } = await opened([WAREHOUSE], { graceMs: 50 })
    const caller = await Caller.started(url, WAREHOUSE.id, 2)
    for (let turn = 0; turn < 5; turn++) {
      caller.say(allChoose(caller.frames[turn], 1))
      await caller.until(() => caller.frames.length > turn + 1)
    }
    caller.socket.terminate()
    const { entry } = ledger.openings[0]
    await caller.until(() => ledger.results.has(entry))
    const { episodes, times } = ledger.results.get(entry)!
    expect(times).toMatchObject({ end: 'lost', lostConnections: 1 })
    expect(episodes.map(({ length }) => length)).toEqual([30, 30, 30, 30])
    // Two episodes had begun: 5 of their steps were the client's; the others were played without it.
    expect(episodes.map(({ lateSteps }) => lateSteps).sort()).toEqual([25, 25, 30, 30])
    for (const { replay } of episodes)
      expect(verifyReplay(readReplay(replay), ENVS.warehouse)).toMatchObject({ ok: true })
  })

  it('goes on at the same question after a lost connection, with the same result as without', async () => {
    const { url, ledger } = await opened([WAREHOUSE])
    const first = await Caller.started(url, WAREHOUSE.id, 2)
    const started = first.first('live.started')!
    first.say(allChoose(first.frames[0], 1))
    await first.until(() => first.frames.length > 1)
    first.socket.terminate()
    const wrong = await Caller.open(url)
    wrong.say({ type: 'live.resume', protocol: 1, entry: started.entry, token: '0'.repeat(64) })
    await wrong.until(() => wrong.closed !== undefined)
    expect(wrong.first('error')?.error.message).toMatch(/no run that waits for this token/)
    const second = await Caller.open(url)
    second.say({ type: 'live.resume', protocol: 1, entry: started.entry, token: started.token })
    await second.until(() => second.frames.length > 0)
    expect(second.frames[0]).toEqual(first.frames[1])
    expect(second.first('live.started')).toEqual({ ...started, resumed: true })
    answering(second, 1)
    await second.until(() => second.first('live.done'))
    const broken = ledger.results.get(started.entry)!
    expect(broken.times).toMatchObject({ end: 'played', lostConnections: 1, lateTurns: 0 })
    const whole = await Caller.started(url, WAREHOUSE.id, 2)
    answering(whole, 1)
    const { entry } = await whole.until(() => whole.first('live.done'))
    const shared = (id: string) =>
      ledger.results
        .get(id)!
        .episodes.filter(({ panel }) => panel === 'shared')
        .map(({ replay }) => readReplay(replay).header.result)
    expect(shared(started.entry)).toEqual(shared(entry))
  })

  it('is taken up again by the reference client by itself', async () => {
    const { url, ledger, live } = await opened([WAREHOUSE])
    let cut = false
    const running = play(url, {
      onTurn: (turn) => {
        if (turn !== 7 || cut) return
        cut = true
        const [going] = (
          live as unknown as { going: Map<string, { run: { socket: { terminate(): void } } }> }
        ).going.values()
        going.run.socket.terminate()
      },
    })
    const done = await running
    expect(ledger.results.get(done.entry)!.times).toMatchObject({ end: 'played', lostConnections: 1, lateTurns: 0 })
  })

  it('plays for a client that answers too late, and says so in the next question', async () => {
    const { url, ledger } = await opened([WAREHOUSE], { stepMs: 80 })
    const caller = await Caller.started(url, WAREHOUSE.id)
    await caller.until(() => caller.frames.length > 1)
    expect(decodeObservation(caller.frames[1])).toMatchObject({ turn: 1, late: true })
    caller.say(allChoose(caller.frames[0], 1)) // too late: forgiven, and without effect
    answering(caller, 0)
    const { entry } = await caller.until(() => caller.first('live.done'))
    expect(caller.first('error')).toBeUndefined()
    const { times, episodes } = ledger.results.get(entry)!
    expect(times).toMatchObject({ lateTurns: 1, end: 'played' })
    expect(episodes.map(({ lateSteps }) => lateSteps).sort()).toEqual([0, 0, 0, 1])
  })

  it('is finished without a client that says nothing for many turns', async () => {
    const { url, ledger } = await opened([WAREHOUSE], { stepMs: 5, lateInRow: 4 })
    const caller = await Caller.started(url, WAREHOUSE.id)
    const { entry, turns, lateTurns } = await caller.until(() => caller.first('live.done'))
    expect([turns, lateTurns]).toEqual([120, 120])
    expect(ledger.results.get(entry)!.times.end).toBe('silent')
  })

  it('counts when its client gives up', async () => {
    const { url, ledger } = await opened([WAREHOUSE])
    const caller = await Caller.started(url, WAREHOUSE.id)
    caller.say({ type: 'live.leave' })
    const { entry } = await caller.until(() => caller.first('live.done'))
    expect(ledger.results.get(entry)).toMatchObject({ times: { end: 'left' }, episodes: { length: 4 } })
  })

  it('tells an illegal action, and takes a legal one in its place', async () => {
    const { url } = await opened([WAREHOUSE])
    const caller = await Caller.started(url, WAREHOUSE.id)
    caller.say(allChoose(caller.frames[0], 9))
    const { error, final } = await caller.until(() => caller.first('error'))
    expect(final).toBe(false)
    expect(error.message).toMatch(/^action frame: episode 0, agent_0 is 9; expected 0 noop, 1 forward/)
    caller.say(allChoose(caller.frames[0], 1))
    await caller.until(() => caller.frames.length > 1)
    expect(decodeObservation(caller.frames[1])).toMatchObject({ turn: 1, late: false })
  })

  it('takes one answer to a question: the second is told off and changes nothing', async () => {
    const { url } = await opened([WAREHOUSE])
    const caller = await Caller.started(url, WAREHOUSE.id)
    caller.say(allChoose(caller.frames[0], 1))
    caller.say(allChoose(caller.frames[0], 2))
    const { error } = await caller.until(() => caller.first('error'))
    expect(error.message).toBe('action frame: turn is 0; expected 1')
    expect(caller.frames).toHaveLength(2)
  })

  it.each([
    [{ type: 'live.state' }, /type is "live.state"/],
    [{ type: 'live.seed', episode: 0 }, /type is "live.seed"/],
    [{ type: 'live.observe', agent: 'agent_1' }, /type is "live.observe"/],
    [{ type: 'run.subscribe', subscription: 1, run: 'x' }, /type is "run.subscribe"/],
    [
      { type: 'live.start', protocol: 1, scenario: 'warehouse/tiny-2ag', description: DESCRIPTION },
      /the run has begun/,
    ],
  ])('refuses %j', async (message, sentence) => {
    const { url } = await opened([WAREHOUSE])
    const caller = await Caller.started(url, WAREHOUSE.id)
    caller.say(message)
    const { error } = await caller.until(() => caller.first('error'))
    expect(error.message).toMatch(sentence)
    expect(JSON.stringify(caller.texts)).not.toMatch(/"(seed|state|reward|panel)"/)
  })

  it('ends the connection after many mistakes, and counts', async () => {
    const { url, ledger } = await opened([WAREHOUSE], { badMessages: 3 })
    const caller = await Caller.started(url, WAREHOUSE.id)
    for (let k = 0; k < 3; k++) caller.say(Buffer.from('junk'))
    await caller.until(() => caller.closed !== undefined)
    expect(caller.closed).toBe(1008)
    await caller.until(() => ledger.results.size > 0)
    expect([...ledger.results.values()][0].episodes).toHaveLength(4)
  })
})

describe('the door', () => {
  it('says what is wrong with a first message', async () => {
    const { url } = await opened([WAREHOUSE])
    for (const [message, sentence] of [
      [{ type: 'live.start', protocol: 2, scenario: 'x', description: DESCRIPTION }, /protocol is 2; expected 1/],
      [{ type: 'live.start', protocol: 1, scenario: 'warehouse/tiny-2gg', description: DESCRIPTION }, /did you mean/],
      [{ type: 'live.leave' }, /first message is live.leave/],
      ['hello', /not JSON/],
      [Buffer.from([1, 2, 3]), /first message is binary/],
    ] as const) {
      const caller = await Caller.open(url)
      caller.say(message)
      await caller.until(() => caller.closed !== undefined)
      expect(caller.first('error')?.error.message).toMatch(sentence)
      expect(caller.first('error')?.final).toBe(true)
    }
  })

  it('closes on whoever says nothing', async () => {
    const { url } = await opened([WAREHOUSE], { helloMs: 30 })
    const caller = await Caller.open(url)
    await caller.until(() => caller.closed !== undefined)
    expect(caller.closed).toBe(4408)
  })

  it('asks the ledger who may begin, and limits runs at a time', async () => {
    const ledger = new MemoryLedger()
    ledger.admits = ({ key }) => {
      if (key === undefined) throw new Refusal(401, 'unauthorised', 'key', 'missing', 'an API key that may submit')
    }
    const { url } = await opened([WAREHOUSE], { runs: 1 }, ledger)
    await expect(play(url)).rejects.toThrow(/key is missing; expected an API key/)
    const start = { type: 'live.start', protocol: 1, scenario: WAREHOUSE.id, description: DESCRIPTION, key: 'one' }
    const callers = await Promise.all([Caller.open(url), Caller.open(url)])
    for (const caller of callers) caller.say(start)
    await Promise.all(callers.map((caller) => caller.until(() => caller.frames.length + caller.texts.length > 0)))
    expect(callers.flatMap((caller) => caller.texts.map(({ type }) => type)).sort()).toEqual(['error', 'live.started'])
    expect(ledger.openings).toHaveLength(1)
    expect(callers.map((caller) => caller.first('error')?.error.message).join()).toMatch(
      /live runs is 1; expected fewer/,
    )
  })

  it('breaks off runs when the server stops: they count for nothing, and the ledger knows', async () => {
    const one = await stage([WAREHOUSE], FAST)
    const caller = await Caller.started(one.url, WAREHOUSE.id)
    expect(one.live.list().runs).toEqual([
      expect.objectContaining({ scenario: WAREHOUSE.id, name: 'tested', connected: true, episodes: 4, ended: 0 }),
    ])
    await one.close()
    expect(caller.closed).toBe(1001)
    expect([...one.ledger.failures.values()]).toEqual(['the server stopped'])
    expect(one.ledger.results.size).toBe(0)
  })
})

describe('the reference client', () => {
  it('plays whole batches and single lanes alike', async () => {
    const { url, ledger } = await opened([WAREHOUSE])
    const lanewise = { ...random(), actLanes: undefined }
    const one: Policy = { name: 'a', memory: lanewise.memory, act: random().act.bind(random()) }
    for (const policy of [random(), one]) await play(url, { policy: () => policy, lanes: 4 })
    expect(ledger.results.size).toBe(2)
  })

  it('repeats the words of a refusal', async () => {
    const { url } = await opened([WAREHOUSE])
    const asked = play(url, { scenario: 'warehouse/tiny-2gg' })
    await expect(asked).rejects.toBeInstanceOf(LiveRefused)
    await expect(play('http://127.0.0.1:1', {})).rejects.toThrow(/expected a troupe server that answers/)
  })
})

/** Junk of every kind that a client can send: texts, damaged messages, damaged frames. */
const junk = (frame: Buffer) => {
  const whole = allChoose(frame, 1)
  const flipped = fc.tuple(fc.nat(whole.length - 1), fc.nat(255)).map(([at, byte]) => {
    const copy = Buffer.from(whole)
    copy[at] ^= byte
    return copy
  })
  const texts = fc.oneof(
    fc.string(),
    fc.json(),
    fc
      .record({ type: fc.constantFrom('live.start', 'live.resume', 'live.stat', '__proto__'), protocol: fc.anything() })
      .map((value) => JSON.stringify(value)),
  )
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((part) => Buffer.from(part)),
    flipped,
    fc.nat(whole.length).map((size) => whole.subarray(0, size)),
  )
  return fc.oneof(texts, bytes)
}

describe('malformed messages', () => {
  // One long run by hand: TROUPE_FUZZ_SECONDS=600
  const seconds = Number(process.env.TROUPE_FUZZ_SECONDS ?? 2)
  it(
    'never stop the server, and the run that they came in ends with all its episodes',
    async () => {
      const { url, ledger, live } = await opened([WAREHOUSE], {
        badMessages: 1_000_000,
        graceMs: 10,
      })
      const end = Date.now() + seconds * 1000
      let sent = 0
      for (let round = 0; Date.now() < end; round++) {
        const caller = await Caller.started(url, WAREHOUSE.id, 2)
        const { entry } = caller.first('live.started')!
        const before = sent
        for (const message of fc.sample(junk(caller.frames[0]), { numRuns: 200, seed: Date.now() ^ round })) {
          if (caller.socket.readyState !== 1) break
          caller.socket.send(message)
          sent++
        }
        if (round % 3 === 0) caller.socket.terminate()
        else {
          caller.say({ type: 'live.leave' })
          await caller.until(() => caller.first('live.done') ?? caller.closed, 20_000)
          expect(caller.texts.filter(({ type }) => type === 'error').length).toBeGreaterThan((sent - before) / 4)
        }
        await caller.until(() => ledger.results.has(entry), 20_000)
        expect(ledger.results.get(entry)!.episodes).toHaveLength(4)
        const strange = await Caller.open(url)
        for (const message of fc.sample(junk(caller.frames[0]), { numRuns: 1, seed: round }))
          strange.socket.send(message)
        await strange.until(() => strange.closed !== undefined, 20_000)
      }
      expect(sent).toBeGreaterThan(seconds * 50)
      expect(live.list().runs).toEqual([])
      expect(await play(url)).toMatchObject({ episodes: 4 })
      if (seconds > 60) console.log(`${sent} malformed messages in ${seconds} s`)
    },
    (seconds + 60) * 1000,
  )
})

describe('another language', () => {
  const python = spawnSync('python3', ['--version']).status === 0
  it.skipIf(!python && process.env.CI === undefined)('plays a run: the example in Python', async () => {
    const { url, ledger } = await opened([WAREHOUSE])
    const example = fileURLToPath(new URL('./examples/live_client.py', import.meta.url))
    const child = spawn('python3', [example, url, WAREHOUSE.id], { stdio: ['ignore', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.on('data', (data) => (out += data))
    child.stderr.on('data', (data) => (err += data))
    const code = await new Promise((done) => child.on('close', done))
    expect([code, err]).toEqual([0, expect.stringMatching(/^entry [0-9a-z]{20}: 4 episodes\n$/)])
    const done = JSON.parse(out) as { entry: string; lateTurns: number }
    expect(done).toMatchObject({ type: 'live.done', episodes: 4, lateTurns: 0 })
    for (const { replay } of ledger.results.get(done.entry)!.episodes) {
      const read = readReplay(replay)
      expect(verifyReplay(read, ENVS.warehouse)).toMatchObject({ ok: true })
      expect(new Set(read.actions).size).toBeGreaterThan(3) // it really chose
    }
  })
})
