/** Played episodes as `run` and `evaluate` show them: the table, the JSON, the replay files. */
import { join, relative } from 'node:path'
import { episodeSeed, type SeedPurpose } from '../envs/core/index.ts'
import { statistics, type Statistics } from '../agents/core/evaluate.ts'
import { playEpisodes, type PlayedEpisode } from '../agents/core/play.ts'
import { openScenario, scenarioHash } from '../scenarios/open.ts'
import { sha256, writeAtomic } from '../results/files.ts'
import { type Session } from './command.ts'
import { writableFolder } from './folders.ts'
import { type Player } from './policies.ts'
import { bold, readable, table } from './output.ts'
import { type Target } from './targets.ts'

export interface Play {
  readonly target: Target
  readonly player: Player
  readonly episodes: number
  readonly seed: string
  readonly purpose: SeedPurpose
  readonly lanes: number
  /** Folder for replays; nothing is recorded without it. */
  readonly record?: string
  /** How many episodes are recorded, from the first; default all. */
  readonly recorded?: number
}

/** What `--json` holds. */
export interface PlayReport {
  readonly scenario: string
  readonly scenarioHash: string
  /** Options that were not the scenario's own. */
  readonly changed?: Readonly<Record<string, unknown>>
  readonly policy: string
  readonly policyHash?: string
  readonly episodes: number
  readonly seed: string
  readonly protocol: string
  readonly return: Statistics
  /** Means over episodes; null where no episode had a value. */
  readonly metrics: Record<string, number | null>
  readonly returns: number[]
  readonly steps: number
  readonly stepsPerSecond: number
  readonly replays: string[]
  readonly plugin?: { name: string; sha256: string }
}

/** By metric, the return first; null where no episode had a value. */
export type Summaries = Record<string, Statistics | null>

function fileName(scenario: string, policy: string, seed: string, episode: number): string {
  const plain = (words: string) => words.replace(/[^\w.-]+/g, '-')
  // Different seeds must not share a name because their letters cannot be in one.
  const told = plain(seed) === seed ? seed : `${plain(seed)}-${sha256(seed).slice(0, 8)}`
  return `${plain(`${scenario}-${policy}-seed${told}-${episode}`)}.replay`
}

/** Plays, records, and gathers the numbers. */
export function play(
  { target, player, episodes, seed, purpose, lanes, record, recorded = Infinity }: Play,
  session: Session,
): PlayReport & { summaries: Summaries } {
  const { scenario, definitions, plugin } = target
  const folder = record === undefined ? undefined : writableFolder(record)
  // A privileged policy gets the whole batch and one generator: alone in its lane an episode follows from its seed.
  const width = player.policy.privileged === true ? 1 : Math.min(lanes, episodes)
  const batch = openScenario(scenario, { lanes: width, autoreset: 'disabled' }, definitions)
  const seeds = Array.from({ length: episodes }, (_, episode) => episodeSeed(seed, purpose, 0, episode))
  const origin = plugin === undefined ? undefined : { name: plugin.name, sha256: plugin.sha256 }
  const manner = `${player.manner} policy${player.policy.privileged === true ? ' that sees the whole world' : ''}`
  const protocol = `${manner}, ${episodes} ${episodes === 1 ? 'episode' : 'episodes'}, ${purpose} seeds of root ${seed}`
  const started = process.hrtime.bigint()
  const played = playEpisodes({
    batch,
    policy: player.policy,
    seeds,
    rng: seed,
    teamReward: scenario.teamReward,
    ...(folder === undefined
      ? {}
      : {
          record: (episode: number) =>
            episode >= recorded
              ? null
              : {
                  scenario: scenario as unknown as Record<string, unknown>,
                  policies: [{ name: player.name, ...(player.hash === undefined ? {} : { hash: player.hash }) }],
                  package: session.version,
                  purpose,
                  label: protocol,
                  ...(origin === undefined ? {} : { plugin: origin }),
                },
        }),
  })
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  const replays = folder === undefined ? [] : write(played.episodes, folder, scenario.id, player.name, seed)
  const names = batch.spec.metrics
  const total = statistics(played.episodes.map((episode) => episode.return))
  const summaries: Summaries = { return: total }
  for (const name of names) {
    const values = played.episodes.map((episode) => episode.metrics[name]).filter((value) => value !== null)
    summaries[name] = values.length === 0 ? null : statistics(values)
  }
  return {
    scenario: scenario.id,
    scenarioHash: scenarioHash(scenario),
    ...(target.changed === undefined ? {} : { changed: target.changed }),
    policy: player.name,
    ...(player.hash === undefined ? {} : { policyHash: player.hash }),
    episodes,
    seed,
    protocol,
    return: total,
    metrics: Object.fromEntries(names.map((name) => [name, summaries[name]?.mean ?? null])),
    returns: played.episodes.map((episode) => episode.return),
    steps: played.steps,
    stepsPerSecond: Math.round(played.steps / seconds),
    replays,
    ...(origin === undefined ? {} : { plugin: origin }),
    summaries,
  }
}

function write(
  episodes: readonly PlayedEpisode[],
  folder: string,
  scenario: string,
  policy: string,
  seed: string,
): string[] {
  return episodes.flatMap(({ replay }, episode) => {
    if (replay === undefined) return []
    const path = join(folder, fileName(scenario, policy, seed, episode))
    writeAtomic(path, replay)
    return [relative('.', path)]
  })
}

/** The page for a person. */
export function playText(report: PlayReport & { summaries: Summaries }): string {
  const rows = Object.entries(report.summaries).map(([name, summary]) => {
    if (summary === null) return [name, '–', '', '', '', '']
    const { mean, std, min, max, interval } = summary
    if (report.episodes === 1) return [name, readable(mean), '', '', '', '']
    return [
      name,
      readable(mean),
      readable(std),
      `${readable(interval[0])} to ${readable(interval[1])}`,
      readable(min),
      readable(max),
    ]
  })
  const hash = report.policyHash === undefined ? '' : ` (${report.policyHash.slice(0, 12)})`
  const changes = Object.entries(report.changed ?? {}).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  const changed = changes.length === 0 ? '' : `, changed: ${changes.join(', ')}`
  return [
    `${bold(report.policy)}${hash} on ${bold(report.scenario)}${changed}`,
    '',
    table(
      [
        { title: '' },
        { title: 'mean', align: 'right' },
        { title: 'std', align: 'right' },
        { title: '95% interval of the mean', align: 'right' },
        { title: 'min', align: 'right' },
        { title: 'max', align: 'right' },
      ],
      rows,
    ),
    '',
    `protocol  ${report.protocol}`,
    `speed     ${readable(report.stepsPerSecond)} steps/s over ${readable(report.steps)} environment ${report.steps === 1 ? 'step' : 'steps'}`,
    ...report.replays.slice(0, 3).map((path, i) => `${i === 0 ? 'replays   ' : '          '}${path}`),
    ...(report.replays.length > 3 ? [`          … ${report.replays.length} in all`] : []),
    ...(report.replays.length > 0 ? [`watch     troupe watch ${report.replays[0]}`] : []),
  ].join('\n')
}

/** The report without what only the table needs. */
export function playJson(report: PlayReport & { summaries: Summaries }): PlayReport {
  const { summaries: _summaries, ...rest } = report
  return rest
}
