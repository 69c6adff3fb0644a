/** `npm start`: builds what is missing or stale, then runs the demo. Arguments are passed on. */
import { spawn, spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const build = spawnSync(process.execPath, [join(root, 'scripts/build.mjs'), '--if-stale'], { stdio: 'inherit' })
if (build.status !== 0) process.exit(build.status ?? 1)
const child = spawn(process.execPath, [join(root, 'dist/cli/main.js'), 'demo', ...process.argv.slice(2)], {
  stdio: 'inherit',
})
// Ctrl-C reaches the child through the terminal; this process only waits so that the demo can end cleanly.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)))
