import { expect, test, vi } from 'vitest'
import { createBatch, envSpec } from '../../envs/core/index.ts'
import { ENVS } from '../../envs/index.ts'
import { PALETTES } from '../theme.ts'

// Pixi asks the browser its name when it is loaded; nothing is rendered here.
vi.stubGlobal('navigator', { userAgent: '' })
const { Container } = await import('pixi.js')
const { SkirmishScene } = await import('./skirmish.ts')
type SceneStage = Parameters<InstanceType<typeof SkirmishScene>['mount']>[0]

const stage = (): SceneStage => ({
  root: new Container(),
  palette: PALETTES.light,
  label: () => ({ view: new Container(), set: () => {}, width: 0, fit: () => {}, tint: () => {} }),
  actions: new Int32Array(0),
  agents: [],
  camera: { scale: 40, visible: { x: -100, y: -100, width: 200, height: 200 } },
})

test('a battle is drawn, units can be picked, and everything on it is in the legend', () => {
  const options = { map: 'MMM', cone: true }
  const batch = createBatch(ENVS.skirmish, options, { autoreset: 'disabled' })
  batch.reset()
  const scene = new SkirmishScene()
  const first = batch.frame(0)
  scene.mount(stage(), envSpec(ENVS.skirmish, options), first)
  let before = first
  for (let t = 0; t < 40; t++) {
    const A = batch.spec.actionSize
    batch.step(Int32Array.from({ length: 10 }, (_, n) => batch.mask.subarray(n * A, (n + 1) * A).lastIndexOf(1)))
    const after = batch.frame(0)
    scene.draw(before, after, 0.5, { agent: 'agent_9' })
    scene.draw(before, after, 0, { agent: 'enemy_3' })
    before = after
    if (batch.terminated[0] === 1) break
  }
  expect(before.links!.length + before.counters.damageTaken).toBeGreaterThan(0)
  const someone = before.entities.find((entity) => entity.state?.alive === true)!
  expect(scene.pick(someone.x, someone.y)).not.toBe(null)
  const { x, y, width, height } = scene.box()
  for (const entity of before.entities) {
    expect(entity.x >= x && entity.x <= x + width && entity.y >= y && entity.y <= y + height).toBe(true)
  }
  const labels = scene.legend().map(({ label }) => label)
  for (const kind of ['marine', 'marauder', 'medivac', 'shield', 'splash', 'falls in this step', 'fallen'])
    expect(labels).toContain(kind)
  scene.dispose()
})
