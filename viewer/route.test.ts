import { describe, expect, it } from 'vitest'
import { boardPath, comparePath, embedPath, entryPath, parseRoute, replayPath, runPath, scenarioPath } from './route.ts'

const split = (path: string): [string, string] => {
  const [a, b = ''] = path.split('?')
  return [a, b === '' ? '' : `?${b}`]
}

describe('addresses', () => {
  it('a link carries replay, step and agent there and back, whatever the names hold', () => {
    for (const id of ['shipped:tiny', 'run:2026 a/b:000-1', 'file:50 % ?x=#y&z']) {
      const path = replayPath(id, { step: 42, agent: 'agent_1' })
      expect(parseRoute(...split(path))).toEqual({
        page: 'replay',
        id,
        query: { step: 42, agent: 'agent_1', url: null, camera: null, overlays: [] },
      })
    }
    expect(parseRoute(...split(runPath('a b:c')))).toEqual({ page: 'run', id: 'a b:c' })
  })

  it('a board is named with its rows, its evidence and its place in the list', () => {
    const query = { kind: 'algorithm', level: 'live', offset: 50 } as const
    for (const place of ['scenario', 'suite'] as const) {
      const path = boardPath(place, 'warehouse/tiny-2ag', query)
      expect(parseRoute(...split(path))).toEqual({ page: 'board', place, id: 'warehouse/tiny-2ag', query })
    }
    expect(boardPath('scenario', 'matrix/pd')).toBe('/board/matrix%2Fpd')
    expect(parseRoute('/board/matrix%2Fpd', '?from=-3&rows=x')).toMatchObject({
      query: { kind: 'policy', level: null, offset: 0 },
    })
    expect(parseRoute(entryPath('abc'), '')).toEqual({ page: 'entry', id: 'abc' })
    expect(parseRoute('/boards', '')).toEqual({ page: 'boards' })
    expect(parseRoute('/submit', '')).toEqual({ page: 'submit' })
    expect(parseRoute('/boards/x', '')).toEqual({ page: 'unknown' })
  })

  it('the slash in the name of a scenario may be written as it is; links write it as %2F', () => {
    expect(parseRoute('/board/warehouse/nano-2ag', '?from=50')).toEqual(
      parseRoute('/board/warehouse%2Fnano-2ag', '?from=50'),
    )
    expect(parseRoute('/scenario/skirmish/3m', '')).toEqual({ page: 'scenario', id: 'skirmish/3m' })
    expect(scenarioPath('skirmish/3m')).toBe('/scenario/skirmish%2F3m')
    for (const path of ['/scenario/a/b/c', '/board/a/b/c', '/run/a/b', '/entry/a/b', '/suite/a/b']) {
      expect(parseRoute(path, '')).toEqual({ page: 'unknown' })
    }
  })

  it('nonsense in a link is read as the first step and no agent', () => {
    const query = (search: string) => (parseRoute('/replay/x', search) as { query: unknown }).query
    expect(query('?step=banana')).toEqual({ step: 0, agent: null, url: null, camera: null, overlays: [] })
    expect(query('?step=-7')).toMatchObject({ step: 0 })
    expect(query('?step=1e999')).toMatchObject({ step: 0 })
    expect(query('?step=12.9')).toMatchObject({ step: 12 })
  })

  it('knows its pages and says when it does not', () => {
    expect(parseRoute('/', '')).toEqual({ page: 'home' })
    expect(parseRoute('/replay/link', '?url=/x.replay')).toMatchObject({
      page: 'replay',
      id: null,
      query: { url: '/x.replay' },
    })
    expect(parseRoute('/replay/local', '')).toMatchObject({ page: 'replay', id: null, query: { url: null } })
    expect(replayPath(null, { step: 3, url: '/x.replay' })).toBe('/replay/link?url=%2Fx.replay&step=3')
    expect(parseRoute('/nothing/here', '')).toEqual({ page: 'unknown' })
    expect(parseRoute('/replay/a/b', '')).toEqual({ page: 'unknown' })
    expect(parseRoute('/run', '')).toEqual({ page: 'unknown' })
    expect(parseRoute('/replay/%E0%A4%A', '')).toMatchObject({ page: 'replay' })
  })
})

describe('addresses of a whole view', () => {
  it('hold step, agent, camera and overlays, and give them back', () => {
    const query = { step: 42, agent: 'agent_3', camera: { x: 5.25, y: -0.5, zoom: 2.125 }, overlays: ['paths', 'seen'] }
    const [path, search] = replayPath('file:a b', query).split('?')
    expect(parseRoute(path, `?${search}`)).toEqual({ page: 'replay', id: 'file:a b', query: { ...query, url: null } })
    const [embed, same] = embedPath('file:a b', query).split('?')
    expect(parseRoute(embed, `?${same}&parent=https://a.example`)).toEqual({
      page: 'embed',
      id: 'file:a b',
      query: { ...query, url: null },
      parent: 'https://a.example',
    })
  })

  it('take a broken camera for none', () => {
    for (const camera of ['', '1,2', '1,2,0', '1,2,-3', 'a,b,c', '1,2,Infinity']) {
      const route = parseRoute('/replay/file:a', `?camera=${camera}`)
      expect(route.page === 'replay' && route.query.camera).toBeNull()
    }
  })

  it('name two replays side by side', () => {
    const query = { a: 'file:a', b: 'run:x:y', step: 7, agent: 'agent_0' }
    const [path, search] = comparePath(query).split('?')
    expect(parseRoute(path, `?${search}`)).toEqual({ page: 'compare', query })
  })
})
