import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { request, type IncomingMessage, type RequestOptions } from 'node:http'
import { connect } from 'node:net'
import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { Value } from '#typebox/value'
import { type TSchema } from '#typebox'
import { ErrorBody, Health } from './protocol/hello.ts'
import { ReplayList } from './protocol/replays.ts'
import { RunDetail, RunList } from './protocol/runs.ts'
import { type RunningServer } from './index.ts'
import { evaluationLine, replayBytes, runJson, sandbox, start, updateLine, writeAtomically } from './testing.ts'

let box: Awaited<ReturnType<typeof sandbox>>
let server: RunningServer

interface Answer {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
  json: unknown
}

/** A raw request: fetch would tidy the path. */
function ask(path: string, options: RequestOptions = {}, body?: string): Promise<Answer> {
  return new Promise((done, fail) => {
    const asked = request({ host: '127.0.0.1', port: server.port, path, ...options }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('end', () => {
        const bytes = Buffer.concat(parts)
        const isJson = response.headers['content-type']?.includes('json') === true && bytes.length > 0
        const json: unknown = isJson ? JSON.parse(bytes.toString()) : undefined
        done({ status: response.statusCode!, headers: response.headers, body: bytes, json })
      })
    })
    asked.on('error', fail)
    asked.end(body)
  })
}

async function json<T>(path: string, schema: TSchema): Promise<T> {
  const answer = await ask(path)
  expect(answer.status).toBe(200)
  expect([...Value.Errors(schema, answer.json)]).toEqual([])
  return answer.json as T
}

/** A refusal: the right status, a checked body, and nothing of the inside. */
async function refused(status: number, path: string, options: RequestOptions = {}, body?: string): Promise<string> {
  const answer = await ask(path, options, body)
  expect(answer.status).toBe(status)
  if (options.method !== 'HEAD') expect(Value.Check(ErrorBody, answer.json)).toBe(true)
  const text = answer.body.toString()
  expect(text).not.toContain(box.folder)
  expect(text).not.toMatch(/node_modules|\bat .*\.[jt]s:\d+|ENOENT/)
  return (answer.json as ErrorBody | undefined)?.error.message ?? ''
}

const one = replayBytes({ label: 'one', steps: 70 })

beforeAll(async () => {
  box = await sandbox()
  server = await start({ data: box.data, viewerDir: box.viewerDir })
})
afterAll(async () => {
  await server.close()
  await box.remove()
})

describe('before there is any data', () => {
  it('the server is healthy and its lists hold only what is shipped', async () => {
    const health = await json<Health>('/api/health', Health)
    expect(health).toMatchObject({ ok: true, viewer: true, data: false, viewers: 0 })
    expect(await json<RunList>('/api/runs', RunList)).toEqual({ runs: [], skipped: [] })
    const { replays } = await json<ReplayList>('/api/replays', ReplayList)
    expect(replays.map((replay) => replay.id)).toEqual(['shipped:welcome'])
  })
})

describe('the page', () => {
  it('is served at every address it knows, never cached unasked', async () => {
    const scenarios = ['/board/warehouse%2Fnano-2ag', '/board/warehouse/nano-2ag', '/scenario/skirmish/3m']
    const replay = '/replay/run%3Aa%3Ab?step=42&agent=agent_1'
    for (const path of ['/', replay, '/run/a', '/compare', '/replays', '/embed', ...scenarios]) {
      const { status, body, headers } = await ask(path)
      expect([path, status]).toEqual([path, 200])
      expect(body.toString()).toContain('<title>troupe')
      expect(headers['cache-control']).toBe('no-cache')
    }
  })

  it('comes with a strict policy', async () => {
    const { headers } = await ask('/')
    const policy = String(headers['content-security-policy'])
    const rules = new Map(policy.split(';').map((rule) => [rule.trim().split(' ')[0], rule.trim()]))
    expect(rules.get('script-src')).toBe("script-src 'self' 'wasm-unsafe-eval'")
    expect(rules.get('worker-src')).toBe("worker-src 'self'")
    expect(rules.get('frame-ancestors')).toBe("frame-ancestors 'self'")
    expect(rules.has('upgrade-insecure-requests')).toBe(false)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['x-powered-by']).toBeUndefined()
    expect(headers['strict-transport-security']).toBeUndefined()
  })

  it('may be framed elsewhere at /embed only', async () => {
    const { headers } = await ask('/embed')
    expect(headers['content-security-policy']).toContain('frame-ancestors *')
    expect(headers['x-frame-options']).toBeUndefined()
    expect((await ask('/embedded')).headers['x-frame-options']).toBe('SAMEORIGIN')
  })

  it('has its hashed parts cached for good', async () => {
    const { headers, status } = await ask('/assets/main-1a2b3c.js')
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
    expect(headers['content-type']).toContain('javascript')
    expect((await ask('/replays/welcome.replay')).headers['cache-control']).toBe('no-cache')
  })

  it('says so when it was not built', async () => {
    const bare = await start({ data: box.data, viewerDir: join(box.folder, 'nowhere') })
    const answer = await fetch(`${bare.url}/`)
    expect(answer.status).toBe(503)
    expect(((await answer.json()) as ErrorBody).error.message).toMatch(/viewer is not built/)
    expect(((await (await fetch(`${bare.url}/api/health`)).json()) as Health).viewer).toBe(false)
    await bare.close()
  })
})

