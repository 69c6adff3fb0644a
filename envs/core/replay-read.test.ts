import { crc32 as nodeCrc, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TroupeError } from './errors.ts'
import { crc32, inflateExactly, parseJson } from './replay-bytes.ts'
import { MAGIC, SECTION } from './replay-format.ts'
import {
  ReplayReader,
  readReplay,
  readReplayHeader,
  verifyReplay,
  type ReplayHeader,
  type ReplayLimits,
} from './replay.ts'
import { lanterns } from './sample.ts'
import { LONG, recordSample } from './sample-replays.ts'

interface Part {
  type: number
  raw: Uint8Array
  step?: number
  steps?: number
  method?: number
  stored?: Uint8Array
  rawLength?: number
}

/** A file from its sections, written here from the format's description and not with the writer. */
function file(parts: Part[], format = 1): Uint8Array {
  const out: Uint8Array[] = [MAGIC, Uint8Array.of(format & 255, format >> 8)]
  for (const { type, raw, step = 0, steps = 0, method = 0, stored = raw, rawLength = raw.length } of parts) {
    const head = Buffer.alloc(20)
    head[0] = type
    head[1] = method
    head.writeUInt16LE(steps, 2)
    head.writeUInt32LE(step, 4)
    head.writeUInt32LE(rawLength, 8)
    head.writeUInt32LE(stored.length, 12)
    head.writeUInt32LE(nodeCrc(stored, nodeCrc(head.subarray(0, 16))), 16)
    out.push(head, stored)
  }
  return new Uint8Array(Buffer.concat(out))
}

/** The sections of a file, unpacked. */
function partsOf(bytes: Uint8Array): Part[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const parts: Part[] = []
  for (let at = 10; at < bytes.length;) {
    const stored = bytes.slice(at + 20, at + 20 + view.getUint32(at + 12, true))
    const rawLength = view.getUint32(at + 8, true)
    const method = bytes[at + 1]
    const raw = method === 1 ? inflateExactly(stored, rawLength, '') : stored
    const kept = method === 2 ? { method, stored, rawLength } : {}
    parts.push({
      type: bytes[at],
      raw,
      steps: view.getUint16(at + 2, true),
      step: view.getUint32(at + 4, true),
      ...kept,
    })
    at += 20 + stored.length
  }
  return parts
}

const json = (value: unknown) => new Uint8Array(Buffer.from(JSON.stringify(value)))
const bytes = recordSample({ ...LONG, horizon: 100 }, { keyframeEvery: 40, channels: true }).finish('sum')
/** A shorter one, for what is tried at every byte. */
const short = recordSample({ ...LONG, horizon: 8 }, { keyframeEvery: 8 }).finish('sum')
const parts = partsOf(bytes)
const header = JSON.parse(Buffer.from(parts[0].raw).toString()) as ReplayHeader

/** The file with other sections. */
const changed = (change: (parts: Part[]) => Part[]) => file(change(parts.map((part) => ({ ...part }))))
const withHeader = (change: object) =>
  changed((all) => [{ ...all[0], raw: json({ ...header, ...change }) }, ...all.slice(1)])
const replaced = (type: number, change: Partial<Part>) =>
  changed((all) => all.map((part) => (part.type === type ? { ...part, ...change } : part)))

function refusal(data: Uint8Array, limits: Partial<ReplayLimits> = {}): TroupeError {
  try {
    readReplay(data, limits, 'a.replay')
  } catch (error) {
    if (error instanceof TroupeError) {
      expect(error.message.split('\n').length).toBe(1)
      expect(error.message.startsWith('a.replay')).toBe(true)
      return error
    }
    throw error
  }
  throw new Error('the file was read')
}

