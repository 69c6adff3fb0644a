/** Every page: first picture, runs as they happen, accessibility, phones, and browsers that can draw less. */
import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Page } from 'playwright-core'
import {
  browserIsHere,
  complaintsOf,
  faultsOf,
  greedy,
  opened,
  painted,
  recordEpisode,
  shows,
  stage,
  type Setting,
} from './support.ts'

const here = browserIsHere()

const tiny = (seed: number, horizon = 120) =>
  recordEpisode({
    env: 'warehouse',
    options: { size: 'tiny', robots: 4, horizon },
    scenario: 'warehouse/tiny-4ag',
    act: greedy(),
    recording: { channels: true },
    seed,
  }).bytes

/** As trainers write: a temporary name in the same folder, then a rename. */
async function write(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(`${path}.tmp`, content)
  await rename(`${path}.tmp`, path)
}

/** A run's folder as the trainer writes it. */
class Run {
  readonly folder: string
  readonly id: string

  constructor(data: string, id: string) {
    this.id = id
    this.folder = join(data, 'runs', id)
  }

  async head(step: number, latest: { latestReplay?: string; return?: object } = {}): Promise<void> {
    const scenario = { id: 'warehouse/nano-2ag', title: 'Nano', env: 'warehouse', version: '1', options: {} }
    const run = { format: 1, id: this.id, algorithm: 'mappo', scenario: { ...scenario, evaluation: { episodes: 32 } } }
    const rest = { seed: '1', settings: {}, startedAt: '2026-01-02T03:04:05.000Z', pid: process.pid }
    await write(
      join(this.folder, 'run.json'),
      JSON.stringify({ ...run, ...rest, ...latest, status: 'running', step, steps: 100_000 }),
    )
  }

  async evaluation(step: number, mean: number, replay: Uint8Array): Promise<void> {
    const name = `${String(step).padStart(10, '0')}-0`
    await write(join(this.folder, 'replays', `${name}.replay`), replay)
    const summary = { mean, std: 1, min: mean - 1, max: mean + 1, interval: [mean - 0.4, mean + 0.4] }
    const line = { kind: 'evaluation', step, return: summary, metrics: { deliveries: mean }, replay: `${name}.replay` }
    await appendFile(join(this.folder, 'log.jsonl'), `${JSON.stringify(line)}\n`)
    await this.head(step, { latestReplay: `${name}.replay`, return: summary })
  }
}

