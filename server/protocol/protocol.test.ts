import { describe, expect, it } from 'vitest'
import { refusal } from '../../testing.ts'
import fc from 'fast-check'
import { readFileSync, readdirSync } from 'node:fs'
import { TroupeError } from '../../envs/core/errors.ts'
import { type ReplayHeader } from '../../envs/core/replay.ts'
import { CLIENT_MESSAGES, SERVER_MESSAGES, readClientMessage, readServerMessage } from './index.ts'
import { ReplayAssembly, decodeChunk, encodeChunk, type ReplayChunk, type ReplayOpened } from './replays.ts'
import { type ReplayHeaderShape } from './replays.ts'
import { sketchReplay } from '../testing.ts'

describe('text messages', () => {
  it('are read when they are as documented', () => {
    expect(readClientMessage('{"type":"replay.open","stream":1,"replay":"file:a"}')).toEqual({
      type: 'replay.open',
      stream: 1,
      replay: 'file:a',
    })
  })

  it('name the field, what came and what was expected', () => {
    const error = refusal(() => readClientMessage('{"type":"replay.seek","stream":1,"step":-1}'))
    expect(error.code).toBe('bad-message')
    expect(error.message).toBe('message: replay.seek: step is -1; expected a whole number of 0 to 9007199254740991')
    expect(refusal(() => readClientMessage('{"type":"replay.seek","stream":1}')).message).toMatch(/step is missing/)
    expect(refusal(() => readClientMessage('{"type":"ping","id":1,"ib":2}')).message).toMatch(/ib is not known here/)
  })

  it('of an unknown type get the nearest type', () => {
    expect(refusal(() => readClientMessage('{"type":"replay.opne"}')).nearest).toBe('"replay.open"')
    expect(refusal(() => readClientMessage('{"type":"__proto__"}')).code).toBe('bad-message')
    expect(refusal(() => readClientMessage('{"type":"toString"}')).code).toBe('bad-message')
  })

  it('that are not JSON objects, or too long, are refused in one sentence', () => {
    for (const text of ['', '{', '[]', 'null', '1', '"hello"', '{"type":7}', '{}']) {
      expect(refusal(() => readClientMessage(text)).code).toBe('bad-message')
    }
    expect(refusal(() => readClientMessage(`"${'a'.repeat(20_000)}"`)).message).toMatch(/20002 bytes; expected 16384/)
  })

  it('from the server may hold fields this end does not know', () => {
    expect(readServerMessage('{"type":"pong","id":3,"later":true}')).toMatchObject({ type: 'pong', id: 3 })
  })

  it('never throw anything but a TroupeError', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        for (const read of [readClientMessage, readServerMessage]) {
          try {
            read(text)
          } catch (error) {
            if (!(error instanceof TroupeError)) throw error
          }
        }
      }),
      { numRuns: 500 },
    )
  })

  it('are all in the documentation, and nothing else is', () => {
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
    const section = (from: string, to: string) => readme.slice(readme.indexOf(from), readme.indexOf(to))
    const rows = (text: string) => [...text.matchAll(/^\| `([a-z.]+)` \|/gm)].map((match) => match[1]).sort()
    expect(rows(section('### From the client', '### From the server'))).toEqual(Object.keys(CLIENT_MESSAGES).sort())
    expect(rows(section('### From the server', '### RunInfo'))).toEqual(Object.keys(SERVER_MESSAGES).sort())
  })

  it('need nothing but what a page can load: schemas, the core of the environments, scenarios as data, statistics', () => {
    const folder = new URL('.', import.meta.url)
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.includes('.test.'))) {
      const source = readFileSync(new URL(file, folder), 'utf8')
      for (const [, from] of source.matchAll(/from '([^']+)'/g)) {
        expect([file, from]).toEqual([
          file,
          expect.stringMatching(
            /^(\.\/|\.\.\/\.\.\/(envs\/core\/|scenarios\/open\.ts$|results\/statistics\.ts$)|#typebox$|@noble\/hashes\/)/,
          ),
        ])
      }
    }
  })

  it('carry the header of a replay file as it is', () => {
    // Compiles only while the two types agree.
    const there: ReplayHeaderShape = sketchReplay().header
    const back: ReplayHeader = there
    expect(back.format).toBe(1)
  })
})

const chunk = (patch: Partial<ReplayChunk> = {}): ReplayChunk => ({
  stream: 7,
  index: 1,
  first: 64,
  steps: 3,
  actions: Int32Array.of(0, 1, 2, 3, 4, 5),
  digests: Uint16Array.of(1, 2, 65535),
  probability: Float32Array.of(0.5, 0.25, 0.125),
  value: Float32Array.of(1, NaN, -0),
  chain: [{ index: 1, sha256: 'ab'.repeat(32) }],
  keyframes: [{ step: 64, snapshot: null, frame: { step: 64, entities: [], events: [], counters: {} } }],
  notes: [{ step: 65, agent: 'carrier_1', text: 'λ' }],
  ...patch,
})

