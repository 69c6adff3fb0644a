import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect } from 'node:net'
import { Ajv } from 'ajv'
import { ReplayRecorder, readReplay, writeReplay, type Replay } from '../envs/core/replay.ts'
import { openScenario } from '../scenarios/open.ts'
import { checkRecords, LOG_START } from './log.ts'
import { readBundle, writeBundle } from './protocol/bundle.ts'
import { type BoardPage, type EntryDetail, type Submission } from './protocol/rest.ts'
import { type RunningServer } from './index.ts'
import { Client, GAME, SMALL, bundleOf, description, meanOf, replaysOf } from './board-testing.ts'
import { sandbox, start } from './testing.ts'

let box: Awaited<ReturnType<typeof sandbox>>
let server: RunningServer
let admin: Client
let client: Client
let other: Client
/** An entry that went the honest way. */
let honest: Submission

const limits = { openPerKey: 50, perDay: 500, perDayPerAddress: 1000, writesPerMinute: 10_000 }

function boardsOf(running: RunningServer) {
  if (!running.boards.on) throw new Error(running.boards.problem)
  return running.boards.open
}

async function keyFor(label: string, scopes = ['submit', 'read']): Promise<string> {
  const { json } = await admin.ask('POST', '/api/keys', { label, scopes })
  return json.secret as string
}

beforeAll(async () => {
  box = await sandbox()
  server = await start({ data: box.data, viewerDir: box.viewerDir, boards: { scenarios: [SMALL, GAME], limits } })
  admin = new Client(server.port, boardsOf(server).adminKey)
  client = admin.with(await keyFor('one'))
  other = admin.with(await keyFor('two'))
  honest = await client.submit(SMALL)
})
afterAll(async () => {
  await server.close()
  await box.remove()
})

const board = async (path = `/api/boards/${encodeURIComponent(SMALL.id)}`): Promise<BoardPage> =>
  (await client.get(path)).json as BoardPage

/** What becomes of these replays when they are uploaded as the episodes of a new submission. */
async function outcome(change: (replays: Replay[], seeds: string[]) => Uint8Array, claim?: { mean: number }) {
  const opened = await client.open({ scenario: SMALL.id, ...(claim === undefined ? {} : { claim }) })
  const replays = replaysOf(SMALL, opened.seeds!)
  await client.upload(opened.id, change(replays, opened.seeds!))
  return client.settled(opened.id)
}

async function failure(change: (replays: Replay[], seeds: string[]) => Uint8Array, claim?: { mean: number }) {
  const { state, failure } = await outcome(change, claim)
  expect(state).toBe('failed')
  expect(failure!.fault).toBe('submission')
  expect(failure!.message).not.toMatch(/[/\\](tmp|home|work|Users)[/\\]|\bat .*:\d+:\d+|worker/)
  return failure!
}

