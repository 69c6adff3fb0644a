/** What can be done with a replay besides watching it: compare, fork, ask what if, share. Compared with simulations. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Page } from 'playwright-core'
import { ENVS } from '../../envs/index.ts'
import { readReplay, Resimulation, verifyReplay } from '../../envs/core/replay.ts'
import { playEpisodes } from '../../agents/core/play.ts'
import { LEARNERS } from '../../agents/index.ts'
import { readCheckpoint } from '../../results/files.ts'
import { loadScenario } from '../../scenarios/load.ts'
import { openScenario, scenarioSpec } from '../../scenarios/open.ts'
import { firstAction, firstState } from '../compare/divergence.ts'
import {
  browserIsHere,
  complaintsOf,
  faultsOf,
  greedy,
  opened,
  painted,
  recordEpisode,
  stage,
  type Setting,
} from './support.ts'

const plan = {
  env: 'warehouse',
  options: { size: 'tiny', robots: 3, horizon: 80 },
  scenario: 'warehouse/tiny-test',
  recording: { channels: true },
}
const crew = recordEpisode({ ...plan, act: greedy() })
const chance = recordEpisode(plan)
const open = ({ bytes }: { bytes: Uint8Array }) => readReplay(bytes, {}, 'e2e')

/** Where everybody is, in a frame of the page or of a simulation. */
const places = (frame: { entities: readonly { id: string; x: number; y: number }[] }) =>
  frame.entities.map(({ id, x, y }) => [id, x, y])

function simulated(episode: { bytes: Uint8Array }, step: number) {
  const simulation = new Resimulation(open(episode), ENVS.warehouse)
  simulation.seek(step)
  return simulation
}

async function saved(page: Page, button: string): Promise<Buffer> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  return readFile((await download.path())!)
}

