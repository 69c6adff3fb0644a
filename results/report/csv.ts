/** Comma-separated tables that a spreadsheet opens without running anything. */
import { FAILED } from '../statistics.ts'
import { type RecordAt, scoreOf } from './model.ts'

/**
 * One cell. Text that a spreadsheet could take for a formula (it starts with = + - @, a tab or a return) gets an
 * apostrophe in front; numbers stay numbers. Quotes are doubled, and whatever needs quotes has them (RFC 4180).
 */
export function csvCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  // Blanks and full-width forms in front of the sign are stripped or taken for it by some programs.
  const risky = /^[\s\u00a0\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/.test(value)
  const safe = risky ? `'${value}` : value
  return /[",\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csv(rows: readonly (readonly (string | number | null | undefined)[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('')
}

/** Columns of `runsCsv`; new ones go to the end. */
export const RUN_COLUMNS = [
  'scenario',
  'scenario_hash',
  'environment',
  'environment_version',
  'algorithm',
  'entry',
  'seed',
  'status',
  'policy',
  'return_is',
  'absolute_episodes',
  'score',
  'score_std_over_episodes',
  'score_min',
  'score_max',
  'best_step',
  'evaluations',
  'evaluation_episodes',
  'steps_requested',
  'steps_total',
  'steps_per_lane',
  'lanes',
  'seconds',
  'steps_per_second',
  'cpu',
  'cores',
  'platform',
  'node',
  'backend',
  'package',
  'evidence',
  'weights_hash',
  'settings',
  'metrics',
] as const

/** One line per run, with everything a table needs. A run without a score has an empty cell, never a number. */
export function runsCsv(named: readonly (RecordAt & { readonly entry: string })[]): string {
  const rows = named.map(({ record, entry }) => {
    const { absolute, protocol, steps, hardware } = record
    const score = scoreOf(record)
    return [
      record.scenario.id,
      record.scenarioHash,
      record.environment.id,
      record.environment.version,
      record.algorithm,
      entry,
      record.seed,
      record.status,
      protocol.policy,
      protocol.return,
      protocol.absoluteEpisodes,
      score === FAILED ? null : score,
      absolute?.return.std,
      absolute?.return.min,
      absolute?.return.max,
      absolute?.step,
      record.evaluations.length,
      protocol.episodes,
      steps.requested,
      steps.total,
      steps.perLane,
      steps.lanes,
      record.seconds,
      record.stepsPerSecond,
      hardware.cpu,
      hardware.cores,
      hardware.platform,
      hardware.node,
      hardware.backend,
      record.package,
      record.evidence,
      record.weightsHash,
      JSON.stringify(record.settings),
      JSON.stringify(absolute?.metrics ?? {}),
    ]
  })
  return csv([RUN_COLUMNS, ...rows])
}