describe('an honest submission', () => {
  it('passes through every state with a clock, and is worth what its replays are worth', async () => {
    expect(honest.state).toBe('published')
    expect(honest.history.map(({ state }) => state)).toEqual([
      ...['open', 'received', 'checked', 'queued', 'running', 'scored', 'published'],
    ])
    const { json } = await client.get(`/api/submissions/${honest.id}`)
    const replays = replaysOf(SMALL, (json as Submission).seeds!)
    const { json: detail } = await client.get(`/api/entries/${honest.id}`)
    const entry = detail as EntryDetail
    expect(entry.row.score!.mean).toBeCloseTo(meanOf(replays), 12)
    expect(entry.row.standing).toBe('ranked')
    expect(entry.episodesTotal).toBe(40)
    // Worst first.
    const returns = entry.episodes.map((episode) => episode.return!)
    expect(returns).toEqual([...returns].sort((a, b) => a - b))
    expect(entry.row.compute).toEqual({ steps: 1000, device: 'a laptop' })
  })

  it('has its replays on the server, byte for byte, one by one and as a bundle', async () => {
    const { json } = await client.get(`/api/entries/${honest.id}`)
    const { replay, episode, panel } = (json as EntryDetail).episodes[0]
    expect(replay).toBe(`board:${honest.id}:${panel}-${episode}`)
    const one = await fetch(`${server.url}/api/replays/${encodeURIComponent(replay!)}`)
    const bytes = new Uint8Array(await one.arrayBuffer())
    const bundle = new Uint8Array(await (await fetch(`${server.url}/api/entries/${honest.id}/bundle`)).arrayBuffer())
    expect(Buffer.compare(readBundle(bundle)[episode], bytes)).toBe(0)
    expect(readReplay(bytes).header.scenario.id).toBe(SMALL.id)
    const part = await fetch(`${server.url}/api/replays/${encodeURIComponent(replay!)}`, {
      headers: { range: 'bytes=2-5' },
    })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, Buffer.from(bytes.subarray(2, 6))])
  })

  it('is in the log, whose records are linked and signed', async () => {
    const { json } = await client.get('/api/log?limit=1000')
    checkRecords(json.records, LOG_START, json.head.publicKey)
    const record = json.records.find((one: { body: { entry?: string } }) => one.body.entry === honest.id)
    expect(record.body).toMatchObject({ level: 'replayed', scenario: SMALL.id, episodes: 40 })
    expect((await board()).log).toEqual((await client.get('/api/log/head')).json)
    const changed = json.records.map((one: object, k: number) => (k === 1 ? { ...one, at: 'earlier' } : one))
    expect(() => checkRecords(changed, LOG_START)).toThrow(/log: record 2: hash/)
    const forged = json.records.map((one: object) => ({ ...one, signature: json.records[0].signature }))
    expect(() => checkRecords(forged, LOG_START, json.head.publicKey)).toThrow(/record 2: signature/)
  })

  it('asked for twice with one Idempotency-Key is one submission', async () => {
    const headers = { 'idempotency-key': 'once' }
    const first = await client.open({ scenario: SMALL.id }, headers)
    const again = await client.open({ scenario: SMALL.id }, headers)
    expect(again.id).toBe(first.id)
    await expect(client.open({ scenario: GAME.id }, headers)).rejects.toMatchObject({ status: 409 })
    const together = await Promise.all(
      [1, 2, 3].map(() => client.open({ scenario: SMALL.id }, { 'idempotency-key': 'same' })),
    )
    expect(new Set(together.map(({ id }) => id)).size).toBe(1)
    const bundle = bundleOf(replaysOf(SMALL, first.seeds!))
    await client.upload(first.id, bundle)
    expect((await client.upload(first.id, bundle)).id).toBe(first.id) // the same upload again
    await expect(
      client.upload(first.id, bundleOf(replaysOf(SMALL, first.seeds!, 'random', '2'))),
    ).rejects.toMatchObject({ status: 409 })
    await client.settled(first.id)
  })
})

