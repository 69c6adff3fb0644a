/**
 * The `simd` TensorFlow.js backend: every numeric tensor lives in one WebAssembly memory, and the data id of a tensor
 * *is* the record that says where. Kernels of ours work by pointer; every other kernel is TensorFlow.js's own CPU kernel
 * reading the same memory through views.
 */
import * as tf from '#tensorflow'
import { TroupeError } from '../../envs/core/index.ts'
import { Allocator, type AllocatorOptions } from './allocator.ts'
import { instantiate, type Kernels } from './module.ts'

type DataType = keyof tf.DataTypeMap
type Values = tf.backend_util.BackendValues | string[]
type Typed = Float32Array | Int32Array | Uint8Array

/** What lies behind one data id. Numbers are in the memory (pointer ≠ 0) or, between CPU kernels, in a host array. */
export class Cell {
  pointer = 0
  host: Values | undefined = undefined
  refCount = 1
  /** The block belongs to somebody else (a flat parameter vector) and is not released with this cell. */
  window = false
  complexTensorInfos: { real: tf.TensorInfo; imag: tf.TensorInfo } | undefined = undefined

  constructor(
    private readonly backend: SimdBackend,
    public dtype: DataType,
    public length: number,
  ) {}

  get bytes(): number {
    return this.dtype === 'bool' ? this.length : this.length * 4
  }

  /** What CPU kernels read: the host array or a view, dead after the next allocation outside a fallback. */
  get values(): Values | undefined {
    return this.pointer === 0 ? this.host : this.backend.view(this)
  }
}

/** What `MathBackendCPU` kernels expect of `backend.data`. */
interface CellStore {
  get(dataId: object): Cell
  has(dataId: object): boolean
}

const FLOATS = 'float32'

/**
 * A matrix product done by somebody else in our memory: C [M, N] = op(A) · op(B) (+ C), byte addresses, row-major, A
 * stored [M, K] or transposed [K, M], B [K, N] or [N, K].
 */
export type MatrixProduct = (
  buffer: ArrayBuffer,
  a: number,
  b: number,
  c: number,
  sizes: { m: number; n: number; k: number },
  transposeA: boolean,
  transposeB: boolean,
  accumulate: boolean,
) => void

export interface SimdOptions extends AllocatorOptions {
  /** Marks a build whose sums may differ between machines. */
  readonly relaxed?: boolean
  /** Takes over the large matrix products (the `native` backend). */
  readonly product?: MatrixProduct
}

export class SimdBackend extends tf.KernelBackend {
  readonly kernels: Kernels
  readonly allocator: Allocator
  /** Whether results are the same bits on every machine. */
  readonly portable: boolean
  readonly product: MatrixProduct | undefined
  readonly data: CellStore
  /** CPU kernels tile their products by this. */
  readonly blockSize = 48
  private cells = 0
  private fallbacks = 0
  /** Cells of tensors that were made by another backend and moved here. */
  private readonly foreign = new Map<object, Cell>()
  private readonly scratches: { pointer: number; bytes: number }[] = []

  constructor(bytes: Uint8Array<ArrayBuffer>, options: SimdOptions = {}) {
    super()
    this.allocator = new Allocator(options)
    this.kernels = instantiate(bytes, this.allocator.memory)
    this.product = options.product
    this.portable = options.relaxed !== true && options.product === undefined
    this.data = { get: (id) => this.cell(id), has: (id) => this.known(id) !== undefined }
  }

  // ---- memory

  /** A fresh uninitialised tensor. */
  empty(shape: number[], dtype: DataType = FLOATS): tf.TensorInfo {
    let length = 1
    for (let i = 0; i < shape.length; i++) length *= shape[i]
    const cell = new Cell(this, dtype, length)
    cell.pointer = this.allocator.allocate(cell.bytes)
    this.cells++
    return { dataId: cell, shape, dtype }
  }

  /** Byte address of a tensor's elements; brings them into the memory if they are elsewhere. */
  at(info: tf.TensorInfo): number {
    const cell = info.dataId as Cell
    if (cell.pointer > 0) return cell.pointer
    return this.bring(info.dataId)
  }

  /** At least `bytes` bytes that stay; each slot is one region, shared by everyone who names it. */
  scratch(slot: number, bytes: number): number {
    const held = this.scratches[slot]
    if (held !== undefined && held.bytes >= bytes) return held.pointer
    if (held !== undefined) this.allocator.release(held.pointer, held.bytes)
    const rounded = Math.max(32768, 2 ** Math.ceil(Math.log2(bytes)))
    const pointer = this.allocator.allocate(rounded)
    this.scratches[slot] = { pointer, bytes: rounded }
    return pointer
  }