describe.skipIf(!here)('pages', () => {
  let setting: Setting
  let page: Page

  beforeAll(async () => {
    setting = await stage({ tiny: tiny(1) })
    page = await setting.page()
  })
  afterAll(() => setting?.close())
  // A forgotten page would go on drawing and slow the others down.
  afterEach(async () => {
    for (const context of setting.browser.contexts()) if (context !== page.context()) await context.close()
  })

  it('the first page says what this is, moves a picture, and teaches where there is nothing yet', async () => {
    await page.goto(setting.server.url)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('No runs yet. Start one:').waitFor()
    expect(await page.getByText('troupe train mappo warehouse/nano-2ag', { exact: true }).isVisible()).toBe(true)
    // The shipped episode where there is one, else the newest.
    const box = page.getByRole('region', { name: /Newest episode|An episode that comes with troupe/ })
    const caption = box.getByText(/step \d+ of \d+/)
    await caption.waitFor()
    const before = await caption.innerText()
    await page.waitForFunction((text) => !document.body.innerText.includes(text), before)
    await box.getByRole('button', { name: 'Pause' }).click()
    await box.getByRole('link', { name: 'Open this episode' }).click()
    await opened(page)
    expect(new URL(page.url()).pathname).toMatch(/^\/replay\/(file|shipped)%3A/)
    await page.goBack()
    await page.getByText('No runs yet. Start one:').waitFor()
    await page.getByRole('button', { name: 'Copy the command: Benchmark' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('troupe train mappo')
  })

  it('a run appears on the first page while it trains, and its newest episode takes the stage', async () => {
    const run = new Run(setting.data, 'mappo-nano-1')
    await run.evaluation(1000, 0.5, tiny(2, 24))
    await page.goto(setting.server.url)
    await page.getByRole('link', { name: 'mappo' }).waitFor()
    await page.getByRole('cell', { name: 'running' }).waitFor()
    await page.getByText(/step \d+ of 24/).waitFor()
    await run.evaluation(2000, 1.25, tiny(3, 32))
    await page.getByText(/step \d+ of 32/).waitFor()
    await page.getByRole('cell', { name: '1.25' }).waitFor()
  })

  it("a run's page draws its return with the interval and follows evaluations as they are written", async () => {
    await page.goto(`${setting.server.url}/run/mappo-nano-1`)
    await page.getByRole('heading', { name: 'mappo on warehouse/nano-2ag' }).waitFor()
    await page.getByText('mean of 32 episodes with 95 % interval').waitFor()
    expect(await page.locator('.curve .mean-dot').count()).toBe(2)
    const run = new Run(setting.data, 'mappo-nano-1')
    await run.evaluation(3000, 2.5, tiny(4, 40))
    await page.locator('.curve .mean-dot').nth(2).waitFor()
    await page.getByRole('link', { name: '0000003000-0' }).waitFor()
    await page.getByText(/step \d+ of 40/).waitFor()
    await page.getByText('The same as a table').click()
    const row = page.getByRole('row').filter({ hasText: '3\u202f000' })
    expect(await row.innerText()).toMatch(/2\.5\s+2\.1 to 2\.9\s+1\.5 to 3\.5/)
  })

  it('a live replay page goes on to the next episode, until the user scrubs', async () => {
    const run = new Run(setting.data, 'mappo-live')
    await run.evaluation(1000, 1, tiny(5, 20))
    await page.goto(`${setting.server.url}/replay/${encodeURIComponent('run:mappo-live:0000001000-0')}`)
    await opened(page)
    await page.getByLabel('Playback speed, times 4 steps per second').selectOption('8')
    await page.getByRole('button', { name: 'Live' }).click()
    await shows(page, 20)
    await run.evaluation(2000, 2, tiny(6, 28))
    await page.waitForFunction(() => window.troupe?.steps === 28)
    await page.getByRole('slider', { name: 'Step' }).fill('3')
    expect(await page.getByRole('button', { name: 'Live' }).getAttribute('aria-pressed')).toBe('false')
    await run.evaluation(3000, 3, tiny(7, 36))
    await page.getByRole('button', { name: 'Last', exact: true }).click()
    await shows(page, 28)
    await page.waitForTimeout(1000)
    expect(await page.evaluate(() => window.troupe!.steps)).toBe(28)
  })

  it('says so when a run or a page is not there', async () => {
    await page.goto(`${setting.server.url}/run/no-such-run`)
    await page.getByText('This run is no longer in the data folder.').waitFor()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    it(`has no accessibility fault that axe finds, ${colorScheme}`, async () => {
      const run = new Run(setting.data, 'mappo-axe')
      await run.evaluation(1000, 0.5, tiny(2, 24))
      await run.evaluation(2000, 1.5, tiny(3, 24))
      const context = await setting.browser.newContext({ colorScheme, viewport: { width: 1280, height: 800 } })
      const other = await context.newPage()
      const check = async (what: string) => {
        expect(await faultsOf(other), what).toEqual([])
      }
      await other.goto(setting.server.url)
      await other.getByText(/step \d+ of/).waitFor()
      await check('home')
      await other.goto(`${setting.server.url}/run/mappo-axe`)
      await other.locator('.curve .mean-dot').first().waitFor()
      await other.getByText(/step \d+ of 24/).waitFor()
      if (process.env.TROUPE_SHOTS !== undefined) {
        await other.waitForTimeout(1000)
        await other.screenshot({ path: join(process.env.TROUPE_SHOTS, `run-${colorScheme}.png`) })
      }
      await check('run')
      await other.goto(`${setting.server.url}/replay/file:tiny?step=60&agent=agent_1`)
      await painted(other)
      await check('replay')
      await other.getByRole('button', { name: 'Verify in this page' }).click()
      await other.getByText('Verified: 120 steps agree').waitFor()
      await other.getByRole('tab', { name: 'Events' }).click()
      await check('events')
      await other.getByRole('button', { name: 'Show the keys' }).click()
      await check('help')
      await other.keyboard.press('Escape')
      await other.setViewportSize({ width: 390, height: 844 })
      await other.getByRole('tab', { name: 'Charts' }).waitFor() // the page has taken its narrow form
      await check('phone')
    })
  }

  it('everything on the replay page is reached by keyboard alone, in reading order', async () => {
    await page.goto(`${setting.server.url}/replay/file:tiny`)
    await painted(page)
    const seen: string[] = []
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab')
      const name = await page.evaluate(() => {
        const focused = document.activeElement
        if (focused === null || focused === document.body) return ''
        return focused.getAttribute('aria-label') ?? focused.textContent!.trim()
      })
      if (name === '') break
      seen.push(name)
    }
    const order = [
      'Verify in this page',
      'Fit the world to the window',
      'Agent agent_0',
      'First',
      'Play',
      'Step to show',
    ]
    const places = order.map((name) => seen.indexOf(name))
    expect(places).not.toContain(-1)
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(seen.at(-1)).toBe('Step')
  })

  it('is usable with a thumb: nothing wider than a phone, controls of 44 pixels', async () => {
    await new Run(setting.data, 'mappo-phone').evaluation(1000, 0.5, tiny(2, 24))
    const phone = await setting.page({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
    for (const path of ['/', '/replay/file:tiny?agent=agent_1', '/run/mappo-phone']) {
      await phone.goto(`${setting.server.url}${path}`)
      await phone.waitForSelector(path === '/' ? 'table.list' : path.startsWith('/run') ? '.curve .mean-dot' : '.chips')
      expect(await phone.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(390)
    }
    await phone.goto(`${setting.server.url}/replay/file:tiny?agent=agent_1`)
    await painted(phone)
    for (const control of await phone.locator('.transport button, .transport input, .chip, [role=tab], .tool').all()) {
      if (!(await control.isVisible())) continue
      const { width, height } = (await control.boundingBox())!
      const name = (await control.getAttribute('title')) ?? (await control.innerText())
      expect(height, name).toBeGreaterThanOrEqual(43.5)
      expect(width, name).toBeGreaterThanOrEqual(43.5)
    }
    await phone.getByRole('button', { name: 'Forward', exact: true }).tap()
    await shows(phone, 1)
    await phone.getByRole('tab', { name: 'Charts' }).tap()
    await phone.getByText('return so far, sum over agents').waitFor()
    expect(complaintsOf(phone)).toEqual([])
  })

  it('moves on whole steps only when the system asks for little motion', async () => {
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      const still = await setting.page({ reducedMotion })
      await still.goto(`${setting.server.url}/replay/file:tiny`)
      await painted(still)
      await still.keyboard.press('k')
      const fractions = await still.evaluate(async () => {
        const seen: number[] = []
        for (let i = 0; i < 40; i++) {
          await new Promise((resolve) => setTimeout(resolve, 50))
          seen.push(window.troupe!.drawn!.fraction)
        }
        return seen
      })
      expect(fractions.some((fraction) => fraction > 0)).toBe(reducedMotion === 'no-preference')
      await still.context().close()
    }
  })

  it('draws again after the graphics context was lost', async () => {
    await page.goto(`${setting.server.url}/replay/file:tiny?step=60`)
    await painted(page)
    const canvas = page.locator('.stage-canvas')
    await page.waitForTimeout(700) // the fine picture of a stage at rest
    const before = await canvas.screenshot()
    await page.evaluate(() => {
      const lost = document
        .querySelector<HTMLCanvasElement>('.stage-canvas')!
        .getContext('webgl2')!
        .getExtension('WEBGL_lose_context')!
      lost.loseContext()
      setTimeout(() => lost.restoreContext(), 500)
    })
    await page.getByText('The graphics context was lost.').waitFor()
    await page.getByText('The graphics context was lost.').waitFor({ state: 'hidden' })
    await page.waitForTimeout(900)
    expect((await canvas.screenshot()).equals(before)).toBe(true)
    await page.keyboard.press('ArrowRight')
    await shows(page, 61)
    await page.waitForTimeout(500)
    expect((await canvas.screenshot()).equals(before)).toBe(false)
  })

  it('two hundred numbered robots at the closest zoom do not lose the context', async () => {
    const crowd = recordEpisode({
      env: 'warehouse',
      options: { size: 'large', robots: 200, requests: 100, horizon: 6 },
      scenario: 'warehouse/crowd',
    })
    await write(join(setting.data, 'replays', 'crowd.replay'), crowd.bytes)
    const crowded = await setting.page()
    await crowded.goto(`${setting.server.url}/replay/file:crowd`)
    await painted(crowded)
    for (let i = 0; i < 14; i++) {
      await crowded.getByRole('button', { name: 'Zoom in' }).click()
      await crowded.keyboard.press(i % 2 === 0 ? 'ArrowRight' : 'ArrowLeft')
    }
    await crowded.waitForTimeout(500)
    expect(await crowded.getByText('The graphics context was lost.').count()).toBe(0)
    const lost = await crowded.evaluate(() =>
      document.querySelector<HTMLCanvasElement>('.stage-canvas')!.getContext('webgl2')!.isContextLost(),
    )
    expect(lost).toBe(false)
    expect(complaintsOf(crowded)).toEqual([])
  })

  it('one stage serves the whole visit: pages come and go, the context stays', async () => {
    const made = await page.evaluate(() => {
      const original = HTMLCanvasElement.prototype.getContext
      const count = { value: 0 }
      Object.assign(window, { contexts: count })
      HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, ...args: unknown[]) {
        if (String(args[0]).startsWith('webgl')) count.value++
        return original.apply(this, args as never) as never
      } as never
      return true
    })
    expect(made).toBe(true)
    for (let i = 0; i < 3; i++) {
      await page.locator('.brand').click()
      await page.getByText(/step \d+ of/).waitFor()
      await page.getByRole('link', { name: 'Open this episode' }).click()
      await opened(page)
    }
    expect(await page.locator('.stage-canvas').count()).toBe(1)
    expect(await page.evaluate(() => (window as never as { contexts: { value: number } }).contexts.value)).toBe(0)
  })

  it('keeps the page policy on every page', () => {
    expect(complaintsOf(page).filter((text) => !text.includes('status of 404'))).toEqual([])
  })
})

describe.skipIf(!here)('a browser without WebGL', () => {
  it('draws on a plain canvas and says so', async () => {
    const setting = await stage({ tiny: tiny(1) }, ['--disable-gpu', '--disable-3d-apis'])
    const page = await setting.page()
    await page.goto(`${setting.server.url}/replay/file:tiny?step=60&agent=agent_1`)
    await painted(page)
    await page.getByText('WebGL is not available: drawing with the slower plain canvas.').waitFor()
    await page.waitForTimeout(500)
    if (process.env.TROUPE_SHOTS !== undefined) {
      await page.screenshot({ path: join(process.env.TROUPE_SHOTS, 'plain-canvas.png') })
    }
    const colours = await page.evaluate(() => {
      const canvas = document.querySelector<HTMLCanvasElement>('.stage-canvas')!
      const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
      const seen = new Set<number>()
      for (let i = 0; i < data.length; i += 4) seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2])
      return seen.size
    })
    expect(colours).toBeGreaterThan(20)
    await page.keyboard.press('ArrowRight')
    await shows(page, 61)
    await setting.close()
  })
})
