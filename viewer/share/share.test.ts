import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mayCommand, originOf, readCommand } from './embed-contract.ts'
import { encloseReplay } from './page-file.ts'

describe('messages to an embedded player', () => {
  it('are taken as the contract says, field by field', () => {
    expect(readCommand({ troupe: 1, type: 'step', step: 42, more: 'ignored' })).toEqual({ type: 'step', step: 42 })
    expect(readCommand({ troupe: 1, type: 'playing', playing: true })).toEqual({ type: 'playing', playing: true })
    expect(readCommand({ troupe: 1, type: 'select', agent: null })).toEqual({ type: 'select', agent: null })
    expect(readCommand({ troupe: 1, type: 'theme', theme: 'dark' })).toEqual({ type: 'theme', theme: 'dark' })
    const overlays = { troupe: 1, type: 'overlays', overlays: ['paths'] }
    expect(readCommand(overlays)).toEqual({ type: 'overlays', overlays: ['paths'] })
    const bytes = new ArrayBuffer(8)
    expect(readCommand({ troupe: 1, type: 'load', replay: bytes, step: 3 })).toEqual({
      type: 'load',
      replay: bytes,
      step: 3,
    })
  })

  it('of any other shape are nobody’s business', () => {
    const odd: unknown[] = [null, 7, 'step', [], {}, { type: 'step', step: 1 }, { troupe: 2, type: 'step', step: 1 }]
    odd.push({ troupe: 1, type: 'step', step: '1' }, { troupe: 1, type: 'step', step: NaN })
    odd.push({ troupe: 1, type: 'load', replay: 7 }, { troupe: 1, type: 'load', replay: 'a'.repeat(500) })
    odd.push({ troupe: 1, type: 'load', replay: 'file:a', agent: 3 }, { troupe: 1, type: 'theme', theme: 'pink' })
    odd.push({ troupe: 1, type: 'overlays', overlays: 'paths' }, { troupe: 1, type: 'overlays', overlays: [3] })
    odd.push({ troupe: 1, type: 'constructor' }, { troupe: 1, type: 'playing', playing: 1 })
    for (const data of odd) expect(readCommand(data)).toBeNull()
  })

  it('are heard from the page around only, and from the named origin only', () => {
    const parent = {}
    const from = (source: unknown, origin: string) => ({ source, origin })
    expect(mayCommand(from(parent, 'https://a.example'), parent, null)).toBe(true)
    expect(mayCommand(from({}, 'https://a.example'), parent, null)).toBe(false)
    expect(mayCommand(from(parent, 'https://a.example'), parent, 'https://a.example')).toBe(true)
    expect(mayCommand(from(parent, 'https://b.example'), parent, 'https://a.example')).toBe(false)
    expect(originOf('https://a.example/some/page')).toBe('https://a.example')
    expect(originOf('nonsense')).toBeNull()
    expect(originOf('data:text/html,x')).toBeNull()
  })
})

describe('a page file', () => {
  const player = readFileSync(join(import.meta.dirname, '../player.html'), 'utf8')
  const about = { name: '</script><script>alert(1)</script>$&', step: 3, agent: null, overlays: [], replay: 'AAAA' }

  it('holds the replay, whatever its name is', () => {
    const page = encloseReplay(player, about)
    const json = /<script type="application\/json" id="troupe-replay">(.*?)<\/script>/s.exec(page)![1]
    expect(JSON.parse(json)).toEqual(about)
    expect(page).not.toContain('<script>alert')
  })

  it('is not made of something that is no player', () => {
    expect(() => encloseReplay('<p>not found</p>', about)).toThrow('npm run build')
  })
})
