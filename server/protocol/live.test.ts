import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import { TroupeError } from '../../envs/core/errors.ts'
import {
  LIVE_CLIENT_MESSAGES,
  LIVE_SERVER_MESSAGES,
  decodeActions,
  decodeObservation,
  encodeActions,
  encodeObservation,
  readLiveClientMessage,
  type ObservationFrame,
} from './live.ts'

const QUESTION: ObservationFrame = {
  turn: 5,
  late: true,
  episode: Uint32Array.of(7),
  step: Uint32Array.of(3),
  agents: 2,
  observation: Float32Array.of(1, 0.5, -2),
  mask: Uint8Array.of(),
  alive: Uint8Array.of(1, 0),
}

describe('the frames', () => {
  it('of a question lie in memory as the documentation says', () => {
    // Worked out by hand from README.md: one lane, two agents with one feature and three choices each.
    const bytes = encodeObservation(
      { ...QUESTION, observation: Float32Array.of(1, -2), mask: Uint8Array.of(1, 1, 0, 0, 1, 0) },
      1,
      3,
    )
    expect([...bytes.subarray(0, 28)]).toEqual([
      ...[0x54, 0x52, 0x4c, 0x31], // TRL1
      ...[5, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0],
    ])
    expect([...bytes.subarray(28, 36)]).toEqual([7, 0, 0, 0, 3, 0, 0, 0])
    expect([...bytes.subarray(36, 44)]).toEqual([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]) // 1 and -2 as float32
    expect([...bytes.subarray(44)]).toEqual([1, 1, 0, 0, 1, 0, 1, 0]) // masks, then lives: 8 bytes need no padding
  })

  it('of an answer lie in memory as the documentation says', () => {
    const bytes = encodeActions({ turn: 258, lanes: 2, action: Int32Array.of(1, -1, 2, 3) })
    expect([...bytes.subarray(0, 16)]).toEqual([0x54, 0x52, 0x41, 0x31, 2, 1, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0])
    expect([...bytes.subarray(16)]).toEqual([1, 0, 0, 0, 255, 255, 255, 255, 2, 0, 0, 0, 3, 0, 0, 0])
  })

  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.nat(4), fc.integer({ min: 1, max: 3 }), fc.nat(5), fc.nat(4), fc.nat(), (n, N, F, A, salt) => {
        const fill = (length: number, of: (i: number) => number) => Array.from({ length }, (_, i) => of(i + salt))
        const frame: ObservationFrame = {
          turn: salt,
          late: salt % 2 === 0,
          episode: Uint32Array.from(fill(n, (i) => i)),
          step: Uint32Array.from(fill(n, (i) => i * 3)),
          agents: N,
          observation: Float32Array.from(fill(n * N * F, (i) => Math.fround(i / 7))),
          mask: Uint8Array.from(fill(n * N * A, (i) => i % 2)),
          alive: Uint8Array.from(fill(n * N, (i) => (i + 1) % 2)),
        }
        expect(decodeObservation(encodeObservation(frame, F, A))).toEqual({ ...frame, features: F, actions: A })
        const action = salt % 2 === 0 ? Int32Array.from(fill(n * N, (i) => -i)) : Float32Array.from(frame.alive)
        const answer = { turn: salt, lanes: n, action }
        const width = n === 0 ? 0 : N
        expect(decodeActions(encodeActions(answer), width, salt % 2 !== 0)).toEqual(answer)
      }),
      { numRuns: 200 },
    )
  })

  it('that are malformed are refused in one sentence, however they are damaged', () => {
    const whole = encodeActions({ turn: 1, lanes: 2, action: Int32Array.of(1, 2, 3, 4) })
    const question = encodeObservation({ ...QUESTION, observation: new Float32Array(2), mask: new Uint8Array(6) }, 1, 3)
    const damaged = (bytes: Uint8Array) =>
      fc.tuple(fc.nat(bytes.length), fc.uint8Array({ maxLength: 12 })).map(([at, junk]) => {
        const copy = Uint8Array.from(bytes)
        copy.set(junk.subarray(0, Math.max(0, copy.length - at)), at)
        return junk.length % 3 === 0 ? copy.subarray(0, at) : copy
      })
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 64 }), damaged(whole), damaged(question)), (bytes) => {
        for (const read of [() => decodeActions(bytes, 2, false), () => decodeObservation(bytes)]) {
          try {
            read()
          } catch (error) {
            if (!(error instanceof TroupeError) || error.code !== 'bad-message') throw error
          }
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('cannot make a reader allocate for sizes that are not there', () => {
    const huge = encodeActions({ turn: 0, lanes: 1, action: Int32Array.of(1) })
    new DataView(huge.buffer).setUint32(8, 0xffffffff, true)
    expect(() => decodeActions(huge, 1, false)).toThrow(/length is 20 bytes; expected 17179869196/)
  })
})

describe('the text messages', () => {
  it.each(['live.state', 'live.seed', 'live.observe', 'live.save', 'state'])('know no "%s"', (type) => {
    expect(() => readLiveClientMessage(JSON.stringify({ type, agent: 'agent_1' }))).toThrow(/type is "/)
  })

  it('leave no room for a seed of the client', () => {
    const start = {
      type: 'live.start',
      protocol: 1,
      scenario: 'warehouse/tiny-2ag',
      description: { name: 'a', algorithm: 'a', mode: 'greedy', centralised: false },
    }
    expect(readLiveClientMessage(JSON.stringify(start))).toEqual(start)
    for (const field of ['seed', 'seeds', 'episodes', 'panel', 'state']) {
      expect(() => readLiveClientMessage(JSON.stringify({ ...start, [field]: 1 }))).toThrow(/not known here/)
    }
  })

  it('are all in the documentation, and nothing else is', () => {
    const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8')
    const section = readme.slice(readme.indexOf('## Live evaluation'))
    const rows = [...section.matchAll(/^\| `(live\.[a-z]+|error)` \|/gm)].map((match) => match[1]).sort()
    expect(rows).toEqual([...Object.keys(LIVE_CLIENT_MESSAGES), ...Object.keys(LIVE_SERVER_MESSAGES)].sort())
  })
})
