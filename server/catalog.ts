/** The tasks that have boards: shipped scenarios, each with its content hash. */
import { TroupeError, nearestName } from '../envs/index.ts'
import { listScenarios, listSuites, shippedScenario } from '../scenarios/load.ts'
import { scenarioHash, scenarioSpec, type Scenario } from '../scenarios/open.ts'
import { type ScenarioRow } from './protocol/rest.ts'
import { type BoardLimits } from './board-limits.ts'

export interface Task {
  readonly scenario: Scenario
  readonly hash: string
  readonly agents: number
  readonly horizon: number | null
  /** Episodes of a replayed entry. */
  readonly episodes: number
  readonly suites: readonly string[]
}

export interface CatalogSuite {
  readonly id: string
  readonly title: string
  readonly scenarios: readonly string[]
}

/** Read once, when first asked: a server that shows one replay never reads them all. */
export class Catalog {
  private readonly limits: BoardLimits
  private readonly given: readonly Scenario[] | undefined
  private readonly tasks = new Map<string, Task>()
  private found: CatalogSuite[] | undefined

  /** @param given scenarios instead of the shipped ones */
  constructor(limits: BoardLimits, given?: readonly Scenario[]) {
    this.limits = limits
    this.given = given
  }

  get suites(): readonly CatalogSuite[] {
    this.found ??=
      this.given === undefined
        ? listSuites().map(({ id, title, scenarios }) => ({ id, title, scenarios }))
        : [{ id: 'given', title: 'Given scenarios', scenarios: this.given.map(({ id }) => id) }]
    return this.found
  }

  /** @throws TroupeError unknown-name */
  suite(id: string): CatalogSuite {
    const suite = this.suites.find((one) => one.id === id)
    if (suite !== undefined) return suite
    throw unknown(
      'suite',
      id,
      this.suites.map((one) => one.id),
    )
  }

  all(): Task[] {
    return (this.given ?? listScenarios()).map((scenario) => this.keep(scenario))
  }

  /** @throws TroupeError unknown-name with the nearest */
  task(id: string): Task {
    const known = this.tasks.get(id)
    if (known !== undefined) return known
    if (this.given === undefined) return this.keep(shippedScenario(id))
    const scenario = this.given.find((one) => one.id === id)
    if (scenario !== undefined) return this.keep(scenario)
    throw unknown(
      'scenario',
      id,
      this.given.map((one) => one.id),
    )
  }

  private keep(scenario: Scenario): Task {
    const known = this.tasks.get(scenario.id)
    if (known !== undefined) return known
    const spec = scenarioSpec(scenario)
    const task: Task = {
      scenario,
      hash: scenarioHash(scenario),
      agents: spec.agents.length,
      horizon: spec.horizon,
      episodes: Math.min(scenario.evaluation.absoluteEpisodes, this.limits.episodes),
      suites: this.suites.filter((suite) => suite.scenarios.includes(scenario.id)).map((suite) => suite.id),
    }
    this.tasks.set(scenario.id, task)
    return task
  }
}

function unknown(where: string, id: string, known: readonly string[]): TroupeError {
  const nearest = nearestName(id, known)
  return new TroupeError('unknown-name', {
    where,
    got: JSON.stringify(id.slice(0, 120)),
    expected: `one of GET /api/${where}s`,
    ...(nearest === undefined ? {} : { nearest: JSON.stringify(nearest) }),
  })
}

export function scenarioRow(task: Task, entries: Record<string, number>): ScenarioRow {
  const { scenario, hash, agents, horizon, episodes, suites } = task
  return {
    id: scenario.id,
    title: scenario.title,
    env: scenario.env,
    version: scenario.version,
    hash,
    agents,
    horizon,
    teamReward: scenario.teamReward,
    episodes,
    reference: { random: scenario.reference?.random ?? null, best: scenario.reference?.best ?? null },
    suites: [...suites],
    entries,
  }
}
