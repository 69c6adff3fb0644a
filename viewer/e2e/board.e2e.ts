/** The leaderboard's pages against a real server: boards, an entry that is checked in the page, submitting, moderation. */
import { mkdir, readFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Page } from 'playwright-core'
import { POLICIES } from '../../agents/index.ts'
import { type Policy } from '../../agents/core/policy.ts'
import { writeReplay } from '../../envs/core/replay.ts'
import { scenarioSpec } from '../../scenarios/open.ts'
import { Client, GAME, SMALL, bundleOf, description, meanOf, replaysOf } from '../../server/board-testing.ts'
import { start } from '../../cli/spawned.ts'
import { playLive } from '../../server/live/client.ts'
import { browserIsHere, complaintsOf, faultsOf, opened, stage, type Setting } from './support.ts'

const NASTY = '<img src=x onerror=alert(1)> & "quotes"'

describe.skipIf(!browserIsHere())('the leaderboard', () => {
  let setting: Setting
  let page: Page
  let url: string
  let admin: Client
  let entry: string
  let live: string
  let files: string

  beforeAll(async () => {
    const boards = { scenarios: [SMALL, GAME], workers: 1 }
    setting = await stage({}, [], { boards, live: { episodes: { shared: 20, fresh: 20 } } })
    url = setting.server.url
    if (!setting.server.boards.on) throw new Error(setting.server.boards.problem)
    admin = new Client(setting.server.port, setting.server.boards.open.adminKey)
    const submission = await admin.open({
      scenario: SMALL.id,
      description: { ...description(NASTY), notes: NASTY, settings: { lr: 0.001 } },
    })
    const replays = replaysOf(SMALL, submission.seeds!)
    await admin.upload(submission.id, bundleOf(replays))
    entry = submission.id
    // A second one claims more than its replays are worth.
    const liar = await admin.open({ scenario: SMALL.id, description: description('liar'), claim: { mean: 0.999 } })
    const worth = replaysOf(SMALL, liar.seeds!, 'random', '2')
    await admin.upload(liar.id, bundleOf(worth))
    const done = await playLive({
      server: url,
      scenario: SMALL.id,
      policy: () => POLICIES.random.create(scenarioSpec(SMALL)) as Policy,
      description: description('answers live'),
      lanes: 40,
      key: admin.key!,
    })
    live = done.entry
    await admin.settled(entry)
    expect((await admin.settled(liar.id)).failure?.message).toContain(String(meanOf(worth)))
    files = await mkdtemp(join(tmpdir(), 'troupe-files-'))
    await mkdir(files, { recursive: true })
    for (const [k, replay] of replays.slice(0, 3).entries()) {
      await writeFile(join(files, `${k}.replay`), writeReplay(replay))
    }
    page = await setting.page()
  })
  afterAll(async () => {
    await setting?.close()
    if (files !== undefined) await rm(files, { recursive: true, force: true })
  })

  const shots = process.env.TROUPE_SHOTS
  const clean = async (name: string) => {
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
    expect(await faultsOf(page)).toEqual([])
    // Nothing is wider than the window.
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    expect(complaintsOf(page)).toEqual([])
  }

  it('lists boards with the evidence that each has', async () => {
    await page.goto(`${url}/boards`)
    await page.getByRole('link', { name: SMALL.title }).waitFor()
    const row = page.getByRole('row', { name: new RegExp(SMALL.title) })
    expect(await row.innerText()).toMatch(/1\s+live\s+1\s+replayed/)
    await page.getByRole('searchbox').fill('prisoner')
    await page.getByRole('link', { name: SMALL.title }).waitFor({ state: 'detached' })
    await page.getByRole('searchbox').fill('')
    await clean('boards')
    await page.getByRole('link', { name: SMALL.title }).click()
    await page.getByRole('heading', { level: 1, name: SMALL.title }).waitFor()
  })

  it('shows the strongest evidence first, and what failed below all scores with both numbers', async () => {
    await page.getByRole('link', { name: 'answers live' }).waitFor()
    await page.getByRole('link', { name: /^replayed/ }).click()
    await page.getByRole('link', { name: NASTY }).waitFor()
    const rows = await page.locator('tbody tr').allInnerTexts()
    expect(rows).toHaveLength(2)
    expect(rows[0]).toContain(NASTY)
    expect(rows[0]).toMatch(/^1\s/)
    expect(rows[1]).toMatch(/^failed\s+liar[^]*the claimed mean is 0.999; the replays are worth /)
    expect(new URL(page.url()).search).toBe('?evidence=replayed')
    await clean('board')
    await page.getByRole('link', { name: 'Algorithms' }).click()
    await page.getByText('An algorithm is ranked from 5 runs on.').waitFor()
  })

  it('checks an entry in the page: every episode, the mean, and the interval', async () => {
    await page.goto(`${url}/entry/${entry}`)
    await page.getByRole('button', { name: 'Verify in this page', exact: true }).click()
    await page.getByText('Verified here: 40 episodes, 2\u202f800 steps agree').waitFor()
    await page.getByText(/Mean, interquartile mean and interval computed anew agree/).waitFor()
    await page.getByText('Settings').click()
    await page.getByText('0.001').waitFor()
    await clean('entry')
    // Worst first; the worst is one click away.
    const returns = await page.locator('.episodes tbody tr td:nth-child(2)').allInnerTexts()
    expect(returns.map(Number)).toEqual(returns.map(Number).sort((a, b) => a - b))
    await page.locator('.episodes tbody a').first().click()
    await opened(page)
    expect(new URL(page.url()).pathname).toMatch(new RegExp(`^/replay/board%3A${entry}%3Areplayed-\\d+$`))
    await page.getByRole('button', { name: 'Verify in this page', exact: true }).click()
    await page.getByText('Verified: 70 steps agree').waitFor()
  })

  it('finds what a server changed behind the episodes', async () => {
    await page.route('**/api/entries/**', async (route) => {
      if (route.request().url().includes('/bundle')) return route.continue()
      const response = await route.fetch()
      const body = (await response.json()) as { row: { score: { mean: number } }; episodes: { return: number }[] }
      body.row.score.mean += 1
      body.episodes[0].return += 40
      await route.fulfill({ response, json: body })
    })
    await page.goto(`${url}/entry/${entry}`)
    await page.getByRole('button', { name: 'Verify in this page', exact: true }).click()
    await page.getByText('2 things differ').waitFor()
    await page.getByText(/own seeds episode \d+: return: expected 4\d/).waitFor()
    await page.getByText(/^mean: expected/).waitFor()
    await page.unroute('**/api/entries/**')
  })

  it('shows of a live entry what the epoch keeps secret, and checks the rest', async () => {
    await page.goto(`${url}/entry/${live}`)
    await page.getByRole('button', { name: 'Verify in this page', exact: true }).click()
    await page.getByText('Verified here: 20 episodes, 1\u202f400 steps agree').waitFor()
    await page.getByText('20 episodes of the shared panel cannot be checked yet').waitFor()
    await page.getByText('Every answer came within the limit of 1000 ms.').waitFor()
    await clean('live-entry')
    await admin.ask('POST', '/api/epochs', {})
    await page.reload()
    await page.getByRole('button', { name: 'Verify in this page', exact: true }).click()
    await page.getByText('Verified here: 40 episodes, 2\u202f800 steps agree').waitFor()
    await page.getByText('The seeds follow from the published key of the epoch.').waitFor()
  })

  it('tries replay files before anything is sent, and shows what is going on', async () => {
    await page.goto(`${url}/submit`)
    await page.getByText('published').first().waitFor()
    const names = [0, 1, 2].map((k) => join(files, `${k}.replay`))
    await page.locator('input[type=file]').setInputFiles(names)
    await page.getByText(`3 genuine episodes of ${SMALL.id}`).waitFor()
    await page.getByText(/A board wants 40 episodes on seeds that the server gives/).waitFor()
    await clean('submit')
  })

  it('submits from the page: seeds come down, replays go up in any order, the server verifies them', async () => {
    const form = page.locator('.upload')
    await form.getByLabel('API key').fill(admin.key!)
    await form.getByLabel('Scenario').selectOption(SMALL.id)
    await form.getByLabel('Name of the row').fill('by hand')
    await form.getByLabel('Algorithm').fill('random')
    await form.getByRole('button', { name: 'Open a submission' }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      form.getByRole('button', { name: 'Seeds (JSON)' }).click(),
    ])
    const { submission, seeds } = JSON.parse(await readFile(await download.path(), 'utf8')) as {
      submission: string
      seeds: string[]
    }
    const replays = replaysOf(SMALL, seeds, 'random', '3').map((one) => writeReplay(one))
    const upload = (some: readonly Uint8Array[]) =>
      form.locator('input[type=file]').setInputFiles(
        some.map((bytes, k) => ({
          name: `${k}.replay`,
          mimeType: 'application/octet-stream',
          buffer: Buffer.from(bytes),
        })),
      )
    await upload(replays.slice(1))
    await form.getByText('1 of 40 seeds have no replay among these files').waitFor()
    await upload([...replays].reverse())
    await form.getByText('Uploaded.').waitFor()
    await clean('upload')
    expect((await admin.settled(submission)).state).toBe('published')
  })

  it('moderates with a key and a reason, and leaves a trace', async () => {
    await page.goto(`${url}/entry/${entry}`)
    await page.getByText('Moderation').click()
    await page.getByLabel(/API key/).fill(admin.key!)
    await page.getByLabel('Reason').fill(`too good ${NASTY}`)
    await page.getByRole('button', { name: 'Dispute' }).click()
    await page.getByText('Done; it is in the log.').waitFor()
    await page.getByText(`too good ${NASTY}`).waitFor()
    await page.getByLabel('Reason').fill('while it is looked into')
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await page.getByText('Hidden by an administrator: while it is looked into').waitFor()
    await page.goto(`${url}/board/${encodeURIComponent(SMALL.id)}?evidence=replayed`)
    await page.getByText('while it is looked into').waitFor()
    const log = await admin.get('/api/log?limit=1000')
    const kinds = log.json.records.map(({ kind }: { kind: string }) => kind)
    expect(kinds).toEqual(expect.arrayContaining(['dispute', 'hide', 'epoch-revealed']))
  })

  it('shows a tournament that the command wrote: who met whom, and ratings with deviation and number', async () => {
    const episodes = 4
    const words = ['--option', 'horizon=10', '--episodes', String(episodes), '--data', setting.data, '--quiet']
    const players = ['matrix-allc', 'matrix-alld', 'matrix-tft']
    const out = join(setting.data, 'tournaments', 'trio')
    const played = start(['tournament', 'matrix/pd-last', '--players', players.join(','), ...words, '--out', out])
    expect((await played.ended).code).toBe(0)
    await page.goto(`${url}/boards`)
    await page.getByRole('main').getByRole('link', { name: 'Tournaments' }).click()
    expect(await page.getByRole('row', { name: /trio/ }).innerText()).toMatch(/matrix\/pd-last\s+matrix-alld\s+3\s+4/)
    await page.getByRole('link', { name: 'trio' }).click()
    await page.getByRole('heading', { name: 'Ratings' }).waitFor()
    const table = async (name: string) => {
      const rows = page.getByRole('region', { name }).getByRole('row')
      return Promise.all((await rows.all()).map((row) => row.locator('th, td').allInnerTexts()))
    }
    // By hand, of ten rounds: temptation 5, both cooperate 3, both defect 1, the one who is left alone 0. Tit for tat
    // loses the first round against a defector and defects from then on.
    expect(await table('Who gets what against whom')).toEqual([
      ['Player', 'Mean', 'matrix-alld', 'matrix-tft', 'matrix-allc'],
      ['matrix-alld', '2.467', '1', '1.4', '5'],
      ['matrix-tft', '2.3', '0.9', '3', '3'],
      ['matrix-allc', '2', '0', '3', '3'],
    ])
    expect(await table('Who wins against whom')).toEqual([
      ['Player', 'matrix-alld', 'matrix-tft', 'matrix-allc'],
      ['matrix-alld', '0.5', '1', '1'],
      ['matrix-tft', '0', '0.5', '0.5'],
      ['matrix-allc', '0', '0.5', '0.5'],
    ])
    // The defector has strength a, the other two b: the maximum of their likelihood, found by halving intervals, with
    // one drawn game against strength 0 for each. Of the variance, the symmetry leaves two by two.
    const games = 2 * episodes
    const chance = (x: number) => 1 / (1 + Math.exp(-x))
    const root = (f: (x: number) => number) => {
      let [low, high] = [-30, 30]
      for (let k = 0; k < 200; k++) {
        const middle = (low + high) / 2
        if (f(middle) > 0) low = middle
        else high = middle
      }
      return low
    }
    const bOf = (a: number) => root((b) => 0.5 - chance(b) - games * chance(b - a))
    const a = root((x) => 0.5 + 2 * games - chance(x) - 2 * games * chance(x - bOf(x)))
    const b = bOf(a)
    const spread = (x: number) => chance(x) * (1 - chance(x))
    const shared = 2 * games * spread(a - b)
    const [ia, ib] = [spread(a) + shared, 2 * spread(b) + shared]
    const determinant = ia * ib - shared * shared
    const elo = 400 / Math.LN10
    const rating = 1500 + (elo * 2 * (a - b)) / 3
    const deviation = elo * (2 / 3) * Math.sqrt((ia + ib - 2 * shared) / determinant)
    const shown = await table('Ratings')
    expect(shown[0]).toEqual(['Place', 'Player', 'Rating', 'Deviation', '95 % interval', 'Episodes'])
    expect(shown[1]).toEqual([
      ...['1', 'matrix-alld', rating.toFixed(0), deviation.toFixed(1)],
      ...[`${(rating - 1.96 * deviation).toFixed(0)}–${(rating + 1.96 * deviation).toFixed(0)}`, '16'],
    ])
    expect(shown.slice(2).map(([place, player, points]) => [place, player, points])).toEqual([
      ['2', 'matrix-allc', (1500 - (elo * (a - b)) / 3).toFixed(0)],
      ['3', 'matrix-tft', (1500 - (elo * (a - b)) / 3).toFixed(0)],
    ])
    await clean('tournament')
    await mkdir(join(setting.data, 'tournaments', 'empty'))
    await page.goto(`${url}/tournaments`)
    await page.getByText('it is not there').waitFor()
    await clean('tournaments')
  })

  it('fits a phone, in both themes', async () => {
    const wide = page
    for (const [colorScheme, pages] of [
      ['light', { board: `/board/${encodeURIComponent(SMALL.id)}`, entry: `/entry/${live}` }],
      ['dark', { boards: '/boards', submit: '/submit', tournament: '/tournament/trio' }],
    ] as const) {
      page = await setting.page({ colorScheme, viewport: { width: 390, height: 844 } })
      for (const [name, path] of Object.entries(pages)) {
        await page.goto(url + path)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle')
        await clean(`${name}-phone-${colorScheme}`)
      }
      await page.context().close()
    }
    page = wide
  })
})
