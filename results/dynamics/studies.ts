/** What `troupe dynamics` can be asked: each study gives plain data and a picture. */
import { TroupeError } from '../../envs/core/index.ts'
import { FORMULAS } from '../../envs/matrix/formulas.ts'
import { type Game } from '../../envs/matrix/games.ts'
import { formulaGame } from '../../envs/matrix/start.ts'
import { TABLE_IDS, tableGame } from '../../envs/matrix/tables.ts'
import { tensorsOf, type Tensors } from '../../envs/matrix/theory/index.ts'
import { unknownName } from '../../envs/index.ts'
import { lineChart, stackedBars, type Series } from '../svg.ts'
import { basinTable } from './basin-table.ts'
import { classify, className, startOf } from './basins.ts'
import { createFlow, logOddsOf, policiesOf, type FlowSettings, type Geometry } from './flow.ts'
import { rungeKutta, trajectory } from './integrate.ts'
import { learnFromSamples } from './learners.ts'
import { lyapunovExponent, separation } from './lyapunov.ts'
import { deviationRate, separatrix } from './stability.ts'

export const STUDIES = ['trajectory', 'separation', 'lyapunov', 'basins', 'stability', 'separatrix', 'agents'] as const
export type StudyName = (typeof STUDIES)[number]

export interface StudyRequest {
  readonly game: string
  /** Numbers of a game by formula. */
  readonly parameters: Readonly<Record<string, number>>
  readonly gammas: readonly number[]
  readonly etas: readonly number[]
  readonly rate: number
  readonly geometry: Geometry
  readonly prefactor: boolean
  /** Starts to follow. */
  readonly starts: number
  readonly seed: string
  /** Time units to follow; undefined: what suits the study. */
  readonly time?: number
  /** Chances of the first action, agent by agent and state by state; undefined: drawn, or the published start. */
  readonly from?: readonly number[]
  readonly workers: number
}

export interface Study {
  readonly study: StudyName
  readonly game: string
  readonly title: string
  readonly settings: Readonly<Record<string, unknown>>
  /** One row per line of the table. */
  readonly rows: readonly Readonly<Record<string, number | string>>[]
  readonly picture: string
}

/** Names of the games that have dynamics: tables and formulas. */
export const DYNAMICS_GAMES: readonly string[] = [...Object.keys(FORMULAS), ...TABLE_IDS]

/** The start of the reference simulations of matching pennies: agent 0 in both states, then agent 1. */
const PUBLISHED = [0.02, 0.01, 0.3, 0.99]

const logit = (p: number) => Math.log(p / (1 - p))
const odds = (u: number) => 1 / (1 + Math.exp(-u))

/** The study that shows most about a game. */
export function usualStudy(game: string): StudyName {
  return game === 'donation' || game === 'ecological' || game === 'two-state-pd'
    ? 'basins'
    : game === 'two-state-pennies'
      ? 'lyapunov'
      : 'trajectory'
}

function named(request: StudyRequest): Game {
  const { game, parameters } = request
  if (Object.hasOwn(FORMULAS, game)) return formulaGame(game, parameters)
  if (!TABLE_IDS.includes(game)) throw unknownName('game', game, DYNAMICS_GAMES)
  if (Object.keys(parameters).length > 0) {
    throw new TroupeError('bad-option', {
      where: `game ${game}: numbers`,
      got: Object.keys(parameters).join(', '),
      expected: 'none: it is a table',
    })
  }
  return tableGame(game, 100)
}

const refuse = (study: string, got: string, expected: string) =>
  new TroupeError('bad-option', { where: `study ${study}`, got, expected })

