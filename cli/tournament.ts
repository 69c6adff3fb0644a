/** `troupe tournament`: everybody against everybody in a world for two. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Command } from 'commander'
import { POLICIES } from '../agents/index.ts'
import { TroupeError } from '../envs/core/index.ts'
import { writeAtomic, writeJson } from '../results/files.ts'
import { heatTable } from '../results/svg.ts'
import { tournament, type Entrant, type TournamentTable } from '../results/tournament.ts'
import { type CommandFile } from './command.ts'
import { table } from './output.ts'
import { resolvePlayer } from './policies.ts'
import { printed } from './print-config.ts'
import { effective, keyValue, whole } from './settings.ts'
import { resolveScenario } from './targets.ts'

/** Who plays when nobody is named: the memory-1 classics. */
const CLASSICS = Object.keys(POLICIES).filter((name) => /^matrix-(allc|alld|tft|wsls|grim|gtft|zd)$/.test(name))

function chance(text: string): number {
  const value = Number(text)
  if (value >= 0 && value <= 1 && text.trim() !== '') return value
  throw new TroupeError('bad-option', { where: '--error', got: `"${text}"`, expected: 'a chance of 0 to 1' })
}

const shortName = (name: string) => name.replace(/^matrix-/, '')

function page(result: TournamentTable): string {
  const { players, payoffs, means, order, ratings, intransitive, selfPlay, crossPlay, episodes, error, steps } = result
  const rated = new Map(ratings.map((one) => [one.player, one]))
  const ratingOf = (player: string) => {
    const found = rated.get(player)
    return found === undefined ? '·' : `${found.rating.toFixed(0)} ± ${(1.96 * found.deviation).toFixed(0)}`
  }
  const columns = [
    { title: 'place' },
    { title: 'player' },
    { title: 'mean', align: 'right' as const },
    { title: 'rating', align: 'right' as const },
    ...order.map((j) => ({ title: shortName(players[j]), align: 'right' as const })),
  ]
  const rows = order.map((i, place) => [
    String(place + 1),
    players[i],
    means[i].toFixed(3),
    ratingOf(players[i]),
    ...order.map((j) => payoffs[i][j]?.toFixed(2) ?? '·'),
  ])
  const errors = error > 0 ? `, each action wrong with chance ${error}` : ''
  return `${table(columns, rows)}\n\nMean reward per round of the row’s player against the column’s; ${episodes} episodes per pair and seat, ${steps} rounds in all${errors}.
Rating: Bradley–Terry from episodes won against others (a draw is half), around 1500, with its 95 % interval; ${intransitive.cyclic} of ${intransitive.triples} decided triples run in a circle.
Payoff with oneself ${selfPlay?.toFixed(3) ?? '·'}, with others ${crossPlay?.toFixed(3) ?? '·'}.`
}

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('[scenario]', 'a world for two: scenario id or file', 'matrix/pd-last')
    .option(
      '--players <list>',
      'names of policies, folders of runs or ./mine.js, separated by commas',
      CLASSICS.join(','),
    )
    .option('--episodes <n>', 'episodes of every pair, in each seat', whole('--episodes', 1, 100_000), 20)
    .option('--error <chance>', 'chance that a chosen action is replaced by another', chance, 0)
    .option('--no-self', 'nobody meets itself')
    .option('--seed <seed>', 'root of all seeds', '1')
    .option(
      '--option <name=value>',
      'change an option of the environment, such as horizon=500; repeatable',
      keyValue('--option'),
    )
    .option(
      '--out <dir>',
      'write tournament.json and tournament.svg there; in <data>/tournaments/<name> it has a page at /tournaments',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  troupe tournament\n  troupe tournament matrix/pd-last --error 0.01 --option horizon=1000 --out pictures\n  troupe tournament matrix/rps-last --players random,matrix-regret,matrix-fictitious',
    )
    .action((wanted: string) =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const { players, episodes, error, self, seed, option, out } = options.values as {
          players: string
          episodes: number
          error: number
          self: boolean
          seed: string
          option?: Record<string, unknown>
          out?: string
        }
        const target = await resolveScenario(wanted, undefined, option, session)
        const names = players.split(',').map((name) => name.trim()).filter(Boolean) // prettier-ignore
        if (names.length === 0 || new Set(names).size !== names.length) {
          throw new TroupeError('bad-option', {
            where: '--players',
            got: `"${players}"`,
            expected: 'at least one name, each at most once',
          })
        }
        const entrants: Entrant[] = []
        for (const name of names) {
          const manner = target.scenario.evaluation.policy
          const { policy } = await resolvePlayer(name, target.scenario, target.definitions, manner, session)
          entrants.push({ name, policy })
        }
        const result = tournament({
          scenario: target.scenario,
          definitions: target.definitions,
          entrants,
          episodes,
          seed,
          error,
          selfPlay: self,
        })
        const files =
          out === undefined ? undefined : { data: join(out, 'tournament.json'), picture: join(out, 'tournament.svg') }
        if (files !== undefined) {
          mkdirSync(out!, { recursive: true })
          const { order, payoffs } = result
          const shown = order.map((i) => shortName(result.players[i]))
          writeJson(files.data, { scenario: target.scenario, seed, ...result })
          writeAtomic(
            files.picture,
            heatTable(`Round robin on ${target.scenario.id}`, shown, shown, order.map((i) => order.map((j) => payoffs[i][j]))), // prettier-ignore
          )
        }
        session.out.result(
          { scenario: target.scenario.id, seed, ...result, ...(files === undefined ? {} : { files }) },
          () => (files === undefined ? page(result) : `${page(result)}\n${files.data}\n${files.picture}`),
        )
      }),
    )
}
