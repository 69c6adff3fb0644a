/**
 * Measures what the viewer promises, in Chromium, and prints it: opening and seeking, main-thread time per picture,
 * a very large floor, contexts and memory over many open and close cycles, and the first load. Nothing here fails:
 * figures depend on the machine. Run it after a build, on a quiet machine:
 *
 *   node scripts/viewer-budgets.mjs [open frames large cycles load]
 *
 * TROUPE_CHROMIUM names another browser.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
import { createBatch, ENVS, episodeSeed, Generator, namedSeed } from '../dist/envs/index.js'
import { ReplayRecorder } from '../dist/envs/core/replay.js'
import { startServer } from '../dist/server/index.js'

const asked = process.argv.slice(2)
const wants = (name) => asked.length === 0 || asked.includes(name)
const say = (name, value) => console.log(`${name.padEnd(64)} ${value}`)
const ms = (value) => `${value.toFixed(1)} ms`

/** A floor of blocks of shelves two wide, with corridors and a row of goals. */
function floor(size, gap) {
  return Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (_, x) => {
      if (y === size - 1) return x % 8 === 4 ? 'g' : '.'
      return y > 1 && y < size - 3 && y % gap !== 0 && x % gap > 0 && x % gap < 3 ? 'x' : '.'
    }).join(''),
  )
}

/** Robots that mostly drive on, turn now and then and lift what they stand under. */
function episode(options, steps, scenario) {
  const batch = createBatch(ENVS.warehouse, { ...options, horizon: steps }, { autoreset: 'disabled' })
  batch.reset([episodeSeed('1', 'eval', 0, 0)])
  const rng = new Generator(namedSeed(1, 'budgets'))
  const header = { scenario: { id: scenario, teamReward: 'sum' }, policies: [{ name: 'wander' }], package: '0.1.0' }
  const recorder = new ReplayRecorder(batch, 0, header)
  const N = batch.spec.agents.length
  const action = new Int32Array(N)
  for (let t = 0; t < steps; t++) {
    for (let n = 0; n < N; n++) {
      const draw = rng.below(20)
      action[n] = draw < 14 ? 1 : draw < 17 ? 2 : draw < 19 ? 3 : 4
    }
    batch.step(action)
    recorder.record(action)
  }
  return recorder.finish('sum')
}

const data = await mkdtemp(join(tmpdir(), 'troupe-budgets-'))
await mkdir(join(data, 'replays'), { recursive: true })
const keep = (name, bytes) => writeFile(join(data, 'replays', `${name}.replay`), bytes)
await keep('twenty', episode({ size: 'medium', robots: 20 }, 1000, 'warehouse/medium-20ag'))
if (wants('frames')) await keep('crowd', episode({ layout: floor(64, 4), robots: 200 }, 1500, 'warehouse/64x64-200ag'))
if (wants('large')) {
  await keep(
    'huge',
    episode({ layout: floor(512, 12), robots: 10_000, requests: 5000 }, 60, 'warehouse/512x512-10000ag'),
  )
}
const server = await startServer({ port: 0, data, viewerDir: join(import.meta.dirname, '../dist/viewer') })
const browser = await chromium.launch({
  executablePath: process.env.TROUPE_CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    // A page put together by SwiftShader as well costs twice the processor time per picture, none of it the page's.
    '--disable-gpu-compositing',
    '--enable-precise-memory-info',
  ],
})
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
// Counts the graphics contexts that are ever made.
await context.addInitScript(() => {
  window.made = 0
  window.frames = 0
  const count = () => {
    window.frames++
    requestAnimationFrame(count)
  }
  requestAnimationFrame(count)
  const original = HTMLCanvasElement.prototype.getContext
  const known = new WeakSet()
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    const found = original.call(this, kind, ...rest)
    if (found !== null && /webgl/.test(kind) && !known.has(this) && this.className === 'stage-canvas') {
      known.add(this)
      window.made++
    }
    return found
  }
})
const page = await context.newPage()
const devtools = await context.newCDPSession(page)
// Processor time of the page's thread, not of the clock on the wall: other programs on the machine do not count.
await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
const metrics = async () => {
  const { metrics: list } = await devtools.send('Performance.getMetrics')
  return Object.fromEntries(list.map(({ name, value }) => [name, value]))
}
const go = (path) => page.goto(`${server.url}${path}`)
const drawn = () => page.waitForFunction(() => (window.troupe?.drawn?.pictures ?? 0) > 0, undefined, { polling: 'raf' })
const surveyed = () => page.waitForFunction(() => window.troupe?.surveyed === true, undefined, { timeout: 120_000 })

