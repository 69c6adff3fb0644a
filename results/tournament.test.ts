/** Round robins of scripted game players against exact long-run payoffs. */
import { describe, expect, test } from 'vitest'
import { STRATEGIES, longRunPayoffs } from '../envs/matrix/theory/index.ts'
import { POLICIES } from '../agents/index.ts'
import { ENVS } from '../envs/index.ts'
import { loadScenario } from '../scenarios/load.ts'
import { scenarioSpec } from '../scenarios/open.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { policyContract } from './policy-contract.ts'
import { heatTable, lineChart, stackedBars, ticks } from './svg.ts'
import { tournament } from './tournament.ts'

function entrants(scenario: Scenario, names: readonly string[]) {
  const spec = scenarioSpec(scenario)
  return names.map((name) => ({ name, policy: POLICIES[name].create(spec) }))
}

const longer = (id: string, horizon: number): Scenario => {
  const scenario = loadScenario(id)
  return { ...scenario, options: { ...scenario.options, horizon } }
}

describe('a round robin of memory-1 players', () => {
  const names = ['allc', 'alld', 'tft', 'wsls', 'grim', 'gtft', 'zd'].map((id) => `matrix-${id}`)
  const strategyOf: Record<string, keyof typeof STRATEGIES> = { zd: 'EXT2' }
  const strategy = (name: string) => {
    const id = name.replace('matrix-', '')
    return STRATEGIES[strategyOf[id] ?? (id.toUpperCase() as keyof typeof STRATEGIES)]
  }

  test('with errors earns what their Markov chain says', () => {
    const scenario = longer('matrix/pd-last', 3000)
    const error = 0.05
    const table = tournament({ scenario, entrants: entrants(scenario, names), episodes: 4, seed: '1', error })
    // 24,000 rounds per pair; payoffs deviate by about 2 and hang together over tens of rounds
    names.forEach((a, i) =>
      names.forEach((b, j) => {
        const [exact] = longRunPayoffs(strategy(a), strategy(b), [3, 0, 5, 1], error)
        expect(Math.abs(table.payoffs[i][j]! - exact), `${a} ${b}`).toBeLessThan(0.15)
      }),
    )
  })

  test('without errors: TFT never beats anybody, ALLD nobody else’s table, and cooperators share 3 a round', () => {
    const scenario = loadScenario('matrix/pd-last')
    const table = tournament({ scenario, entrants: entrants(scenario, names), episodes: 2, seed: '1' })
    const paid = (a: string, b: string) => table.payoffs[names.indexOf(`matrix-${a}`)][names.indexOf(`matrix-${b}`)]!
    for (const [a, b] of [['tft', 'tft'], ['allc', 'grim'], ['wsls', 'gtft'], ['grim', 'wsls']]) expect(paid(a, b)).toBe(3) // prettier-ignore
    expect(paid('alld', 'allc')).toBe(5)
    // 200 rounds: the defector takes 5 once, then both get 1
    expect(paid('alld', 'tft')).toBeCloseTo((5 + 199) / 200, 12)
    expect(paid('tft', 'alld')).toBeCloseTo(199 / 200, 12)
    for (const name of names) expect(paid('tft', name.slice(7))).toBeLessThanOrEqual(paid(name.slice(7), 'tft') + 1e-12)
    expect(table.means[table.order[0]]).toBe(Math.max(...table.means))
    // Who wins an episode: ALLD beats ALLC and every other by the first round, or draws with those that defect, too.
    const won = (a: string, b: string) => table.wins[names.indexOf(`matrix-${a}`)][names.indexOf(`matrix-${b}`)]!
    expect([won('alld', 'allc'), won('allc', 'alld'), won('tft', 'allc'), won('tft', 'tft')]).toEqual([1, 0, 0.5, 0.5])
    // By wins alone the defector is first, and no triple runs in a circle; by payoff it is not.
    expect(table.ratings[0].player).toBe('matrix-alld')
    expect(table.ratings.every(({ deviation, games }) => deviation > 0 && games === 6 * 2 * 2)).toBe(true)
    expect(table.intransitive.cyclic).toBe(0)
    const diagonal = names.map((_, i) => table.payoffs[i][i]!)
    expect(table.selfPlay).toBeCloseTo(diagonal.reduce((a, b) => a + b, 0) / names.length, 12)
  })

  test('repeats from its seed, and can leave out meetings with oneself', () => {
    const scenario = longer('matrix/pd-last', 20)
    const run = (seed: string) =>
      tournament({
        scenario,
        entrants: entrants(scenario, ['random', 'matrix-gtft']),
        episodes: 5,
        seed,
        selfPlay: false,
      })
    expect(run('1')).toEqual(run('1'))
    expect(run('1').payoffs).not.toEqual(run('2').payoffs)
    expect(run('1').payoffs[0][0]).toBe(null)
  })

  test('refuses worlds that are not for two, and games without an end', () => {
    const crowd = loadScenario('matrix/public-goods')
    const request = { entrants: [], episodes: 1, seed: '1' }
    expect(() => tournament({ ...request, scenario: crowd })).toThrow('expected a world for two')
    const endless = { ...loadScenario('matrix/pd-last'), options: { game: 'pd', observation: 'last', horizon: null } }
    expect(() => tournament({ ...request, scenario: endless })).toThrow('horizon')
  })
})

