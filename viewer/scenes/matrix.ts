/**
 * A two-player matrix game: the payoff table with the chosen cell outlined and a trail of recent ones, totals beside it,
 * and the last rounds below. Cells get darker with the times they were played.
 */
import { type Container, Graphics } from 'pixi.js'
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { figure, strings } from '../strings.ts'
import { agentColour, textOn, type Palette } from '../theme.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

const words = strings.scenes.matrix

/** Sizes in world units. */
const CELL_WIDTH = 2.5
const CELL_HEIGHT = 1.5
const ROW_HEAD = 2.5
const COLUMN_HEAD = 1.25
const PANEL = 3.1
const ROUND = 0.4
/** Height of a player's panel, and from one to the next. */
const PANEL_HEIGHT = 1.2
const PANEL_PITCH = 1.5
/** Cells of the trail, the newest not counted. */
const TRAIL = 3

interface Game {
  readonly actions: readonly (readonly string[])[]
  readonly payoffs: readonly (readonly (readonly number[])[])[]
  readonly equilibria: readonly (readonly number[])[]
  readonly best: readonly (readonly number[])[]
}

const EMPTY_GAME: Game = { actions: [[], []], payoffs: [[], []], equilibria: [], best: [] }

export class MatrixScene implements Scene {
  #stage!: SceneStage
  #game: Game = EMPTY_GAME
  #rows = 0
  #columns = 0
  #rounds = 0
  #heat = new Graphics()
  #outline = new Graphics()
  #history = new Graphics()
  #counts: Label[] = []
  #totals: Label[] = []
  #payoffs: Label[] = []
  #heads: Label[][] = []
  #letters: Label[][] = []
  #panels = new Graphics()