/** Runs one study. */
export async function runStudy(study: StudyName, request: StudyRequest): Promise<Study> {
  const game = named(request)
  const tensors = tensorsOf(game)
  const joint = tensors.cells * tensors.states
  if (joint > 4096) throw refuse(study, `a game of ${joint} joint actions in all states`, 'at most 4096')
  const binary = tensors.sizes.every((size) => size === 2)
  if (!binary && study !== 'trajectory' && study !== 'agents' && study !== 'lyapunov' && study !== 'separation') {
    throw refuse(study, `a game of ${tensors.sizes.join(' × ')} actions`, 'two actions per player')
  }
  const about = { game, tensors, request }
  switch (study) {
    case 'trajectory':
      return trajectories(about)
    case 'separation':
      return parting(about)
    case 'lyapunov':
      return exponents(about)
    case 'basins':
      return basins(about)
    case 'stability':
      return stability(about)
    case 'separatrix':
      return surface(about)
    case 'agents':
      return agents(about)
  }
}

interface About {
  readonly game: Game
  readonly tensors: Tensors
  readonly request: StudyRequest
}

function flowOf({ tensors, request }: About, gamma: number, eta: number) {
  const { rate, geometry, prefactor } = request
  const settings: FlowSettings = { gamma, eta, rate, geometry, prefactor }
  return createFlow(tensors, settings)
}

/** Log-odds of the start: given, published, or the k-th drawn. */
function startAt({ tensors, request, game }: About, k: number, dimension: number): Float64Array {
  const given = request.from ?? (game.id === 'two-state-pennies' && k === 0 ? PUBLISHED : undefined)
  if (given === undefined || k > 0) return startOf(request.seed, k, dimension)
  if (given.length !== dimension || given.some((p) => !(p > 0 && p < 1)) || tensors.sizes.some((size) => size !== 2)) {
    throw new TroupeError('bad-option', {
      where: '--from',
      got: given.join(','),
      expected: `${dimension} chances of the first action between 0 and 1, agent by agent and state by state`,
    })
  }
  return Float64Array.from(given, logit)
}

const settingsOf = ({ request }: About, more: Record<string, unknown> = {}) => {
  const { parameters, gammas, etas, rate, geometry, prefactor, seed } = request
  return { parameters, gammas, etas, rate, geometry, prefactor, seed, ...more }
}

/** Names of the coordinates: agent, state, action. */
function coordinates({ game, tensors }: About): string[] {
  const states = game.stages?.names ?? ['']
  return game.actions.flatMap((names, i) =>
    states.flatMap((state) =>
      names.slice(0, tensors.sizes[i] - 1).map((name) => `agent_${i}${state && ` ${state}`} ${name}`),
    ),
  )
}

function trajectories(about: About): Study {
  const { request, game, tensors } = about
  const time = request.time ?? 50
  const [gamma, eta] = [request.gammas[0], request.etas[0]]
  const flow = flowOf(about, gamma, eta)
  const names = coordinates(about)
  const rows: Record<string, number | string>[] = []
  const policies = tensors.sizes.map((size) => new Float64Array(size * tensors.states))
  const paths: Series[] = []
  const starts = Math.min(request.starts, 200)
  const every = Math.max(1, Math.round(time / 0.02 / 500))
  const firsts: Series[] = names.map((name) => ({ name, points: [] }))
  for (let k = 0; k < starts; k++) {
    const path = trajectory(rungeKutta(flow, 0.02), startAt(about, k, flow.dimension), Math.round(time / 0.02), every)
    const chances = path.map((u) => {
      policiesOf(tensors, u, policies)
      return policies.flatMap((policy, i) =>
        Array.from(policy).filter((_, at) => at % tensors.sizes[i] < tensors.sizes[i] - 1),
      )
    })
    if (k === 0)
      chances.forEach((row, t) =>
        row.forEach((p, c) => (firsts[c].points as [number, number][]).push([t * every * 0.02, p])),
      )
    paths.push({ name: `start ${k}`, points: chances.map((row) => [row[0], row[flow.dimension / 2]] as const) })
    rows.push({ start: k, ...Object.fromEntries(names.map((name, c) => [name, round(chances.at(-1)![c])])) })
  }
  const title = `${game.title}: gamma ${gamma}, eta ${eta}`
  const phase = { title, x: names[0], y: names[flow.dimension / 2] ?? '', series: paths.map((s) => ({ ...s })) }
  const picture =
    starts > 1 && Number.isInteger(flow.dimension / 2)
      ? lineChart({ ...phase, series: phase.series.slice(0, 60), xRange: [0, 1], yRange: [0, 1] })
      : lineChart({ title, x: 'time', y: 'chance', series: firsts, yRange: [0, 1] })
  return { study: 'trajectory', game: game.id, title, settings: settingsOf(about, { time, starts }), rows, picture }
}