describe('reading replays', () => {
  it('works on files put together from the description of the format alone', () => {
    expect(readReplay(file(parts))).toEqual(readReplay(bytes))
    expect(crc32(Buffer.from('123456789'))).toBe(0xcbf43926) // the check value of CRC-32
  })

  it('refuses a file cut off anywhere, and a header cut off anywhere', () => {
    for (let length = 0; length < short.length; length++) {
      const { code, message } = refusal(short.subarray(0, length))
      if (code !== 'bad-file' || !message.includes('cut off')) throw new Error(`${length} bytes: ${message}`)
    }
    expect(() => readReplayHeader(bytes.subarray(0, 25))).toThrow(/cut off after 25 bytes/)
  })

  it('finds every changed bit', () => {
    for (let bit = 0; bit < short.length * 8; bit += 3) {
      const flipped = short.slice()
      flipped[bit >> 3] ^= 1 << (bit & 7)
      if (!['bad-file', 'bad-version'].includes(refusal(flipped).code)) throw new Error(`bit ${bit}`)
    }
  })

  it('refuses other kinds of files at their first bytes', () => {
    const foreign = [
      '',
      'PK\x03\x04zip',
      '{"steps":[]}',
      '\x89PNG\r\n\x1a\n....',
      '\x1f\x8b\x08....',
      '<!DOCTYPE html>',
    ]
    for (const text of foreign) expect(refusal(Buffer.from(text, 'latin1')).code).toBe('bad-file')
    const reader = new ReplayReader()
    expect(() => reader.push(Uint8Array.of(0x50))).toThrow(/another kind of file/)
    expect(() => reader.push(bytes)).toThrow(/after an error/)
    const asText = Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
    expect(refusal(asText).message).toMatch(/another kind of file/)
  })

  it('names both versions of a format it does not know', () => {
    const error = refusal(file(parts, 7))
    expect(error.code).toBe('bad-version')
    expect(error.message).toBe('a.replay: format is 7; expected 1, the only one this build reads')
    expect(refusal(withHeader({ format: 2 })).code).toBe('bad-version')
  })

  it('refuses anything after the end', () => {
    expect(refusal(Uint8Array.of(...bytes, 0)).message).toMatch(/followed by 1 more bytes/)
    expect(refusal(Uint8Array.of(...bytes, ...bytes)).code).toBe('bad-file')
  })

  it('refuses oversized parts by their declared size, before the bytes come', () => {
    for (const [type, raw, stored] of [
      [1, 0xffffffff, 10],
      [1, 0xffffffff, 0xffffffff],
      [2, 0x7fffffff, 0x7fffffff],
      [6, 0xffffffff, 0xffffffff],
    ]) {
      const start = type === 1 ? file([]) : file(parts.slice(0, 3))
      const head = Buffer.alloc(20)
      head[0] = type
      head[1] = raw === stored ? 0 : 1
      head.writeUInt32LE(raw, 8)
      head.writeUInt32LE(stored, 12)
      const before = process.memoryUsage().arrayBuffers
      expect(refusal(Buffer.concat([start, head])).message).toMatch(/at most|bytes/)
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20e6)
    }
  })

  it('stops a decompression bomb at the size it declares', () => {
    const bomb = deflateRawSync(Buffer.alloc(300e6)) // 300 MB of zeros in 290 kB
    const before = process.memoryUsage().arrayBuffers
    const small = new Uint8Array(deflateRawSync(Buffer.alloc(200_000))) // whole, and shorter than the 300 bytes declared
    expect(small.length).toBeLessThan(300)
    const error = refusal(replaced(SECTION.actions, { method: 1, stored: small, rawLength: 300 }))
    expect(error.message).toMatch(/more data than it declares/)
    const huge = refusal(replaced(SECTION.keyframes, { method: 1, stored: new Uint8Array(bomb), rawLength: 8e6 }))
    expect(huge.message).toMatch(/more data than it declares/)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60e6)
  })

  it('keeps all its limits', () => {
    expect(refusal(bytes, { fileBytes: 1000 }).message).toMatch(/more than 1000 bytes/)
    expect(refusal(bytes, { headerBytes: 100 }).message).toMatch(/100 at most/)
    expect(refusal(bytes, { sectionBytes: 100 }).message).toMatch(/100 at most/)
    expect(refusal(bytes, { memoryBytes: 2000 }).message).toMatch(/2000 at most/)
    expect(refusal(bytes, { steps: 99 }).message).toMatch(/more than 99 steps/)
    expect(refusal(bytes, { agents: 2 }).message).toMatch(/2 at most/)
    expect(refusal(bytes, { sections: 3 }).message).toMatch(/too many sections/)
    expect(refusal(Uint8Array.of(...bytes, 0), { fileBytes: undefined }).message).toMatch(/1 more bytes/)
    const frame = parts.find((part) => part.type === SECTION.keyframes)!
    const many = changed((all) => [...all.slice(0, -1), ...Array.from({ length: 1000 }, () => frame), ...all.slice(-1)])
    expect(refusal(many).code).toBe('bad-file')
  })

  it('refuses broken compressed data', () => {
    const noise = Uint8Array.from({ length: 150 }, (_, i) => (i * 89) & 255)
    expect(refusal(replaced(SECTION.value, { method: 1, stored: noise })).message).toMatch(
      /broken compressed|declares|unpacked/,
    )
    const short = new Uint8Array(deflateRawSync(Buffer.alloc(10)))
    expect(refusal(replaced(SECTION.value, { method: 1, stored: short })).message).toMatch(
      /10 bytes when unpacked; expected 1200/,
    )
    expect(refusal(replaced(SECTION.actions, { method: 2, stored: Uint8Array.of(200, 1, 2, 3, 4) })).message).toMatch(
      /digits/,
    )
    const full = replaced(SECTION.actions, {
      method: 2,
      stored: Uint8Array.from({ length: 61 }, (_, i) => (i === 0 ? 3 : 255)),
    })
    expect(refusal(full).message).toMatch(/number out of range/)
    expect(refusal(replaced(SECTION.value, { method: 2 })).message).toMatch(/method 2/)
    expect(refusal(replaced(SECTION.actions, { method: 9 })).message).toMatch(/method 9/)
  })

  it('names the field of a header that is wrong', () => {
    const cases: [object, RegExp][] = [
      [{ env: 7 }, /header: env is 7; expected a string/],
      [{ agents: [] }, /header: agents/],
      [{ agents: ['a', 'a', 'b'] }, /an agent twice/],
      [{ control: [0, 1] }, /3 ids; expected 2/],
      [{ seed: 'xyz' }, /header: seed/],
      [{ action: { kind: 'discrete', sizes: [], dims: 1 } }, /0 sizes/],
      [{ action: { kind: 'discrete', sizes: [0], dims: 1 } }, /sizes/],
      [{ action: { kind: 'discrete', sizes: [3], dims: 2 ** 53 } }, /dims/],
      [{ action: { kind: 'multi-discrete', sizes: [3, 2], dims: 3 } }, /2 sizes, 3 dimensions/],
      [{ result: { ...header.result!, steps: 2 ** 53 } }, /steps/],
      [{ result: { ...header.result!, steps: 99 } }, /steps is 100; expected 99/],
      [{ result: { ...header.result!, returns: [1] } }, /returns is 1 numbers/],
      [{ scenario: [] }, /scenario/],
      [{ extra: 1 }, /extra is not known here/],
      [{ label: 'x'.repeat(501) }, /label/],
      [{ plugin: { name: 'x', sha256: 'short' } }, /sha256/],
    ]
    for (const [change, message] of cases) expect(refusal(withHeader(change)).message).toMatch(message)
    const raws = ['[]', 'null', '7', '"text"', '{', '', '\xff\xfe']
    for (const raw of raws) {
      expect(
        refusal(changed((all) => [{ ...all[0], raw: new Uint8Array(Buffer.from(raw, 'latin1')) }, ...all.slice(1)]))
          .code,
      ).toBe('bad-file')
    }
  })

  it('refuses deep nesting and fields that reach for prototypes, and pollutes nothing', () => {
    const put = (text: string) =>
      refusal(changed((all) => [{ ...all[0], raw: new Uint8Array(Buffer.from(text)) }, ...all.slice(1)]))
    const spliced = (field: string) => JSON.stringify(header).replace('"scenario":{', `"scenario":{${field},`)
    expect(put(spliced(`"x":${'['.repeat(100_000)}${']'.repeat(100_000)}`)).message).toMatch(/nested 100002 deep/)
    expect(put(spliced('"__proto__":{"polluted":1}')).message).toMatch(/__proto__/)
    expect(put(spliced('"a":[{"\\u005f_proto__":{"polluted":1}}]')).message).toMatch(/__proto__/)
    const constructed = readReplay(
      changed((all) => [
        { ...all[0], raw: new Uint8Array(Buffer.from(spliced('"constructor":{"prototype":{"polluted":1}}'))) },
        ...all.slice(1),
      ]),
    )
    expect(constructed.header.env).toBe('lanterns')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(() => parseJson(new Uint8Array(Buffer.from('"[[[[{{{{"')), 'x')).not.toThrow()
  })

  it('refuses sections out of order, missing, doubled or of the wrong length', () => {
    const order = (change: (all: Part[]) => Part[]) => refusal(changed(change)).message
    const [head, actions, digests, probability, value, keyframes, end] = parts
    expect([actions, digests, probability, value, keyframes, end].map((part) => part.type)).toEqual([
      2, 3, 4, 5, 6, 255,
    ])
    expect(order(() => [actions, digests, end])).toMatch(/before the header/)
    expect(order(() => [head, head, ...parts.slice(1)])).toMatch(/second header/)
    expect(order(() => [head, digests, actions, end])).toMatch(/without actions|out of order/)
    expect(order(() => [head, actions, end])).toMatch(/after actions without digests/)
    expect(order(() => [head, actions, actions, digests, end])).toMatch(/without digests/)
    expect(order(() => [head, actions, digests, actions, digests, end])).toMatch(/out of order/)
    expect(order(() => [head, actions, digests, value, value, end])).toMatch(/out of order/)
    expect(order(() => [head, value, actions, digests, end])).toMatch(/out of order/)
    expect(order(() => [head, actions, digests, { ...end, step: 99 }])).toMatch(/at step 99; expected step 100/)
    expect(order(() => [head, actions, digests, { ...end, raw: new Uint8Array(0) }])).toMatch(
      /0 bytes long; expected 32/,
    )
    expect(order(() => [head, actions, { ...digests, steps: 50 }, end])).toMatch(/out of order/)
    expect(order(() => [head, { ...actions, steps: 0 }, digests, end])).toMatch(/without steps/)
    expect(order(() => [head, { ...actions, steps: 65_535 }, digests, end])).toMatch(/bytes long/)
    expect(order(() => [head, { ...actions, step: 0xffffffff }, digests, end])).toMatch(/out of order/)
    expect(order(() => [head, { ...actions, type: 77 }])).toMatch(/of type 77; expected one of header, actions/)
    expect(order(() => [head, end])).toMatch(/at step 100; expected step 0/)
    expect(order(() => [head, { ...end, step: 0, raw: new Uint8Array(0) }])).toMatch(/steps is 0; expected 100/)
  })

  it('refuses channels that stop half way', () => {
    const long = partsOf(recordSample({ ...LONG, agents: 64, horizon: 600 }, { channels: true }).finish('sum'))
    const last = long.findLastIndex((part) => part.type === SECTION.value)
    expect(refusal(file(long.filter((_, i) => i !== last))).message).toMatch(/some steps only/)
  })

  it('names the field of a frame that a viewer could not draw', () => {
    const frames = JSON.parse(Buffer.from(parts[5].raw).toString()) as {
      step: number
      frame: Record<string, unknown>
      snapshot: object
    }[]
    const put = (change: object) =>
      refusal(replaced(SECTION.keyframes, { raw: json([{ ...frames[0], frame: { ...frames[0].frame, ...change } }]) }))
        .message
    const entity = { id: 'a', kind: 'b', x: 0, y: 0 }
    expect(put({ entities: [{ ...entity, x: null }] })).toMatch(/entities\[0\]\.x is null; expected a finite number/)
    expect(put({ entities: [{ ...entity, id: 7 }] })).toMatch(/entities\[0\]\.id/)
    expect(put({ entities: [{ ...entity, state: { a: [] } }] })).toMatch(/state\.a/)
    expect(put({ entities: 7 })).toMatch(/entities is 7; expected a list/)
    expect(put({ layers: [{ name: 'x', width: 1e9, height: 1e9, cells: [] }] })).toMatch(/width/)
    expect(put({ layers: [{ name: 'x', width: 2, height: 2, cells: [1] }] })).toMatch(
      /"1 cells"; expected width times height, 4/,
    )
    expect(put({ counters: { a: 'b' } })).toMatch(/counters\.a/)
    expect(put({ events: [{ kind: 'x', at: { x: 1 } }] })).toMatch(/at\.y is missing/)
    expect(put({ step: 1 })).toMatch(/step/)
    const order = (list: unknown[]) => refusal(replaced(SECTION.keyframes, { raw: json(list) })).message
    expect(order([frames[1], frames[0]])).toMatch(/at step 0; expected a step of 41/)
    expect(order([{ step: 101, snapshot: null, frame: null }])).toMatch(/at step 101/)
    expect(order([{ step: 2 ** 53, snapshot: null, frame: null }])).toMatch(/step/)
    expect(order([{ ...frames[0], snapshot: { ...frames[0].snapshot, arrays: { at: 7 } } }])).toMatch(/arrays\.at/)
    expect(refusal(replaced(SECTION.keyframes, { raw: json({}) })).message).toMatch(/expected a list/)
  })

  it('wants a frame for every step in the replay of a plug-in', () => {
    const plugin = { name: './mine.js', sha256: 'cd'.repeat(32) }
    expect(refusal(withHeader({ plugin })).message).toMatch(/3 frames; expected 101/)
  })
})