describe('a dishonest submission fails with the place', () => {
  it('a flipped byte of the digests is named by its step', async () => {
    const found = await failure((replays) => {
      const digests = replays[7].digests.slice()
      digests[23] ^= 1
      return bundleOf(replays.map((replay, k) => (k === 7 ? { ...replay, digests } : replay)))
    })
    expect(found).toMatchObject({ code: 'not-genuine', episode: 7, step: 23 })
    expect(found.message).toMatch(/^episode 7: state differs at step 23;/)
  })

  it('a changed action is named by its step', async () => {
    const found = await failure((replays) => {
      const actions = replays[3].actions.slice()
      actions[2 * 40] = (actions[2 * 40] + 1) % 5
      return bundleOf(replays.map((replay, k) => (k === 3 ? { ...replay, actions } : replay)))
    })
    expect(found).toMatchObject({ code: 'not-genuine', episode: 3, step: 40 })
  })

  it('a flipped byte of the file is noticed by its checksum', async () => {
    const found = await failure((replays) => {
      const bytes = bundleOf(replays)
      bytes[bytes.length - 40] ^= 4
      return bytes
    })
    expect(found).toMatchObject({ code: 'bad-file', episode: 39 })
  })

  it('a claim of 0.999 with a log worth less is rejected with both numbers', async () => {
    let worth = NaN
    const found = await failure(
      (replays) => {
        worth = meanOf(replays)
        return bundleOf(replays)
      },
      { mean: 0.999 },
    )
    expect(found.code).toBe('wrong-score')
    expect(found.message).toBe(`the claimed mean is 0.999; the replays are worth ${worth}`)
    expect([found.expected, found.actual]).toEqual(['0.999', String(worth)])
  })

  it('a raised score inside a replay is rejected with both numbers', async () => {
    const found = await failure((replays) =>
      bundleOf(
        replays.map((replay, k) => {
          const result = replay.header.result!
          const raised = {
            ...result,
            return: result.return + 9,
            returns: result.returns.map((v, n) => (n === 0 ? v + 9 : v)),
          }
          return k === 5 ? { ...replay, header: { ...replay.header, result: raised } } : replay
        }),
      ),
    )
    expect(found).toMatchObject({ code: 'not-genuine', episode: 5, expected: '9', actual: '0' })
  })

  it.each([
    [
      'a duplicate',
      (r: Replay[]) => r.map((replay, k) => (k === 4 ? r[2] : replay)),
      4,
      /it is episode 2 again \(a duplicate\)/,
    ],
    [
      'a skipped episode',
      (r: Replay[]) => [...r.slice(0, 6), ...r.slice(7), r[6]],
      6,
      /it is episode 7; one was skipped/,
    ],
    ['a missing episode', (r: Replay[]) => r.slice(0, 39), undefined, /39 episodes were uploaded; expected 40/],
    ['one more', (r: Replay[]) => [...r, r[0]], undefined, /41 episodes were uploaded; expected 40/],
  ] as const)('%s is told', async (_, change, episode, words) => {
    const found = await failure((replays) => bundleOf(change(replays)))
    expect(found).toMatchObject({ code: 'wrong-episode', ...(episode === undefined ? {} : { episode }) })
    expect(found.message).toMatch(words)
  })

  it('an episode on a seed of its own choice is told', async () => {
    const found = await failure((replays) => {
      const [lucky] = replaysOf(SMALL, ['0'.repeat(32)])
      return bundleOf([...replays.slice(0, 39), lucky])
    })
    expect(found).toMatchObject({ code: 'wrong-episode', episode: 39, actual: '0'.repeat(32) })
  })

  it('an episode that stops early, or goes on after its end, is told', async () => {
    const early = await failure((replays) =>
      bundleOf([...replays.slice(0, 9), shortened(replays[9], 30), ...replays.slice(10)]),
    )
    expect(early).toMatchObject({ code: 'wrong-episode', episode: 9 })
    expect(early.message).toMatch(/stops after 30 steps, before the episode is over/)
    // Restarted: an episode that goes on where it should end.
    const late = await failure((replays) => {
      const long = replaysOf({ ...SMALL, options: { ...SMALL.options, horizon: 90 } }, [replays[1].header.seed!])[0]
      return bundleOf([
        replays[0],
        {
          ...long,
          header: { ...long.header, options: replays[1].header.options, scenario: replays[1].header.scenario },
        },
        ...replays.slice(2),
      ])
    })
    expect(late.episode).toBe(1)
    expect(late.message).toMatch(/more than 70 steps/)
  })

  it('an illegal action is named with step and agent', async () => {
    const found = await failure((replays) => {
      const actions = replays[11].actions.slice()
      actions[2 * 19 + 1] = 9
      return bundleOf(replays.map((replay, k) => (k === 11 ? { ...replay, actions } : replay)))
    })
    expect(found).toMatchObject({ code: 'bad-action', episode: 11, step: 19 })
    expect(found.message).toMatch(/^episode 11: illegal action of agent_1 at step 19: 9; expected 0 noop, 1 forward/)
  })

  it('another task, another number of agents, another world are told', async () => {
    const easier = { ...SMALL, options: { ...SMALL.options, difficulty: 'easy' } }
    expect((await failure((_, seeds) => bundleOf(replaysOf(easier, seeds)))).message).toMatch(
      /the hash of its scenario is/,
    )
    const disguised = await failure((replays, seeds) =>
      bundleOf(
        replaysOf(easier, seeds).map((replay, k) => ({
          ...replay,
          header: { ...replay.header, scenario: replays[k].header.scenario },
        })),
      ),
    )
    expect(disguised.message).toMatch(/option difficulty of its world is "easy"; expected "normal"/)
    const crowd = { ...SMALL, options: { ...SMALL.options, robots: 3 } }
    const more = await failure((replays, seeds) =>
      bundleOf(
        replaysOf(crowd, seeds).map((replay, k) => ({
          ...replay,
          header: { ...replay.header, scenario: replays[k].header.scenario },
        })),
      ),
    )
    expect(more.code).toBe('wrong-task')
  })

  it('no bundle, no replays, a bomb and a cut are told', async () => {
    expect((await failure(() => new Uint8Array(100))).message).toMatch(/bundle is not a bundle of replays/)
    expect((await failure((replays) => bundleOf(replays).subarray(0, 5000))).message).toMatch(/cut off/)
    expect((await failure((replays) => writeBundle(replays.map(() => new Uint8Array(50))))).message).toMatch(
      /episode 0: /,
    )
    // A section that says it unpacks to 4 GB is refused before a byte of it is unpacked.
    const bomb = await failure((replays) => {
      const files = replays.map((replay) => writeReplay(replay))
      new DataView(files[0].buffer, files[0].byteOffset).setUint32(10 + 8, 0xffffffff, true)
      return writeBundle(files)
    })
    expect(bomb).toMatchObject({ code: 'bad-file', episode: 0 })
    expect(bomb.message).toMatch(/4294967295 bytes long/)
  })

  it('they all stay on the board, below every score, and in the log', async () => {
    const { rows, ranked, total } = await board()
    expect(ranked).toBeGreaterThan(0)
    expect(rows.slice(0, ranked).every((row) => row.standing === 'ranked' && row.score !== null)).toBe(true)
    const rest = rows.slice(ranked)
    expect(rest.length).toBeGreaterThan(10)
    expect(rest.every((row) => row.standing === 'failed' && row.rank === null && row.score === null)).toBe(true)
    expect(rest.every((row) => row.reason !== null)).toBe(true)
    expect(total).toBe(rows.length)
    const { json } = await client.get('/api/log?limit=1000')
    const logged = new Set(
      json.records
        .filter((r: { kind: string }) => r.kind === 'failed')
        .map((r: { body: { entry: string } }) => r.body.entry),
    )
    expect(rest.every((row) => logged.has(row.id))).toBe(true)
  })
})

