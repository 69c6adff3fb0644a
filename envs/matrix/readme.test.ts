/** The tables in the README say what the code says. `UPDATE_README=1 npx vitest run envs/matrix` rewrites them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { type TSchema } from '#typebox'
import { actionsOf, pureEquilibria, bestWelfare, welfare, type Game } from './games.ts'
import { FORMULAS } from './formulas.ts'
import { metricsOf } from './metrics.ts'
import { observationFeatures } from './observe.ts'
import { OPTIONS } from './options.ts'
import { ORDINAL } from './ordinal.ts'
import { MISS_COST, formulaGame } from './start.ts'
import { GAMES, namedGame, tableGame } from './tables.ts'

const file = join(dirname(fileURLToPath(import.meta.url)), 'README.md')

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const code = (text: unknown) => `\`${text}\``

function allowed(schema: TSchema): string {
  if (schema.anyOf !== undefined) return (schema.anyOf as TSchema[]).map(allowed).join(', ')
  if (schema.const !== undefined) return code(schema.const)
  if (schema.type === 'null') return code(null)
  if (schema.type === 'number' || schema.type === 'integer') return `${schema.minimum} to ${schema.maximum}`
  if (schema.type === 'boolean') return `${code(true)}, ${code(false)}`
  return schema.type === 'array' ? 'tables' : 'an object'
}

const games = Object.keys(GAMES).map((id) => namedGame(id as keyof typeof GAMES, MISS_COST))
const ordinal = [...Object.keys(ORDINAL), 'uoe-nc19'].map((id) => tableGame(id, MISS_COST))

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
      name === 'game' ? 'names in the tables below' : allowed(schema),
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
  formulas: table(
    ['game', 'title', 'players', 'states', 'numbers', 'source'],
    Object.entries(FORMULAS).map(([id, { title, parameters, source }]) => {
      const game = formulaGame(id, {})
      return [
        code(id),
        title,
        parameters.players === undefined ? '2' : `${parameters.players.minimum} to ${parameters.players.maximum}`,
        game.stages === undefined ? '1' : id === 'coordination' ? '2^N' : game.stages.names.join(', '),
        Object.entries(parameters)
          .map(([name, p]) => `${code(name)} ${p.meaning}; ${p.minimum} to ${p.maximum}, default ${p.default}`)
          .join('<br>') || 'none',
        source,
      ]
    }),
  ),
  ordinal: table(
    ['game', 'payoffs at 00, 01, 10, 11', 'pure equilibria'],
    ordinal.map((game) => [
      code(game.id),
      Array.from({ length: 4 }, (_, cell) => Array.from(game.payoff.subarray(cell * 2, cell * 2 + 2)).join(',')).join(
        '  ',
      ),
      pureEquilibria(game)
        .map((cell) => actionsOf(game, cell).join(''))
        .join(', ') || 'none',
    ]),
  ),
  observation: table(
    ['#', 'feature', 'range', 'meaning'],
    observationFeatures(games[0], { kind: 'last', memory: 1, hideState: false }, 0).map((feature, i) => [
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
        const rare = having.length < games.length / 2
        const names = (list: readonly Game[]) => list.map(({ id }) => id).join(', ')
        const others = games.filter((game) => !having.includes(game))
        return [code(name), meaning, others.length === 0 ? 'all' : rare ? names(having) : `all but ${names(others)}`]
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