const round = (value: number) => Number(value.toFixed(6))

function parting(about: About): Study {
  const { request, game } = about
  const time = request.time ?? 600
  const offset = 1e-3
  const title = `${game.title}: distance of two starts ${offset} apart`
  const series: Series[] = []
  const rows: Record<string, number | string>[] = []
  for (const gamma of request.gammas) {
    for (const eta of request.etas) {
      const flow = flowOf(about, gamma, eta)
      const logs = separation(flow, startAt(about, 0, flow.dimension), offset, time)
      series.push({ name: `γ ${gamma}, η ${eta}`, points: logs.map((value, t) => [t, value] as const) })
      rows.push({ gamma, eta, largest: round(Math.max(...logs)), last: round(logs.at(-1)!) })
    }
  }
  const picture = lineChart({ title, x: 'time', y: 'log10 distance', series })
  return { study: 'separation', game: game.id, title, settings: settingsOf(about, { time, offset }), rows, picture }
}

function exponents(about: About): Study {
  const { request, game } = about
  const horizon = request.time ?? 4000
  const title = `${game.title}: largest Lyapunov exponent`
  const rows: Record<string, number | string>[] = []
  const series: Series[] = request.etas.map((eta) => ({ name: `η ${eta}`, points: [] }))
  for (const gamma of request.gammas) {
    request.etas.forEach((eta, e) => {
      const flow = flowOf(about, gamma, eta)
      const exponent = lyapunovExponent(flow, startAt(about, 0, flow.dimension), { horizon })
      ;(series[e].points as [number, number][]).push([gamma, exponent])
      rows.push({ gamma, eta, exponent: round(exponent) })
    })
  }
  const from = request.from ?? (game.id === 'two-state-pennies' ? PUBLISHED : `start 0 of seed ${request.seed}`)
  const picture = lineChart({ title, x: 'discount factor γ', y: 'exponent', series })
  return { study: 'lyapunov', game: game.id, title, settings: settingsOf(about, { horizon, from }), rows, picture }
}

async function basins(about: About): Promise<Study> {
  const { request, game } = about
  const { rate, geometry, prefactor, starts, seed, parameters } = request
  if (!Object.hasOwn(FORMULAS, game.id)) {
    return basinsHere(about)
  }
  const rows: Record<string, number | string>[] = []
  for (const gamma of request.gammas) {
    const flows = request.etas.map((eta) => ({ gamma, eta, rate, geometry, prefactor }))
    const settings = { starts, seed, ...(request.time === undefined ? {} : { time: request.time }) }
    const table = await basinTable({ game: game.id, parameters, flows, settings }, request.workers)
    table.forEach((shares, e) => rows.push({ gamma, eta: request.etas[e], ...rounded(shares) }))
  }
  return basinStudy(about, rows)
}

const rounded = (shares: Record<string, number>) =>
  Object.fromEntries(Object.entries(shares).map(([name, share]) => [name, round(share)]))

/** Tables are followed in this thread: they have few coordinates. */
function basinsHere(about: About): Study {
  const { request, tensors } = about
  const rows = request.gammas.flatMap((gamma) =>
    request.etas.map((eta) => {
      const flow = flowOf(about, gamma, eta)
      const shares: Record<string, number> = {}
      for (let k = 0; k < request.starts; k++) {
        const code = classify(flow, startOf(request.seed, k, flow.dimension), { dt: 0.1, time: request.time ?? 400 })
        const name = className(tensors, code)
        shares[name] = (shares[name] ?? 0) + 1 / request.starts
      }
      return { gamma, eta, ...rounded(shares) }
    }),
  )
  return basinStudy(about, rows)
}

