/**
 * Bundles the two packages that are slow to load into `dist/vendor`.
 *
 * TensorFlow.js, once for Node and once for pages, as one minified module each: loaded from its packages it costs every
 * process 0.4 s, most of it for parts that nothing here uses (layers, data, converter, WebGL); from the bundle 0.06 s.
 * Its registries are global, so that tfjs-node and tfjs-wasm, which bring packages of their own, still meet the same
 * engine.
 *
 * TypeBox, for Node only: it comes as 247 small modules, a quarter of the processor time of a short command. Pages take
 * the package itself, of which their bundler keeps what they use.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const vendor = join(root, 'dist/vendor')
const BUNDLED = ['@tensorflow/tfjs-core', '@tensorflow/tfjs-backend-cpu', 'seedrandom', 'long', '@sinclair/typebox']

/** Asked for only when a file is fetched over HTTP, which nothing here does. */
const UNUSED = ['node-fetch', 'util', 'crypto', 'fs', 'string_decoder', 'url']

mkdirSync(vendor, { recursive: true })
for (const [platform, file] of [
  ['node', 'tensorflow.js'],
  ['browser', 'tensorflow.web.js'],
]) {
  const bundle = await rolldown({
    input: join(root, 'scripts/tensorflow.entry.js'),
    platform,
    external: UNUSED,
    resolve: { mainFields: ['module', 'main'] },
    logLevel: 'warn',
  })
  await bundle.write({
    file: join(vendor, file),
    format: 'esm',
    minify: true,
    comments: false,
    postBanner: '/* TensorFlow.js, Apache License 2.0: see NOTICE.txt and LICENSE-APACHE.txt beside this file. */',
  })
  await bundle.close()
}

const typebox = await rolldown({
  cwd: root,
  input: { typebox: '@sinclair/typebox', 'typebox-value': '@sinclair/typebox/value' },
  platform: 'node',
  logLevel: 'warn',
})
await typebox.write({
  dir: vendor,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'typebox-[name].js',
  minify: true,
  comments: false,
  postBanner: '/* TypeBox, MIT License: see NOTICE.txt and LICENSE-TYPEBOX.txt beside this file. */',
})
await typebox.close()

copyFileSync(join(root, 'node_modules/@sinclair/typebox/license'), join(vendor, 'LICENSE-TYPEBOX.txt'))
copyFileSync(join(root, 'scripts/apache-2.0.txt'), join(vendor, 'LICENSE-APACHE.txt'))
const notices = BUNDLED.map((name) => {
  const manifest = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
  const home = manifest.homepage ?? manifest.repository?.url ?? manifest.repository
  return `${name} ${manifest.version}, ${manifest.license} (${home})`
})
writeFileSync(
  join(vendor, 'NOTICE.txt'),
  `These files are bundles, unchanged but for minification, of:\n\n${notices.join('\n')}\n`,
)