/** An honest recording of the first steps. */
function shortened(replay: Replay, steps: number): Replay {
  const batch = openScenario(SMALL, { lanes: 1, autoreset: 'disabled' })
  batch.reset([replay.header.seed])
  const { scenario, policies, package: made } = replay.header
  const recorder = new ReplayRecorder(batch, 0, { scenario, policies, package: made })
  for (let t = 0; t < steps; t++) {
    const row = replay.actions.slice(2 * t, 2 * t + 2)
    batch.step(row)
    recorder.record(row)
  }
  return recorder.replay(SMALL.teamReward)
}

describe('scores that are no numbers', () => {
  it.each([
    ['NaN', '{"mean":NaN}'],
    ['Infinity', '{"mean":1e999}'],
    ['-0', '{"mean":-0}'],
    ['a string', '{"mean":"0.9"}'],
    ['null', '{"mean":null}'],
    ['nothing', '{}'],
  ])('%s is refused as a claim', async (_, claim) => {
    const before = (await board(`/api/boards/${encodeURIComponent(GAME.id)}?level=claimed`)).total
    const body = JSON.stringify({
      scenario: GAME.id,
      level: 'claimed',
      description: description(),
      claim: null,
    }).replace('"claim":null', `"claim":${claim}`)
    const { status, json } = await client.ask('POST', '/api/submissions', body)
    expect(status).toBe(400)
    expect(json.error.message).not.toBe('')
    expect((await board(`/api/boards/${encodeURIComponent(GAME.id)}?level=claimed`)).total).toBe(before)
  })

  it('a finite claim is shown as claimed and has no rank', async () => {
    await client.open({ scenario: GAME.id, level: 'claimed', claim: { mean: 1e6 } })
    const { rows, ranked } = await board(`/api/boards/${encodeURIComponent(GAME.id)}?level=claimed`)
    expect(ranked).toBe(0)
    expect(rows[0]).toMatchObject({ standing: 'claimed', rank: null, level: 'claimed', score: { mean: 1e6 } })
    // And it is on no other board.
    const replayed = await board(`/api/boards/${encodeURIComponent(GAME.id)}?level=replayed`)
    expect(replayed.rows.every((row) => row.level === 'replayed')).toBe(true)
  })
})

