/** The replay page, driven in Chromium and compared with a simulation of its own. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Page } from 'playwright-core'
import { ENVS } from '../../envs/index.ts'
import { readReplay, verifyReplay, writeReplay, type Replay } from '../../envs/core/replay.ts'
import {
  browserIsHere,
  complaintsOf,
  drop,
  greedy,
  opened,
  painted,
  recordEpisode,
  shows,
  stage,
  type Episode,
  type Setting,
} from './support.ts'

const TINY = { size: 'tiny', robots: 4, horizon: 300 }
const LONG = 3000

/** The same file with another header, or with other actions: still a well-formed replay. */
function changed(bytes: Uint8Array, change: (replay: Replay) => Replay): Uint8Array {
  return writeReplay(change(readReplay(bytes)))
}

describe.skipIf(!browserIsHere())('the replay page', () => {
  let setting: Setting
  let tiny: Episode
  let matrix: Episode
  let forged: Uint8Array
  let page: Page

  beforeAll(async () => {
    tiny = recordEpisode({
      env: 'warehouse',
      options: TINY,
      scenario: 'warehouse/tiny-4ag',
      act: greedy(),
      recording: { channels: true },
    })
    matrix = recordEpisode({
      env: 'matrix',
      options: { game: 'pd', horizon: 40, observation: 'last' },
      scenario: 'matrix/pd-repeated',
    })
    // Robot 2 plays something else at step 17: the digests no longer fit.
    forged = changed(tiny.bytes, (replay) => {
      const actions = replay.actions.slice()
      actions[17 * 4 + 2] = (actions[17 * 4 + 2] + 1) % 5
      return { ...replay, actions }
    })
    setting = await stage({
      tiny: tiny.bytes,
      matrix: matrix.bytes,
      forged,
      long: recordEpisode({
        env: 'warehouse',
        options: { ...TINY, horizon: LONG },
        scenario: 'warehouse/tiny-4ag',
        act: greedy(),
      }).bytes,
      hundred: recordEpisode({
        env: 'warehouse',
        options: { ...TINY, horizon: 100 },
        scenario: 'warehouse/tiny-4ag',
        act: greedy(),
      }).bytes,
    })
    page = await setting.page()
  })
  afterAll(() => setting?.close())

  const go = async (path: string) => {
    await page.goto(`${setting.server.url}${path}`)
    await opened(page)
  }
  const record = () => page.evaluate(() => window.troupe!.record!)
  const typeStep = async (step: number) => {
    await page.getByLabel('Step to show').fill(String(step))
    await page.keyboard.press('Enter')
    await shows(page, step)
  }

  it('shows at every step what the simulation says: places, loads, observations, rewards, counters', async () => {
    await go('/replay/file:tiny?agent=agent_1')
    const batch = tiny.simulate()
    const { observation: features } = batch.spec.agents[1]
    for (let step = 0; step <= tiny.actions.length; step++) {
      if (step > 0) batch.step(tiny.actions[step - 1])
      if (![0, 1, 2, 63, 64, 65, 150, 299, 300].includes(step)) continue
      await typeStep(step)
      const shown = await record()
      const frame = batch.frame(0)
      expect(shown.frame).toEqual(JSON.parse(JSON.stringify(frame)))
      expect(Object.values(shown.observation!)).toEqual([...batch.observation])
      expect(Object.values(shown.mask!)).toEqual([...batch.mask])
      expect(Object.values(shown.returns!)).toEqual([...batch.returns])
      if (step > 0) expect(Object.values(shown.reward!)).toEqual([...batch.reward])

      const fact = (name: string) => page.locator(`[data-fact="${name}"]`).innerText()
      expect(await page.locator('[data-counter="deliveries"]').innerText()).toBe(String(frame.counters.deliveries))
      expect(await fact('return')).toBe(String(batch.returns[1]))
      expect(await fact('reward')).toBe(String(step === 0 ? 0 : batch.reward[1]))
      const { names } = batch.spec.agents[1].action as unknown as { names: string[] }
      expect(await fact('action')).toBe(step === 300 ? 'The episode is over: no action.' : names[tiny.actions[step][1]])
      const rows = await page.locator('.observation tr').allInnerTexts()
      expect(rows).toHaveLength(features.length)
      expect(rows[0]).toContain(features[0].name)
      expect(rows[0].trim().endsWith(String(batch.observation[features.length]))).toBe(true)
    }
    expect(Number(batch.metrics(0).deliveries)).toBeGreaterThan(3)
  })

  it('marks what changed in an observation, and filters it by name', async () => {
    await go('/replay/file:tiny?step=20&agent=agent_0')
    const batch = tiny.simulate()
    for (let step = 0; step < 19; step++) batch.step(tiny.actions[step])
    const before = batch.observation.slice(0, 71)
    batch.step(tiny.actions[19])
    const changes = before.reduce((count, value, i) => count + (value === batch.observation[i] ? 0 : 1), 0)
    expect(await page.locator('.observation tr.changed').count()).toBe(changes)
    await page.getByLabel('Filter by name').fill('shelf')
    const names = batch.spec.agents[0].observation.filter(({ name }) => name.toLowerCase().includes('shelf'))
    expect(await page.locator('.observation tr').count()).toBe(names.length)
    expect(names.length).toBeGreaterThan(0)
    await page.getByLabel('Filter by name').fill('no such name')
    expect(await page.locator('.observation tr').count()).toBe(0)
    await page.getByText('No name matches.').waitFor()
  })

  it('plays, pauses on a whole step, and steps both ways, with buttons that say so', async () => {
    await go('/replay/file:tiny')
    for (const name of ['First', 'Back', 'Play', 'Forward', 'Last']) {
      expect(await page.getByRole('button', { name, exact: true }).isVisible()).toBe(true)
    }
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await page.waitForFunction(() => window.troupe!.step >= 3)
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    const step = await page.evaluate(() => window.troupe!.step)
    await page.getByRole('button', { name: 'Forward', exact: true }).click()
    await shows(page, step + 1)
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await shows(page, step - 1)
    await page.getByRole('button', { name: 'Last', exact: true }).click()
    await shows(page, 300)
    await page.getByRole('button', { name: 'Back', exact: true }).click()
    await shows(page, 299)
    await page.getByRole('button', { name: 'First', exact: true }).click()
    await shows(page, 0)
  })

  it('scrubs with the pointer and with the slider', async () => {
    await go('/replay/file:tiny')
    const track = (await page.locator('.timeline-track').boundingBox())!
    const at = (share: number) => track.x + 8 + share * (track.width - 16)
    await page.mouse.move(at(0.1), track.y + track.height - 40)
    await page.mouse.down()
    await page.mouse.move(at(0.5), track.y + track.height - 40, { steps: 4 })
    await page.mouse.up()
    await shows(page, 150)
    await page.getByRole('slider', { name: 'Step' }).fill('42')
    await shows(page, 42)
    expect(await page.getByLabel('Step to show').inputValue()).toBe('42')
  })

  it('does what the help panel says about keys, and nothing while one types', async () => {
    await go('/replay/file:tiny')
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const speed = () => page.evaluate(() => window.troupe!.speed)
    await press('ArrowRight', 'ArrowRight', 'ArrowLeft')
    await shows(page, 1)
    await press('l', 'l', 'j')
    await shows(page, 11)
    await press('End')
    await shows(page, 300)
    await press('Home')
    await shows(page, 0)
    await press('4', '2', 'Enter')
    await shows(page, 42)
    const batch = tiny.simulate()
    const eventful: number[] = []
    tiny.actions.forEach((action, t) => {
      batch.step(action)
      if (batch.frame(0).events.length > 0) eventful.push(t + 1)
    })
    const next = eventful.find((step) => step > 42)!
    await press('Shift+ArrowRight')
    await shows(page, next)
    const previous = eventful.findLast((step) => step < next)!
    await press('Shift+ArrowLeft')
    await shows(page, previous)
    for (let i = 0; i < 9; i++) await press('Shift+>')
    expect(await speed()).toBe(64)
    for (let i = 0; i < 6; i++) await press('Shift+<')
    await press('r')
    expect(await speed()).toBe(-1)
    await press('r', ']')
    expect(await page.evaluate(() => window.troupe!.agent)).toBe('agent_0')
    await press('[')
    expect(await page.evaluate(() => window.troupe!.agent)).toBe('agent_3')
    await press('Escape')
    expect(await page.evaluate(() => window.troupe!.agent)).toBe(null)
    await press(' ')
    expect(await page.evaluate(() => window.troupe!.playing)).toBe(true)
    await press('k')
    expect(await page.evaluate(() => window.troupe!.playing)).toBe(false)

    await press('Shift+?')
    const help = page.getByRole('dialog', { name: 'Keys' })
    await help.waitFor()
    expect(await help.innerText()).toContain('play and pause')
    await press('Escape')
    await help.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Show the keys' }).click()
    await help.waitFor()
    await press('Escape')

    await press(']')
    const step = await page.evaluate(() => window.troupe!.step)
    await page.getByLabel('Filter by name').focus()
    await page.keyboard.type('jlk r')
    expect(await page.evaluate(() => [window.troupe!.step, window.troupe!.playing])).toEqual([step, false])
  })

  it('selects the robot that is clicked, and shows its window on the legend', async () => {
    await go('/replay/file:tiny?step=100')
    await painted(page)
    const robot = (await record()).frame.entities.find(({ id }) => id === 'agent_2')!
    const place = (await page.evaluate(([x, y]) => window.troupe!.placeOf(x, y), [robot.x, robot.y] as const))!
    await page.mouse.click(place.x, place.y)
    expect(await page.evaluate(() => window.troupe!.agent)).toBe('agent_2')
    expect(await page.getByRole('button', { name: 'Agent agent_2' }).getAttribute('aria-pressed')).toBe('true')
    await page.getByRole('list', { name: 'Legend' }).getByText('what the selected robot senses').waitFor()
    await page.mouse.click(place.x, place.y)
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => window.troupe!.agent)).toBe(null)
  })

  it('zooms at the pointer, and a drag moves the picture without selecting anything', async () => {
    await go('/replay/file:tiny?step=100')
    await painted(page)
    const placeOf = (x: number, y: number) => page.evaluate(([a, b]) => window.troupe!.placeOf(a, b)!, [x, y] as const)
    const corner = await placeOf(0, 0)
    const middle = await placeOf(5, 5)
    await page.mouse.move(middle.x, middle.y)
    await page.mouse.wheel(0, -400)
    await page.waitForFunction((x) => Math.abs(window.troupe!.placeOf(0, 0)!.x - x) > 5, corner.x)
    const after = await placeOf(5, 5)
    expect(after.x).toBeCloseTo(middle.x, 0)
    expect(after.y).toBeCloseTo(middle.y, 0)
    await page.mouse.down()
    await page.mouse.move(middle.x + 60, middle.y + 30, { steps: 3 })
    await page.mouse.up()
    const dragged = await placeOf(5, 5)
    expect(dragged.x - after.x).toBeCloseTo(60, -1)
    expect(await page.evaluate(() => window.troupe!.agent)).toBe(null)
    await page.getByRole('button', { name: 'Fit the world to the window' }).click()
    await page.waitForFunction((x) => Math.abs(window.troupe!.placeOf(0, 0)!.x - x) < 0.5, corner.x)
  })

  it('verifies a genuine replay, and names the first step at which a forged one differs', async () => {
    await go('/replay/file:tiny')
    await page.getByRole('button', { name: 'Verify in this page' }).click()
    await page.getByText('Verified: 300 steps agree').waitFor()

    const verdict = verifyReplay(readReplay(forged), ENVS.warehouse)
    expect(verdict).toMatchObject({ ok: false, step: 17 })
    await go('/replay/file:forged')
    await page.getByRole('button', { name: 'Verify in this page' }).click()
    await page.getByText('Differs at step 17').waitFor()
    await page.getByRole('button', { name: 'Go to step 17' }).click()
    await shows(page, 17)
  })

  it('a link carries step and agent, the address follows, and the link can be copied', async () => {
    await go('/replay/file:tiny?step=42&agent=agent_1')
    await shows(page, 42)
    expect(await page.evaluate(() => window.troupe!.agent)).toBe('agent_1')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press(']')
    await page.waitForURL('**/replay/file%3Atiny?step=43&agent=agent_2')
    await page.getByRole('button', { name: 'Copy link to step 43' }).click()
    await page.getByText('Link copied').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied).toBe(`${setting.server.url}/replay/file%3Atiny?step=43&agent=agent_2`)
    const other = await setting.page()
    await other.goto(copied)
    await opened(other)
    expect(await other.evaluate(() => [window.troupe!.step, window.troupe!.agent])).toEqual([43, 'agent_2'])
    await other.goto(`${setting.server.url}/replay/file:tiny?step=99999&agent=nobody`)
    await opened(other)
    expect(await other.evaluate(() => [window.troupe!.step, window.troupe!.agent])).toEqual([300, null])
    await other.context().close()
  })

  it('shows a matrix game: choices, payoffs and totals as the simulation has them', async () => {
    await go('/replay/file:matrix?agent=agent_0')
    const batch = matrix.simulate()
    for (let step = 0; step < 25; step++) batch.step(matrix.actions[step])
    await typeStep(25)
    const shown = await record()
    expect(shown.frame).toEqual(JSON.parse(JSON.stringify(batch.frame(0))))
    expect(await page.locator('[data-counter="total0"]').innerText()).toBe(String(batch.returns[0]))
    expect(await page.locator('[data-fact="action"]').innerText()).toBe(['cooperate', 'defect'][matrix.actions[25][0]])
  })

  it('tells a screen reader the step when the clock rests', async () => {
    await go('/replay/file:tiny?step=10')
    const batch = tiny.simulate()
    for (let step = 0; step < 10; step++) batch.step(tiny.actions[step])
    const sum = batch.returns.reduce((a, b) => a + b, 0)
    await page.waitForFunction(
      (text) => document.querySelector('[data-spoken]')!.textContent!.includes(text),
      'Step 10 of 300.',
    )
    expect(await page.locator('[data-spoken]').textContent()).toContain(`Return so far ${sum}`)
    expect(await page.locator('[data-spoken]').getAttribute('aria-live')).toBe('polite')
  })

  it('plays at 64 times without leaving the simulation behind', async () => {
    await go('/replay/file:long')
    for (let i = 0; i < 9; i++) await page.keyboard.press('Shift+>')
    // 64 times 4 steps a second: two seconds are 512 steps, give or take what the clock reads late.
    const [steps, ms] = await page.evaluate(async () => {
      const wait = (time: number) => new Promise((resolve) => setTimeout(resolve, time))
      document.dispatchEvent(new KeyboardEvent('keydown', { key: 'k', bubbles: true }))
      await wait(1500)
      const [from, began] = [window.troupe!.step, performance.now()]
      await wait(2000)
      return [window.troupe!.step - from, performance.now() - began]
    })
    console.log(`64x: ${steps} steps in ${Math.round(ms)} ms`)
    expect(steps / ((ms / 1000) * 256)).toBeGreaterThan(0.5)
    expect(steps / ((ms / 1000) * 256)).toBeLessThan(1.5)
    await page.keyboard.press('k')
    const step = await page.evaluate(() => window.troupe!.step)
    await shows(page, step)
    expect((await record()).frame.step).toBe(step)
  })

  it('opens an episode of a hundred steps quickly', async () => {
    // A second visit, as for anybody who has seen the page before: the browser has its files.
    await page.goto(`${setting.server.url}/replay/file:hundred`)
    await opened(page)
    await page.goto(`${setting.server.url}/replay/file:hundred?step=1`)
    await opened(page)
    const ms = await page.evaluate(() => performance.now())
    console.log(`100-step episode on the screen and surveyed after ${Math.round(ms)} ms`)
    expect(ms).toBeLessThan(process.env.CI ? 10_000 : 5000)
  })

  it('keeps the page policy: no script, worker or style was refused, nothing threw', () => {
    expect(complaintsOf(page)).toEqual([])
  })

  describe('files', () => {
    const sentence = () => page.getByRole('alert').innerText()

    it('plays a dropped file, and says what a link cannot carry', async () => {
      await page.goto(setting.server.url)
      await drop(page, 'mine.replay', tiny.bytes)
      await opened(page)
      expect(await page.evaluate(() => window.troupe!.steps)).toBe(300)
      await page.keyboard.press('End')
      await shows(page, 300)
      await page.getByRole('button', { name: 'Copy link to step 300' }).click()
      await page.getByText('This replay is a file on your computer').waitFor()
    })

    it('replaces the episode that is open by one dropped on it', async () => {
      await go('/replay/file:tiny?step=7')
      await drop(page, 'game.replay', matrix.bytes)
      await page.waitForFunction(() => window.troupe?.steps === 40)
    })

    it('opens a chosen file', async () => {
      await page.goto(setting.server.url)
      const path = join(setting.data, 'chosen.replay')
      await writeFile(path, tiny.bytes)
      const chooser = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Open a replay file' }).click()
      await (await chooser).setFiles(path)
      await opened(page)
    })

    it('says in one sentence what is wrong with a file', async () => {
      const broken = tiny.bytes.slice()
      broken[broken.length - 40] ^= 0xff
      for (const [name, bytes] of [
        ['cut.replay', tiny.bytes.slice(0, 500)],
        ['flipped.replay', broken],
        ['empty.replay', new Uint8Array(0)],
        ['photo.png', Uint8Array.from({ length: 5000 }, (_, i) => (i * 37) & 255)],
        ['page.html', new TextEncoder().encode('<script>alert(1)</script>')],
      ] as const) {
        await page.goto(setting.server.url)
        await drop(page, name, bytes)
        const text = await sentence()
        expect(text.startsWith(name)).toBe(true)
        expect(text.match(/[.!?]( |$)/g)).toHaveLength(1)
        expect(text.length).toBeLessThan(300)
      }
    })

    it('shows stored frames of another version with a notice, and refuses without frames', async () => {
      const withFrames = recordEpisode({
        env: 'warehouse',
        options: { size: 'tiny', robots: 2, horizon: 20 },
        scenario: 'warehouse/tiny-2ag',
        recording: { keyframeEvery: 5 },
      })
      const version = (replay: Replay) => ({ ...replay, header: { ...replay.header, version: '99' } })
      await page.goto(setting.server.url)
      await drop(page, 'future.replay', changed(withFrames.bytes, version))
      await page.getByText('Stored pictures only.').waitFor()
      await page.getByText(/warehouse version 99; this page simulates version 1/).waitFor()
      await page.getByText('Cannot be verified here').waitFor()
      await page.keyboard.press('End')
      await page.waitForFunction(() => window.troupe?.record?.frameStep === 20)
      await page.keyboard.press('ArrowLeft')
      await page.getByText('(picture of step 15)').waitFor()

      await page.goto(setting.server.url)
      await drop(page, 'old.replay', changed(tiny.bytes, version))
      expect(await sentence()).toContain('warehouse version 99')
      expect(await sentence()).toContain('warehouse version 1')
    })

    it("shows a plug-in's stored frames and loads none of its code", async () => {
      const episode = recordEpisode({
        env: 'lanterns',
        definition: { ...ENVS.warehouse, id: 'lanterns' },
        options: { size: 'tiny', robots: 2, horizon: 12 },
        scenario: 'lanterns/corridor',
        plugin: { name: 'lanterns', sha256: 'a'.repeat(64) },
      })
      await page.goto(setting.server.url)
      await drop(page, 'plugin.replay', episode.bytes)
      await page.getByText(/comes from the plug-in lanterns/).waitFor()
      for (const step of [0, 7, 12]) {
        await typeStep(step)
        expect((await record()).frameStep).toBe(step)
      }
    })

    it('shows the steps before an illegal action and says where it stops', async () => {
      const bad = changed(tiny.bytes, (replay) => {
        const actions = replay.actions.slice()
        actions[100 * 4] = 77
        return { ...replay, actions }
      })
      await page.goto(setting.server.url)
      await drop(page, 'illegal.replay', bad)
      await page.getByText(/illegal\.replay: .*action .*77/).waitFor()
      await page.keyboard.press('End')
      await shows(page, 100)
    })

    it('opens an address of this server and no other', async () => {
      await go(`/replay/link?url=${encodeURIComponent('/api/replays/file%3Atiny')}&step=5`)
      await shows(page, 5)
      await page.goto(`${setting.server.url}/replay/link?url=${encodeURIComponent('https://example.org/x.replay')}`)
      expect(await sentence()).toContain('this server only')
      await page.goto(`${setting.server.url}/replay/file:nothing-here`)
      expect(await sentence()).toBe('file:nothing-here: the server has no such replay.')
    })

    it('shows names from a file as text', async () => {
      const marked = changed(tiny.bytes, (replay) => ({
        ...replay,
        header: {
          ...replay.header,
          scenario: { ...replay.header.scenario, id: '<img src=x onerror=alert(1)>' },
          policies: [{ name: '<b>bold</b>' }],
        },
      }))
      await page.goto(setting.server.url)
      await drop(page, 'marked.replay', marked)
      await opened(page)
      await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
      expect(await page.locator('header img[src="x"]').count()).toBe(0)
      expect(await page.locator('header b').count()).toBe(0)
    })

    it('says unknown where a file leaves something out', async () => {
      const bare = changed(tiny.bytes, (replay) => {
        const { result: _, ...header } = replay.header
        return { ...replay, header: { ...header, scenario: {}, policies: [] } }
      })
      await page.goto(setting.server.url)
      await drop(page, 'bare.replay', bare)
      await opened(page)
      const facts = await page.locator('.bar-facts').innerText()
      expect(facts).not.toContain('undefined')
      expect(facts.match(/unknown/g)!.length).toBeGreaterThanOrEqual(3)
    })
  })
})
