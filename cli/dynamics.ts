/** `troupe dynamics`: where learning leads in small games, from the equations of its limit. */
import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { STUDIES, runStudy, usualStudy, type Study, type StudyName } from '../results/dynamics/studies.ts'
import { writeAtomic, writeJson } from '../results/files.ts'
import { type CommandFile } from './command.ts'
import { table } from './output.ts'
import { printed } from './print-config.ts'
import { effective, keyValue, oneOf, whole } from './settings.ts'

/** Numbers separated by commas, each within a range. */
function numbers(flag: string, low: number, high: number): (text: string) => number[] {
  return (text) =>
    text.split(',').map((part) => {
      const value = Number(part)
      if (part.trim() !== '' && value >= low && value <= high) return value
      throw new TroupeError('bad-option', { where: flag, got: `"${part}"`, expected: `numbers of ${low} to ${high}` })
    })
}

const positive = (flag: string) => (text: string) => {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new TroupeError('bad-option', { where: flag, got: `"${text}"`, expected: 'a number above 0' })
}

/** Discount factors and entropies that suit a study when nobody names any. */
function usual(study: StudyName): { gammas: number[]; etas: number[] } {
  if (study === 'lyapunov') return { gammas: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95], etas: [0, 0.01] }
  if (study === 'basins') return { gammas: [0.9], etas: [0, 0.05, 0.1, 0.2, 0.3, 0.5, 1] }
  return { gammas: [0.9], etas: study === 'separation' ? [0, 0.05] : [0] }
}

/** Rows of a table that a person reads; the rest is in the file. */
const SHOWN = 40

function page(study: Study, files: { data: string; picture: string }): string {
  const columns = [...new Set(study.rows.flatMap((row) => Object.keys(row)))]
  const rows = study.rows.slice(0, SHOWN).map((row) => columns.map((name) => String(row[name] ?? '')))
  const more = study.rows.length > SHOWN ? `\n… ${study.rows.length - SHOWN} more rows in the file` : ''
  const body =
    columns.length === 0
      ? 'nothing found'
      : table(
          columns.map((title) => ({ title, align: 'right' as const })),
          rows,
        )
  return `${study.title}\n\n${body}${more}\n\n${files.data}\n${files.picture}`
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<game>', 'name of a matrix game, such as donation, two-state-pennies, pd or stag-hunt')
    .option(
      '--study <name>',
      `what to look at: ${STUDIES.join(', ')} (default: what suits the game)`,
      oneOf('--study', STUDIES as unknown as string[]),
    )
    .option('--gamma <list>', 'discount factors, 0 to .999', numbers('--gamma', 0, 0.999))
    .option('--eta <list>', 'entropy coefficients, in units of reward', numbers('--eta', 0, 1000))
    .option('--starts <n>', 'starts to follow', whole('--starts', 1, 10_000_000))
    .option(
      '--from <list>',
      'chances of the first action at the start, agent by agent, state by state',
      numbers('--from', 0, 1),
    )
    .option('--time <units>', 'time to follow', positive('--time'))
    .option('--rate <number>', 'learning rate times inverse temperature: the unit of time', positive('--rate'), 1)
    .option(
      '--geometry <name>',
      'natural, or vanilla for the sampled policy gradient',
      oneOf('--geometry', ['natural', 'vanilla']),
      'natural',
    )
    .option('--prefactor', 'multiply values by 1 - gamma, as DetRL does', false)
    .option('--number <name=value>', 'a number of the game, such as benefit=4; repeatable', keyValue('--number'))
    .option('--seed <seed>', 'root of the starts', '1')
    .option('--workers <n>', 'threads for basins', whole('--workers', 1, 1024), availableParallelism())
    .option('--out <dir>', 'folder for the data and the picture', '.')
    .addHelpText(
      'after',
      '\nExamples:\n  troupe dynamics donation --number benefit=4 --starts 10000\n  troupe dynamics two-state-pennies --eta 0,0.01\n  troupe dynamics stag-hunt --study separatrix --gamma 0 --out pictures\n  troupe dynamics donation --study stability\n  troupe dynamics two-state-pennies --study agents --eta 0.05',
    )
    .action((game: string) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const v = options.values as {
          study?: StudyName
          gamma?: number[]
          eta?: number[]
          starts?: number
          from?: number[]
          time?: number
          rate: number
          geometry: 'natural' | 'vanilla'
          prefactor: boolean
          number?: Record<string, unknown>
          seed: string
          workers: number
          out: string
        }
        const study = v.study ?? usualStudy(game)
        const { gammas, etas } = usual(study)
        for (const [name, value] of Object.entries(v.number ?? {})) {
          if (typeof value === 'number') continue
          throw new TroupeError('bad-option', {
            where: `--number ${name}`,
            got: `"${String(value)}"`,
            expected: 'a number',
          })
        }
        const result = await runStudy(study, {
          game,
          parameters: (v.number ?? {}) as Record<string, number>,
          gammas: v.gamma ?? gammas,
          etas: v.eta ?? etas,
          rate: v.rate,
          geometry: v.geometry,
          prefactor: v.prefactor,
          starts: v.starts ?? (study === 'basins' ? 10_000 : 20),
          seed: v.seed,
          workers: v.workers,
          ...(v.time === undefined ? {} : { time: v.time }),
          ...(v.from === undefined ? {} : { from: v.from }),
        })
        mkdirSync(v.out, { recursive: true })
        const files = { data: join(v.out, `${game}-${study}.json`), picture: join(v.out, `${game}-${study}.svg`) }
        const { picture, ...data } = result
        writeJson(files.data, data)
        writeAtomic(files.picture, picture)
        session.out.result({ ...data, files }, () => page(result, files))
      }),
    )
}