describe('binary chunks', () => {
  it('lie in memory as the documentation says', () => {
    // Worked out by hand from the table in README.md: 40 bytes of head, then 6 actions as u8 padded to 8 bytes.
    const bytes = encodeChunk(chunk({ probability: new Float32Array(0), value: new Float32Array(0) }))
    expect([...bytes.subarray(0, 8)]).toEqual([0x54, 0x52, 0x43, 0x31, 7, 0, 0, 0])
    expect([...bytes.subarray(8, 28)]).toEqual([1, 0, 0, 0, 64, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0])
    expect([...bytes.subarray(40, 48)]).toEqual([0, 1, 2, 3, 4, 5, 0, 0])
    expect([...bytes.subarray(48, 56)]).toEqual([1, 0, 2, 0, 255, 255, 0, 0])
    expect(JSON.parse(new TextDecoder().decode(bytes.subarray(56)))).toHaveProperty('chain')
  })

  it('come back as they were, for every kind of action', () => {
    const kinds = [
      Int32Array.of(0, 1, 2, 3, 4, 255),
      Int32Array.of(0, 1, 2, 3, 4, 65535),
      Int32Array.of(0, 1, 2, 3, -4, 5),
      Int32Array.of(0, 1, 2, 3, 4, 70000),
      Float32Array.of(0.5, -0, Infinity, 3, 1e-9, 5),
    ]
    for (const actions of kinds) expect(decodeChunk(encodeChunk(chunk({ actions })))).toEqual(chunk({ actions }))
    const empty = { actions: new Int32Array(0), digests: new Uint16Array(0), steps: 0, first: 0, index: 0 }
    const nothing = {
      probability: new Float32Array(0),
      value: new Float32Array(0),
      chain: [],
      keyframes: [],
      notes: [],
    }
    expect(decodeChunk(encodeChunk(chunk({ ...empty, ...nothing })))).toEqual(chunk({ ...empty, ...nothing }))
  })

  it('of any bytes give a chunk or one TroupeError, and allocate nothing larger than what came', () => {
    const good = encodeChunk(chunk())
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { maxLength: 4 }),
        fc.nat(good.length),
        (edits, cut) => {
          const bytes = good.slice(0, cut > good.length / 2 ? good.length : cut)
          for (const [at, byte] of edits) if (at < bytes.length) bytes[at] = byte
          try {
            decodeChunk(bytes)
          } catch (error) {
            if (!(error instanceof TroupeError)) throw error
          }
        },
      ),
      { numRuns: 500 },
    )
    const huge = good.slice()
    new DataView(huge.buffer).setUint32(16, 0xffffffff, true)
    expect(refusal(() => decodeChunk(huge)).message).toMatch(/as its counts say/)
  })
})

const opened = (patch: Partial<ReplayOpened> = {}): ReplayOpened => ({
  type: 'replay.opened',
  stream: 7,
  replay: 'file:a',
  header: { ...sketchReplay().header, agents: ['a', 'b'] },
  bytes: 10,
  steps: 67,
  chunkSteps: 64,
  chunks: 2,
  keyframes: 1,
  probabilities: 0,
  values: false,
  ...patch,
})
const plain = { probability: new Float32Array(0), value: new Float32Array(0) }
const first = chunk({
  ...plain,
  index: 0,
  first: 0,
  steps: 64,
  actions: new Int32Array(128).fill(1),
  digests: new Uint16Array(64).fill(9),
  chain: [{ index: 0, sha256: 'cd'.repeat(32) }],
  keyframes: [],
  notes: [],
})
const second = chunk({ ...plain, keyframes: [{ step: 66, snapshot: { format: 1 } as never, frame: null }] })

describe('the assembly', () => {
  it('puts chunks in their places in any order, once', () => {
    const assembly = new ReplayAssembly(opened())
    for (const part of [second, second, first]) assembly.add(part)
    expect(assembly.complete).toBe(true)
    expect([...assembly.actions.subarray(126)]).toEqual([1, 1, 0, 1, 2, 3, 4, 5])
    expect([...assembly.digests.subarray(63)]).toEqual([9, 1, 2, 65535])
    expect(assembly.chain).toEqual(['cd'.repeat(32), 'ab'.repeat(32)])
    expect(assembly.keyframes.map((keyframe) => keyframe.step)).toEqual([66])
    expect(assembly.notes).toHaveLength(1)
  })

  it('knows which steps can be shown', () => {
    const assembly = new ReplayAssembly(opened())
    expect([assembly.ready(0), assembly.ready(1)]).toEqual([true, false])
    assembly.add(second)
    // From the keyframe at 66 on; 65 needs the actions before it.
    expect([64, 65, 66, 67, 99].map((step) => assembly.ready(step))).toEqual([false, false, true, true, true])
    expect(assembly.ready(66, 'frame')).toBe(false)
    assembly.add(first)
    expect([0, 64, 65].every((step) => assembly.ready(step))).toBe(true)
  })

  it('refuses parts of something else and sizes that do not fit', () => {
    const assembly = new ReplayAssembly(opened())
    expect(refusal(() => assembly.add({ ...first, stream: 8 })).code).toBe('bad-message')
    expect(refusal(() => assembly.add({ ...first, actions: new Int32Array(127) })).code).toBe('bad-message')
    expect(refusal(() => assembly.add({ ...second, index: 2, first: 128 })).code).toBe('bad-message')
    expect(refusal(() => new ReplayAssembly(opened({ chunks: 3 }))).message).toMatch(/chunks is 3; expected 2/)
    const steps = 2 ** 40
    expect(refusal(() => new ReplayAssembly(opened({ steps, chunks: steps / 64 }))).message).toMatch(/size is/)
  })
})