describe('boards', () => {
  it('an algorithm needs five runs to be ranked; of one training seed the first counts', async () => {
    const run = (seed: string, rng: string) =>
      other.submit(GAME, 'random', rng, { description: { ...description(), recipe: 'plain', trainingSeed: seed } })
    for (const seed of ['1', '2', '3', '4']) expect((await run(seed, seed)).state).toBe('published')
    const path = `/api/boards/${encodeURIComponent(GAME.id)}?kind=algorithm&level=replayed`
    const find = async () => (await board(path)).rows.find((row) => row.recipe === 'plain')!
    expect(await find()).toMatchObject({ standing: 'partial', rank: null, flags: [expect.stringMatching(/4 runs/)] })
    await run('4', 'again') // the same run once more
    expect((await find()).runs).toHaveLength(4)
    await run('5', '5')
    const row = await find()
    expect(row).toMatchObject({ standing: 'ranked', rank: { rank: 1, best: 1, worst: 1 } })
    expect(row.runs).toHaveLength(5)
    expect(row.score!.interval![0]).toBeLessThanOrEqual(row.score!.iqm)
    const suite = await board('/api/suites/given/board?level=replayed')
    expect(suite.rows.find((one) => one.recipe === 'plain')).toMatchObject({
      standing: 'partial',
      tasks: { done: 1, of: 2 },
    })
    // Runs of one recipe have the same settings.
    const odd = { ...description(), recipe: 'plain', trainingSeed: '6', settings: { lr: 1 } }
    await expect(other.open({ scenario: GAME.id, description: odd })).rejects.toThrow(/settings is others than those/)
  })

  it('download as CSV, JSON, Markdown, LaTeX and for marl-eval, safe for spreadsheets', async () => {
    const name = '=HYPERLINK("http://evil")|<b>&\\end'
    await client.submit(GAME, 'random', '9', { description: { ...description(name), authors: '@SUM(A1)' } })
    const path = `/api/boards/${encodeURIComponent(GAME.id)}/export?level=replayed&format=`
    const csv = (await client.get(`${path}csv`)).text
    const [head, ...lines] = csv.trimEnd().split('\r\n')
    expect(head).toBe(
      'scenario,scenario_hash,rank,rank_best,rank_worst,standing,level,name,authors,algorithm,recipe,training_seed,mode,' +
        'centralised,privileged,mean,iqm,std,interval_low,interval_high,standard_error,episodes,runs,training_steps,' +
        'training_seconds,device,disputed,flags,reason,published_at,log,entry',
    )
    // Evidence and declared compute stand beside every score.
    const declared = lines.filter((line) => line.includes(',replayed,') && line.includes(',1000,,a laptop,'))
    expect(declared).toHaveLength(lines.length)
    expect(csv).toContain(`"'=HYPERLINK(""http://evil"")|<b>&\\end"`)
    expect(csv).toContain("'@SUM(A1)")
    const markdown = (await client.get(`${path}markdown`)).text
    expect(markdown).toContain('\\|\\<b\\>')
    expect((await client.get(`${path}latex`)).text).toContain('\\&\\textbackslash{}end')
    expect((await client.get(`${path}json`)).json.rows.some((row: { name: string }) => row.name === name)).toBe(true)
    const marl = (await client.get(`${path}marl-eval`)).json
    expect(Object.keys(marl.matrix['test-pd'])).toContain('random')
    const mine = (await client.get('/api/submissions/export?format=csv')).text
    expect(mine.split('\r\n').length).toBeGreaterThan(5)
    expect(mine.split('\r\n')[0]).toBe(
      'id,scenario,level,name,state,created_at,since,until,queue_position,episodes_done,episodes,failure_code,failure,' +
        'failure_episode,failure_step',
    )
    const badge = await client.get(`/api/entries/${honest.id}/badge.svg`)
    expect(badge.headers['content-type']).toMatch(/svg/)
    expect(badge.text).not.toMatch(/script|href/)
  })

  it('pages have an ETag, and are asked for again for nothing', async () => {
    const path = `/api/boards/${encodeURIComponent(SMALL.id)}?limit=2`
    const { headers, json } = await client.get(path)
    expect(json.rows).toHaveLength(2)
    expect((await client.get(path, { 'if-none-match': headers.etag! })).status).toBe(304)
  })
})

