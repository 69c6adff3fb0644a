import { expect, test, vi } from 'vitest'
import { createBatch, envSpec } from '../../envs/core/index.ts'
import { ENVS } from '../../envs/index.ts'
import { PALETTES } from '../theme.ts'

// Pixi asks the browser its name when it is loaded; nothing is rendered here.
vi.stubGlobal('navigator', { userAgent: '' })
const { Container } = await import('pixi.js')
const { SpectrumScene } = await import('./spectrum.ts')
type SceneStage = Parameters<InstanceType<typeof SpectrumScene>['mount']>[0]

/** A stage whose labels are remembered, so that what is written can be read. */
function stage(): SceneStage & { written: () => string[] } {
  const texts: string[] = []
  return {
    root: new Container(),
    palette: PALETTES.light,
    label: (text) => {
      const at = texts.push(text) - 1
      return { view: new Container(), set: (next) => (texts[at] = next), width: 0, fit: () => {}, tint: () => {} }
    },
    actions: new Int32Array(0),
    agents: [],
    camera: { scale: 40, visible: { x: -100, y: -100, width: 200, height: 200 } },
    written: () => texts,
  }
}

test('successes are numbered by user, totals and shares are written, rows pick their user', () => {
  const options = { users: 3, channels: 2 }
  const batch = createBatch(ENVS.spectrum, options, { autoreset: 'disabled' })
  batch.reset()
  const scene = new SpectrumScene()
  const first = batch.frame(0)
  const drawn = stage()
  scene.mount(drawn, envSpec(ENVS.spectrum, options), first)
  scene.draw(first, first, 0, { agent: null })
  batch.step(Int32Array.of(1, 2, 0)) // two successes
  batch.step(Int32Array.of(1, 1, 2)) // a collision and a success
  const frame = batch.frame(0)
  scene.draw(frame, frame, 0, { agent: 'agent_2' })
  const texts = drawn.written()
  // three successes in four slot-channels; J = 9 / (3 * 3) = 1; two of five sends collided
  expect(texts).toEqual(expect.arrayContaining(['0.75', '1', '0.4', '0.50', 'channel 1', 'agent_2']))
  // the last cells of both channel rows: user 0 and nobody, users 1 and 2
  const numbers = texts.slice(0, 80)
  expect([numbers[38], numbers[39], numbers[78], numbers[79]]).toEqual(['0', '', '1', '2'])
  expect(numbers.filter((text) => text !== '')).toHaveLength(3)
  const { x, y, width, height } = scene.box()
  const found = new Set<string | null>()
  for (let at = y; at < y + height; at += 0.1) found.add(scene.pick(x + width / 2, at))
  expect([...found]).toEqual([null, 'agent_0', 'agent_1', 'agent_2'])
  scene.dispose()
})

test('users far enough apart succeed together, and their number stands in the channel', () => {
  const options = { users: 3, channels: 1, neighbours: [[1], [0, 2], [1]] }
  const batch = createBatch(ENVS.spectrum, options, { autoreset: 'disabled' })
  batch.reset()
  const scene = new SpectrumScene()
  const drawn = stage()
  scene.mount(drawn, envSpec(ENVS.spectrum, options), batch.frame(0))
  batch.step(Int32Array.of(1, 0, 1))
  batch.step(Int32Array.of(0, 1, 0))
  scene.draw(batch.frame(0), batch.frame(0), 0, { agent: null })
  expect(drawn.written().slice(38, 40)).toEqual(['×2', '1'])
  expect(scene.legend().map(({ label }) => label)).toContain('several successes at once, how many')
})

test('primary users and jammers are in the legend where there are any, and large worlds are drawn too', () => {
  for (const [options, expected] of [
    [{ users: 3, channels: 2 }, []],
    [{ users: 4, channels: 3, pu: 'bernoulli' }, ['primary user', 'sent on a busy channel']],
    [{ users: 2, channels: 3, jammer: 'seat' }, ['jammer']],
    [{ users: 100, channels: 50 }, []],
  ] as const) {
    const batch = createBatch(ENVS.spectrum, options, { autoreset: 'disabled' })
    batch.reset()
    const scene = new SpectrumScene()
    scene.mount(stage(), envSpec(ENVS.spectrum, options), batch.frame(0))
    for (let t = 0; t < 45; t++)
      batch.step(new Int32Array(batch.spec.agents.length).map((_, n) => 1 + ((n + t) % options.channels)))
    const frame = batch.frame(0)
    scene.draw(frame, frame, 0, { agent: 'agent_0' })
    const labels = scene.legend().map(({ label }) => label)
    for (const special of ['primary user', 'sent on a busy channel', 'jammer']) {
      expect(labels.includes(special)).toBe((expected as readonly string[]).includes(special))
    }
    if ('jammer' in options) expect(scene.pick(5, scene.box().y + scene.box().height - 0.3)).toBe('jammer')
    scene.dispose()
  }
})