describe.skipIf(!browserIsHere())('tools', () => {
  let setting: Setting
  let page: Page

  beforeAll(async () => {
    setting = await stage({ crew: crew.bytes, chance: chance.bytes })
    page = await setting.page()
  })
  afterAll(() => setting?.close())

  it('two replays run on one clock, and the page tells where they part and what differs', async () => {
    await page.goto(`${setting.server.url}/compare?a=file%3Acrew&b=file%3Achance&step=30`)
    await page.waitForFunction(() => window.troupe?.other?.shownStep === 30 && window.troupe.shownStep === 30)
    const both = await page.evaluate(() => [window.troupe!.record!, window.troupe!.other!.record!])
    expect(places(both[0].frame)).toEqual(places(simulated(crew, 30).frame()))
    expect(places(both[1].frame)).toEqual(places(simulated(chance, 30).frame()))
    const [a, b] = [open(crew), open(chance)]
    const acts = firstAction({ ...a, agents: a.header.agents }, { ...b, agents: b.header.agents })!
    const parts = firstState([a, ENVS.warehouse], [b, ENVS.warehouse], 0)!
    await page
      .getByText(`They act differently from step ${acts} on, and the worlds differ from step ${parts} on.`)
      .waitFor()
    const row = page.getByRole('row', { name: /^deliveries/ })
    const deliveries = [crew, chance].map((one) => simulated(one, 30).frame().counters.deliveries)
    expect((await row.innerText()).split(/\s+/).slice(1, 3).map(Number)).toEqual(deliveries)
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: `First difference: step ${acts}` }).click()
    await page.waitForFunction((step) => window.troupe?.other?.shownStep === step, acts)
    await page.keyboard.press('ArrowRight')
    await page.waitForFunction((step) => window.troupe?.other?.shownStep === step, acts + 1)
    expect(await page.evaluate(() => window.troupe!.shownStep)).toBe(acts + 1)
  })

  it('a fork is played by keys, goes on to the end, and the saved file verifies', async () => {
    const at = 20
    await page.goto(`${setting.server.url}/replay/file%3Acrew?step=${at}&agent=agent_1`)
    await opened(page)
    await page.keyboard.press('t')
    await page.getByLabel('Who plays agent_1').waitFor()
    expect(await page.getByLabel('Who plays agent_1').inputValue()).toBe('person')
    expect(await faultsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('You play agent_1').waitFor()
    for (const [k, key] of ['a', 'ArrowUp', 'd'].entries()) {
      await page.keyboard.press(key)
      await page.waitForFunction((step) => window.troupe?.shownStep === step, at + k + 1)
    }
    const shown = await page.evaluate(() => window.troupe!.record!)
    // Left, forward, right for robot 1; the others as recorded.
    const batch = crew.simulate()
    crew.actions.slice(0, at + 3).forEach((row, t) => {
      const mine = row.slice()
      if (t >= at) mine[1] = [2, 1, 3][t - at]
      batch.step(mine)
    })
    expect(places(shown.frame)).toEqual(places(batch.frame(0)))
    expect([...shown.returns!]).toEqual([...batch.returns])
    await page.getByRole('button', { name: 'Play to the end' }).click()
    await page.waitForFunction(() => window.troupe?.steps === 80)
    const file = readReplay(await saved(page, 'Save as a replay'), {}, 'saved')
    expect(verifyReplay(file, ENVS.warehouse)).toMatchObject({ ok: true, steps: 80 })
    expect([...file.actions.slice(at * 3, at * 3 + 3)]).toEqual([crew.actions[at][0], 2, crew.actions[at][2]])
    expect(file.header.policies).toEqual([
      { name: 'e2e-policy', agents: [0, 2] },
      { name: 'person', agents: [1] },
    ])
    await page.getByRole('button', { name: 'Back to the original' }).click()
    await page.waitForFunction((step) => window.troupe?.shownStep === step, at)
    await page.getByRole('button', { name: 'Fork here' }).waitFor()
  })

  it('a trained policy, chosen from its files, plays in the page what it plays on Node', async () => {
    const scenario = loadScenario('warehouse/nano-2ag')
    const { bytes } = recordEpisode({ env: 'warehouse', options: scenario.options, scenario: scenario.id })
    await writeFile(join(setting.data, 'replays', 'nano.replay'), bytes)
    await page.goto(`${setting.server.url}/replay/file%3Anano?step=0`)
    await opened(page)
    await page.keyboard.press('t')
    const best = join(import.meta.dirname, '../../results/records/learned/warehouse/nano-2ag/seac/seed-1/best')
    const files = ['weights.safetensors', 'state.json'].map((name) => join(best, name))
    await page.locator('.fork-dialog input[type=file]').setInputFiles(files)
    for (const agent of ['agent_0', 'agent_1']) {
      const who = page.getByLabel(`Who plays ${agent}`)
      const trained = await who.locator('option[value^="checkpoint:"]').getAttribute('value', { timeout: 10_000 })
      await who.selectOption(trained!)
    }
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByRole('button', { name: 'Play to the end' }).click()
    await page.waitForFunction(() => window.troupe?.steps === 200)
    const forked = readReplay(await saved(page, 'Save as a replay'), {}, 'saved')
    expect(verifyReplay(forked, ENVS.warehouse)).toMatchObject({ ok: true, steps: 200, complete: true })
    const spec = scenarioSpec(scenario)
    const policy = LEARNERS.seac.policy(spec, readCheckpoint(best), 'greedy')
    const { episodes } = playEpisodes({
      batch: openScenario(scenario, { autoreset: 'disabled' }),
      policy,
      seeds: [forked.header.seed!],
      rng: 'e2e',
      teamReward: scenario.teamReward,
      record: () => ({ scenario: { ...scenario }, policies: [{ name: 'seac' }], package: '0.1.0' }),
    })
    const played = readReplay(episodes[0].replay!, {}, 'played')
    expect([...forked.actions]).toEqual([...played.actions])
    // Far above chance, so that this compares what was learned.
    expect(played.header.result!.return).toBeGreaterThan(15)
  })

  it('what if tries every legal action in the same futures, beside the critic’s estimate', async () => {
    await page.goto(`${setting.server.url}/replay/file%3Acrew?step=20&agent=agent_0`)
    await opened(page)
    await page.getByRole('tab', { name: 'What if' }).click()
    await page.getByLabel('Everybody plays on as').selectOption('policy:warehouse-greedy')
    await page.getByLabel('Steps ahead').selectOption('10')
    await page.getByRole('button', { name: 'Try every action' }).click()
    await page.waitForFunction(
      () => Number(document.querySelector<HTMLElement>('[data-futures]')?.dataset.futures) >= 12,
    )
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    const mask = simulated(crew, 20).batch.mask
    const legal = [...mask.subarray(0, 5)].flatMap((allowed, k) => (allowed === 1 ? [String(k)] : []))
    const rows = page.locator('[data-action]')
    expect(await rows.evaluateAll((found) => found.map((row) => (row as HTMLElement).dataset.action))).toEqual(legal)
    expect(await rows.filter({ hasText: 'was done' }).getAttribute('data-action')).toBe(String(crew.actions[20][0]))
    // recordEpisode wrote n + step / 100 as the value.
    await page.getByText('The critic said 0.2 here').waitFor()
    expect(await faultsOf(page)).toEqual([])
  })

  it('a link opens the same step, agent, camera and overlays for somebody else', async () => {
    const address = `${setting.server.url}/replay/file%3Acrew?step=12&agent=agent_2&camera=4,3,2.5&overlays=paths`
    await page.goto(address)
    await painted(page)
    const here = await page.evaluate(() => window.troupe!.placeOf(4, 3))
    await page.keyboard.press('e')
    const link = await page.getByLabel('Address of this step', { exact: true }).inputValue()
    expect(await faultsOf(page)).toEqual([])
    const other = await setting.page()
    await other.goto(link)
    await painted(other)
    expect(await other.evaluate(() => [window.troupe!.shownStep, window.troupe!.agent])).toEqual([12, 'agent_2'])
    expect(await other.evaluate(() => window.troupe!.placeOf(4, 3))).toEqual(here)
    expect(new URL(other.url()).searchParams.get('overlays')).toBe('paths')
    await other.context().close()
  })

  it('pictures, films and a page for one file come out of the browser, and the page plays offline', async () => {
    expect((await saved(page, 'Save this step as PNG')).subarray(1, 4).toString()).toBe('PNG')
    await page.getByLabel('from step').fill('12')
    await page.getByLabel('to', { exact: true }).fill('14')
    await page.getByLabel('width in pixels').selectOption('320')
    const gif = await saved(page, 'Make the film')
    expect(gif.subarray(0, 6).toString()).toBe('GIF89a')
    expect([gif.readUInt16LE(6), gif.readUInt16LE(8) > 100]).toEqual([320, true])
    const html = join(setting.data, 'episode.html')
    await writeFile(html, await saved(page, 'Save as a page'))
    const offline = await setting.page({ offline: true })
    await offline.goto(pathToFileURL(html).href)
    await painted(offline)
    const shown = await offline.evaluate(() => window.troupe!.record!)
    expect([shown.step, places(shown.frame)]).toEqual([12, places(simulated(crew, 12).frame())])
    // The same text in a frame of another page, which has no address of its own.
    await offline.goto('about:blank')
    await offline.evaluate(
      (text) => {
        const frame = document.createElement('iframe')
        Object.assign(frame, { srcdoc: text, width: 800, height: 600, title: 'player' })
        document.body.append(frame)
      },
      await readFile(html, 'utf8'),
    )
    const [, inside] = offline.frames()
    await painted(inside)
    expect(await inside.evaluate(() => [document.URL, window.troupe!.record!.step])).toEqual(['about:srcdoc', 12])
    expect(places((await inside.evaluate(() => window.troupe!.record!)).frame)).toEqual(places(shown.frame))
    expect(complaintsOf(offline)).toEqual([])
    await offline.context().close()
  })

  it('an embedded player obeys the page around it, tells its state, and links to the same step', async () => {
    const around = await setting.page()
    await around.goto(`${setting.server.url}/api/health`) // any page will do
    await around.evaluate((address) => {
      const heard: unknown[] = ((window as unknown as { heard: unknown[] }).heard = [])
      addEventListener('message', ({ data }) => heard.push(data))
      const frame = document.createElement('iframe')
      Object.assign(frame, { src: address, width: 800, height: 600, title: 'player' })
      document.body.append(frame)
    }, `${setting.server.url}/embed/file%3Acrew?step=5`)
    const heard = (test: string) =>
      around.waitForFunction(
        (text) => JSON.stringify((window as unknown as { heard: unknown[] }).heard).includes(text),
        test,
      )
    await heard('"type":"ready"')
    await heard('"step":5')
    const say = (message: object) =>
      around.evaluate((data) => document.querySelector('iframe')!.contentWindow!.postMessage(data, '*'), message)
    await say({ troupe: 1, type: 'step', step: 33 })
    await say({ troupe: 1, type: 'select', agent: 'agent_1' })
    await say({ type: 'step', step: 44 }) // not of the contract
    await heard('"agent":"agent_1"')
    await heard('"step":33')
    const frame = around.frames()[1]
    expect(await frame.evaluate(() => window.troupe!.step)).toBe(33)
    const full = await frame.getByRole('link', { name: 'Open in the full viewer' }).getAttribute('href')
    expect(full).toBe('/replay/file%3Acrew?step=33&agent=agent_1')
    await say({ troupe: 1, type: 'load', replay: 'file:nobody' })
    await heard('"type":"refused"')
    await around.context().close()
    expect(complaintsOf(page)).toEqual([])
  })
})
