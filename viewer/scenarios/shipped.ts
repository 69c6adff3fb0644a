/** The scenarios that come with troupe, as they lie in their files. A part of its own: only pages of scenarios load it. */
import { foragingScenario, type Scenario } from '../../scenarios/open.ts'

const files = import.meta.glob<Scenario>(['../../scenarios/*/*.json', '!../../scenarios/suites/*.json'], {
  eager: true,
  import: 'default',
})

/** By id, sorted. */
export const SHIPPED: readonly Scenario[] = Object.values(files).sort((a, b) => (a.id < b.id ? -1 : 1))

/** One scenario: of the files, or a foraging task that its name spells out. */
export function scenarioOf(id: string): Scenario | null {
  return SHIPPED.find((scenario) => scenario.id === id) ?? foragingScenario(id)
}

/** Families with how many scenarios each has. */
export function families(): [env: string, count: number][] {
  const found = new Map<string, number>()
  for (const { env } of SHIPPED) found.set(env, (found.get(env) ?? 0) + 1)
  return [...found]
}

/** Those of a family that hold every word in id or title. */
export function matching(text: string, env: string): readonly Scenario[] {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return SHIPPED.filter(
    (scenario) =>
      (env === '' || scenario.env === env) &&
      words.every((word) => `${scenario.id} ${scenario.title}`.toLowerCase().includes(word)),
  )
}
