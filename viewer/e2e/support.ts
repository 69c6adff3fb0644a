/** What the browser tests share: episodes recorded by the real environments, a server with them, and Chromium. */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import { chromium, type Browser, type BrowserContextOptions, type Frame, type Page } from 'playwright-core'
import {
  createBatch,
  ENVS,
  episodeSeed,
  Generator,
  namedSeed,
  type DigestibleBatch,
  type EnvDefinition,
} from '../../envs/index.ts'
import { ReplayRecorder, type RecordingOptions } from '../../envs/core/replay.ts'
import { warehouseGreedy } from '../../agents/scripted/warehouse-greedy.ts'
import { startServer, type RunningServer, type ServerSettings } from '../../server/index.ts'

const CHROMIUM = process.env.TROUPE_CHROMIUM ?? '/usr/bin/chromium'
const root = join(import.meta.dirname, '../..')
/**
 * WebGL by SwiftShader for the stage alone. Put together by SwiftShader too, a page cost twice the processor time per
 * picture (420 ms against 190), and a loaded machine showed two pictures a second.
 */
const SOFTWARE_WEBGL = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-gpu-compositing']

/** Whether the browser tests can run here; says why not. In CI they must. */
export function browserIsHere(): boolean {
  if (existsSync(CHROMIUM)) return true
  const message = `viewer/e2e: no Chromium at ${CHROMIUM} (set TROUPE_CHROMIUM); browser tests skipped`
  if (process.env.CI) throw new Error(message)
  process.stderr.write(`${message}\n`)
  return false
}

export interface Episode {
  readonly bytes: Uint8Array
  /** A batch with one lane, to simulate the episode again, independently of the page. */
  simulate(): DigestibleBatch
  /** [T, N, D] */
  readonly actions: readonly Int32Array[]
}

export interface Plan {
  readonly env: string
  readonly options: Record<string, unknown>
  readonly scenario: string
  readonly teamReward?: 'none' | 'sum' | 'mean'
  readonly seed?: number
  /** Picks the joint action [N, D]; default: uniform over legal ones. */
  readonly act?: (batch: DigestibleBatch, rng: Generator, step: number) => Int32Array
  readonly recording?: RecordingOptions
  readonly label?: string
  readonly definition?: EnvDefinition
  readonly plugin?: { name: string; sha256: string }
}

/** Plays one episode and records it. */
export function recordEpisode(plan: Plan): Episode {
  const definition = plan.definition ?? ENVS[plan.env]
  const teamReward = plan.teamReward ?? 'sum'
  const seed = episodeSeed(String(plan.seed ?? 1), 'eval', 0, 0)
  const open = () => {
    const batch = createBatch(definition, plan.options, { autoreset: 'disabled' })
    batch.reset([seed])
    return batch
  }
  const batch = open()
  const rng = new Generator(namedSeed(plan.seed ?? 1, 'e2e'))
  const scenario = { id: plan.scenario, env: plan.env, version: definition.version, options: plan.options, teamReward }
  const recorder = new ReplayRecorder(
    batch,
    0,
    {
      scenario,
      policies: [{ name: 'e2e-policy' }],
      package: '0.1.0',
      ...(plan.label === undefined ? {} : { label: plan.label }),
      ...(plan.plugin === undefined ? {} : { plugin: plan.plugin }),
    },
    plan.recording,
  )
  const act = plan.act ?? randomly
  const actions: Int32Array[] = []
  while (batch.terminated[0] === 0 && batch.truncated[0] === 0) {
    const action = act(batch, rng, actions.length)
    const { agents, actionSize } = batch.spec
    const extra = {
      probability: Float32Array.from({ length: agents.length * actionSize }, (_, i) =>
        i % actionSize === 1 ? 0.5 : 0.125,
      ),
      value: Float32Array.from(agents, (_, n) => n + actions.length / 100),
    }
    batch.step(action)
    recorder.record(action, 0, extra)
    actions.push(action)
  }
  return { bytes: recorder.finish(teamReward), simulate: open, actions }
}

/** The scripted crew: picks up, delivers, gets in its own way. */
export function greedy(): (batch: DigestibleBatch) => Int32Array {
  let policy: ReturnType<typeof warehouseGreedy.create> | undefined
  let memory: unknown
  return (batch) => {
    policy ??= warehouseGreedy.create(batch.spec)
    const agents = Int32Array.from(batch.spec.agents, (_, n) => n)
    memory ??= policy.memory(1, agents.length)
    const action = new Int32Array(agents.length)
    if (policy.privileged !== true) throw new Error('expected a policy that sees the world')
    policy.act(batch, agents, memory, { action }, undefined as never)
    return action
  }
}

