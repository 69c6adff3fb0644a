/** One stretch of memory that the kernels here and the machine in WebAssembly share. */

/** Memory of one batch: columns of the state, what the machine writes, and its scratch. */
export interface Arena {
  readonly memory: { readonly buffer: ArrayBuffer }
  used: number
}

type Columns = 'Float64Array' | 'Float32Array' | 'Int32Array' | 'Int16Array' | 'Uint8Array'
const KINDS = { Float64Array, Float32Array, Int32Array, Int16Array, Uint8Array }

/** An array in the arena, aligned to 16 bytes. */
export function take<K extends Columns>(arena: Arena, kind: K, length: number): InstanceType<(typeof KINDS)[K]> {
  const Kind = KINDS[kind]
  const at = arena.used
  arena.used = Math.ceil((at + length * Kind.BYTES_PER_ELEMENT) / 16) * 16
  return new Kind(arena.memory.buffer, at, length) as InstanceType<(typeof KINDS)[K]>
}
