import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TroupeError } from '../../envs/core/index.ts'
import { decodeSafetensors, encodeSafetensors, safetensorsMetadata, weightsHash, type Tensors } from './checkpoint.ts'

const tensors: Tensors = {
  'b/weight': { shape: [2, 3], data: Float32Array.of(1, -0, NaN, Infinity, 1e-40, 6) },
  'a/bias': { shape: [2], data: Float32Array.of(0.1, 0.2) },
  empty: { shape: [0], data: new Float32Array(0) },
  scalar: { shape: [], data: Float32Array.of(7) },
}

test('tensors come back to the bit, and equal tensors make equal bytes in any order', () => {
  const bytes = encodeSafetensors(tensors)
  const back = decodeSafetensors(bytes)
  expect(Object.keys(back).sort()).toEqual(Object.keys(tensors).sort())
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    expect(back[name].shape).toEqual(shape)
    expect(new Uint32Array(back[name].data.buffer)).toEqual(new Uint32Array(data.buffer))
  }
  const shuffled = Object.fromEntries(Object.entries(tensors).reverse())
  expect(encodeSafetensors(shuffled)).toEqual(bytes)
})

test('the file is laid out as safetensors: length, JSON padded to 8 bytes, data', () => {
  const bytes = encodeSafetensors({ x: { shape: [1], data: Float32Array.of(1) } })
  const length = new DataView(bytes.buffer).getUint32(0, true)
  expect(length % 8).toBe(0)
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)))
  expect(header).toEqual({ x: { dtype: 'F32', shape: [1], data_offsets: [0, 4] } })
  expect([...bytes.subarray(8 + length)]).toEqual([0, 0, 0x80, 0x3f]) // 1.0, little-endian
})

test('in half precision a file has half the data, and every number comes back within a 2048th of itself', () => {
  const data = Float32Array.of(1, -2.5, 0.1, 1e-3, 0, 1000.3)
  const bytes = encodeSafetensors(
    { x: { shape: [2, 3], data }, y: { shape: [1], data: data.subarray(2, 3) } },
    {},
    'F16',
  )
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, bytes.length - 14)))
  expect(header.x).toEqual({ dtype: 'F16', shape: [2, 3], data_offsets: [0, 12] })
  expect(header.y.data_offsets).toEqual([12, 14])
  const { x, y } = decodeSafetensors(bytes)
  expect([x.shape, [...x.data.subarray(0, 2)], x.data[4]]).toEqual([[2, 3], [1, -2.5], 0])
  x.data.forEach((value, i) => expect(Math.abs(value - data[i])).toBeLessThanOrEqual(Math.abs(data[i]) / 2048))
  expect(y.data[0]).toBe(x.data[2])
})

/** 1000 numbers, one in twenty of which is not 0. */
const sparse = Float32Array.from({ length: 1000 }, (_, i) => (i % 20 === 3 ? i - 500.5 : 0))

test('what is mostly 0 is packed to a tenth where that is asked for, and comes back to the bit', () => {
  sparse[7] = -0 // not 0: its bit would be lost
  const all = { ...tensors, 'actor/weight': { shape: [10, 100], data: sparse } }
  const [plain, packed] = [encodeSafetensors(all), encodeSafetensors(all, { note: 'x' }, 'F32', true)]
  expect(plain.length - packed.length).toBeGreaterThan(4000 - 51 * 4 - 125 - 300) // values, bits, and a longer header
  expect(decodeSafetensors(packed)).toEqual(decodeSafetensors(plain))
  expect(Object.is(decodeSafetensors(packed)['actor/weight'].data[7], -0)).toBe(true)
  expect(safetensorsMetadata(packed)).toEqual({ note: 'x', packed: '{"actor/weight":[10,100]}' })
  const half = decodeSafetensors(encodeSafetensors(all, undefined, 'F16', true))['actor/weight'].data
  half.forEach((value, i) => expect(Math.abs(value - sparse[i])).toBeLessThanOrEqual(Math.abs(sparse[i]) / 2048))
  expect(encodeSafetensors(tensors, undefined, 'F32', true)).toEqual(encodeSafetensors(tensors)) // nothing to pack
})