describe('moderation and privacy', () => {
  it('what is hidden stays as a row with its reason, and both acts are in the log', async () => {
    const { id } = await client.submit(GAME, 'random', '77')
    const act = (action: string, who = admin) =>
      who.ask('POST', `/api/entries/${id}/moderation`, { action, reason: 'looks odd' })
    expect((await act('hide', client)).status).toBe(403)
    expect((await act('dispute', other)).json.row.disputed).toBe(true)
    const hidden = (await act('hide')).json as EntryDetail
    expect(hidden.row).toMatchObject({
      standing: 'hidden',
      name: 'hidden',
      score: null,
      rank: null,
      reason: 'looks odd',
    })
    expect(hidden.episodes).toEqual([])
    const page = await board(`/api/boards/${encodeURIComponent(GAME.id)}?level=replayed`)
    expect(page.rows.find((row) => row.id === id)!.standing).toBe('hidden')
    expect((await client.get(`/api/entries/${id}/bundle`)).status).toBe(409)
    expect((await client.get(`/api/replays/${encodeURIComponent(`board:${id}:replayed-0`)}`)).status).toBe(404)
    expect((await act('hide')).status).toBe(409)
    expect(((await act('show')).json as EntryDetail).row.standing).toBe('ranked')
    expect(((await act('settle')).json as EntryDetail).row.disputed).toBe(false)
    const { json } = await client.get('/api/log?limit=1000')
    const acts = json.records
      .filter((r: { body: { entry: string } }) => r.body.entry === id)
      .map((r: { kind: string }) => r.kind)
    expect(acts).toEqual(['accepted', 'dispute', 'hide', 'show', 'settle'])
  })

  it('a blind entry shows no names until its owner wants it, and names can be removed for good', async () => {
    const named = { ...description('Ada'), authors: 'A. Lovelace', code: 'https://example.org/ada' }
    const { id } = await client.submit(GAME, 'random', '78', { description: named, blind: true })
    const seen = async (who: Client) => JSON.stringify((await who.get(`/api/entries/${id}`)).json)
    // The board, whose rows are kept as they were sent.
    const onBoard = async () => {
      const page = await board(`/api/boards/${encodeURIComponent(GAME.id)}?level=replayed`)
      return JSON.stringify(page.rows.find((row) => row.id === id))
    }
    expect(await onBoard()).not.toMatch(/Ada|Lovelace|example\.org/)
    expect(await seen(other)).not.toMatch(/Ada|Lovelace|example\.org/)
    expect(await seen(client)).toMatch(/Lovelace/)
    expect((await other.ask('PATCH', `/api/entries/${id}`, { blind: false })).status).toBe(403)
    await client.ask('PATCH', `/api/entries/${id}`, { blind: false })
    expect(await seen(other)).toMatch(/Ada.*Lovelace|Lovelace.*Ada/)
    expect(await onBoard()).toMatch(/Ada.*Lovelace/)
    await client.ask('PATCH', `/api/entries/${id}`, { forget: true })
    expect(await seen(admin)).not.toMatch(/Ada|Lovelace|example\.org/)
    expect(await onBoard()).not.toMatch(/Ada|Lovelace|example\.org/)
    expect(JSON.parse(await seen(other)).row.standing).toBe('ranked')
    const { records } = (await client.get('/api/log?limit=1000')).json as { records: { body: unknown }[] }
    expect(records.length).toBeGreaterThan(20)
    // What records say: their signatures are chance, in which any three letters turn up now and then.
    expect(JSON.stringify(records.map(({ body }) => body))).not.toMatch(/Ada|Lovelace/)
  })

  it('seeds and names of what is not published are the owner’s', async () => {
    const opened = await client.open({ scenario: SMALL.id })
    expect((await other.get(`/api/submissions/${opened.id}`)).json).toMatchObject({
      seeds: null,
      name: null,
      state: 'open',
    })
    expect((await client.get(`/api/submissions/${opened.id}`)).json.seeds).toHaveLength(40)
    const stranger = await other.ask('PUT', `/api/submissions/${opened.id}/bundle`, new Uint8Array(20))
    expect(stranger.status).toBe(403)
  })
})

