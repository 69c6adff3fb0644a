import { describe, expect, it } from 'vitest'
import { download, readFile, replayAddress, sameOrigin } from './load.ts'
import { MAX_FILE_BYTES } from './messages.ts'

const origin = 'http://127.0.0.1:7340'
const answer = (body: BodyInit | null, init: ResponseInit = {}) =>
  (async () => new Response(body, init)) as typeof fetch

describe('where replays come from', () => {
  it('a link opens what lies on this server and nothing else', () => {
    expect(sameOrigin('/api/replays/file%3Aa', origin)).toBe(`${origin}/api/replays/file%3Aa`)
    expect(sameOrigin(`${origin}/x.replay`, origin)).toBe(`${origin}/x.replay`)
    for (const link of [
      'https://example.org/x.replay',
      '//example.org/x.replay',
      'http://127.0.0.1:7341/x.replay',
      'http://user@127.0.0.1:7340/x.replay',
      'javascript:alert(1)',
      'data:application/octet-stream;base64,AAAA',
      'blob:http://127.0.0.1:7340/1',
      'file:///etc/passwd',
      'http://',
    ]) {
      expect(sameOrigin(link, origin), link).toBeUndefined()
    }
  })

  it('an id keeps its colons and slashes in the address', () => {
    expect(replayAddress('run:a b/c:0001-0')).toBe('/api/replays/run%3Aa%20b%2Fc%3A0001-0')
  })

  it('downloads bytes and tells how much has come', async () => {
    const parts: number[] = []
    const bytes = Uint8Array.of(1, 2, 3, 4)
    const fetcher = answer(bytes, { headers: { 'content-length': '4' } })
    expect(await download('/x', 'x', (part) => parts.push(part), fetcher)).toEqual(bytes)
    expect(parts.at(-1)).toBe(1)
  })

  it('says in a sentence why a download failed', async () => {
    const attempt = (fetcher: typeof fetch) => download('/x', 'a.replay', () => {}, fetcher)
    await expect(attempt(answer(null, { status: 404 }))).rejects.toThrow('a.replay: the server has no such replay.')
    await expect(attempt(answer(null, { status: 503 }))).rejects.toThrow('a.replay: the server answered 503.')
    await expect(attempt((() => Promise.reject(new TypeError('x'))) as typeof fetch)).rejects.toThrow(
      'a.replay: the server does not answer.',
    )
  })

  it('stops a download that is larger than it said', async () => {
    const announced = answer(Uint8Array.of(1), { headers: { 'content-length': String(MAX_FILE_BYTES + 1) } })
    await expect(download('/x', 'a', () => {}, announced)).rejects.toThrow(
      /a: the file is 67 MB; expected at most 67 MB/,
    )
    let sent = 0
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 8 << 20
        controller.enqueue(new Uint8Array(8 << 20))
      },
    })
    await expect(download('/x', 'a', () => {}, answer(endless))).rejects.toThrow(/expected at most/)
    expect(sent).toBeLessThan(MAX_FILE_BYTES + (32 << 20))
  })

  it('refuses a huge file by its size, without reading it', async () => {
    const file = { name: 'big.replay', size: 5e9, arrayBuffer: () => Promise.reject(new Error('was read')) }
    await expect(readFile(file as unknown as File)).rejects.toThrow('big.replay: the file is 5\u202f000 MB')
  })
})
