import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/**
 * Builds the pages into dist/viewer. Everything is a file of its own origin (no data: or blob: addresses), so that the
 * server's strict page policy holds.
 */
export default defineConfig({
  root: here,
  base: '/',
  // Imports of types only leave nothing behind, so that no page loads a simulator for the sake of its types.
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' }, typescript: { onlyRemoveTypeImports: false } },
  build: {
    outDir: '../dist/viewer',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  worker: { format: 'es' },
})