  mount(stage: SceneStage, spec: EnvSpec | null, _first: Frame): void {
    this.#stage = stage
    this.#game = gameOf(spec)
    this.#rows = this.#game.actions[0].length
    this.#columns = this.#game.actions[1].length
    this.#rounds = Math.max(8, Math.floor((this.box().width - ROW_HEAD) / ROUND))
    const { root } = stage
    this.#heat = new Graphics()
    this.#outline = new Graphics()
    this.#history = new Graphics()
    this.#panels = new Graphics()
    root.addChild(this.#heat, this.#drawTable(), this.#outline, this.#panels, this.#history)
    this.#counts = []
    this.#drawCells()
    this.#drawHeads()
    this.#drawPanels()
    this.#drawHistoryHeads()
  }

  box(): Box {
    return {
      x: -ROW_HEAD,
      y: -COLUMN_HEAD,
      width: ROW_HEAD + this.#columns * CELL_WIDTH + PANEL,
      height: COLUMN_HEAD + Math.max(2, this.#rows) * CELL_HEIGHT + 1.75 + 0.1,
    }
  }

  draw(before: Frame, _after: Frame, _fraction: number, selection: Selection): void {
    const { palette } = this.#stage
    this.#drawHeat(before)
    this.#drawChoice(before.step)
    const players = before.entities.filter((entity) => entity.kind === 'player')
    this.#panels.clear()
    players.slice(0, 2).forEach((player, index) => {
      const { total, payoff, action } = player.state ?? {}
      this.#totals[index].set(figure(Number(total ?? 0)))
      this.#payoffs[index].set(payoff == null ? '' : `${Number(payoff) >= 0 ? '+' : ''}${figure(Number(payoff))}`)
      this.#heads[index].forEach((head, a) => head.tint(a === action ? palette.ink : palette.muted))
      const top = this.#panelTop(index) * UNIT
      const left = (this.#columns * CELL_WIDTH + 0.35) * UNIT
      const selected = player.id === selection.agent
      this.#panels
        .roundRect(left, top, (PANEL - 0.4) * UNIT, PANEL_HEIGHT * UNIT, 8)
        .fill(palette.surface)
        .stroke({ color: selected ? palette.accent : palette.line, width: selected ? 4 : 2 })
      playerSign(this.#panels, palette, index, left + 0.34 * UNIT, top + 0.36 * UNIT, 0.14 * UNIT)
    })
    this.#drawHistory(before.step)
  }

  pick(x: number, y: number): string | null {
    if (x < this.#columns * CELL_WIDTH + 0.35) return null
    for (const player of [0, 1]) {
      const top = this.#panelTop(player)
      if (y >= top && y <= top + PANEL_HEIGHT) return `agent_${player}`
    }
    return null
  }

  legend(): readonly LegendItem[] {
    const { accent, ink, storage, line, muted } = this.#stage.palette
    return [
      { label: words.chosen, shapes: [{ kind: 'rect', numbers: [3, 5, 18, 14, 2], stroke: accent, width: 3.5 }] },
      {
        label: words.recent,
        shapes: [{ kind: 'rect', numbers: [4, 6, 16, 12, 2], stroke: accent, width: 1.5, opacity: 0.7 }],
      },
      { label: words.equilibrium, shapes: [{ kind: 'path', d: 'M12 5l7 7-7 7-7-7z', stroke: ink, width: 2 }] },
      { label: words.best, shapes: [{ kind: 'path', d: 'M12 5l7 13H5z', fill: muted }] },
      {
        label: words.times,
        shapes: [
          { kind: 'rect', numbers: [2, 6, 7, 12, 0], fill: storage, stroke: line },
          { kind: 'rect', numbers: [9, 6, 6, 12, 0], fill: accent, opacity: 0.3 },
          { kind: 'rect', numbers: [15, 6, 7, 12, 0], fill: accent, opacity: 0.6 },
        ],
      },
    ]
  }

  dispose(): void {
    this.#counts = []
    this.#totals = []
    this.#payoffs = []
    this.#heads = []
    this.#letters = []
  }

  #text(
    text: string,
    x: number,
    y: number,
    size: number,
    colour: number,
    anchor: [number, number],
    bold = false,
  ): Label {
    const label = this.#stage.label(text, { size, colour, anchor, weight: bold ? 'bold' : 'regular' })
    label.view.position.set(x * UNIT, y * UNIT)
    this.#stage.root.addChild(label.view)
    return label
  }

  #drawTable(): Container {
    const { palette } = this.#stage
    const table = new Graphics()
    for (let row = 0; row <= this.#rows; row++) {
      table.moveTo(0, row * CELL_HEIGHT * UNIT).lineTo(this.#columns * CELL_WIDTH * UNIT, row * CELL_HEIGHT * UNIT)
    }
    for (let column = 0; column <= this.#columns; column++) {
      table.moveTo(column * CELL_WIDTH * UNIT, 0).lineTo(column * CELL_WIDTH * UNIT, this.#rows * CELL_HEIGHT * UNIT)
    }
    table.stroke({ color: palette.fixtureLine, width: 2 })
    const at = (cells: readonly (readonly number[])[], paint: (x: number, y: number) => void) => {
      for (const [row, column] of cells) paint(column * CELL_WIDTH * UNIT, row * CELL_HEIGHT * UNIT)
    }
    at(this.#game.equilibria, (x, y) => {
      table
        .poly([x + 18, y + 9, x + 27, y + 18, x + 18, y + 27, x + 9, y + 18])
        .stroke({ color: palette.ink, width: 3 })
    })
    at(this.#game.best, (x, y) => table.poly([x + 58, y + 20, x + 67, y + 37, x + 49, y + 37]).fill(palette.muted))
    return table
  }

  #drawCells(): void {
    const { ink, muted } = this.#stage.palette
    for (let row = 0; row < this.#rows; row++) {
      for (let column = 0; column < this.#columns; column++) {
        const pair = this.#game.payoffs.map((table) => figure(table[row]?.[column])).join(', ')
        const [x, y] = [(column + 0.5) * CELL_WIDTH, (row + 0.5) * CELL_HEIGHT + 0.14]
        this.#text(pair, x, y, 25, ink, [0.5, 0.5], true).fit((CELL_WIDTH - 0.7) * UNIT)
        this.#counts.push(
          this.#text('', (column + 1) * CELL_WIDTH - 0.34, row * CELL_HEIGHT + 0.45, 17, muted, [1, 0.5]),
        )
      }
    }
  }

  #drawHeads(): void {
    const { palette } = this.#stage
    const signs = new Graphics()
    this.#stage.root.addChild(signs)
    const name = (player: number) => `agent_${player}`
    const row = this.#text(name(0), -0.2, -0.3, 19, palette.ink, [1, 0.5], true)
    playerSign(signs, palette, 0, -0.2 * UNIT - row.width - 18, -0.3 * UNIT, 9)
    this.#text(name(1), 0.42, -0.92, 19, palette.ink, [0, 0.5], true)
    playerSign(signs, palette, 1, 0.14 * UNIT, -0.92 * UNIT, 9)
    this.#heads = [
      this.#game.actions[0].map((action, row) =>
        this.#text(shorten(action, 13), -0.2, (row + 0.5) * CELL_HEIGHT, 19, palette.muted, [1, 0.5]),
      ),
      this.#game.actions[1].map((action, column) =>
        this.#text(shorten(action, 15), (column + 0.5) * CELL_WIDTH, -0.3, 19, palette.muted, [0.5, 0.5]),
      ),
    ]
  }

  #panelTop(player: number): number {
    return player * PANEL_PITCH
  }

  #drawPanels(): void {
    const { ink, muted } = this.#stage.palette
    const left = this.#columns * CELL_WIDTH + 0.35
    this.#totals = []
    this.#payoffs = []
    for (const player of [0, 1]) {
      const top = this.#panelTop(player)
      this.#text(`agent_${player}`, left + 0.62, top + 0.36, 18, muted, [0, 0.5])
      this.#text(words.total, left + 0.2, top + 0.84, 17, muted, [0, 0.5])
      this.#totals.push(this.#text('0', left + PANEL - 0.62, top + 0.82, 26, ink, [1, 0.5], true))
      this.#payoffs.push(this.#text('', left + PANEL - 0.62, top + 0.36, 19, ink, [1, 0.5]))
    }
  }

  #historyTop(): number {
    return Math.max(2, this.#rows) * CELL_HEIGHT + 0.75
  }

  #drawHistoryHeads(): void {
    const { muted, ink } = this.#stage.palette
    const top = this.#historyTop()
    this.#text(words.history, 0, top - 0.26, 16, muted, [0, 0.5])
    this.#letters = [0, 1].map((player) => {
      const y = top + player * (ROUND + 0.06) + ROUND / 2
      this.#text(`agent_${player}`, -0.2, y, 17, ink, [1, 0.5])
      return Array.from({ length: this.#rounds }, (_, slot) =>
        this.#text('', (slot + 0.5) * ROUND, y, 16, ink, [0.5, 0.5], true),
      )
    })
    // Letters lie above their tiles.
    this.#stage.root.setChildIndex(this.#history, 0)
  }

  #drawHeat(frame: Frame): void {
    const { palette } = this.#stage
    const counts = frame.layers?.find((layer) => layer.name === 'counts')?.cells ?? []
    const most = Math.max(1, ...counts)
    this.#heat.clear()
    for (let row = 0; row < this.#rows; row++) {
      for (let column = 0; column < this.#columns; column++) {
        const times = counts[row * this.#columns + column] ?? 0
        const [x, y] = [column * CELL_WIDTH * UNIT, row * CELL_HEIGHT * UNIT]
        this.#heat.rect(x, y, CELL_WIDTH * UNIT, CELL_HEIGHT * UNIT).fill(palette.corridor)
        if (times > 0) {
          const alpha = 0.08 + 0.3 * (times / most)
          this.#heat.rect(x, y, CELL_WIDTH * UNIT, CELL_HEIGHT * UNIT).fill({ color: palette.accent, alpha })
        }
        this.#counts[row * this.#columns + column].set(times > 0 ? `×${times}` : '')
      }
    }
  }

  /** Actions of round `round` (0 = the first), or undefined outside the episode. */
  #choice(round: number): [number, number] | undefined {
    const { actions } = this.#stage
    if (round < 0 || round * 2 + 1 >= actions.length) return undefined
    return [actions[round * 2], actions[round * 2 + 1]]
  }

  #drawChoice(step: number): void {
    const { accent } = this.#stage.palette
    this.#outline.clear()
    for (let age = TRAIL; age >= 0; age--) {
      const choice = this.#choice(step - 1 - age)
      if (choice === undefined) continue
      const [row, column] = choice
      const inset = age === 0 ? 2 : 5 + age * 4
      this.#outline
        .roundRect(
          column * CELL_WIDTH * UNIT + inset,
          row * CELL_HEIGHT * UNIT + inset,
          CELL_WIDTH * UNIT - 2 * inset,
          CELL_HEIGHT * UNIT - 2 * inset,
          6,
        )
        .stroke({ color: accent, width: age === 0 ? 6 : 1.5, alpha: age === 0 ? 1 : 0.95 - age * 0.2 })
    }
  }

  #drawHistory(step: number): void {
    const { palette } = this.#stage
    const top = this.#historyTop()
    const first = Math.max(0, step - this.#rounds)
    this.#history.clear()
    for (const player of [0, 1]) {
      const y = (top + player * (ROUND + 0.06)) * UNIT
      for (let slot = 0; slot < this.#rounds; slot++) {
        const round = first + slot
        const action = round < step ? this.#choice(round)?.[player] : undefined
        const letter = this.#letters[player][slot]
        if (action === undefined) {
          letter.set('')
          this.#history.rect(slot * ROUND * UNIT + 1, y, ROUND * UNIT - 2, ROUND * UNIT).fill(palette.corridor)
          continue
        }
        const colour = toneOf(palette, action, this.#game.actions[player].length)
        this.#history.rect(slot * ROUND * UNIT + 1, y, ROUND * UNIT - 2, ROUND * UNIT).fill(colour)
        letter.set(signOf(this.#game.actions[player], action))
        letter.tint(textOn(colour))
      }
    }
  }
}

/** Row player filled square, column player outlined circle: the second sign beside the colour. */
function playerSign(graphics: Graphics, palette: Palette, player: number, x: number, y: number, r: number): void {
  const colour = agentColour(palette, player)
  if (player === 0) graphics.roundRect(x - r, y - r, 2 * r, 2 * r, 3).fill(colour)
  else graphics.circle(x, y, r - 1).stroke({ color: colour, width: 5 })
}

/** Actions as greys from surface to muted: colours belong to the players. */
function toneOf(palette: Palette, action: number, actions: number): number {
  const share = actions < 2 ? 0 : action / (actions - 1)
  const mix = (shift: number) => {
    const [a, b] = [(palette.line >> shift) & 0xff, (palette.muted >> shift) & 0xff]
    return Math.round(a + (b - a) * share) << shift
  }
  return mix(16) | mix(8) | mix(0)
}

/** One capital per action; numbers where two actions begin alike. */
function signOf(names: readonly string[], action: number): string {
  const first = names.map((name) => name.charAt(0).toUpperCase())
  return new Set(first).size === first.length ? first[action] : String(action)
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

function gameOf(spec: EnvSpec | null): Game {
  const scene = spec?.world.scene as Partial<Game> | undefined
  if (!Array.isArray(scene?.actions) || !Array.isArray(scene.payoffs) || scene.actions.length !== 2) return EMPTY_GAME
  return { ...EMPTY_GAME, ...scene } as Game
}
