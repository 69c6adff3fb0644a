/** Working memory of what runs by address: regions that grow to what was asked for and then stay, so that nothing is allocated per step. */
import { type SimdBackend } from './backend.ts'

export interface Region {
  pointer: number
  bytes: number
}

export class Regions {
  private readonly owned: Region[] = []

  constructor(private readonly backend: SimdBackend) {}

  region(bytes = 0): Region {
    const region = { pointer: this.backend.allocator.allocate(bytes), bytes }
    this.owned.push(region)
    return region
  }

  /** Makes a region at least this large; its contents are lost when it grows. */
  fit(region: Region, bytes: number): number {
    if (region.bytes < bytes) {
      this.backend.allocator.release(region.pointer, region.bytes)
      region.bytes = Math.ceil(bytes * 1.25)
      region.pointer = this.backend.allocator.allocate(region.bytes)
    }
    return region.pointer
  }

  put(pointer: number, values: Float32Array): void {
    this.backend.allocator.f32.set(values, pointer / 4)
  }

  dispose(): void {
    for (const { pointer, bytes } of this.owned) this.backend.allocator.release(pointer, bytes)
    this.owned.length = 0
  }
}
