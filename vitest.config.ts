import { defineConfig } from 'vitest/config'

const shared = { environment: 'node' as const, testTimeout: 60_000, hookTimeout: 120_000 }
const everywhere = ['**/node_modules/**', '**/dist/**', '**/troupe-data/**']

/** fast: beside the sources. slow: learning to a score, child processes, packaging. e2e: Chromium. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'fast',
          include: ['**/*.test.ts', '**/*.test.tsx'],
          exclude: [...everywhere, '**/*.slow.test.ts'],
        },
      },
      {
        test: {
          ...shared,
          name: 'slow',
          include: ['**/*.slow.test.ts'],
          exclude: everywhere,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['viewer/e2e/**/*.e2e.ts'],
          exclude: everywhere,
          testTimeout: 180_000,
          fileParallelism: false,
        },
      },
    ],
  },
})
