/**
 * One stretch of memory that rules in TypeScript and a compiled second implementation of them in WebAssembly share, and how
 * such an implementation is loaded: the same way in Node, pages and workers, and not at all where an engine has or allows
 * none.
 */
import { base64 } from '@scure/base'

/** The few names of WebAssembly used here; rooms are compiled without the library that declares them. */
interface WebAssemblyNames {
  readonly Memory: new (descriptor: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer }
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: Record<string, unknown> }
}

/** Memory of one batch: columns of the state, what the compiled code writes, and its scratch. */
export interface Arena {
  readonly memory: { readonly buffer: ArrayBuffer }
  used: number
}

type Columns = 'Float64Array' | 'Float32Array' | 'Int32Array' | 'Int16Array' | 'Uint8Array'
const KINDS = { Float64Array, Float32Array, Int32Array, Int16Array, Uint8Array }

const PAGE = 65536
const MOST_BYTES = 2 ** 30

const namesHere = () => (globalThis as { WebAssembly?: WebAssemblyNames }).WebAssembly

/** Modules compiled so far, by their code; null where the engine took none. */
const modules = new Map<string, object | null>()

function moduleOf(code: string): object | null {
  const known = modules.get(code)
  if (known !== undefined) return known
  const names = namesHere()
  let made: object | null
  try {
    made = names === undefined ? null : new names.Module(base64.decode(code))
  } catch {
    made = null // no SIMD, or a page that forbids it: the plain rules play the same game
  }
  modules.set(code, made)
  return made
}

/**
 * Memory for a batch, or null where there is none: too large, or no WebAssembly.
 * @param code the module that will run over it, as base64
 * @param bytes at least what the arrays need, each rounded up to 16
 * @param kept first address handed out; what lies below belongs to the module
 */
export function openArena(code: string, bytes: number, kept: number): Arena | null {
  if (bytes > MOST_BYTES || moduleOf(code) === null) return null
  const pages = Math.ceil((bytes + kept) / PAGE)
  try {
    return { memory: new (namesHere()!.Memory)({ initial: pages, maximum: pages }), used: kept }
  } catch {
    return null // out of address space
  }
}

/** What a module exports, once it runs over an arena that was opened for it. */
export function startModule(code: string, arena: Arena, imports: object = {}): unknown {
  return new (namesHere()!.Instance)(moduleOf(code)!, { env: { memory: arena.memory }, ...imports }).exports
}

/** An array in the arena, aligned to 16 bytes. */
export function take<K extends Columns>(arena: Arena, kind: K, length: number): InstanceType<(typeof KINDS)[K]> {
  const Kind = KINDS[kind]
  const at = arena.used
  arena.used = Math.ceil((at + length * Kind.BYTES_PER_ELEMENT) / 16) * 16
  return new Kind(arena.memory.buffer, at, length) as InstanceType<(typeof KINDS)[K]>
}
