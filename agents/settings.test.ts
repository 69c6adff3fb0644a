/**
 * Settings and published settings: the pages say what the code does, and presets what their sources say.
 * `UPDATE_README=1 npx vitest run agents/settings.test.ts` rewrites the tables.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { withDefaults } from '../envs/core/index.ts'
import { presetSettings, type LearnerDefinition } from './core/learner.ts'
import { fieldsOf, known, lit, start, type Shape } from './core/testing.ts'
import { LEARNERS } from './index.ts'

const ALL = Object.values(LEARNERS)
const presetsOf = ({ presets = {} }: LearnerDefinition) => Object.entries(presets)
const PRESETS = ALL.flatMap((definition) =>
  presetsOf(definition).map(([name, preset]) => ({ definition, name, preset })),
)

/** The part of a page between two marks is this table; or is made so. */
function shows(page: string, mark: string, table: string) {
  const file = new URL(page, import.meta.url)
  const text = readFileSync(file, 'utf8')
  const open = `<!-- ${mark} -->\n`
  const from = text.indexOf(open) + open.length
  const to = text.indexOf(`<!-- /${mark} -->`)
  expect(from).toBeGreaterThanOrEqual(open.length)
  if (process.env.UPDATE_README === '1') writeFileSync(file, `${text.slice(0, from)}${table}\n${text.slice(to)}`)
  else expect(text.slice(from, to)).toBe(`${table}\n`)
}

const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

/** What a setting may be. */
function range(shape: Shape): string {
  const { type, const: one, anyOf, minimum, maximum, exclusiveMinimum } = shape
  if (anyOf !== undefined) return anyOf.map(range).join(', ')
  if (one !== undefined) return code(one)
  if (type === 'boolean') return 'yes or no'
  if (type === 'null') return '`null`'
  const least = minimum ?? exclusiveMinimum
  const most = maximum === undefined ? '' : ` to ${maximum}`
  return `${type === 'integer' ? 'whole, ' : ''}${exclusiveMinimum === undefined ? '' : 'above '}${least ?? ''}${most}`
}

test('the page of settings lists every setting of every learner, with default, range and meaning', () => {
  const rows = new Map<string, { name: string; shape: Shape; who: string[] }>()
  for (const { name: learner, settings } of ALL) {
    for (const [name, shape] of fieldsOf(settings)) {
      const key = JSON.stringify([name, shape.default, range(shape), shape.description])
      const row = rows.get(key) ?? { name, shape, who: [] }
      row.who.push(learner)
      rows.set(key, row)
    }
  }
  const lines = [...rows.values()]
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : b.who.length - a.who.length))
    .map(({ name, shape, who }) => {
      expect(shape.description, name).toBeDefined()
      return `| \`${name}\` | ${code(shape.default)} | ${range(shape)} | ${who.join(', ')} | ${shape.description} |`
    })
  shows('settings.md', 'settings', ['| setting | default | range | learners | meaning |', '| --- | --- | --- | --- | --- |', ...lines].join('\n')) // prettier-ignore
})

test('the README lists every preset with source and differences', () => {
  const lines = PRESETS.map(({ definition, name, preset: { summary, source, families = {}, differs = '' } }) => {
    const own = Object.keys(families).join(', ')
    return `| ${definition.name} | \`${name}\` | ${summary} | ${source} | ${own} | ${differs} |`
  })
  shows('README.md', 'presets', ['| learner | preset | what it is | source | of its own for | what settings cannot say |', '| --- | --- | --- | --- | --- | --- |', ...lines].join('\n')) // prettier-ignore
})