  /** The elements in place; the view dies with the next allocation. */
  view(cell: Cell): Typed {
    const { pointer, length } = cell
    const { buffer } = this.allocator.memory
    if (cell.dtype === 'bool') return new Uint8Array(buffer, pointer, length)
    return cell.dtype === 'int32' ? new Int32Array(buffer, pointer, length) : new Float32Array(buffer, pointer, length)
  }

  /** Makes `variable` a window of `length` floats at `pointer` in a block that somebody else owns. */
  window(pointer: number, shape: number[], length: number): tf.TensorInfo {
    const cell = new Cell(this, FLOATS, length)
    cell.pointer = pointer
    cell.window = true
    this.cells++
    return { dataId: cell, shape, dtype: FLOATS }
  }

  /** A tensor object around a kernel's result. */
  tensor(info: tf.TensorInfo): tf.Tensor {
    return tf.engine().makeTensorFromTensorInfo(info, this)
  }

  private known(dataId: object): Cell | undefined {
    if (dataId instanceof Cell) return dataId.refCount > 0 ? dataId : undefined
    return this.foreign.get(dataId)
  }

  /** The record behind an id, moved here from another backend if need be. */
  private cell(dataId: object): Cell {
    const here = this.known(dataId)
    if (here !== undefined) return here
    tf.engine().moveData(this, dataId)
    return this.known(dataId) as Cell
  }

  private bring(dataId: object): number {
    const cell = this.cell(dataId)
    if (cell.pointer === 0) {
      const { host, dtype } = cell
      if (host === undefined || dtype === 'string' || dtype === 'complex64') {
        const got = `${dtype}${host === undefined ? ' without values' : ''}`
        throw new TroupeError('bad-usage', { where: 'simd: tensor', got, expected: 'float32, int32 or bool' })
      }
      cell.pointer = this.allocator.allocate(cell.bytes)
      this.view(cell).set(host as Typed)
      cell.host = undefined
    }
    return cell.pointer
  }

  // ---- what TensorFlow.js asks of a backend

  override write(values: Values, shape: number[], dtype: DataType): object {
    const cell = new Cell(this, dtype, tf.util.sizeFromShape(shape))
    this.cells++
    this.place(cell, values)
    return cell
  }

  private place(cell: Cell, values: Values | undefined): void {
    const { dtype } = cell
    if (values === undefined || values === null || dtype === 'string' || dtype === 'complex64') {
      cell.host = values ?? undefined
      return
    }
    if (this.fallbacks > 0) {
      // Nothing may move while a CPU kernel holds views, so its results stay outside until a kernel of ours wants them.
      const typed = typedFor(dtype, values)
      cell.host = typed.buffer === this.allocator.memory.buffer ? typed.slice() : typed
      return
    }
    // A copy first if the values are a view of this very memory, which may move under the allocation.
    const source = (values as Typed).buffer === this.allocator.memory.buffer ? (values as Typed).slice() : values
    cell.pointer = this.allocator.allocate(cell.bytes)
    this.view(cell).set(source as Typed)
  }

  override move(dataId: object, values: Values, shape: number[], dtype: DataType, refCount: number): void {
    let cell: Cell
    if (dataId instanceof Cell) {
      cell = dataId // made here, gone to another backend, now back
      cell.dtype = dtype
      cell.window = false
    } else {
      cell = new Cell(this, dtype, tf.util.sizeFromShape(shape))
      this.foreign.set(dataId, cell)
    }
    this.cells++
    this.place(cell, values)
    cell.refCount = refCount
  }

  makeTensorInfo(shape: number[], dtype: DataType, values?: Values): tf.TensorInfo {
    const isText = dtype === 'string' && values != null && values.length > 0 && tf.util.isString(values[0])
    const encoded = isText ? (values as string[]).map((text) => tf.util.encodeString(text)) : values
    return { dataId: this.write(encoded as Values, shape, dtype), shape, dtype }
  }

  makeOutput(values: Values, shape: number[], dtype: DataType): tf.Tensor {
    return this.tensor(this.makeTensorInfo(shape, dtype, values))
  }

  override refCount(dataId: object): number {
    return this.known(dataId)?.refCount ?? 0
  }

  override incRef(dataId: object): void {
    this.cell(dataId).refCount++
  }

  decRef(dataId: object): void {
    const cell = this.known(dataId)
    if (cell !== undefined) cell.refCount--
  }

