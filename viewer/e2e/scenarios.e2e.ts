/** Pages of scenarios, runs and help: tables against the specs, and an episode that one plays oneself. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Page } from 'playwright-core'
import { listScenarios } from '../../scenarios/load.ts'
import { scenarioSpec } from '../../scenarios/open.ts'
import { browserIsHere, complaintsOf, faultsOf, stage, type Setting } from './support.ts'

const all = listScenarios()
const tiny = all.find(({ id }) => id === 'warehouse/tiny-2ag')!

describe.skipIf(!browserIsHere())('scenarios', () => {
  let setting: Setting
  let page: Page

  beforeAll(async () => {
    setting = await stage({})
    page = await setting.page()
  })
  afterAll(() => setting?.close())

  const clean = async () => {
    expect(await faultsOf(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
  }

  it('lists every shipped scenario, and filters by family and words', async () => {
    await page.goto(`${setting.server.url}/scenarios`)
    await page.getByText(`${all.length} of ${all.length} scenarios`).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(all.length)
    // A list needs no drawing code.
    const scripts = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    expect(scripts.filter((name) => /\/(stage|Geometry|RenderTarget)/.test(name))).toEqual([])
    await page.getByLabel('World').selectOption('warehouse')
    await page.getByRole('searchbox').fill('tiny 2ag')
    const wanted = all.filter(({ id, title, env }) =>
      ['tiny', '2ag'].every((word) => env === 'warehouse' && `${id} ${title}`.toLowerCase().includes(word)),
    )
    expect(await page.locator('tbody .mono').allInnerTexts()).toEqual(wanted.map(({ id }) => id))
    await page.setViewportSize({ width: 390, height: 844 })
    await clean()
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: tiny.title, exact: true }).click()
  })

  it('says what agents see and do as the spec has it, while an episode plays', async () => {
    const { agents, horizon } = scenarioSpec(tiny)
    await page.getByRole('heading', { level: 1, name: tiny.title }).waitFor()
    await page.getByText(/step [1-9]\d* of 400/).waitFor()
    const [action, observation] = [
      page.getByRole('region', { name: /^Actions:/ }),
      page.getByRole('region', { name: /^Observation:/ }),
    ]
    const names = (agents[0].action as { names: readonly string[] }).names
    expect(await action.locator('tbody td').allInnerTexts()).toEqual(names)
    expect(await observation.locator('tbody th').allInnerTexts()).toEqual(agents[0].observation.map(({ name }) => name))
    expect(await page.getByRole('row', { name: 'Longest episode' }).innerText()).toContain(`${horizon} steps`)
    await page.getByLabel('Played by').selectOption('policy:random')
    await page.getByText('warehouse/tiny-2ag · random').waitFor()
    await clean()
  })

  it('is played from its start by a person who came from its page', async () => {
    await page.getByRole('button', { name: 'Play it yourself' }).click()
    await page.getByLabel('Who plays agent_0').waitFor()
    expect(await page.getByLabel('Who plays agent_0').inputValue()).toBe('person')
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByText('You play agent_0').waitFor()
    const before = await page.evaluate(() => window.troupe!.record!.frame.entities.find(({ id }) => id === 'agent_0')!)
    await page.keyboard.press('a')
    await page.waitForFunction(() => window.troupe?.shownStep === 1)
    const after = await page.evaluate(() => window.troupe!.record!.frame.entities.find(({ id }) => id === 'agent_0')!)
    const turned = (after.heading! - before.heading! + 4 * Math.PI) % (2 * Math.PI)
    expect(turned).toBeCloseTo(1.5 * Math.PI, 5) // a quarter to the left
    expect([after.x, after.y]).toEqual([before.x, before.y])
  })

  it('names a scenario that is not there, teaches where there are no runs, and lists every key', async () => {
    await page.goto(`${setting.server.url}/scenario/warehouse%2Fno-such`)
    await page.getByRole('heading', { name: 'No scenario named warehouse/no-such' }).waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Runs' }).click()
    await page.getByText('No runs yet. Start one:').waitFor()
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Help' }).click()
    await page.getByText('play and pause').waitFor()
    expect(await page.locator('.help-keys dt').count()).toBeGreaterThan(20)
    await clean()
    expect(complaintsOf(page)).toEqual([])
  })
})