test('all game players keep the promises of policies', () => {
  for (const name of Object.keys(POLICIES).filter((id) => id.startsWith('matrix-'))) {
    const findings = policyContract(POLICIES[name], longer('matrix/pd-last', 30), ENVS)
    expect(
      findings.filter(({ ok }) => !ok),
      name,
    ).toEqual([])
  }
})

describe('players that learn within an episode', () => {
  test('regret matchers play rock, paper, scissors evenly: the mean is near zero, and chances near a third', () => {
    const scenario = longer('matrix/rps-last', 3000)
    const table = tournament({
      scenario,
      entrants: entrants(scenario, ['matrix-regret', 'random']),
      episodes: 4,
      seed: '1',
    })
    for (const row of table.payoffs) for (const value of row) expect(Math.abs(value!)).toBeLessThan(0.03)
  })

  test('fictitious play finds an equilibrium of the stag hunt and exploits a constant player', () => {
    const scenario = longer('matrix/stag-hunt-last', 100)
    const [fictitious, allc, alld] = ['matrix-fictitious', 'matrix-allc', 'matrix-alld']
    const table = tournament({
      scenario,
      entrants: entrants(scenario, [fictitious, allc, alld]),
      episodes: 1,
      seed: '1',
    })
    expect(table.payoffs[0][0]).toBe(4) // both begin with the stag
    expect(table.payoffs[0][1]).toBe(4)
    expect(table.payoffs[0][2]).toBeCloseTo((1 + 99 * 2) / 100, 12) // one round to learn
  })

  test('refuse games they cannot see or do not know, by name', () => {
    for (const [name, id] of [
      ['matrix-tft', 'matrix/pd'],
      ['matrix-tft', 'matrix/rps-last'],
      ['matrix-allc', 'matrix/rps'],
      ['matrix-regret', 'matrix/climbing'],
      ['matrix-regret', 'matrix/public-goods'],
    ]) {
      expect(() => POLICIES[name].create(scenarioSpec(loadScenario(id))), `${name} ${id}`).toThrow(`policy ${name}`)
    }
  })
})

describe('pictures', () => {
  test('escape what they are given and hold every point', () => {
    const picture = lineChart({
      title: 'a < b & "c"',
      x: 'x',
      y: 'y',
      series: [{ name: 's', points: [[0, 1], [1, NaN], [2, 3]] }], // prettier-ignore
    })
    expect(picture).toContain('a &lt; b &amp; &quot;c&quot;')
    expect(picture.match(/M[\d.]+ [\d.]+/g)).toHaveLength(2) // the missing value breaks the line
    expect(picture).not.toContain('NaN')
  })

  test('stack bars to their shares and shade tables by value', () => {
    const bars = stackedBars('t', 'x', [{ label: 'a', shares: [0.25, 0.75] }], ['one', 'two'])
    const heights = [...bars.matchAll(/height="([\d.]+)" fill="#(?:0072b2|d55e00)"/g)].map(([, h]) => Number(h))
    expect(heights[1] / heights[0]).toBeCloseTo(3, 2)
    const heat = heatTable('t', ['a', 'b'], ['c', 'd'], [[0, 1], [null, 0.5]]) // prettier-ignore
    expect(heat.match(/rgb\(240, 246, 252\)/g)).toHaveLength(1)
    expect(heat.match(/rgb\(8, 64, 129\)/g)).toHaveLength(1)
    expect(heat).toContain('fill="#eee"')
  })

  test('have round ticks', () => {
    expect(ticks(0, 1)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(ticks(-7, 31)).toEqual([0, 10, 20, 30])
  })
})