  override numDataIds(): number {
    return this.cells
  }

  override disposeData(dataId: object, force = false): boolean {
    const cell = this.known(dataId)
    if (cell === undefined) return true
    cell.refCount--
    if (!force && cell.refCount > 0) return false
    if (cell.complexTensorInfos !== undefined) {
      this.disposeData(cell.complexTensorInfos.real.dataId, true)
      this.disposeData(cell.complexTensorInfos.imag.dataId, true)
      cell.complexTensorInfos = undefined
    }
    if (cell.pointer !== 0 && !cell.window) this.allocator.release(cell.pointer, cell.bytes)
    cell.pointer = 0
    cell.host = undefined
    cell.refCount = 0
    this.cells--
    if (cell !== dataId) this.foreign.delete(dataId)
    return true
  }

  disposeIntermediateTensorInfo(info: tf.TensorInfo): void {
    this.disposeData(info.dataId)
  }

  override readSync(dataId: object): tf.backend_util.BackendValues {
    const cell = this.cell(dataId)
    if (cell.complexTensorInfos !== undefined) {
      const { real, imag } = cell.complexTensorInfos
      const parts = [real, imag].map((info) => this.readSync(info.dataId) as Float32Array)
      return tf.backend_util.mergeRealAndImagArrays(parts[0], parts[1])
    }
    if (cell.pointer !== 0) return this.view(cell).slice()
    return cell.host as tf.backend_util.BackendValues
  }

  override async read(dataId: object): Promise<tf.backend_util.BackendValues> {
    return this.readSync(dataId)
  }

  bufferSync(info: tf.TensorInfo): tf.TensorBuffer<tf.Rank, DataType> {
    const values = this.readSync(info.dataId)
    const decoded =
      info.dtype === 'string' ? (values as Uint8Array[]).map((bytes) => tf.util.decodeString(bytes)) : values
    return tf.buffer(info.shape as [number], info.dtype, decoded as tf.DataTypeMap[DataType])
  }

  where(condition: tf.Tensor): tf.Tensor2D {
    return tf.kernel_impls.whereImpl(condition.shape, this.readSync(condition.dataId) as Uint8Array)
  }

  override memory(): { unreliable: boolean; liveBytes: number; liveBlocks: number; capacity: number } {
    const { liveBytes, liveBlocks, capacity } = this.allocator
    return { unreliable: false, liveBytes, liveBlocks, capacity }
  }

  override async time(f: () => void): Promise<tf.BackendTimingInfo> {
    const start = tf.util.now()
    f()
    return { kernelMs: tf.util.now() - start }
  }

  override floatPrecision(): 16 | 32 {
    return 32
  }

  override dispose(): void {}

  // ---- CPU kernels

  /**
   * Runs a TensorFlow.js CPU kernel on this backend's tensors. Two things it may do are undone here: hand back a view
   * of our memory as its result (copied in `place`), and hand back its input's data id under another dtype, as
   * Cast does from int32 to float32, which would make us read integer bits as floats.
   */
  fallback(kernel: tf.KernelFunc, args: Parameters<tf.KernelFunc>[0]): tf.TensorInfo | tf.TensorInfo[] {
    this.fallbacks++
    let result: tf.TensorInfo | tf.TensorInfo[]
    try {
      result = kernel(args)
    } finally {
      this.fallbacks--
    }
    return Array.isArray(result) ? result.map((info) => this.retyped(info)) : this.retyped(result)
  }

  private retyped(info: tf.TensorInfo): tf.TensorInfo {
    const cell = this.known(info.dataId)
    if (cell === undefined || cell.dtype === info.dtype || cell.complexTensorInfos !== undefined) return info
    const converted = typedFor(info.dtype, cell.values as Typed)
    const fresh = this.makeTensorInfo(info.shape, info.dtype, converted.slice())
    this.disposeData(info.dataId)
    return fresh
  }
}

/** The values as the typed array of a numeric dtype; the same object if it is one already. */
function typedFor(dtype: DataType, values: Values): Typed {
  if (dtype === 'float32')
    return values instanceof Float32Array ? values : Float32Array.from(values as ArrayLike<number>)
  if (dtype === 'int32') return values instanceof Int32Array ? values : Int32Array.from(values as ArrayLike<number>)
  return values instanceof Uint8Array ? values : Uint8Array.from(values as ArrayLike<number>)
}

/** The backend in use if it is this one, else null: what the fused ops ask before every call. */
export function currentSimd(): SimdBackend | null {
  const backend = tf.backend()
  return backend instanceof SimdBackend ? backend : null
}
