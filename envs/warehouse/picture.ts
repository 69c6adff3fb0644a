/**
 * A warehouse as text, for tests and transcripts. Cells are separated by blanks, each one
 * `.` corridor, `g` goal, `x` shelf home with its shelf, `_` empty shelf home;
 * then perhaps a robot: `^`, `v`, `<` or `>`, its number, `*` when it carries a shelf;
 * then `!` when the shelf there, standing or carried, is requested.
 */
import { TroupeError, shown } from '../core/errors.ts'
import { drawnCells } from '../core/recorded.ts'
import { type Options } from './options.ts'
import { type ReferenceState } from './reference.ts'
import { type WarehouseWorld } from './state.ts'

const ARROWS = '^v<>'
const CELL = /^([.gx_])(?:([v^<>])(\d+)(\*?))?(!?)$/

/** Draws one lane. */
export function pictureOf(world: WarehouseWorld, lane = 0): string {
  const { plan, heading, load, robotAt, standing, place } = world
  const { layout, robots, shelves } = plan
  const rows: string[] = []
  for (let y = 0; y < layout.height; y++) {
    let row = ''
    for (let x = 0; x < layout.width; x++) {
      const cell = y * layout.width + x
      const at = lane * layout.cells + cell
      const robot = robotAt[at] - 1
      const i = lane * robots + robot
      const shelf = robot >= 0 && load[i] !== 0 ? load[i] : standing[at]
      const floor = layout.rows[y][x] === 'x' && standing[at] === 0 ? '_' : layout.rows[y][x]
      const body = robot < 0 ? '' : `${ARROWS[heading[i]]}${robot}${load[i] !== 0 ? '*' : ''}`
      const wanted = shelf !== 0 && place[lane * shelves + shelf - 1] !== 0 ? '!' : ''
      row += `${floor}${body}${wanted}`.padEnd(6)
    }
    rows.push(row.trimEnd())
  }
  return rows.join('\n')
}

/**
 * Reads a picture: the options of its world and a state to load with `fromReference`. Standing shelves have the numbers
 * of their homes; carried ones take those of the empty homes, in robot order. Requests are queued row by row.
 * @throws TroupeError where cells cannot be read or shelves and homes do not add up
 */
export function fromPicture(text: string): { options: Partial<Options>; state: ReferenceState } {
  const rows = drawnCells(text)
  const refuse = (got: string, expected: string): never => {
    throw new TroupeError('bad-usage', { where: 'warehouse: picture', got, expected })
  }
  const shelves: [number, number][] = []
  const empty: number[] = []
  const wanted: [number, number][] = []
  const agents: { x: number; y: number; dir: number; carrying: number; delivered: boolean }[] = []
  rows.forEach((row, y) =>
    row.forEach((token, x) => {
      const parts = CELL.exec(token) ?? refuse(shown(token), 'a cell like ., x!, _>0* or g')
      const [, floor, arrow, number, star, mark] = parts
      if (floor === '_') empty.push(shelves.length)
      if (floor === 'x' || floor === '_') shelves.push([x, y])
      if (mark === '!') wanted.push([x, y])
      if (arrow === undefined) return
      const carrying = star === '*' ? 0 : -1
      agents[Number(number)] = { x, y, dir: ARROWS.indexOf(arrow), carrying, delivered: false }
    }),
  )
  const carriers = agents.filter((agent) => agent.carrying === 0)
  if (carriers.length !== empty.length)
    refuse(`${carriers.length} carried shelves`, `${empty.length}, one per empty home`)
  carriers.forEach((agent, k) => {
    agent.carrying = empty[k]
    shelves[empty[k]] = [agent.x, agent.y]
  })
  const requests = wanted.map(([x, y]) => shelves.findIndex(([sx, sy]) => sx === x && sy === y))
  return {
    options: {
      layout: rows.map((row) => row.map((token) => (token[0] === '_' ? 'x' : token[0])).join('')),
      robots: agents.length,
      requests: requests.length,
    },
    state: { agents, shelves, requests, step: 0, inactive: 0 },
  }
}
