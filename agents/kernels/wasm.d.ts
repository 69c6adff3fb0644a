/* eslint-disable no-var, @typescript-eslint/no-empty-object-type, @typescript-eslint/no-unsafe-function-type -- lib.dom's own form */
/**
 * The few WebAssembly names used here. `agents/` compiles without the DOM library, where TypeScript keeps them;
 * the declarations have its form, so that both can be loaded together.
 */
declare namespace WebAssembly {
  interface Memory {
    readonly buffer: ArrayBuffer
    grow(delta: number): number
  }
  var Memory: {
    prototype: Memory
    new (descriptor: MemoryDescriptor): Memory
  }
  interface MemoryDescriptor {
    initial: number
    maximum?: number
    shared?: boolean
  }
  interface Module {}
  var Module: {
    prototype: Module
    new (bytes: BufferSource): Module
  }
  interface Instance {
    readonly exports: Exports
  }
  var Instance: {
    prototype: Instance
    new (module: Module, imports?: Imports): Instance
  }
  type Exports = Record<string, ExportValue>
  type Imports = Record<string, ModuleImports>
  type ModuleImports = Record<string, ImportValue>
  type ExportValue = Function | Memory
  type ImportValue = ExportValue | number
  function validate(bytes: BufferSource): boolean
}

type BufferSource = ArrayBufferView<ArrayBuffer> | ArrayBuffer
