/** What HASAC promises beside what all learners do. */
import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { Generator, envSpec, namedSeed, withDefaults, type EnvDefinition } from '../envs/core/index.ts'
import { Means } from './core/metrics.ts'
import { Network } from './core/networks.ts'
import { Shown, Targets, playerKind, trained } from './core/offpolicy.ts'
import { Players } from './core/players.ts'
import { tf } from './core/tensors.ts'
import { lit, start, train } from './core/testing.ts'
import { dials, lights } from './core/toys.ts'
import {
  HASAC_SETTINGS,
  Temperatures,
  actorSteps,
  softActorLoss,
  softTargets,
  temperatureSlope,
  wantedEntropy,
  type Troop,
} from './hasac.ts'
import { LEARNERS } from './index.ts'

beforeAll(async () => {
  await tf.setBackend('cpu')
})

interface Case {
  reward: number[]
  discount: number[]
  q1: number[]
  q2: number[]
  surprise: number[][]
  alphas: number[]
  targets: number[]
  actor: { q1: number[]; q2: number[]; surprise: number[]; alpha: number; weight: number[]; loss: number; slopes: number[][] } // prettier-ignore
  wanted: number[]
  temperatureSlope: number
}
/** torch 1.13 in float64; the script is in the file. */
const CASE = (JSON.parse(readFileSync(new URL('core/agent-vectors.json', import.meta.url), 'utf8')) as { hasac: Case })
  .hasac

const floats = (values: readonly number[]) => Float32Array.from(values)
const rng = (name: string) => new Generator(namedSeed(1, name))
const near = (got: ArrayLike<number>, wanted: readonly number[]) =>
  wanted.forEach((value, i) => expect(got[i], `[${i}]`).toBeCloseTo(value, 5))

test('targets are the reward and what follows: the smaller critic and everybody’s entropy, nothing after an end', () => {
  const { reward, discount, q1, q2, surprise, alphas, targets } = CASE
  for (const [one, two] of [
    [q1, q2],
    [q2, q1], // whichever says less
  ]) {
    near(
      softTargets(floats(reward), floats(discount), [floats(one), floats(two)], surprise.map(floats), alphas),
      targets,
    )
  }
})

test('the actor’s loss and its slopes are those of torch; the dead weigh nothing', () => {
  const { q1, q2, surprise, alpha, weight, loss, slopes } = CASE.actor
  const living = { weight: floats(weight), count: 4 }
  const score = (a: tf.Tensor, b: tf.Tensor, s: tf.Tensor) =>
    softActorLoss([tf.reshape(a, [5, 1]), tf.reshape(b, [5, 1])], s as tf.Tensor1D, alpha, living)
  const { value, grads } = tf.valueAndGrads(score as (...x: tf.Tensor[]) => tf.Scalar)([q1, q2, surprise].map((x) => tf.tensor1d(x))) // prettier-ignore
  expect(value.dataSync()[0]).toBeCloseTo(loss, 5)
  grads.forEach((grad, k) => near(grad.dataSync(), slopes[k]))
})

test('alpha rises while the entropy is below its target, and falls while it is above', () => {
  const { actor, wanted, temperatureSlope: slope } = CASE
  const living = { weight: floats(actor.weight), count: 4 }
  expect(temperatureSlope(floats(actor.surprise), floats(wanted), living)).toBeCloseTo(slope, 5)
  const temperatures = new Temperatures(2, 0.2)
  const everyone = { weight: floats([1, 1]), count: 2 }
  const slopes = [floats([0.1, 0.3]), floats([1.4, 1.6])].map((entropy) =>
    temperatureSlope(entropy, floats([1, 1]), everyone),
  )
  temperatures.step(floats(slopes), 0.01)
  const [low, high] = temperatures.alphas
  expect(low).toBeCloseTo(0.2 * Math.exp(0.01), 4) // Adam's first step is lr long
  expect(high).toBeCloseTo(0.2 * Math.exp(-0.01), 4)
  temperatures.optimiser.dispose()
  temperatures.dispose()
})