test('every preset holds settings that there are, within their ranges, and makes a learner', () => {
  expect(new Set(PRESETS.map(({ definition }) => definition.name)).size).toBeGreaterThan(12)
  for (const { definition, name, preset } of PRESETS) {
    for (const env of ['', ...Object.keys(preset.families ?? {})]) {
      const given = presetSettings(preset, env)
      const where = `${definition.name} ${name} ${env}`
      const settings = withDefaults(definition.settings, given, where)
      expect(settings, where).not.toEqual(withDefaults(definition.settings, {}, where))
      // Chunks that divide rollouts, and what else is looked at before training.
      const learner = start(definition, lit(), { ...settings, ...small(definition) })
      expect(learner.stepsPerUpdate, where).toBe(settings.rolloutSteps)
      learner.dispose()
    }
  }
})

/** What would only cost time here. */
const small = (definition: LearnerDefinition) =>
  known(definition, { lanes: 1, hidden: 4, criticHidden: 4, memory: 4, memoryEpisodes: 4 })

describe('presets say what their sources say', () => {
  const of = (learner: string, preset: string, env?: string) => presetSettings(LEARNERS[learner].presets![preset], env)

  // EPyMARL's files: lr, hidden, actor, entropy, shared and then with networks apart.
  test.each([
    ['ia2c', 5e-4, 5e-4, 128, 64, 0.001, 0.001],
    ['maa2c', 5e-4, 3e-4, 128, 64, 0.01, 0.01],
    ['ippo', 3e-4, 3e-4, 128, 64, 0.001, 0.01],
    ['mappo', 3e-4, 3e-4, 128, 64, 0.001, 0.01],
    ['coma', 3e-4, 5e-4, 64, 64, 0.001, 0.01],
  ])('EPyMARL’s %s', (learner, lr, lrApart, hidden, hiddenApart, entropy, entropyApart) => {
    const returns = learner === 'coma' ? {} : { nSteps: 5 }
    const both = { lanes: 10, gamma: 0.99, gradientNorm: 10, advantageNorm: false, rewardScale: 'standardise', ...returns } // prettier-ignore
    expect(of(learner, 'epymarl')).toMatchObject({ ...both, lr, criticLr: lr, hidden, entropy, sharing: 'full', network: 'gru', rolloutSteps: 25 }) // prettier-ignore
    expect(of(learner, 'epymarl-ns')).toMatchObject({ ...both, lr: lrApart, criticLr: lrApart, hidden: hiddenApart, entropy: entropyApart, sharing: 'none', network: 'mlp' }) // prettier-ignore
    for (const [env, rolloutSteps] of [
      ['matrix', 25],
      ['foraging', 50],
      ['warehouse', 500],
      ['particles', 25],
    ] as const) {
      expect(of(learner, 'epymarl', env).rolloutSteps).toBe(rolloutSteps)
    }
    const targets = learner === 'coma' ? [{ targetEvery: 200 }, { targetEvery: 200 }] : [{ target: 'soft', targetTau: 0.01 }, { target: 'hard', targetEvery: 200 }] // prettier-ignore
    expect(of(learner, 'epymarl')).toMatchObject(targets[0])
    expect(of(learner, 'epymarl-ns')).toMatchObject(targets[1])
    if (learner.endsWith('ppo')) expect(of(learner, 'epymarl')).toMatchObject({ epochs: 4, clip: 0.2, valueClip: null })
  })

  test('MAPPO’s, by environment', () => {
    const common = {
      gamma: 0.99,
      lambda: 0.95,
      clip: 0.2,
      gradientNorm: 10,
      chunk: 10,
      valueNorm: true,
      huberDelta: 10,
    }
    expect(of('mappo', 'mappo', 'skirmish')).toMatchObject({ ...common, lanes: 8, rolloutSteps: 400, lr: 5e-4, epochs: 15, minibatches: 1, entropy: 0.01, criticInput: 'state+observation' }) // prettier-ignore
    expect(of('mappo', 'mappo', 'particles')).toMatchObject({ lanes: 128, rolloutSteps: 25, lr: 7e-4, criticLr: 7e-4, epochs: 10, activation: 'tanh' }) // prettier-ignore
    expect(of('mappo', 'mappo-hard')).toMatchObject({ ...common, epochs: 5 })
    expect(of('mappo', 'mappo-5m_vs_6m')).toMatchObject({ epochs: 10, clip: 0.05 })
    expect(of('mappo', 'mappo-mmm2')).toMatchObject({ epochs: 5, minibatches: 2, outputGain: 1 })
    expect(of('ippo', 'mappo')).toMatchObject({ ...common, sharing: 'none' })
  })

  test('those of the libraries in JAX and of BenchMARL', () => {
    expect(of('mappo', 'jaxmarl')).toMatchObject({ lr: 2e-3, lrSchedule: 'linear', lanes: 16, rolloutSteps: 128, epochs: 4, minibatches: 4, gradientNorm: 0.5, hidden: 128 }) // prettier-ignore
    expect(of('mappo', 'jaxmarl', 'skirmish')).toMatchObject({ lanes: 128, entropy: 0, gradientNorm: 0.25, lr: 2e-3 })
    expect(of('ippo', 'jaxmarl', 'skirmish')).toMatchObject({ lr: 4e-3, clip: 0.05 })
    expect(of('ippo', 'jaxmarl').lr).toBe(2.5e-4)
    expect(of('mappo', 'mava')).toMatchObject({ lr: 2.5e-4, lanes: 16, rolloutSteps: 128, epochs: 4, minibatches: 2, gradientNorm: 0.5 }) // prettier-ignore
    const { lanes, rolloutSteps, minibatches, ...rest } = of('mappo', 'benchmarl') as Record<string, number>
    expect([lanes * rolloutSteps, (lanes * rolloutSteps) / minibatches]).toEqual([6000, 400])
    expect(rest).toMatchObject({ lr: 5e-5, epochs: 45, lambda: 0.9, entropy: 0, gradientNorm: 5 })
  })

  test('HARL’s, SEAC’s, MADDPG’s and PyMARL’s', () => {
    expect(of('happo', 'harl')).toMatchObject({ lanes: 20, rolloutSteps: 200, hidden: 128, lr: 5e-4, criticLr: 5e-4, epochs: 5, clip: 0.2, entropy: 0.01, huberDelta: 10, gradientNorm: 10, sharing: 'none' }) // prettier-ignore
    expect(of('happo', 'harl', 'skirmish')).toMatchObject({ lanes: 20, rolloutSteps: 160, hidden: 64, layers: 3, network: 'gru', chunk: 10 }) // prettier-ignore
    expect(of('hasac', 'harl')).toMatchObject({ hidden: 256, lr: 5e-4, batch: 1000, memory: 1e6, tau: 0.005, warmup: 1e4, rolloutSteps: 50 }) // prettier-ignore
    expect(of('hasac', 'harl', 'skirmish').lr).toBe(3e-4)
    for (const learner of ['seac', 'snac']) {
      expect(of(learner, 'seac')).toMatchObject({ lr: 3e-4, optimiserEpsilon: 1e-3, rolloutSteps: 5, lanes: 4, gamma: 0.99, entropy: 0.01, gradientNorm: 0.5 }) // prettier-ignore
    }
    expect(of('maddpg', 'maddpg')).toMatchObject({ lr: 1e-2, gamma: 0.95, batch: 1024, memory: 1e6, warmup: 1024 * 25, tau: 0.01, gradientNorm: 0.5, hidden: 64 }) // prettier-ignore
    expect(of('maddpg', 'epymarl-ns', 'foraging')).toMatchObject({ lr: 5e-4, hidden: 128, batch: 16 * 50, rolloutSteps: 50 }) // prettier-ignore
    expect(of('coma', 'pymarl')).toMatchObject({ lanes: 8, lr: 5e-4, criticHidden: 128, lambda: 0.8, targetEvery: 200, epsilon: 0.5, epsilonEnd: 0.01, epsilonSteps: 1e5 }) // prettier-ignore
  })
})