describe('replays', () => {
  beforeAll(async () => {
    await writeAtomically(join(box.data, 'replays', 'one.replay'), one)
    await writeAtomically(join(box.data, 'replays', 'a name with spaces é.replay'), replayBytes({ label: 'spaces' }))
    await writeAtomically(join(box.data, 'replays', 'garbage.replay'), 'this is not a replay')
    await writeAtomically(join(box.data, 'replays', 'empty.replay'), '')
    await writeAtomically(join(box.data, 'replays', 'notes.txt'), 'no replay at all')
    await writeAtomically(join(box.data, 'replays', '.hidden.replay'), one)
    await writeAtomically(join(box.folder, 'secret.replay'), one)
    await symlink(join(box.folder, 'secret.replay'), join(box.data, 'replays', 'link.replay'))
    await mkdir(join(box.data, 'replays', 'folder.replay'))
  })

  it('are listed with what their headers say; the unreadable ones with the reason', async () => {
    const list = await json<ReplayList>('/api/replays', ReplayList)
    expect(list.replays.map(({ id }) => id).sort()).toEqual([
      'file:a name with spaces é',
      'file:one',
      'shipped:welcome',
    ])
    expect(list.replays.find(({ id }) => id === 'file:one')).toMatchObject({
      origin: 'file',
      bytes: one.length,
      env: 'lanterns',
      scenario: 'lanterns/corridor',
      agents: 2,
      steps: 70,
      return: 2,
      label: 'one',
      policies: ['random'],
    })
    const reasons = Object.fromEntries(list.skipped.map(({ id, reason }) => [id, reason]))
    expect(Object.keys(reasons).sort()).toEqual(['file:empty', 'file:folder', 'file:garbage', 'file:link'])
    expect(reasons['file:garbage']).toBe('file:garbage is another kind of file; expected a replay file of troupe')
    expect(reasons['file:empty']).toMatch(/cut off after 0 bytes/)
    expect(reasons['file:link']).toBe('it is a link')
  })

  it('are listed page by page', async () => {
    const all = await json<ReplayList>('/api/replays', ReplayList)
    const ids: string[] = []
    for (let offset = 0; offset < all.total; offset += 2) {
      const page = await json<ReplayList>(`/api/replays?limit=2&offset=${offset}`, ReplayList)
      expect(page).toMatchObject({ total: all.total, offset, limit: 2 })
      expect(page.replays.length).toBeLessThanOrEqual(2)
      ids.push(...page.replays.map(({ id }) => id))
    }
    expect(ids).toEqual(all.replays.map(({ id }) => id))
    for (const query of ['limit=0', 'limit=501', 'limit=1.5', 'offset=-1', 'offset=x', 'limit=1&limit=2', 'lmit=1']) {
      await refused(400, `/api/replays?${query}`)
    }
  })

  it('show a file that was rewritten under the same name', async () => {
    const path = join(box.data, 'replays', 'again.replay')
    const label = async () =>
      (await json<ReplayList>('/api/replays', ReplayList)).replays.find(({ id }) => id === 'file:again')?.label
    await writeAtomically(path, replayBytes({ label: 'before' }))
    expect(await label()).toBe('before')
    await writeAtomically(path, replayBytes({ label: 'afterwards' }))
    expect(await label()).toBe('afterwards')
  })

  it('come as the bytes of the file, under every kind of id', async () => {
    for (const id of ['file%3Aone', 'file:one']) {
      const { body, headers, status } = await ask(`/api/replays/${id}`)
      expect(status).toBe(200)
      expect(body.equals(one)).toBe(true)
      expect(headers['content-type']).toBe('application/octet-stream')
      expect(headers['content-disposition']).toBe('attachment; filename="file_one.replay"')
    }
    const spaced = encodeURIComponent('file:a name with spaces é')
    expect((await ask(`/api/replays/${spaced}`)).status).toBe(200)
    expect((await ask('/api/replays/shipped%3Awelcome')).status).toBe(200)
  })

  it('answer conditions and ranges', async () => {
    const path = '/api/replays/file%3Aone'
    const { headers } = await ask(path)
    const etag = String(headers.etag)
    expect(etag).toMatch(/^"[\w-]+"$/)
    expect((await ask(path, { headers: { 'If-None-Match': etag } })).status).toBe(304)
    expect((await ask(path, { headers: { 'If-None-Match': '"other"' } })).status).toBe(200)
    const part = await ask(path, { headers: { Range: 'bytes=10-19' } })
    expect(part.status).toBe(206)
    expect(part.headers['content-range']).toBe(`bytes 10-19/${one.length}`)
    expect(part.body.equals(one.subarray(10, 20))).toBe(true)
    const end = await ask(path, { headers: { Range: 'bytes=-5' } })
    expect(end.body.equals(one.subarray(-5))).toBe(true)
    const outside = await ask(path, { headers: { Range: 'bytes=999999-' } })
    expect([outside.status, outside.headers['content-range']]).toEqual([416, `bytes */${one.length}`])
    expect(Value.Check(ErrorBody, outside.json)).toBe(true)
    const head = await ask(path, { method: 'HEAD' })
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(one.length), 0])
  })

  it('that are not there get the nearest that is', async () => {
    const answer = await ask('/api/replays/file%3Aonee')
    expect(answer.status).toBe(404)
    expect((answer.json as ErrorBody).error).toMatchObject({ code: 'unknown-name', nearest: '"file:one"' })
    await refused(404, '/api/replays/file%3Anotes')
    await refused(404, '/api/replays/run%3Anobody%3A1')
    await refused(404, '/api/replays/nonsense')
  })

  it('cannot be used to leave the folder', async () => {
    const ways = [
      'file%3A..%2F..%2Fsecret',
      'file:../../secret',
      'file%3A..%5C..%5Csecret',
      'run%3A..%3A..%2Fsecret',
      'run%3A..%2F..%3Asecret',
      'shipped%3A..%2Findex.html%00',
      'file%3A.hidden',
      '..%2f..%2fsecret.replay',
    ]
    for (const way of ways) await refused(404, `/api/replays/${way}`)
    const whole = encodeURIComponent(join(box.folder, 'secret')) // the answer repeats it, as it was asked for
    expect((await ask(`/api/replays/file%3A${whole}`)).status).toBe(404)
    await refused(422, '/api/replays/file%3Alink') // known, and said to be a link
    for (const path of [
      '/../secret.replay',
      '/..%2fsecret.replay',
      '/assets/..%2f..%2fsecret.replay',
      '/%2e%2e/secret.replay',
    ]) {
      const answer = await ask(path)
      expect([403, 404]).toContain(answer.status)
      expect(answer.body.includes(Buffer.from(one.subarray(0, 16)))).toBe(false)
    }
  })

  it('of a folder that may not be read are skipped with the reason', async () => {
    if (process.getuid?.() === 0) return // root reads everything
    const path = join(box.data, 'replays', 'private.replay')
    await writeAtomically(path, one)
    await chmod(path, 0)
    const { skipped } = await json<ReplayList>('/api/replays', ReplayList)
    expect(skipped).toContainEqual({ id: 'file:private', reason: 'it may not be read (permissions)' })
    await chmod(path, 0o600)
  })
})