function troopOf(world: EnvDefinition, lr: number): { troop: Troop; shown: Shown } {
  const spec = envSpec(world, { agents: 2 })
  const shape = { hidden: 4, layers: 1, activation: 'tanh', outputGain: 1 } as const
  const settings = withDefaults(HASAC_SETTINGS, { lr, gradientNorm: 1e9 }, 'test')
  const players = new Players(spec, ['agent_0', 'agent_1'], playerKind(spec, 'squeezed'), 1, shape, rng)
  const inputs = 2 * (spec.observationSize + players.width)
  const critic = (name: string) => trained(new Network({ ...shape, name, inputs, outputs: 1 }, rng(name)), 1e9)
  const critics: Troop['critics'] = [critic('critic0'), critic('critic1')]
  const actors = players.nets.map(([net]) => trained(net, 1e9))
  const rows = 3
  const draws = rng('batch')
  const noise = (length: number) => Float32Array.from({ length }, () => draws.float())
  const [F, D, A] = [spec.observationSize, spec.actionDims, spec.actionSize]
  const batch = {
    rows,
    observation: noise(rows * 2 * F),
    next: noise(rows * 2 * F),
    state: noise(0),
    nextState: noise(0),
    action: new Float32Array(rows * 2 * D),
    mask: new Uint8Array(rows * 2 * A).fill(1),
    nextMask: new Uint8Array(rows * 2 * A).fill(1),
    alive: new Uint8Array(rows * 2).fill(1),
    reward: noise(rows * 2),
    discount: noise(rows),
  }
  const targets = new Targets(critics.map(({ net }) => net))
  const troop = { settings, players, actors, critics, targets, temperatures: new Temperatures(2, 0.2) }
  return { troop, shown: new Shown(batch, players, 'observations') }
}

/** What the critics were asked in each agent's turn: the actions of both, [turn][agent], and whose turn it was. */
function asked(world: EnvDefinition, lr: number): { actions: number[][][]; order: number[] } {
  const { troop, shown } = troopOf(world, lr)
  const F2 = shown.batch.observation.length / shown.rows
  const W = troop.players.width
  const inputs: number[][] = []
  const { net } = troop.critics[0]
  const plain = net.forward.bind(net)
  net.forward = (x) => {
    inputs.push([...x.dataSync()])
    return plain(x)
  }
  tf.tidy(() => actorSteps(troop, shown, rng('noise'), 1, new Means()))
  const actions = inputs.map((rows) =>
    [0, 1].map((agent) =>
      rows.filter((_, i) => {
        const at = (i % (F2 + 2 * W)) - F2 - agent * W
        return at >= 0 && at < W
      }),
    ),
  )
  const drawing = rng('noise')
  for (let k = 0; k < 2 * shown.rows * W; k++) drawing.float() // noises come first
  const order = [0, 1]
  drawing.shuffle(order)
  return { actions, order }
}

test('agents whose turn comes later see what those before have become', () => {
  const [still, moved] = [0, 0.5].map((lr) => asked(dials as unknown as EnvDefinition, lr))
  const [first, second] = moved.order
  expect(still.actions).toHaveLength(2)
  expect(still.actions[1]).toEqual(still.actions[0]) // nobody learns: both turns ask the same
  expect(moved.actions[0]).toEqual(still.actions[0]) // nobody has learned yet
  expect(moved.actions[1][first]).not.toEqual(still.actions[1][first]) // the first has
  expect(moved.actions[1][second]).toEqual(still.actions[1][second])
})

test('the entropy aimed at is never 0 for want of a shape: a part of log(legal choices), −1 for each real number', () => {
  const { troop, shown } = troopOf(lights as unknown as EnvDefinition, 0)
  shown.batch.mask.fill(0, 4, 7) // in row 0 agent 1 has one choice
  const settings = { ...troop.settings, targetShare: 0.5 }
  near(wantedEntropy(shown, troop.players, 0, settings), new Array<number>(3).fill(0.5 * Math.log(4)))
  near(wantedEntropy(shown, troop.players, 1, settings), [0, 0.5 * Math.log(4), 0.5 * Math.log(4)])
  const box = troopOf(dials as unknown as EnvDefinition, 0)
  near(wantedEntropy(box.shown, box.troop.players, 0, box.troop.settings), [-2, -2, -2])
})

test('without a target for the entropy alpha may follow a line, in environment steps; not with one', () => {
  const settings = { autoAlpha: false, alpha: 0.5, alphaEnd: 0.1, scheduleSteps: 60, warmup: 0, updates: 1 }
  const learner = start(LEARNERS.hasac, lit(), settings)
  const alphas = train(learner, 6).map(({ alpha }) => alpha) // 15 steps each
  ;[0.4, 0.3, 0.2, 0.1, 0.1, 0.1].forEach((wanted, k) => expect(alphas[k]).toBeCloseTo(wanted, 12))
  learner.dispose()
  const refused = () => start(LEARNERS.hasac, lit(), { alphaEnd: 0.1 })
  expect(refused).toThrow(/alphaEnd is 0.1 with autoAlpha; expected autoAlpha off, or null/)
})

test('individual rewards are refused, with the reason', () => {
  expect(() => start(LEARNERS.hasac, lit(), {}, { teamReward: 'none' })).toThrow(
    /hasac: teamReward of the scenario is 'none'.*must want the same; maddpg and mappo take individual rewards/,
  )
})