async function open() {
  await go('/replay/file:twenty')
  await drawn()
  const times = []
  for (let i = 0; i < 5; i++) {
    await go(`/replay/file:twenty?step=${i * 200 + 1}`)
    await drawn()
    times.push(await page.evaluate(() => performance.now()))
  }
  times.sort((a, b) => a - b)
  say('open 1,000 steps x 20 agents, page load to first picture, median', ms(times[2]))
  await surveyed()
  const seeks = await page.evaluate(async () => {
    const slider = document.querySelector('input.scrub')
    const taken = []
    for (let i = 0; i < 40; i++) {
      const step = (i * 617 + 13) % 1001
      const before = window.troupe.drawn.pictures
      const began = performance.now()
      slider.value = String(step)
      slider.dispatchEvent(new Event('input', { bubbles: true }))
      while (window.troupe.shownStep !== step) await new Promise((done) => setTimeout(done, 0))
      const known = performance.now() - began
      while (window.troupe.drawn.pictures === before) await new Promise(requestAnimationFrame)
      taken.push([known, performance.now() - began])
    }
    return taken
  })
  const of = (k) => seeks.map((pair) => pair[k]).sort((a, b) => a - b)
  say('seek anywhere: step known, median and longest of 40', `${ms(of(0)[20])}, ${ms(of(0)[39])}`)
  say('seek anywhere: picture drawn, median and longest of 40', `${ms(of(1)[20])}, ${ms(of(1)[39])}`)
}

/** Main-thread time while the clock runs. */
async function play(name, speed, seconds) {
  await page.getByLabel('Playback speed').selectOption(String(speed))
  await page.keyboard.press('k')
  await page.waitForTimeout(700)
  const [before, from] = [
    await metrics(),
    await page.evaluate(() => ({
      ...window.troupe.drawn,
      step: window.troupe.step,
      now: performance.now(),
      frames: window.frames,
    })),
  ]
  await page.waitForTimeout(seconds * 1000)
  const [after, to] = [
    await metrics(),
    await page.evaluate(() => ({
      ...window.troupe.drawn,
      step: window.troupe.step,
      now: performance.now(),
      frames: window.frames,
    })),
  ]
  await page.keyboard.press('k')
  const pictures = to.pictures - from.pictures
  const count = Math.max(1, to.frames - from.frames)
  const task = (1000 * (after.TaskDuration - before.TaskDuration)) / count
  const script = (1000 * (after.ScriptDuration - before.ScriptDuration)) / count
  const wall = (to.now - from.now) / 1000
  const rates = [pictures / wall, count / wall, (to.step - from.step) / wall].map((rate) => rate.toFixed(1))
  say(`${name}: pictures, frames and steps per second`, rates.join(', '))
  say(`${name}: main thread per frame (processor time; of it script)`, `${ms(task)}; ${ms(script)}`)
  const busy = (100 * (after.TaskDuration - before.TaskDuration)) / wall
  say(`${name}: main thread busy while playing`, `${busy.toFixed(0)} %`)
  say(`${name}: drawing the stage (on the wall clock)`, ms((to.ms - from.ms) / Math.max(1, pictures)))
}

async function frames() {
  await go('/replay/file:crowd')
  await drawn()
  await surveyed()
  await play('200 agents on 64 x 64 at 16x', 16, 4)
}

async function large() {
  await go('/replay/file:huge')
  await drawn()
  say('10,000 robots on 512 x 512: page load to first picture', ms(await page.evaluate(() => performance.now())))
  await surveyed()
  say('10,000 robots on 512 x 512: surveyed after', ms(await page.evaluate(() => performance.now())))
  await play('10,000 robots, whole floor, 2x', 2, 4)
  await page.getByLabel('Find an agent').fill('137')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => window.troupe.agent === 'agent_137' && document.activeElement?.tagName !== 'INPUT')
  await page.keyboard.press('Home')
  await page.waitForFunction(() => window.troupe.step === 0)
  await play('10,000 robots, following one, 2x', 2, 4)
}

async function cycles() {
  await go('/')
  const heap = async () => {
    await devtools.send('HeapProfiler.collectGarbage')
    const found = await metrics()
    return `${(found.JSHeapUsedSize / 1e6).toFixed(1)} MB, ${found.Nodes} nodes, ${found.JSEventListeners} listeners`
  }
  for (let i = 1; i <= 50; i++) {
    await page.locator('a[href^="/replay/"]').first().click()
    await drawn()
    await page.locator('a.brand').click()
    await page.locator('.episode-box').waitFor()
    if ([1, 10, 25, 50].includes(i)) say(`after ${i} open and close cycles: heap`, await heap())
  }
  say('graphics contexts made in 50 cycles', await page.evaluate(() => window.made))
}

async function load() {
  const fresh = await browser.newContext()
  const first = await fresh.newPage()
  const sizes = new Map()
  first.on('response', async (answer) => {
    if (!/\.js$/.test(new URL(answer.url()).pathname)) return
    const body = await answer.body().catch(() => null) // the page was closed meanwhile
    if (body !== null) sizes.set(answer.url(), gzipSync(body, { level: 6 }).length)
  })
  await first.goto(`${server.url}/replay/file:twenty`)
  await first.waitForFunction(() => (window.troupe?.drawn?.pictures ?? 0) > 0)
  await first.waitForTimeout(500)
  const total = [...sizes.values()].reduce((a, b) => a + b, 0)
  say(`first load of a replay page: ${sizes.size} scripts, compressed`, `${(total / 1000).toFixed(0)} kB`)
  await fresh.close()
}

try {
  for (const [name, measure] of Object.entries({ open, frames, large, cycles, load })) if (wants(name)) await measure()
} finally {
  await browser.close()
  await server.close()
  await rm(data, { recursive: true, force: true })
}
