/**
 * A field as text, for tests and transcripts. Cells are separated by blanks, each one `.` empty, a number for the level of
 * the food there, or players as letter and level: `a2` is agent_0 with level 2; `a2b1` two players in one cell.
 */
import { TroupeError, shown } from '../core/errors.ts'
import { drawnCells } from '../core/recorded.ts'
import { type Options } from './options.ts'
import { type ReferenceState } from './reference.ts'
import { type ForagingWorld } from './state.ts'

const CELL = /^(?:\.|\d+|(?:[a-z]\d+)+)$/
const letter = (n: number) => String.fromCharCode(97 + n)

/** Draws one lane of at most 26 players. */
export function pictureOf(world: ForagingWorld, lane = 0): string {
  const { plan, cell, level, foodLevel, slotAt } = world
  const { rows, columns, cells, players, foods } = plan
  const lines: string[] = []
  for (let row = 0; row < rows; row++) {
    let line = ''
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column
      const slot = slotAt[lane * cells + at]
      let text = slot === 0 ? '' : String(foodLevel[lane * foods + slot - 1])
      for (let n = 0; n < players; n++) {
        if (cell[lane * players + n] === at) text += `${letter(n)}${level[lane * players + n]}`
      }
      line += (text || '.').padEnd(5)
    }
    lines.push(line.trimEnd())
  }
  return lines.join('\n')
}

/**
 * Reads a picture: options of its world and a state to load with `fromReference`. All food counts as spawned.
 * @throws TroupeError where a cell cannot be read or letters are left out
 */
export function fromPicture(text: string): { options: Partial<Options>; state: ReferenceState } {
  const rows = drawnCells(text)
  const refuse = (got: string, expected: string): never => {
    throw new TroupeError('bad-usage', { where: 'foraging: picture', got, expected })
  }
  const players: { row: number; col: number; level: number }[] = []
  const field = rows.map((row, r) =>
    row.map((token, c) => {
      if (!CELL.test(token)) refuse(shown(token), 'a cell like ., 3, a1 or a2b1')
      for (const [, name, level] of token.matchAll(/([a-z])(\d+)/g)) {
        players[name.charCodeAt(0) - 97] = { row: r, col: c, level: Number(level) }
      }
      return /^\d+$/.test(token) ? Number(token) : 0
    }),
  )
  if (players.length === 0 || Array.from(players).includes(undefined!)) refuse('with letters left out', 'a, b, c …')
  const levels = field.flat().filter((level) => level > 0)
  const strongest = Math.max(...players.map(({ level }) => level))
  return {
    options: {
      rows: field.length,
      columns: field[0].length,
      players: players.length,
      foods: Math.max(1, levels.length),
      maxPlayerLevel: strongest,
      maxFoodLevel: Math.max(1, ...levels),
    },
    state: { field, players, food_spawned: levels.reduce((sum, level) => sum + level, 0), step: 0 },
  }
}
