import { expect, test, vi } from 'vitest'
import { createBatch, envSpec } from '../../envs/core/index.ts'
import { ENVS } from '../../envs/index.ts'
import { fromPicture } from '../../envs/foraging/picture.ts'
import { fromReference } from '../../envs/foraging/reference.ts'
import { PALETTES } from '../theme.ts'

// Pixi asks the browser its name when it is loaded; nothing is rendered here.
vi.stubGlobal('navigator', { userAgent: '' })
const { Container } = await import('pixi.js')
const { ForagingScene } = await import('./foraging.ts')
type SceneStage = Parameters<InstanceType<typeof ForagingScene>['mount']>[0]

/** Mounts a drawn field and plays one step; also gives every text that the scene wrote. */
function played(picture: string, actions: readonly number[]) {
  const { options, state } = fromPicture(picture)
  const batch = createBatch(ENVS.foraging, options, { autoreset: 'disabled' })
  batch.reset()
  batch.load(0, fromReference(state, batch))
  const texts: string[] = []
  const stage: SceneStage = {
    root: new Container(),
    palette: PALETTES.light,
    label: (text) => {
      texts.push(text)
      return { view: new Container(), set: (now) => texts.push(now), width: 0, fit: () => {}, tint: () => {} }
    },
    actions: new Int32Array(0),
    agents: [],
    camera: { scale: 40, visible: { x: -100, y: -100, width: 200, height: 200 } },
  }
  const scene = new ForagingScene()
  const first = batch.frame(0)
  scene.mount(stage, envSpec(ENVS.foraging, options), first)
  scene.draw(first, first, 0, { agent: 'agent_0' })
  texts.length = 0
  batch.step(Int32Array.from(actions))
  const after = batch.frame(0)
  scene.draw(first, after, 0.5, { agent: null })
  scene.draw(after, after, 0, { agent: 'agent_1' })
  return { scene, texts, after, batch }
}

test('an item too heavy shows what was brought and what it takes', () => {
  const { texts } = played('. a1 .\n b1 3 .\n . . .', [5, 5])
  expect(texts).toContain('2/3')
})

test('an item taken is drawn in its step and gone in the next', () => {
  const { after, batch } = played('. a1 . .\n b2 3 . .\n . . . 1\n . . . .', [5, 5])
  expect(after.entities.find(({ id }) => id === 'food_0')!.state).toEqual({ level: 3, load: 3, taken: true })
  expect(after.events).toEqual([{ kind: 'taken', at: { x: 1, y: 1 }, agents: ['agent_0', 'agent_1'], value: 3 }])
  batch.step(Int32Array.of(0, 0))
  expect(batch.frame(0).entities.map(({ id }) => id)).toEqual(['food_1', 'agent_0', 'agent_1'])
  expect(batch.frame(0).counters).toMatchObject({ foodLeft: 1, foodTaken: 1, levelTaken: 3, levelSpawned: 4 })
})

test('players who share a cell stand side by side and can be picked apart', () => {
  // b and c want the same cell and stay; a enters the cell of b.
  const { scene, after } = played('a1 b1 . c1\n . . . .\n . . . 1', [4, 4, 3])
  const shared = after.entities.filter(({ state }) => state?.sharesCell === true)
  expect(shared.map(({ id, x }) => [id, x])).toEqual([
    ['agent_0', 1],
    ['agent_1', 1],
  ])
  expect(scene.pick(0.77, 0)).toBe('agent_0')
  expect(scene.pick(1.23, 0)).toBe('agent_1')
  expect(scene.pick(2, 2)).toBe(null)
})

test('everything on the board is in the legend and inside its box', () => {
  const { scene, after } = played('a1 . .\n . 2 .\n . . b1', [0, 0])
  const { x, y, width, height } = scene.box()
  expect([x, y, width, height]).toEqual([-0.5, -0.5, 3, 3])
  for (const entity of after.entities) {
    expect(entity.x >= x && entity.x <= x + width && entity.y >= y && entity.y <= y + height).toBe(true)
  }
  const labels = scene.legend().map(({ label }) => label)
  expect(labels).toHaveLength(8)
  for (const word of ['player', 'food', 'loading', 'too heavy', 'taken', 'blocked', 'one cell', 'sees']) {
    expect(
      labels.some((label) => label.includes(word)),
      word,
    ).toBe(true)
  }
  scene.dispose()
})
