/** The machine a number was measured on. */
import { arch, availableParallelism, cpus, loadavg, platform, release, totalmem } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly system: string
  readonly node: string
  readonly v8: string
  /** Processes waiting for a core over the last minute, as the measurement began; 0 on Windows. */
  readonly load: number
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${platform()} ${arch()} ${release()}`,
    node: process.version,
    v8: process.versions.v8,
    load: Math.round(loadavg()[0] * 100) / 100,
  }
}