/** Reads and verifies; anything but a verdict or a TroupeError is a crash. */
function survives(data: Uint8Array): string {
  try {
    const replay = readReplay(data)
    const verdict = verifyReplay(replay, lanterns)
    return verdict.ok ? 'genuine' : 'not genuine'
  } catch (error) {
    if (error instanceof TroupeError) return error.code
    throw error
  }
}

describe('fuzzing', () => {
  const runs = Number(process.env.TROUPE_FUZZ_RUNS ?? 150)

  it('random bytes are refused', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        (noise) => survives(Uint8Array.of(...bytes.subarray(0, 10), ...noise)) === 'bad-file',
      ),
      { numRuns: runs },
    )
  })

  it('changed bytes, cuts and repeats never crash the reader and are never genuine', () => {
    const edit = fc.record({ at: fc.nat(bytes.length - 1), cut: fc.nat(40), put: fc.uint8Array({ maxLength: 40 }) })
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
        let data = bytes
        for (const { at, cut, put } of edits)
          data = Uint8Array.of(...data.subarray(0, at), ...put, ...data.subarray(at + cut))
        return Buffer.compare(data, bytes) === 0 || survives(data) !== 'genuine'
      }),
      { numRuns: runs },
    )
  })

  it('sections with right checksums and any content never crash reader or verifier', () => {
    const change = fc.record({
      index: fc.nat(parts.length - 1),
      type: fc.option(fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 255)),
      step: fc.option(fc.constantFrom(0, 1, 64, 100, 0xffffffff)),
      steps: fc.option(fc.nat(65_535)),
      method: fc.option(fc.nat(3)),
      at: fc.nat(3000),
      put: fc.uint8Array({ maxLength: 20 }),
    })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const all = parts.map((part) => ({ ...part }))
        for (const { index, type, step, steps, method, at, put } of changes) {
          const part = all[index]
          const data = (part.stored ?? part.raw).slice()
          data.set(put.subarray(0, Math.max(0, data.length - (at % (data.length + 1)))), at % (data.length + 1))
          if (part.stored === undefined) part.raw = data
          else part.stored = data
          part.type = type ?? part.type
          part.step = step ?? part.step
          part.steps = steps ?? part.steps
          part.method = method ?? part.method
        }
        survives(file(all))
      }),
      { numRuns: runs },
    )
  })

  it('headers of any JSON never crash reader or verifier', () => {
    const keys = fc.constantFrom(...Object.keys(header), '__proto__', 'constructor', 'toString')
    fc.assert(
      fc.property(fc.dictionary(keys, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 3 }), fc.boolean(), (change, deep) => {
        const put = deep ? { options: { ...header.options, ...change } } : change
        survives(withHeader(put))
      }),
      { numRuns: runs },
    )
  })

  it('frames of any JSON never crash the reader', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 3 }), (list) => {
        survives(replaced(SECTION.keyframes, { raw: json(list) }))
      }),
      { numRuns: runs },
    )
  })
})
