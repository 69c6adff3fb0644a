/** The scenes of the game worlds draw whole episodes: everything lies in the box, agents can be picked, signs are explained. */
import { expect, test, vi } from 'vitest'
import { Generator, createBatch, envSpec, namedSeed } from '../../envs/core/index.ts'
import { ENVS } from '../../envs/index.ts'
import { PALETTES } from '../theme.ts'

// Pixi asks the browser its name when it is loaded; nothing is rendered here.
vi.stubGlobal('navigator', { userAgent: '' })
const { Container } = await import('pixi.js')
const { CoinScene } = await import('./coin.ts')
const { MatrixScene } = await import('./matrix.ts')
const { StormScene } = await import('./storm.ts')
type Scene = InstanceType<typeof CoinScene> | InstanceType<typeof MatrixScene> | InstanceType<typeof StormScene>
type SceneStage = Parameters<Scene['mount']>[0]

/** A stage whose labels remember what they say. */
function stage(actions: Int32Array): { stage: SceneStage; said: () => string[] } {
  const texts: { text: string }[] = []
  return {
    said: () => texts.map(({ text }) => text),
    stage: {
      root: new Container(),
      palette: PALETTES.dark,
      label: (text) => {
        const label = { text }
        texts.push(label)
        return {
          view: new Container(),
          set: (now) => {
            label.text = now
          },
          width: 10,
          fit: () => {},
          tint: () => {},
        }
      },
      actions,
      agents: [],
      camera: { scale: 40, visible: { x: -100, y: -100, width: 200, height: 200 } },
    },
  }
}

/** Plays an episode at random and draws every step. */
function drawn(env: string, options: object, scene: Scene, steps = 30) {
  const spec = envSpec(ENVS[env], options)
  const batch = createBatch(ENVS[env], options, { autoreset: 'disabled' })
  batch.reset()
  const rng = new Generator(namedSeed('scenes', env))
  const N = spec.agents.length
  const actions = Int32Array.from({ length: steps * N }, (_, i) => {
    const action = spec.agents[i % N].action
    return rng.below(action.kind === 'discrete' ? action.names.length : 1)
  })
  const shown = stage(actions)
  let before = batch.frame(0)
  scene.mount(shown.stage, spec, before)
  for (let t = 0; t < steps && batch.terminated[0] === 0 && batch.truncated[0] === 0; t++) {
    batch.step(actions.slice(t * N, t * N + N))
    const after = batch.frame(0)
    scene.draw(before, after, 0.5, { agent: 'agent_0' })
    scene.draw(after, after, 0, { agent: null })
    before = after
  }
  const { width, height } = scene.box()
  expect(width > 0 && height > 0 && Number.isFinite(width * height)).toBe(true)
  return { frame: before, said: shown.said(), actions, batch }
}

test.each([
  [{ game: 'pd', observation: 'last' }],
  [{ game: 'rps' }],
  [{ game: 'climbing-3p' }],
  [{ game: 'public-goods', parameters: { players: 6 } }],
  [{ game: 'travelers-dilemma' }],
  [{ game: 'two-step' }],
  [{ game: 'ecological', parameters: { players: 3 } }],
  [{ game: 'coordination', parameters: { players: 5 } }],
  [{ game: 'custom', payoffs: [[[1, 2, 3], [4, 5, 6]], [[0, 0, 1], [0, 2, 0]]] }], // prettier-ignore
])('the matrix scene draws %j', (options) => {
  const scene = new MatrixScene()
  const { said, frame } = drawn('matrix', options, scene)
  const players = frame.entities.filter(({ kind }) => kind === 'player')
  for (const { id } of players) expect(said).toContain(id)
  const { x, width } = scene.box()
  // every player's panel can be picked at the right
  const picked = new Set<string | null>()
  for (let y = 0; y < players.length * 1.5; y += 0.5) picked.add(scene.pick(x + width - 1, y))
  for (const { id } of players) expect(picked).toContain(id)
  expect(scene.legend().length).toBeGreaterThan(2)
  scene.dispose()
})

test('the matrix scene says how often each cell was played', () => {
  const { said, frame } = drawn('matrix', { game: 'pd' }, new MatrixScene(), 20)
  for (const times of frame.layers![0].cells) if (times > 0) expect(said).toContain(`×${times}`)
})

test('a game of several states names its tables', () => {
  const { said } = drawn('matrix', { game: 'donation' }, new MatrixScene())
  expect(said).toEqual(expect.arrayContaining(['rich', 'poor', '9, 9', '1, 1']))
})

test('the coin scene draws an episode and tells what was taken', () => {
  const scene = new CoinScene()
  const { said, frame } = drawn('coin', { horizon: 60 }, scene, 60)
  const agent = frame.entities.find(({ id }) => id === 'agent_0')!
  expect(said).toContain(String(agent.state!.ownCoins))
  expect(scene.pick(agent.x, agent.y)).not.toBe(null)
  expect(scene.legend()).toHaveLength(5)
  scene.dispose()
})

test('the storm scene draws an episode, coins and holdings', () => {
  const scene = new StormScene()
  const { said, frame } = drawn('storm', {}, scene, 120)
  for (const entity of frame.entities.filter(({ kind }) => kind === 'walker')) {
    expect(said).toContain(String(entity.state!.coinsA))
    expect(scene.pick(entity.x, entity.y)).not.toBe(null)
  }
  expect(said).toContain('5, 0')
  expect(scene.legend()).toHaveLength(4)
  scene.dispose()
})