describe('runs', () => {
  beforeAll(async () => {
    const run = (id: string, file: string) => join(box.data, 'runs', id, file)
    await writeAtomically(
      run('good', 'run.json'),
      runJson('good', { status: 'finished', step: 400, latestReplay: '0000000400-0.replay' }),
    )
    const log =
      updateLine(100) +
      evaluationLine(200, 1, '/somewhere/else/0000000200-0.replay') +
      'damaged\n' +
      updateLine(300) +
      evaluationLine(400, 2.5) +
      '{"kind":"upda'
    await writeAtomically(run('good', 'log.jsonl'), log)
    await writeAtomically(run('good', 'record.json'), '{"format":1,"weightsHash":"abc"}')
    await writeAtomically(run('good', 'replays/0000000200-0.replay'), replayBytes())
    await writeAtomically(run('good', 'replays/0000000400-0.replay'), replayBytes())
    await writeAtomically(
      run('newer', 'run.json'),
      runJson('newer', { startedAt: '2026-02-02T00:00:00.000Z', pid: 2 ** 30 }),
    )
    await writeAtomically(run('cut', 'run.json'), '{"format":1,')
    await writeAtomically(run('odd', 'run.json'), runJson('odd', { status: 'asleep' }))
    await mkdir(join(box.data, 'runs', 'empty'))
    await writeAtomically(join(box.folder, 'secret.json'), runJson('secret'))
    await mkdir(join(box.data, 'runs', 'linked'))
    await symlink(join(box.folder, 'secret.json'), run('linked', 'run.json'))
    await symlink(box.folder, join(box.data, 'runs', 'away'))
    await writeFile(join(box.data, 'runs', 'stray.txt'), 'not a run')
  })

  it('are listed newest first; folders that cannot be read with the reason', async () => {
    const { runs, skipped } = await json<RunList>('/api/runs', RunList)
    expect(runs.map(({ id }) => id)).toEqual(['newer', 'good'])
    expect(runs[1]).toMatchObject({
      status: 'finished',
      algorithm: 'mappo',
      scenario: 'lanterns/corridor',
      title: 'Corridor',
      step: 400,
      latestReplay: 'run:good:0000000400-0',
    })
    const reasons = Object.fromEntries(skipped.map(({ id, reason }) => [id, reason]))
    expect(reasons.cut).toBe('run.json is not JSON; expected a JSON object')
    expect(reasons.odd).toMatch(/status is "asleep"; expected one of running, finished/)
    expect(reasons.empty).toBe('run.json: it is not there')
    expect(reasons.linked).toBe('run.json: it is a link')
    expect(reasons.away).toBe('it is a link')
    expect(Object.keys(reasons)).toHaveLength(5)
  })

  it('tell everything about one: evaluations, last update, replays, record, and what was damaged', async () => {
    const detail = await json<RunDetail>('/api/runs/good', RunDetail)
    expect(detail.evaluations.map(({ step, return: { mean }, replay }) => [step, mean, replay])).toEqual([
      [200, 1, 'run:good:0000000200-0'],
      [400, 2.5, undefined],
    ])
    expect(detail.update).toMatchObject({ step: 300, metrics: { loss: 300 } })
    expect(detail.replays).toEqual(['run:good:0000000400-0', 'run:good:0000000200-0'])
    expect(detail.record).toEqual({ format: 1, weightsHash: 'abc' })
    expect(detail.settings).toEqual({ lr: 0.001 })
    expect(detail.problems).toEqual(['log.jsonl: 1 line could not be read'])
    expect(detail.run.return).toMatchObject({ mean: 2.5 })
    expect((await ask(`/api/replays/${encodeURIComponent(detail.replays[0])}`)).status).toBe(200)
    const list = await json<ReplayList>('/api/replays?run=good', ReplayList)
    expect(list.replays.map(({ id, run }) => [id, run])).toContainEqual(['run:good:0000000400-0', 'good'])
    expect(list.total).toBe(2)
  })

  it('hand out the policy of their best checkpoint, else of the last; nothing else of it, and no links', async () => {
    const run = (...parts: string[]) => join(box.data, 'runs', ...parts)
    const keep = async (folder: string, content: string) => {
      await writeAtomically(join(folder, 'weights.safetensors'), content)
      await writeAtomically(join(folder, 'state.json'), '{}')
    }
    await refused(404, '/api/runs/good/policy/state.json')
    await keep(run('good', 'checkpoints', 'last'), 'last')
    expect((await ask('/api/runs/good/policy/weights.safetensors')).body.toString()).toBe('last')
    await symlink(box.folder, run('good', 'checkpoints', 'best'))
    expect((await ask('/api/runs/good/policy/weights.safetensors')).body.toString()).toBe('last')
    await rm(run('good', 'checkpoints', 'best'))
    await keep(run('good', 'checkpoints', 'best'), 'best')
    expect((await ask('/api/runs/good/policy/weights.safetensors')).body.toString()).toBe('best')
    await refused(404, '/api/runs/good/policy/run.json')
    await refused(404, '/api/runs/good/policy/..%2f..%2frun.json')
    await refused(404, '/api/runs/nobody/policy/state.json')
  })

  it('that are not there or cannot be read are refused', async () => {
    expect(await refused(404, '/api/runs/godo')).toMatch(/did you mean "good"/)
    expect(await refused(422, '/api/runs/cut')).toMatch(/^run "cut" is unreadable \(run.json is not JSON/)
    await refused(404, '/api/runs/..%2f..')
    expect((await json<ReplayList>('/api/replays?run=..', ReplayList)).total).toBe(0)
  })

  it('that say they run, with their process gone and nothing written for long, are lost', async () => {
    const patient = await start({ data: box.data, viewerDir: box.viewerDir, limits: { lostMs: 0 } })
    await new Promise((done) => setTimeout(done, 20))
    const { runs } = (await (await fetch(`${patient.url}/api/runs`)).json()) as RunList
    expect(runs.find(({ id }) => id === 'newer')?.status).toBe('lost') // no process has the number 2^30
    const usual = await json<RunList>('/api/runs', RunList)
    expect(usual.runs.find(({ id }) => id === 'newer')?.status).toBe('running')
    await patient.close()
  })
})

describe('requests that are not served', () => {
  it('of another method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
      const answer = await ask('/api/runs', { method })
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
      expect(Value.Check(ErrorBody, answer.json)).toBe(true)
    }
    const options = await ask('/api/runs', { method: 'OPTIONS' })
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD'])
  })

  it('with a large body, announced or not', async () => {
    await refused(413, '/api/runs', { method: 'POST', headers: { 'Content-Length': 10_000_000, Connection: 'close' } })
    await refused(413, '/api/runs', { method: 'POST', headers: { 'Transfer-Encoding': 'chunked' } }, 'a'.repeat(100))
  })

  it('to an address that is not there', async () => {
    expect(await refused(404, '/nothing')).toMatch(/address is "\/nothing"; expected/)
    const person = { headers: { Accept: 'text/html,*/*' } }
    const page = await ask('/nothing', person)
    expect([page.status, page.body.toString().includes('<title>troupe')]).toEqual([404, true])
    await refused(404, '/api/nothing', person)
    await refused(404, '/assets/nothing.js', person)
    await refused(404, '/api/nothing')
    await refused(404, '/api/')
    await refused(404, '/%ff')
    await refused(400, '/api/replays/%E0%A4%A')
  })

  it('under a name that is not ours', async () => {
    await refused(403, '/api/runs', { headers: { Host: 'evil.example' } })
    await refused(403, '/', { headers: { Host: 'evil.example:7340' } })
    expect((await ask('/api/runs', { headers: { Host: `localhost:${server.port}` } })).status).toBe(200)
    const named = await start({ data: box.data, viewerDir: box.viewerDir, names: ['box.example'] })
    const answer = await new Promise<number>((done) => {
      const options = { host: '127.0.0.1', port: named.port, path: '/api/runs', headers: { Host: 'box.example' } }
      request(options, (response) => done(response.resume().statusCode!)).end()
    })
    expect(answer).toBe(200)
    await named.close()
  })

  it('that are no HTTP at all', async () => {
    const said = await new Promise<string>((done) => {
      const socket = connect(server.port, '127.0.0.1', () => socket.write('\x16\x03\x01 nonsense\r\n\r\n'))
      let text = ''
      socket.on('data', (part) => (text += part.toString()))
      socket.on('close', () => done(text))
    })
    expect(said).toMatch(/^HTTP\/1.1 400 Bad Request/)
    expect(said).toContain('"code":"bad-message"')
  })

  it('with an address or headers beyond the limit', async () => {
    const said = (head: string) =>
      new Promise<string>((done) => {
        const socket = connect(server.port, '127.0.0.1', () => socket.write(head))
        let text = ''
        socket.on('data', (part) => (text += part.toString()))
        socket.on('error', () => undefined)
        socket.on('close', () => done(text))
      })
    const host = `Host: 127.0.0.1:${server.port}`
    const address = await said(`GET /api/${'a'.repeat(30_000)} HTTP/1.1\r\n${host}\r\n\r\n`)
    expect(address).toMatch(/^HTTP\/1.1 414 URI Too Long/)
    expect(address).toContain('address is too long; expected at most 16384 bytes')
    const headers = await said(`GET /api/health HTTP/1.1\r\n${host}\r\nX-Long: ${'a'.repeat(30_000)}\r\n\r\n`)
    expect(headers).toMatch(/^HTTP\/1.1 431 /)
    expect((await ask('/api/health')).status).toBe(200)
  })

  it('whatever the path, get a JSON refusal and leave the server up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.stringMatching(/^[!-~]{0,60}$/), async (text) => {
        const answer = await ask(`/api/${text.replaceAll(/[\s#]/g, '')}`)
        expect(answer.status).toBeLessThan(500)
        if (answer.status >= 400) expect(Value.Check(ErrorBody, answer.json)).toBe(true)
      }),
      { numRuns: 100 },
    )
    expect((await ask('/api/health')).status).toBe(200)
  })
})