describe('keys', () => {
  it('are shown once, stored hashed, rotated, revoked and expire', async () => {
    const made = (await admin.ask('POST', '/api/keys', { label: 'short', scopes: ['read'], days: 1 })).json
    expect(made.secret).toMatch(/^troupe_[0-9a-f]{8}_/)
    const { text } = await admin.get('/api/keys')
    expect(text).not.toContain(made.secret.slice(16))
    const reader = admin.with(made.secret)
    expect((await reader.ask('POST', '/api/submissions', {})).status).toBe(403)
    expect((await reader.get('/api/submissions?mine=true')).status).toBe(200)
    const rotated = (await admin.ask('POST', `/api/keys/${made.key.id}/rotate`, {})).json
    expect((await reader.get('/api/submissions?mine=true')).status).toBe(401)
    const renewed = admin.with(rotated.secret)
    expect((await renewed.get('/api/submissions?mine=true')).status).toBe(200)
    await admin.ask('DELETE', `/api/keys/${made.key.id}`)
    expect((await renewed.get('/api/submissions?mine=true')).json.error.message).toMatch(/key is revoked/)
    for (const header of ['Bearer', 'Bearer x', `Basic ${made.secret}`, `Bearer troupe_00000000_${'A'.repeat(43)}`]) {
      expect((await admin.with(undefined).get('/api/keys', { authorization: header })).status).toBe(401)
    }
  })

  it('the last admin key cannot be revoked', async () => {
    const { json } = await admin.get('/api/keys')
    const last = json.keys.find((key: { scopes: string[] }) => key.scopes.includes('admin'))
    expect((await admin.ask('DELETE', `/api/keys/${last.id}`)).status).toBe(409)
  })
})

