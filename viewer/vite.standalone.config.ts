import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Puts script and styles into the page, so that it is one file. */
function oneFile(): Plugin {
  return {
    name: 'one-file',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = Object.values(bundle).find(({ fileName }) => fileName.endsWith('.html'))
      if (page?.type !== 'asset') throw new Error('one-file: no page')
      let scripts = ''
      let styles = ''
      for (const [name, part] of Object.entries(bundle)) {
        if (part === page) continue
        if (part.type === 'chunk') scripts += part.code
        else if (name.endsWith('.css')) styles += String(part.source)
        delete bundle[name]
      }
      // There is nothing to load beforehand: every part is in the same script.
      const script = scripts.replaceAll('__VITE_PRELOAD__', 'void 0').replaceAll('</script', '<\\/script')
      page.source = String(page.source)
        .replace(/<script type="module"[^>]*><\/script>/, '')
        .replace(/<link rel="stylesheet"[^>]*>/g, '')
        .replace('</head>', () => `<style>${styles}</style></head>`)
        .replace('</body>', () => `<script type="module">${script}</script></body>`)
      page.fileName = 'player.html'
    },
  }
}

/** The player for single files: built after the pages, into dist/viewer/standalone. */
export default defineConfig({
  root: here,
  base: './',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' }, typescript: { onlyRemoveTypeImports: false } },
  resolve: { alias: [{ find: /^.*\/start-worker\.ts$/, replacement: `${here}sources/here-worker.ts` }] },
  build: {
    outDir: '../dist/viewer/standalone',
    emptyOutDir: true,
    target: 'es2022',
    cssCodeSplit: false,
    modulePreload: false,
    chunkSizeWarningLimit: 4000,
    rolldownOptions: { input: `${here}player.html`, output: { codeSplitting: false } },
  },
  plugins: [oneFile()],
})
