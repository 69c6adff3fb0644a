/**
 * Pictures of every page in both themes and at phone width, to be looked at. Written to TROUPE_SHOTS when it is set;
 * otherwise this file only checks that every page draws without a complaint.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Page } from 'playwright-core'
import { browserIsHere, complaintsOf, opened, recordEpisode, shows, stage, type Setting } from './support.ts'

const shots = process.env.TROUPE_SHOTS

async function picture(page: Page, name: string): Promise<void> {
  if (shots === undefined) return
  await page.waitForTimeout(1000)
  await page.screenshot({ path: join(shots, `${name}.png`) })
}

describe.skipIf(!browserIsHere())('looks', () => {
  let setting: Setting

  beforeAll(async () => {
    if (shots !== undefined) await mkdir(shots, { recursive: true })
    setting = await stage({
      tiny: recordEpisode({
        env: 'warehouse',
        options: { size: 'tiny', robots: 4, horizon: 300 },
        scenario: 'warehouse/tiny-4ag',
        recording: { channels: true },
      }).bytes,
      forage: recordEpisode({
        env: 'foraging',
        options: { rows: 7, columns: 9, players: 8, foods: 4, sightCells: 2 },
        scenario: 'foraging/2s-7x9-8p-4f',
        // Loads often: in step 5 two cannot lift, three are in each other's way, and two share a cell.
        act: (batch, rng) => Int32Array.from(batch.spec.agents, () => [1, 2, 3, 4, 5, 5, 5][rng.below(7)]),
        recording: { channels: true },
      }).bytes,
      pd: recordEpisode({
        env: 'matrix',
        options: { game: 'pd', horizon: 60 },
        scenario: 'matrix/pd-repeated',
        recording: { channels: true },
      }).bytes,
      climbing: recordEpisode({
        env: 'matrix',
        options: { game: 'climbing' },
        scenario: 'matrix/climbing-repeated',
        teamReward: 'mean',
      }).bytes,
    })
  })
  afterAll(() => setting?.close())

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of [
      ['wide', { width: 1280, height: 800 }],
      ['phone', { width: 390, height: 844 }],
    ] as const) {
      it(`${colorScheme}, ${size}`, async () => {
        const page = await setting.page({ colorScheme, viewport, deviceScaleFactor: size === 'phone' ? 2 : 1 })
        for (const [name, step] of [
          ['tiny', 120],
          ['forage', 5],
          ['pd', 30],
          ['climbing', 12],
        ] as const) {
          await page.goto(`${setting.server.url}/replay/file:${name}?step=${step}&agent=agent_1`)
          await opened(page)
          await shows(page, step)
          await picture(page, `${name}-${colorScheme}-${size}`)
        }
        await page.goto(setting.server.url)
        await page.getByText(/step [1-9]\d* of/).waitFor()
        await picture(page, `home-${colorScheme}-${size}`)
        expect(complaintsOf(page)).toEqual([])
        await page.context().close()
      })
    }
  }
})