describe('the door', () => {
  it('answers as its OpenAPI document says', async () => {
    const { json: document } = await client.get('/api/openapi.json')
    const ajv = new Ajv({ strict: false })
    const at = encodeURIComponent(GAME.id)
    const samples: [path: string, address: string][] = [
      ['/api/scenarios', '/api/scenarios'],
      ['/api/scenarios/{scenario}', `/api/scenarios/${at}`],
      ['/api/boards/{scenario}', `/api/boards/${at}?level=replayed`],
      ['/api/boards/{scenario}', `/api/boards/${at}?kind=algorithm`],
      ['/api/suites/{suite}/board', '/api/suites/given/board?kind=policy'],
      ['/api/submissions', '/api/submissions?limit=500'],
      ['/api/submissions/{id}', `/api/submissions/${honest.id}`],
      ['/api/entries/{id}', `/api/entries/${honest.id}`],
      ['/api/log', '/api/log'],
      ['/api/log/head', '/api/log/head'],
      ['/api/epochs', '/api/epochs'],
      ['/api/keys', '/api/keys'],
    ]
    for (const [path, address] of samples) {
      const { status, json } = await admin.get(address)
      expect([address, status]).toEqual([address, 200])
      const { schema } = document.paths[path].get.responses[200].content['application/json']
      const validate = ajv.compile(schema)
      expect([address, validate(json), validate.errors]).toEqual([address, true, null])
    }
  })

  it('refuses what is malformed in one sentence, and says nothing of the inside', async () => {
    const post = (body: unknown, headers?: Record<string, string>) =>
      client.ask('POST', '/api/submissions', body, headers)
    const good = { scenario: SMALL.id, level: 'replayed', description: description() }
    const cases: [number, Promise<{ status: number; text: string; json: unknown }>][] = [
      [400, post('{')],
      [400, post({ ...good, scenaro: 1 })],
      [400, post({ ...good, description: { ...description(), name: '' } })],
      [400, post({ ...good, description: { ...description(), name: 'x'.repeat(121) } })],
      [
        400,
        post({ ...good, description: { ...description(), settings: JSON.parse('['.repeat(200) + ']'.repeat(200)) } }),
      ],
      [400, post({ ...good, description: { ...description(), __proto__x: 1 } })],
      [404, post({ ...good, scenario: '../../etc/passwd' })],
      [409, post({ ...good, scenarioHash: '0'.repeat(64) })],
      [413, post({ ...good, description: { ...description(), notes: 'x'.repeat(70_000) } })],
      [415, post(good, { 'content-type': 'text/plain' })],
      [415, post(good, { 'content-encoding': 'gzip' })],
      [401, client.with(undefined).ask('POST', '/api/submissions', good)],
      [405, client.ask('DELETE', '/api/submissions')],
      [404, client.get('/api/entries/nothing')],
      [404, client.get('/api/entries/..%2f..%2fsigning.key')],
      [404, client.get('/api/boards/warehouse%2Fsmall')],
      [400, client.get(`/api/boards/${encodeURIComponent(SMALL.id)}?limit=0`)],
      [400, client.get(`/api/boards/${encodeURIComponent(SMALL.id)}?limit=1e999`)],
      [400, client.get(`/api/boards/${encodeURIComponent(SMALL.id)}?ofset=1`)],
      [400, client.get(`/api/boards/${encodeURIComponent(SMALL.id)}?limit=1&limit=2`)],
      [404, client.get(`/api/replays/${encodeURIComponent('board:../../x:replayed-0')}`)],
      [404, client.get(`/api/replays/${encodeURIComponent(`board:${honest.id}:replayed-99`)}`)],
      [403, client.get('/api/boards', { host: 'evil.example' })],
      [
        413,
        client.ask('PUT', `/api/submissions/${honest.id}/bundle`, undefined, {
          'content-length': '999999999',
          'content-type': 'application/vnd.troupe.replays',
        }),
      ],
    ]
    for (const [status, answer] of cases) {
      const heard = await answer
      expect([status, heard.status, heard.text]).toEqual([status, status, expect.any(String)])
      expect(heard.json).toMatchObject({ error: { code: expect.any(String), message: expect.any(String) } })
      expect(heard.text).not.toContain(box.folder)
      expect(heard.text).not.toMatch(/node_modules|\bat .*\.[jt]s:\d+|ENOENT|sqlite|SQLITE/i)
    }
  })

  it('cuts off an upload that goes quiet, and keeps serving', async () => {
    const slow = await sandbox()
    const quiet = await start({
      data: slow.data,
      viewerDir: slow.viewerDir,
      boards: { scenarios: [SMALL], limits: { ...limits, uploadIdleMs: 150 } },
    })
    try {
      const mine = new Client(quiet.port, boardsOf(quiet).adminKey)
      const { id } = await mine.open({ scenario: SMALL.id })
      const socket = connect(quiet.port, '127.0.0.1')
      socket.on('error', () => undefined)
      const closed = new Promise<number>((done) => socket.once('close', () => done(Date.now())))
      const began = Date.now()
      socket.write(
        `PUT /api/submissions/${id}/bundle HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${mine.key}\r\nContent-Type: application/vnd.troupe.replays\r\nContent-Length: 1000\r\n\r\nabc`,
      )
      expect((await closed) - began).toBeLessThan(5000)
      expect((await mine.get(`/api/submissions/${id}`)).json.state).toBe('open')
    } finally {
      await quiet.close()
      await slow.remove()
    }
  })
})