test('a packed tensor whose places do not fit its values is refused', () => {
  const packed = encodeSafetensors({ x: { shape: [1000], data: sparse } }, undefined, 'F32', true)
  const header = 8 + new DataView(packed.buffer).getUint32(0, true)
  const text = (from: string, to: string) => {
    const head = new TextDecoder().decode(packed.subarray(8, header)).replace(from, to)
    const bytes = new Uint8Array(8 + head.length + packed.length - header)
    new DataView(bytes.buffer).setUint32(0, head.length, true)
    bytes.set(new TextEncoder().encode(head), 8)
    bytes.set(packed.subarray(header), 8 + head.length)
    return bytes
  }
  const more = packed.slice()
  more[header] ^= 1 // the first of the places, which come before the values
  expect(() => decodeSafetensors(more)).toThrow(/packed tensor x with other places than values/)
  expect(() => decodeSafetensors(text('[1000]}', '[1100]}'))).toThrow(/packed tensor x/)
  expect(() => decodeSafetensors(text('{\\"x\\":[1000]}', 'oh'))).toThrow(/packed tensors without shapes/)
  expect(() => decodeSafetensors(text('"U8"', '"I8"'))).toThrow(/x.places of type "I8"/)
})

test('the hash covers the networks and not the optimiser', () => {
  const moments = { 'optimiser/actor/mean': { shape: [1], data: Float32Array.of(1) } }
  expect(weightsHash({ weights: { ...tensors, ...moments } })).toBe(weightsHash({ weights: tensors }))
  const other = { ...tensors, 'a/bias': { shape: [2], data: Float32Array.of(0.1, 0.3) } }
  expect(weightsHash({ weights: other })).not.toBe(weightsHash({ weights: tensors }))
})

function file(header: unknown, data = 8): Uint8Array {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header))
  const bytes = new Uint8Array(8 + json.length + data)
  new DataView(bytes.buffer).setUint32(0, json.length, true)
  bytes.set(json, 8)
  return bytes
}

test('a foreign or broken file is one clear sentence', () => {
  const entry = { dtype: 'F32', shape: [2], data_offsets: [0, 8] }
  const cases: [Uint8Array, RegExp][] = [
    [new Uint8Array(3), /3 bytes/],
    [new Uint8Array(8).fill(255), /longer than the file/],
    [file('{'), /not JSON/],
    [file([]), /JSON object/],
    [file({ x: { ...entry, dtype: 'F64' } }), /tensor x of type "F64"/],
    [file({ x: { ...entry, shape: [3] } }), /tensor x at/],
    [file({ x: { ...entry, shape: [-2] } }), /tensor x of shape/],
    [file({ x: { ...entry, data_offsets: [0, 16] } }), /tensor x at/],
    [file({ x: null }), /tensor x of type/],
    [file({ x: entry, y: entry }), /side by side/], // both on the same bytes
    [file({ x: entry }, 12), /fill the file/],
  ]
  for (const [bytes, message] of cases) expect(() => decodeSafetensors(bytes, 'w.safetensors')).toThrow(message)
})

test('no bytes crash the reader, and a flipped or cut file never reads as something else in size', () => {
  const good = encodeSafetensors(tensors)
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), fc.nat(good.length), (at, flip, end) => {
      const bytes = good.slice(0, end)
      if (at < end) bytes[at] ^= flip
      try {
        const back = decodeSafetensors(bytes)
        const floats = Object.values(back).reduce((sum, tensor) => sum + tensor.data.length, 0)
        expect(floats).toBe(9)
      } catch (error) {
        expect(error).toBeInstanceOf(TroupeError)
      }
    }),
    { numRuns: 500, seed: 1 },
  )
})
