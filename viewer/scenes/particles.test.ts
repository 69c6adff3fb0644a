import { expect, test, vi } from 'vitest'
import { createBatch, envSpec, Generator, namedSeed } from '../../envs/core/index.ts'
import { actionArray, randomActions } from '../../envs/core/random-actions.ts'
import { ENVS } from '../../envs/index.ts'
import { TASK_NAMES } from '../../envs/particles/index.ts'
import { PALETTES } from '../theme.ts'

// Pixi asks the browser its name when it is loaded; nothing is rendered here.
vi.stubGlobal('navigator', { userAgent: '' })
const { Container } = await import('pixi.js')
const { ParticlesScene } = await import('./particles.ts')
type SceneStage = Parameters<InstanceType<typeof ParticlesScene>['mount']>[0]

const WANTED: Record<string, string[]> = {
  spread: ['agents', 'landmark', 'velocity', 'contact'],
  tag: ['adversaries', 'good', 'obstacle', 'catch'],
  'speaker-listener': ['agent', 'goal', 'what it says'],
  'world-comm': ['food', 'forest', 'what it says', 'catch'],
}

test.each(TASK_NAMES.flatMap((task) => [[task, 'discrete'] as const, [task, 'continuous'] as const]))(
  'an episode of %s with %s actions is drawn, agents can be picked, messages are shown',
  (task, actions) => {
    const said: string[] = []
    const stage: SceneStage = {
      root: new Container(),
      palette: PALETTES.dark,
      label: () => ({ view: new Container(), set: (text) => said.push(text), width: 9, fit: () => {}, tint: () => {} }),
      actions: new Int32Array(0),
      agents: [],
      camera: { scale: 40, visible: { x: -100, y: -100, width: 200, height: 200 } },
    }
    const options = { task, actions }
    const batch = createBatch(ENVS.particles, options, { autoreset: 'disabled' })
    const rng = new Generator(namedSeed('scene', task))
    const action = actionArray(batch)
    batch.reset()
    const scene = new ParticlesScene()
    let before = batch.frame(0)
    scene.mount(stage, envSpec(ENVS.particles, options), before)
    for (let t = 0; t < 25; t++) {
      randomActions(batch, rng, action)
      batch.step(action as never)
      const after = batch.frame(0)
      scene.draw(before, after, 0.5, { agent: before.entities.at(-1)!.id })
      scene.draw(before, after, 0, { agent: null })
      before = after
    }
    const someone = before.entities.at(-1)!
    scene.draw(before, before, 0, { agent: null })
    expect(scene.pick(someone.x, someone.y)).not.toBe(null)
    const speaks = before.entities.some(({ state }) => state !== undefined && 'says' in state)
    expect(said.length > 0).toBe(speaks)
    const labels = scene.legend().map(({ label }) => label)
    for (const label of WANTED[task] ?? []) expect(labels).toContain(label)
    scene.dispose()
  },
)
