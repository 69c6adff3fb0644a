/** The tables in the README say what the code says. `UPDATE_README=1 npx vitest run envs/matrix` rewrites them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type TSchema } from '@sinclair/typebox'
import { actionsOf, GAMES, namedGame, pureEquilibria, bestWelfare, welfare, type Game } from './games.ts'
import { metricsOf } from './metrics.ts'
import { observationFeatures } from './observe.ts'
import { OPTIONS } from './options.ts'
import { MISS_COST } from './start.ts'

const file = join(dirname(fileURLToPath(import.meta.url)), 'README.md')

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: unknown) => `\`${text}\``

function allowed(schema: TSchema): string {
  if (schema.anyOf !== undefined) return (schema.anyOf as TSchema[]).map(allowed).join(', ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.type === 'null') return code(null)
  if (schema.type === 'number') return `${schema.minimum} to ${schema.maximum}`
  return 'two tables'
}

const games = Object.keys(GAMES).map((id) => namedGame(id as keyof typeof GAMES, MISS_COST))

function cellName(game: Game, cell: number): string {
  const names = actionsOf(game, cell).map((action, player) => game.actions[player][action])
  const payoffs = Array.from(game.payoff.subarray(cell * 2, cell * 2 + 2))
  return `${names.join('/')} (${payoffs.join(', ')})`
}

function payoffs(game: Game): string {
  const columns = game.actions[1].length
  return game.actions[0]
    .map((_, row) =>
      Array.from({ length: columns }, (__, column) => {
        const at = (row * columns + column) * 2
        return `${game.payoff[at]},${game.payoff[at + 1]}`
      }).join('  '),
    )
    .join('<br>')
}

const sections: Record<string, string> = {
  options: table(
    ['option', 'default', 'values', 'meaning'],
    Object.entries(OPTIONS.properties).map(([name, schema]) => [
      code(name),
      code((schema as TSchema).default),
      allowed(schema),
      String(schema.description),
    ]),
  ),
  games: table(
    ['game', 'title', 'actions', 'payoffs', 'pure equilibria', 'best sum of payoffs'],
    games.map((game) => [
      code(game.id),
      game.title,
      game.actions[0].join(', '),
      payoffs(game),
      pureEquilibria(game)
        .map((cell) => cellName(game, cell))
        .join('; ') || 'none',
      bestWelfare(game).length === game.cells
        ? `${welfare(game)[0]}, everywhere`
        : `${Math.max(...welfare(game))}: ${bestWelfare(game)
            .map((cell) =>
              actionsOf(game, cell)
                .map((action, player) => game.actions[player][action])
                .join('/'),
            )
            .join('; ')}`,
    ]),
  ),
  observation: table(
    ['#', 'feature', 'range', 'meaning'],
    observationFeatures(games[0], 'last', 0).map((feature, i) => [
      String(i),
      code(feature.name),
      `${feature.low} to ${feature.high}`,
      feature.meaning!,
    ]),
  ),
  metrics: table(
    ['metric', 'meaning', 'games'],
    [...new Map(games.flatMap((game) => metricsOf(game).map(({ name, meaning }) => [name, meaning])))].map(
      ([name, meaning]) => {
        const having = games.filter((game) => metricsOf(game).some((metric) => metric.name === name))
        return [code(name), meaning, having.length === games.length ? 'all' : having.map(({ id }) => id).join(', ')]
      },
    ),
  ),
}

test.each(Object.entries(sections))('the README has the current table of %s', (name, text) => {
  const page = readFileSync(file, 'utf8')
  const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`]
  const from = page.indexOf(open) + open.length
  const to = page.indexOf(close)
  expect(from).toBeGreaterThan(open.length)
  if (process.env.UPDATE_README === '1') writeFileSync(file, `${page.slice(0, from)}${text}\n${page.slice(to)}`)
  else expect(page.slice(from, to)).toBe(`${text}\n`)
})