function basinStudy(about: About, rows: readonly Record<string, number | string>[]): Study {
  const { request, game } = about
  const usual = ['ALLD', 'GRIM', 'ALLC']
  const seen = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !['gamma', 'eta'].includes(name))
  const names = [...usual.filter((name) => seen.includes(name)), ...seen.filter((name) => !usual.includes(name)).sort()]
  const title = `${game.title}: where ${request.starts} starts end`
  const several = request.gammas.length > 1
  const picture = stackedBars(
    title,
    several ? 'γ, entropy coefficient η' : `entropy coefficient η (γ = ${request.gammas[0]})`,
    rows.map((row) => ({
      label: several ? `${row.gamma}, ${row.eta}` : String(row.eta),
      shares: names.map((name) => Number(row[name] ?? 0)),
    })),
    names,
  )
  const full = rows.map(({ gamma, eta, ...shares }) => ({
    gamma,
    eta,
    ...Object.fromEntries(names.map((name) => [name, shares[name] ?? 0])),
  }))
  return {
    study: 'basins',
    game: game.id,
    title,
    settings: settingsOf(about, { starts: request.starts }),
    rows: full,
    picture,
  }
}

/** The regions of (gamma, b1) in which ALLC and GRIM are stable, on a grid, with the lines that theory draws. */
function stability(about: About): Study {
  const { request, game } = about
  if (game.id !== 'donation') throw refuse('stability', `game ${game.id}`, 'game donation')
  const cost = request.parameters.cost ?? 1
  const poorBenefit = request.parameters.poorBenefit ?? 2
  const both = (rich: number, poor: number) => [[rich, poor], [rich, poor]] // prettier-ignore
  const marks: Record<string, [number, number][]> = { 'ALLC, GRIM, ALLD': [], 'GRIM, ALLD': [], 'only ALLD': [] }
  const rows: Record<string, number | string>[] = []
  for (let g = 1; g < 40; g++) {
    for (let b = 0; b <= 40; b++) {
      const gamma = g / 40
      const benefit = cost + (b / 40) * 9 * cost
      const tensors = tensorsOf(formulaGame('donation', { benefit, poorBenefit, cost }))
      const stable = (rich: number, poor: number) => deviationRate(tensors, both(rich, poor), gamma) < 0
      const [allc, grim] = [stable(0, 0), stable(0, 1)]
      const name = allc ? 'ALLC, GRIM, ALLD' : grim ? 'GRIM, ALLD' : 'only ALLD'
      marks[name].push([gamma, benefit])
      rows.push({ gamma, benefit: round(benefit), ALLC: allc ? 1 : 0, GRIM: grim ? 1 : 0 })
    }
  }
  const line = (f: (gamma: number) => number) =>
    Array.from({ length: 99 }, (_, k) => [(k + 1) / 100, f((k + 1) / 100)] as const).filter(([, b]) => b <= 10 * cost)
  const title = `${game.title}: what is stable (c ${cost}, b2 ${poorBenefit})`
  const picture = lineChart({
    title,
    x: 'discount factor γ',
    y: 'benefit b1',
    xRange: [0, 1],
    yRange: [cost * 0.9, cost * 10.1],
    series: [
      ...Object.entries(marks).map(([name, points]) => ({ name, points, dots: true })),
      { name: 'γ = c / b1', points: line((gamma) => cost / gamma) },
      { name: 'γ = c / (b1 − b2)', points: line((gamma) => poorBenefit + cost / gamma) },
    ],
  })
  return { study: 'stability', game: game.id, title, settings: settingsOf(about, { cost, poorBenefit }), rows, picture }
}