function randomly(batch: DigestibleBatch, rng: Generator): Int32Array {
  const { agents, actionSize, actionSizes, actionDims } = batch.spec
  const action = new Int32Array(agents.length * actionDims)
  for (let n = 0; n < agents.length; n++) {
    let from = n * actionSize
    for (let d = 0; d < actionDims; d++) {
      do action[n * actionDims + d] = rng.below(actionSizes[d])
      while (batch.mask[from + action[n * actionDims + d]] === 0)
      from += actionSizes[d]
    }
  }
  return action
}

export interface Setting {
  readonly server: RunningServer
  readonly browser: Browser
  readonly data: string
  page(options?: BrowserContextOptions): Promise<Page>
  close(): Promise<void>
}

/** A server over a data folder that holds the given replays as `file:<name>`, and a browser. @param settings further ones of the server */
export async function stage(
  replays: Record<string, Uint8Array>,
  flags: readonly string[] = [],
  settings: ServerSettings = {},
): Promise<Setting> {
  const data = await mkdtemp(join(tmpdir(), 'troupe-e2e-'))
  await mkdir(join(data, 'replays'), { recursive: true })
  for (const [name, bytes] of Object.entries(replays)) await writeFile(join(data, 'replays', `${name}.replay`), bytes)
  const viewerDir = process.env.TROUPE_VIEWER_DIR ?? join(root, 'dist/viewer')
  const server = await startServer({ port: 0, data, viewerDir, ...settings })
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...(flags.length > 0 ? flags : SOFTWARE_WEBGL),
    ],
  })
  return {
    server,
    browser,
    data,
    page: async (options = {}) => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        permissions: ['clipboard-read', 'clipboard-write'],
        ...options,
      })
      const page = await context.newPage()
      watch(page)
      return page
    },
    close: async () => {
      await browser.close()
      await server.close()
      await rm(data, { recursive: true, force: true })
    },
  }
}

/** What went wrong in each page: exceptions, console errors (page policy violations among them). */
const complaints = new WeakMap<Page, string[]>()

function watch(page: Page): void {
  const list: string[] = []
  complaints.set(page, list)
  page.on('pageerror', (error) => list.push(error.stack ?? String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') list.push(message.text())
  })
}

export function complaintsOf(page: Page): readonly string[] {
  return complaints.get(page) ?? []
}

/** Waits until a replay is open, its first step simulated and its timeline complete. */
export async function opened(page: Page | Frame): Promise<void> {
  await page.waitForFunction(() => window.troupe?.surveyed === true && window.troupe.shownStep === window.troupe.step)
}

/** Waits until the opened world is on the stage and the page around it has its size. */
export async function painted(page: Page | Frame): Promise<void> {
  await opened(page)
  await page.waitForFunction(() => (window.troupe?.drawn?.pictures ?? 0) > 0)
  const corner = () => page.evaluate(() => JSON.stringify(window.troupe!.placeOf(0, 0)))
  for (let before = '', now = await corner(); before !== now;) {
    before = now
    await page.waitForTimeout(400)
    now = await corner()
  }
}

/**
 * What axe finds at fault, a line each. In its legacy mode it looks through the page from within, which took a third of the
 * time; what that leaves out, frames from elsewhere, our pages do not have.
 */
export async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary ?? ''}`).join(' | ')}`,
  )
}

/** Waits until a step is shown. */
export async function shows(page: Page, step: number): Promise<void> {
  await page.waitForFunction((wanted) => {
    if (window.troupe?.shownStep !== wanted || window.troupe.step !== wanted) return false
    // The inspector follows at a readable pace.
    const inspector = document.querySelector<HTMLElement>('.inspector-body')
    return inspector === null || inspector.dataset.step === String(wanted)
  }, step)
}

/** Drops a file on the middle of the page. */
export async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  await page.waitForSelector('.bar')
  const text = Buffer.from(bytes).toString('base64')
  await page.evaluate(
    ([fileName, content]) => {
      const data = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))
      const transfer = new DataTransfer()
      transfer.items.add(new File([data], fileName))
      for (const type of ['dragenter', 'dragover', 'drop']) {
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))
      }
    },
    [name, text] as const,
  )
}
