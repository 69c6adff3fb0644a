import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const shared = {
  // The bundle is loaded as it is: going through it again took longer than loading it.
  server: { deps: { external: [/\/dist\/vendor\//] } },
  environment: 'node' as const,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  // Code is optimised at the same step whatever else the machine does: what a step leaves on the heap hangs on it.
  execArgv: ['--no-concurrent-recompilation'],
}

/** Two test files at a time from two cores on: files share nothing but the built sources, which they only read. */
const workers = Math.min(2, availableParallelism())
const everywhere = ['**/node_modules/**', '**/dist/**', '**/troupe-data/**']

/**
 * Contracts of environments measure what a step leaves on the heap. That hangs on what the engine has seen of the code
 * before, so that each file has a process of its own.
 */
const CONTRACTS = 'envs/*/contract.test.ts'

/** fast: beside the sources. contract: environments against their contract. slow: learning to a score, child processes, packaging. e2e: Chromium. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          maxWorkers: workers,
          // Files of one worker share loaded modules: loading them anew for each file took as long as half the tests.
          isolate: false,
          sequence: { groupOrder: 0 },
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...everywhere, '**/*.slow.test.ts', CONTRACTS],
        },
      },
      {
        test: {
          ...shared,
          name: 'contract',
          maxWorkers: workers,
          sequence: { groupOrder: 0 },
          include: [CONTRACTS],
          exclude: everywhere,
        },
      },
      {
        test: {
          ...shared,
          name: 'slow',
          maxWorkers: workers,
          sequence: { groupOrder: 0 },
          include: ['**/*.slow.test.ts'],
          exclude: everywhere,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
          include: ['viewer/e2e/**/*.e2e.ts'],
          exclude: everywhere,
          testTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