/** The line between the basins of a game of two players, two actions and one state. */
function surface(about: About): Study {
  const { request, game, tensors } = about
  if (tensors.players !== 2 || tensors.states !== 1)
    throw refuse('separatrix', `game ${game.id}`, 'two players, one state')
  const [gamma, eta] = [request.gammas[0], request.etas[0]]
  const flow = flowOf(about, gamma, eta)
  const classOf = (u: Float64Array) => classify(flow, u, { dt: 0.05, time: 400 })
  const points: [number, number][] = []
  // lines across the square in both directions, shifted: somewhere on each that separates, the way back begins
  for (let shift = -8; shift <= 8; shift++) {
    for (const turn of [1, -1]) {
      const d = shift / 4
      const [from, to] = [-1.5, 1.5].map((t) => Float64Array.of(t + d, turn * (t - d)))
      const path = separatrix(flow, classOf, from, to)
      points.push(...path.map((u) => [odds(u[0]), odds(u[1])] as [number, number]))
    }
  }
  points.sort((a, b) => a[0] - b[0])
  const series: Series[] = Array.from({ length: 24 }, (_, k) => {
    const start = startOf(request.seed, k, flow.dimension)
    const path = trajectory(rungeKutta(flow, 0.02), start, 1500, 15)
    return { name: '', points: path.map((u) => [odds(u[0]), odds(u[1])] as const) }
  })
  const names = coordinates(about)
  const title = `${game.title}: line between basins${points.length === 0 ? ' (none)' : ''}`
  const picture = lineChart({ title, x: names[0], y: names[1], xRange: [0, 1], yRange: [0, 1], series: [{ name: 'separatrix', points, dots: true }, ...series] }) // prettier-ignore
  const rows = points.map(([x, y]) => ({ [names[0]]: round(x), [names[1]]: round(y) }))
  return { study: 'separatrix', game: game.id, title, settings: settingsOf(about), rows, picture }
}

/** Sampled learners beside the flow. */
function agents(about: About): Study {
  const { request, game, tensors } = about
  const [gamma, eta] = [request.gammas[0], request.etas[0]]
  const alpha = 0.01
  const flow = createFlow(tensors, { gamma, eta, rate: alpha, prefactor: false })
  const u0 = startAt(about, request.from === undefined ? 1 : 0, flow.dimension)
  const start = tensors.sizes.map((size) => new Float64Array(size * tensors.states))
  policiesOf(tensors, u0, start)
  const learned = learnFromSamples(tensors, start, { gamma, eta, alpha, seed: request.seed })
  const exact = trajectory(rungeKutta(flow, 1), logOddsOf(tensors, start), learned.length - 1)
  const policies = tensors.sizes.map((size) => new Float64Array(size * tensors.states))
  const names = coordinates(about)
  const series: Series[] = names.flatMap((name) => [
    { name, points: [] },
    { name: `${name}, sampled`, points: [], dots: true },
  ])
  let worst = 0
  exact.forEach((u, update) => {
    policiesOf(tensors, u, policies)
    let c = 0
    policies.forEach((policy, i) => {
      policy.forEach((p, at) => {
        const sampled = learned[update][i][at]
        worst = Math.max(worst, Math.abs(p - sampled))
        if (at % tensors.sizes[i] === tensors.sizes[i] - 1) return
        ;(series[2 * c].points as [number, number][]).push([update, p])
        if (update % 4 === 0) (series[2 * c + 1].points as [number, number][]).push([update, sampled])
        c++
      })
    })
  })
  const title = `${game.title}: sampled learners and the flow, at most ${worst.toFixed(4)} apart`
  const picture = lineChart({ title, x: 'update (batch of 5,000 steps, α 0.01)', y: 'chance', series, yRange: [0, 1] })
  return {
    study: 'agents',
    game: game.id,
    title,
    settings: settingsOf(about, { alpha, batch: 5000 }),
    rows: [{ gamma, eta, worst: round(worst) }],
    picture,
  }
}
