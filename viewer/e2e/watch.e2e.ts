/** What helps a watcher to understand an episode: loops, bookmarks, strips, overlays, reasons, and any world at all. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Page } from 'playwright-core'
import { ENVS } from '../../envs/index.ts'
import { readReplay, writeReplay } from '../../envs/core/replay.ts'
import { type Frame } from '../../envs/core/types.ts'
import {
  browserIsHere,
  complaintsOf,
  drop,
  faultsOf,
  greedy,
  opened,
  painted,
  recordEpisode,
  shows,
  stage,
  type Episode,
  type Plan,
  type Setting,
} from './support.ts'

const ROBOTS = 14
const STEPS = 200

/** The scripted crew, of whom half often stand about and all but three give up in the middle. */
function sluggish(): NonNullable<Plan['act']> {
  const crew = greedy()
  return (batch, rng, step) => {
    const action = crew(batch)
    for (let n = 0; n < action.length; n++) {
      if ((n >= ROBOTS / 2 && rng.below(2) === 0) || (n >= 3 && step > STEPS / 2)) action[n] = 0
    }
    return action
  }
}

describe.skipIf(!browserIsHere())('watching an episode', () => {
  let setting: Setting
  let crew: Episode
  let page: Page
  /** Frames and rewards of the crew's episode, by a simulation of this file's own. */
  const frames: Frame[] = []
  const rewards: number[][] = []

  beforeAll(async () => {
    crew = recordEpisode({
      env: 'warehouse',
      options: { size: 'tiny', robots: ROBOTS, horizon: STEPS },
      scenario: 'warehouse/tiny-14ag',
      act: sluggish(),
      recording: { channels: true },
    })
    const batch = crew.simulate()
    frames.push(structuredClone(batch.frame(0)))
    for (const action of crew.actions) {
      batch.step(action)
      frames.push(structuredClone(batch.frame(0)))
      rewards.push([...batch.reward])
    }
    setting = await stage({ crew: crew.bytes })
    page = await setting.page()
    await page.goto(`${setting.server.url}/replay/file:crew`)
    await painted(page)
  })
  afterAll(() => setting?.close())

  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const goTo = async (step: number) => {
    await page.getByRole('slider', { name: 'Step' }).fill(String(step))
    await shows(page, step)
  }
  const select = async (agent: string) => {
    await page.getByRole('button', { name: `Agent ${agent}`, exact: true }).click()
    await page.waitForFunction((id) => window.troupe!.agent === id, agent)
  }

  it('plays a stretch again and again, chosen by keys, and shows it on the timeline', async () => {
    await goTo(20)
    await press('a')
    await goTo(26)
    await press('b')
    await page.getByRole('button', { name: 'Loop 20 – 26' }).waitFor()
    expect(await page.locator('.loop-range').getAttribute('title')).toBe('Loop 20 – 26')
    for (let i = 0; i < 4; i++) await press('Shift+>')
    await press('k')
    // Until it has begun anew once, however slow the machine is.
    const seen = await page.evaluate(async () => {
      const steps = [window.troupe!.step]
      const ends = performance.now() + 30_000
      for (let wrapped = false; !wrapped && performance.now() < ends;) {
        await new Promise((done) => setTimeout(done, 5))
        const { step } = window.troupe!
        wrapped = step < steps[steps.length - 1] && steps.length > 1
        steps.push(step)
      }
      return steps
    })
    await press('k')
    expect(seen[seen.length - 1]).toBeLessThan(seen[seen.length - 2])
    expect(seen.slice(1).every((step) => step >= 20 && step <= 26)).toBe(true)
    await press('x')
    expect(await page.locator('.loop-range').count()).toBe(0)
    for (let i = 0; i < 4; i++) await press('Shift+<')
  })

  it('keeps bookmarks over a reload, and stops at them on the way to the next event', async () => {
    const quiet = frames.findIndex(
      (frame, step) => step > 5 && !frame.events.some(({ kind }) => kind !== 'blocked') && step > 30,
    )
    await goTo(quiet)
    await press('m')
    await goTo(quiet - 1)
    await press('Shift+ArrowRight')
    await shows(page, quiet)
    await page.reload()
    await painted(page)
    const flag = page.locator(`[data-bookmark="${quiet}"]`)
    await flag.waitFor()
    await goTo(0)
    await flag.locator('rect').dispatchEvent('pointerdown')
    await shows(page, quiet)
    await page.getByRole('button', { name: 'Bookmark' }).click()
    await flag.waitFor({ state: 'detached' })
  })

  it('marks every kind of event that is rare enough, and a mark goes to its step', async () => {
    const steps = new Map<string, number[]>()
    frames.forEach(({ events }, step) => {
      for (const kind of new Set(events.map((event) => event.kind))) steps.set(kind, [...(steps.get(kind) ?? []), step])
    })
    const marks = await page
      .locator('[data-mark]')
      .evaluateAll((all) => all.map((mark) => mark.getAttribute('data-mark')!.split(' ')))
    const rare = [...steps].filter(([, at]) => at.length <= STEPS / 3)
    expect(rare.length).toBeGreaterThan(1)
    for (const [kind, at] of rare) {
      const marked = marks.filter(([of]) => of === kind).map(([, step]) => Number(step))
      // Marks that would overlap are one: each is at a step with such an event, the first one included.
      expect(marked.every((step) => at.includes(step))).toBe(true)
      expect(marked[0]).toBe(at[0])
    }
    expect(new Set(marks.map(([kind]) => kind))).toEqual(new Set(rare.map(([kind]) => kind)))
    const [kind, [first]] = rare[0]
    await page.locator(`[data-mark="${kind} ${first}"] rect`).dispatchEvent('pointerdown')
    await shows(page, first)
  })

  it('strips show return, reward, value, advantage and entropy of team and agent as they are', async () => {
    for (const name of ['Reward', 'Advantage', 'Entropy']) await page.getByRole('button', { name, exact: true }).click()
    await select('agent_3')
    const step = 57
    await goTo(step)
    const now = (id: string) => page.locator(`[data-strip="${id}"] [data-now]`).innerText()
    const short = (value: number) => {
      const text = String(Number(Math.abs(value).toFixed(2)))
      return value < 0 && text !== '0' ? `−${text}` : text
    }
    const sum = (row: number[]) => row.reduce((a, b) => a + b, 0)
    const past = rewards.slice(0, step)
    const says = async (id: string, team: number, own: number) => {
      await page
        .waitForFunction(
          ([name, text]) => document.querySelector(`[data-strip="${name}"] [data-now]`)?.textContent === text,
          [id, `now ${short(team)} · ${short(own)}`] as const,
          { timeout: 5000 },
        )
        .catch(async () => expect(await now(id)).toBe(`now ${short(team)} · ${short(own)}`))
    }
    await says('return', sum(past.map(sum)), sum(past.map((row) => row[3])))
    await says('reward', sum(rewards[step - 1]), rewards[step - 1][3])
    // support.ts records value n + t / 100 and probabilities 1/2, 1/8 … over five choices.
    await says('value', (ROBOTS - 1) / 2 + step / 100, 3 + step / 100)
    const entropy = 0.5 * Math.log(2) + 4 * 0.125 * Math.log(8)
    await says('entropy', entropy, entropy)
    // By definition: the discounted sum of one-step errors, not by the recursion that the page uses.
    const advantage = (n: number) => {
      let total = 0
      for (let t = step, weight = 1; t <= STEPS - 2; t++, weight *= 0.99 * 0.95) {
        total += weight * (sum(rewards[t]) + 0.99 * (n + (t + 1) / 100) - (n + t / 100))
      }
      return total
    }
    const all = Array.from({ length: ROBOTS }, (_, n) => advantage(n))
    await says('advantage', sum(all) / ROBOTS, all[3])
    const facts = page.locator('[data-fact="advantage"]')
    expect(Number((await facts.innerText()).replace('−', '-'))).toBeCloseTo(all[3], 2)
    for (const name of ['Reward', 'Advantage', 'Entropy']) await page.getByRole('button', { name, exact: true }).click()
  })

  it('says why a robot waited, and goes from one of its events to the next', async () => {
    // Somebody who is blocked by a robot that was in the cell before and is not blocked itself.
    const at = (frame: Frame, x: number, y: number) =>
      frame.entities.find((entity) => entity.kind === 'robot' && entity.x === x && entity.y === y)
    let found: { step: number; agent: string; front: string } | undefined
    frames.forEach((frame, step) => {
      for (const { kind, agents } of frame.events) {
        if (kind !== 'blocked' || found !== undefined || step === 0) continue
        const robot = frame.entities.find(({ id }) => id === agents![0])!
        const [x, y] = [robot.x + Math.round(Math.sin(robot.heading!)), robot.y - Math.round(Math.cos(robot.heading!))]
        const front = at(frame, x, y)
        if (front === undefined || front.state!.blocked === true || at(frames[step - 1], x, y)?.id !== front.id)
          continue
        const shelf = frame.entities.some((entity) => entity.kind === 'shelf' && entity.x === x && entity.y === y)
        if (robot.state!.carrying !== null && shelf) continue
        found = { step, agent: robot.id, front: front.id }
      }
    })
    expect(found).toBeDefined()
    const { step, agent, front } = found!
    const { names } = crew.simulate().spec.agents[0].action as unknown as { names: string[] }
    await select(agent)
    await goTo(step)
    const chose = names[crew.actions[step - 1][Number(front.slice(6))]]
    await page.getByText(`${front} is in the way. It chose ${chose} and stayed where it is.`).waitFor()

    const own = frames.flatMap(({ events }, t) => (events.some((e) => e.agents?.includes(agent)) ? [t] : []))
    await goTo(0)
    await press('n')
    await shows(page, own[0])
    await press('n')
    await shows(page, own[1])
    await press('p')
    await shows(page, own[0])
  })

  it('finds an agent by its number, keeps the camera on it, and shows where that is on a small map', async () => {
    await press('Escape')
    expect(await page.locator('.minimap').count()).toBe(0)
    await goTo(40)
    await press('/')
    await page.keyboard.type('11')
    await press('Enter')
    await page.waitForFunction(() => window.troupe!.agent === 'agent_11')
    await page.getByText('Following agent_11').waitFor()
    for (let i = 0; i < 4; i++) await page.getByRole('button', { name: 'Zoom in' }).click()
    const middle = await page.locator('.stage-host').evaluate((host) => {
      const { left, top, width, height } = host.getBoundingClientRect()
      return { x: left + width / 2, y: top + height / 2 }
    })
    // The keys are for the page again once the field is left.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    for (const step of [41, 42, 43]) {
      await press('ArrowRight')
      await shows(page, step)
      const robot = frames[step].entities.find(({ id }) => id === 'agent_11')!
      await page.waitForFunction(
        ([x, y, cx, cy]) => {
          const place = window.troupe!.placeOf(x, y)!
          return Math.hypot(place.x - cx, place.y - cy) < 2
        },
        [robot.x, robot.y, middle.x, middle.y] as const,
      )
    }
    const map = page.locator('.minimap')
    await map.waitFor()
    const before = await page.evaluate(() => window.troupe!.placeOf(0, 0)!)
    const box = (await map.boundingBox())!
    await page.mouse.click(box.x + 8, box.y + 8)
    await page.waitForFunction((x) => Math.abs(window.troupe!.placeOf(0, 0)!.x - x) > 20, before.x)
    expect(await page.getByText('Following agent_11').count()).toBe(0)
    await page.getByRole('button', { name: 'Fit the world to the window' }).click()
    await map.waitFor({ state: 'detached' })
  })

  it('draws overlays with a legend that counts what the simulation counts', async () => {
    await press('Escape', 'o')
    const visits = page.getByLabel('Heat map: visits')
    await visits.waitFor()
    await goTo(90)
    const counts = new Map<string, number>()
    for (const frame of frames.slice(0, 91)) {
      for (const { kind, x, y } of frame.entities) {
        if (kind === 'robot') counts.set(`${x},${y}`, (counts.get(`${x},${y}`) ?? 0) + 1)
      }
    }
    const [busiest, most] = [...counts].sort((a, b) => b[1] - a[1])[0]
    const [x, y] = busiest.split(',').map(Number)
    const colourAt = async () => {
      const place = (await page.evaluate(([a, b]) => window.troupe!.placeOf(a, b)!, [x, y] as const))!
      // The corner of the cell, which a robot's disc leaves free.
      const size = (await page.evaluate(([a, b]) => window.troupe!.placeOf(a + 1, b)!, [x, y] as const)).x - place.x
      const clip = { x: place.x - size * 0.42, y: place.y - size * 0.42, width: 3, height: 3 }
      return (await page.screenshot({ clip })).toString('base64')
    }
    await page.keyboard.press('Escape')
    const bare = await colourAt()
    await press('o')
    await visits.check()
    await page.getByRole('list', { name: 'Legend' }).getByText(`visits so far: 1 – ${most}`).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForTimeout(300)
    expect(await colourAt()).not.toBe(bare)
    await press('o')
    for (const name of ['Path walked', 'Path to come', 'Next action', 'Who blocks whom', 'Who sees whom']) {
      await page.getByLabel(name).check()
    }
    for (const text of ['path of the last 24 steps', 'what it does next', 'blocked by']) {
      await page.getByRole('list', { name: 'Legend' }).getByText(text).first().waitFor()
    }
    await page.getByRole('button', { name: 'Overlays (6)' }).waitFor()
  })

  it('has no accessibility fault with all of this open, in both themes', async () => {
    const list = page.getByRole('group', { name: 'Overlays' })
    for (const theme of ['Light', 'Dark']) {
      if (theme === 'Dark') await page.getByRole('button', { name: 'Switch between light and dark' }).click()
      // A press elsewhere has closed the list; colours glide for a moment after a change.
      if ((await list.count()) === 0) await press('o')
      await list.waitFor()
      await page.waitForTimeout(400)
      expect(await faultsOf(page), theme).toEqual([])
    }
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByRole('button', { name: 'Overlays', exact: true }).waitFor()
    await press('Escape')
  })

  it('a world that this page has never heard of is drawn from its frames: layers, kinds, links, texts, events', async () => {
    const base = recordEpisode({
      env: 'gardens',
      definition: { ...ENVS.warehouse, id: 'gardens' },
      options: { size: 'tiny', robots: 3, horizon: 8 },
      scenario: 'gardens/small',
      plugin: { name: 'gardens', sha256: 'a'.repeat(64) },
    })
    const replay = readReplay(base.bytes)
    const garden = (step: number): Frame => ({
      step,
      entities: [
        {
          id: 'agent_0',
          kind: 'gardener',
          x: 1 + step,
          y: 1,
          heading: 1.57,
          team: 'north',
          state: { health: 5, maxHealth: 8 },
        },
        { id: 'agent_1', kind: 'gardener', x: 4, y: 3, team: 'south', state: { carrying: 'can_0' } },
        { id: 'agent_2', kind: 'gardener', x: 8, y: 4, team: 'south', state: { alive: step < 4 } },
        { id: 'well_0', kind: 'well', x: 6, y: 2 },
        { id: 'gate_0', kind: 'gate', x: 0, y: 5 },
      ],
      layers: [
        {
          name: 'hedgeWalls',
          width: 10,
          height: 6,
          cells: Array.from({ length: 60 }, (_, i) => (i % 10 === 9 ? 1 : 0)),
        },
        { name: 'moisture', width: 10, height: 6, cells: Array.from({ length: 60 }, (_, i) => (i % 7) / 2 + step) },
      ],
      links: [{ from: 'agent_1', to: 'well_0', kind: 'drawsFrom' }],
      texts: [{ x: 5, y: 5.2, text: 'gate shut' }],
      events: step === 4 ? [{ kind: 'death', agents: ['agent_2'], at: { x: 8, y: 4 } }] : [],
      counters: { watered: step },
    })
    const bytes = writeReplay({
      ...replay,
      keyframes: replay.keyframes.map(({ step, snapshot }) => ({ step, snapshot, frame: garden(step) })),
    })
    await page.goto(setting.server.url)
    await drop(page, 'gardens.replay', bytes)
    await opened(page)
    await painted(page)
    await goTo(4)
    const legend = page.getByRole('list', { name: 'Legend' })
    for (const text of [
      'agent of north',
      'well',
      'gate',
      'link: draws from',
      'hedge walls',
      'moisture: 0 – 7',
      'death',
    ]) {
      await legend.getByText(text, { exact: true }).waitFor()
    }
    expect(await page.locator('[data-counter="watered"]').innerText()).toBe('4')
    const place = (await page.evaluate(() => window.troupe!.placeOf(5, 1)))!
    await page.mouse.click(place.x, place.y)
    await page.waitForFunction(() => window.troupe!.agent === 'agent_0')
    expect(await page.locator('[data-fact="place"]').innerText()).toBe('5, 1')
    await press('o')
    await page.getByLabel('Path walked').check()
    if (process.env.TROUPE_SHOTS !== undefined)
      await page.screenshot({ path: `${process.env.TROUPE_SHOTS}/generic.png` })
    expect(complaintsOf(page)).toEqual([])
  })
})
