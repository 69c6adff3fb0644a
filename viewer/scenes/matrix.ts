/**
 * A matrix game: payoff tables with the chosen cell outlined and a trail of recent ones, totals beside them, the last
 * rounds below, and what each player seems to play: chances after each joint action (two actions), or the way of the mean
 * strategy through the simplex (three). Cells get darker with the times they were played. A game of several states, or of
 * more than two players, has one table per state and per choice of the others.
 */
import { Graphics } from 'pixi.js'
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { figure, strings } from '../strings.ts'
import { agentColour, textOn, type Palette } from '../theme.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

const words = strings.scenes.matrix

/** Sizes in world units. */
const CELL_WIDTH = 2.5
const CELL_HEIGHT = 1.5
/** Largest table before its cells shrink. */
const TABLE_WIDTH = 15
const TABLE_HEIGHT = 9
const ROW_HEAD = 2.5
const COLUMN_HEAD = 1.25
/** From one table to the next, heads included. */
const SHEET_GAP_X = 2.2
const SHEET_GAP_Y = 1.5
const PANEL = 3.1
const ROUND = 0.4
/** Height of a player's panel, and from one to the next. */
const PANEL_HEIGHT = 1.2
const PANEL_PITCH = 1.5
/** Cells of the trail, the newest not counted. */
const TRAIL = 3
/** Most tables drawn side by side. */
const SHEETS = 16
/** Height of the strip that shows strategies. */
const STRIP = 2.75

interface Sheet {
  readonly title: string
  /** One table [rowAction][columnAction] per player. */
  readonly payoffs: readonly (readonly (readonly number[])[])[]
}

interface Game {
  readonly actions: readonly (readonly string[])[]
  readonly sheets: readonly Sheet[]
  readonly equilibria: readonly (readonly number[])[]
  readonly best: readonly (readonly number[])[]
  readonly states: readonly string[]
}

const EMPTY_GAME: Game = { actions: [[], []], sheets: [], equilibria: [], best: [], states: [] }

/** A table on the stage. */
interface Place {
  readonly x: number
  readonly y: number
  readonly counts: Label[]
}

export class MatrixScene implements Scene {
  #stage!: SceneStage
  #game: Game = EMPTY_GAME
  #rows = 0
  #columns = 0
  #players = 2
  #cellWidth = CELL_WIDTH
  #cellHeight = CELL_HEIGHT
  #across = 1
  #places: Place[] = []
  #rounds = 0
  #strategies: 'bars' | 'simplex' | 'none' = 'none'
  /** Joint actions and sheets by round, as far as frames have shown them or the recording has them. */
  #choices = new Map<number, readonly number[]>()
  #sheetOf = new Map<number, number>()
  #whole = false
  #heat = new Graphics()
  #outline = new Graphics()
  #history = new Graphics()
  #panels = new Graphics()
  #strip = new Graphics()
  #totals: Label[] = []
  #payoffs: Label[] = []
  #heads: Label[][][] = []
  #letters: Label[][] = []
  #titles: Label[] = []

  mount(stage: SceneStage, spec: EnvSpec | null, _first: Frame): void {
    this.#stage = stage
    this.#game = gameOf(spec)
    const { actions, sheets } = this.#game
    this.#players = actions.length
    this.#rows = actions[0].length
    this.#columns = actions[1].length
    this.#cellWidth = Math.min(CELL_WIDTH, TABLE_WIDTH / Math.max(1, this.#columns))
    this.#cellHeight = Math.min(CELL_HEIGHT, TABLE_HEIGHT / Math.max(1, this.#rows))
    const drawn = Math.max(1, Math.min(SHEETS, sheets.length))
    this.#across = drawn <= 3 ? drawn : Math.ceil(Math.sqrt(drawn))
    this.#whole = spec !== null && spec.agents.length === this.#players
    const two = this.#players === 2 && this.#rows === this.#columns
    this.#strategies = two && this.#rows === 2 ? 'bars' : two && this.#rows === 3 ? 'simplex' : 'none'
    this.#rounds = Math.max(8, Math.floor((this.box().width - ROW_HEAD) / ROUND))
    this.#choices.clear()
    this.#sheetOf.clear()
    this.#heat = new Graphics()
    this.#outline = new Graphics()
    this.#history = new Graphics()
    this.#panels = new Graphics()
    this.#strip = new Graphics()
    const table = new Graphics()
    stage.root.addChild(this.#heat, table, this.#outline, this.#panels, this.#history, this.#strip)
    this.#heads = []
    this.#titles = []
    this.#places = Array.from({ length: drawn }, (_, sheet) => {
      const x = (sheet % this.#across) * (this.#columns * this.#cellWidth + SHEET_GAP_X)
      const y = Math.floor(sheet / this.#across) * (this.#rows * this.#cellHeight + SHEET_GAP_Y)
      return { x, y, counts: [] }
    })
    this.#places.forEach((place, sheet) => {
      this.#drawTable(table, place)
      this.#drawCells(place, sheets[sheet])
      this.#drawHeads(place, sheet)
    })
    this.#drawPlayers()
    this.#drawPanels()
    this.#drawHistoryHeads()
    this.#drawStripHeads()
  }

  /** Width of all tables. */
  #wide(): number {
    return this.#across * (this.#columns * this.#cellWidth + SHEET_GAP_X) - SHEET_GAP_X
  }

  /** Height of all tables, or of the panels beside them where those are higher. */
  #high(): number {
    const down = Math.ceil(Math.max(1, this.#places.length) / this.#across)
    const tables = down * (this.#rows * this.#cellHeight + SHEET_GAP_Y) - SHEET_GAP_Y
    return Math.max(tables, this.#players * PANEL_PITCH - 0.3, 2 * CELL_HEIGHT)
  }

  box(): Box {
    const drawn = Math.max(1, Math.min(SHEETS, this.#game.sheets.length))
    const down = Math.ceil(drawn / this.#across)
    const tables = down * (this.#rows * this.#cellHeight + SHEET_GAP_Y) - SHEET_GAP_Y
    const high = Math.max(tables, this.#players * PANEL_PITCH - 0.3, 2 * CELL_HEIGHT)
    const strip = this.#strategies === 'none' ? 0 : STRIP
    const head = this.#game.sheets.length > 1 ? COLUMN_HEAD + 0.35 : COLUMN_HEAD
    return {
      x: -ROW_HEAD,
      y: -head,
      width: ROW_HEAD + this.#wide() + PANEL,
      height: head + high + 0.85 + this.#players * (ROUND + 0.06) + 0.1 + strip,
    }
  }

  draw(before: Frame, _after: Frame, _fraction: number, selection: Selection): void {
    const { palette } = this.#stage
    this.#remember(before)
    this.#drawHeat(before)
    this.#drawChoice(before)
    const players = before.entities.filter((entity) => entity.kind === 'player')
    const state = before.entities.find((entity) => entity.kind === 'state')?.state?.state
    this.#titles.forEach((title, sheet) => {
      const per = this.#game.sheets.length / Math.max(1, this.#game.states.length)
      const here = this.#game.states.length > 0 && Math.floor(sheet / per) === state
      title.tint(here ? palette.accent : palette.ink)
    })
    this.#panels.clear()
    players.slice(0, this.#players).forEach((player, index) => {
      const { total, payoff, action } = player.state ?? {}
      this.#totals[index].set(figure(Number(total ?? 0)))
      this.#payoffs[index].set(payoff == null ? '' : `${Number(payoff) >= 0 ? '+' : ''}${figure(Number(payoff))}`)
      if (index < 2) {
        this.#heads[index]?.forEach((heads) =>
          heads.forEach((head, a) => head.tint(a === action ? palette.ink : palette.muted)),
        )
      }
      const top = index * PANEL_PITCH * UNIT
      const left = (this.#wide() + 0.35) * UNIT
      const selected = player.id === selection.agent
      this.#panels
        .roundRect(left, top, (PANEL - 0.4) * UNIT, PANEL_HEIGHT * UNIT, 8)
        .fill(palette.surface)
        .stroke({ color: selected ? palette.accent : palette.line, width: selected ? 4 : 2 })
      playerSign(this.#panels, palette, index, left + 0.34 * UNIT, top + 0.36 * UNIT, 0.14 * UNIT)
    })
    this.#drawHistory(before.step)
    this.#drawStrip(before.step)
  }

  pick(x: number, y: number): string | null {
    if (x < this.#wide() + 0.35) return null
    for (let player = 0; player < this.#players; player++) {
      const top = player * PANEL_PITCH
      if (y >= top && y <= top + PANEL_HEIGHT) return `agent_${player}`
    }
    return null
  }

  legend(): readonly LegendItem[] {
    const { accent, ink, storage, line, muted } = this.#stage.palette
    const one = this.#game.states.length === 0
    return [
      { label: words.chosen, shapes: [{ kind: 'rect', numbers: [3, 5, 18, 14, 2], stroke: accent, width: 3.5 }] },
      {
        label: words.recent,
        shapes: [{ kind: 'rect', numbers: [4, 6, 16, 12, 2], stroke: accent, width: 1.5, opacity: 0.7 }],
      },
      ...(one
        ? ([
            { label: words.equilibrium, shapes: [{ kind: 'path', d: 'M12 5l7 7-7 7-7-7z', stroke: ink, width: 2 }] },
            { label: words.best, shapes: [{ kind: 'path', d: 'M12 5l7 13H5z', fill: muted }] },
          ] as const)
        : []),
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
    this.#places = []
    this.#totals = []
    this.#payoffs = []
    this.#heads = []
    this.#letters = []
    this.#titles = []
    this.#choices.clear()
    this.#sheetOf.clear()
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

  /** True where cells are large enough for numbers. */
  #legible(): boolean {
    return this.#cellWidth >= 1.1 && this.#cellHeight >= 0.7
  }

  #drawTable(table: Graphics, { x: left, y: top }: Place): void {
    const { palette } = this.#stage
    const [w, h] = [this.#cellWidth * UNIT, this.#cellHeight * UNIT]
    const [x0, y0] = [left * UNIT, top * UNIT]
    const fine = this.#legible()
    for (let row = 0; row <= this.#rows; row += fine ? 1 : this.#rows) {
      table.moveTo(x0, y0 + row * h).lineTo(x0 + this.#columns * w, y0 + row * h)
    }
    for (let column = 0; column <= this.#columns; column += fine ? 1 : this.#columns) {
      table.moveTo(x0 + column * w, y0).lineTo(x0 + column * w, y0 + this.#rows * h)
    }
    table.stroke({ color: palette.fixtureLine, width: 2 })
    if (!fine) return
    const sheet = this.#sheetAt(left, top)
    const at = (cells: readonly (readonly number[])[], paint: (x: number, y: number) => void) => {
      for (const choices of cells) {
        if (this.#sheetOfChoices(choices) === sheet) paint(x0 + choices[1] * w, y0 + choices[0] * h)
      }
    }
    at(this.#game.equilibria, (x, y) => {
      table
        .poly([x + 22, y + 13, x + 31, y + 22, x + 22, y + 31, x + 13, y + 22])
        .stroke({ color: palette.ink, width: 3 })
    })
    at(this.#game.best, (x, y) => table.poly([x + 52, y + 14, x + 61, y + 31, x + 43, y + 31]).fill(palette.muted))
  }

  #sheetAt(x: number, y: number): number {
    return this.#places.findIndex((place) => place.x === x && place.y === y)
  }

  /** The sheet on which joint actions of a game of one state lie. */
  #sheetOfChoices(choices: readonly number[]): number {
    return choices.slice(2).reduce((sheet, choice, k) => sheet * this.#game.actions[k + 2].length + choice, 0)
  }

  #drawCells(place: Place, sheet: Sheet | undefined): void {
    if (sheet === undefined || !this.#legible()) return
    const { ink, muted } = this.#stage.palette
    const [w, h] = [this.#cellWidth, this.#cellHeight]
    for (let row = 0; row < this.#rows; row++) {
      for (let column = 0; column < this.#columns; column++) {
        const values = sheet.payoffs.map((table) => figure(table[row]?.[column]))
        const same = values.length > 2 && values.every((value) => value === values[0])
        const [x, y] = [place.x + (column + 0.5) * w, place.y + (row + 0.5) * h + 0.16]
        this.#text(same ? values[0] : values.join(', '), x, y, 25, ink, [0.5, 0.5], true).fit((w - 0.7) * UNIT)
        // inside the innermost frame of the trail
        place.counts.push(
          this.#text('', place.x + (column + 1) * w - 0.36, place.y + row * h + 0.4, 16, muted, [1, 0.5]),
        )
      }
    }
  }

  #drawHeads(place: Place, sheet: number): void {
    const { palette } = this.#stage
    const { actions, sheets } = this.#game
    const several = sheets.length > 1
    if (several) {
      const title =
        sheets.length > SHEETS && sheet === 0 ? words.firstTables(SHEETS, sheets.length) : sheets[sheet].title
      const label = this.#text(title, place.x, place.y - 0.72, 18, palette.ink, [0, 0.5], true)
      label.fit(this.#columns * this.#cellWidth * UNIT + SHEET_GAP_X * 0.4 * UNIT)
      this.#titles.push(label)
    }
    if (!this.#legible()) {
      const [first, last] = [actions[0][0] ?? '', actions[0].at(-1) ?? '']
      this.#text(first, place.x - 0.2, place.y + 0.2, 17, palette.muted, [1, 0.5])
      this.#text(last, place.x - 0.2, place.y + this.#rows * this.#cellHeight - 0.2, 17, palette.muted, [1, 0.5])
      this.#text(actions[1][0] ?? '', place.x, place.y - 0.25, 17, palette.muted, [0, 0.5])
      const right = place.x + this.#columns * this.#cellWidth
      this.#text(actions[1].at(-1) ?? '', right, place.y - 0.25, 17, palette.muted, [1, 0.5])
      return
    }
    const rowWidth = place.x === 0 ? ROW_HEAD - 0.4 : SHEET_GAP_X - 0.5
    const rows = actions[0].map((action, row) => {
      const y = place.y + (row + 0.5) * this.#cellHeight
      const label = this.#text(shorten(action, 13), place.x - 0.2, y, 19, palette.muted, [1, 0.5])
      label.fit(rowWidth * UNIT)
      return label
    })
    const columns = actions[1].map((action, column) => {
      const x = place.x + (column + 0.5) * this.#cellWidth
      const label = this.#text(shorten(action, 15), x, place.y - 0.3, 19, palette.muted, [0.5, 0.5])
      label.fit((this.#cellWidth - 0.2) * UNIT)
      return label
    })
    this.#heads[0] = [...(this.#heads[0] ?? []), rows]
    this.#heads[1] = [...(this.#heads[1] ?? []), columns]
  }

  #drawPlayers(): void {
    const { palette } = this.#stage
    const signs = new Graphics()
    this.#stage.root.addChild(signs)
    const lift = this.#game.sheets.length > 1 ? 0.35 : 0
    const row = this.#text('agent_0', -0.2, -0.3, 19, palette.ink, [1, 0.5], true)
    playerSign(signs, palette, 0, -0.2 * UNIT - row.width - 18, -0.3 * UNIT, 9)
    this.#text('agent_1', 0.42, -0.92 - lift, 19, palette.ink, [0, 0.5], true)
    playerSign(signs, palette, 1, 0.14 * UNIT, (-0.92 - lift) * UNIT, 9)
  }

  #drawPanels(): void {
    const { ink, muted } = this.#stage.palette
    const left = this.#wide() + 0.35
    this.#totals = []
    this.#payoffs = []
    for (let player = 0; player < this.#players; player++) {
      const top = player * PANEL_PITCH
      this.#text(`agent_${player}`, left + 0.6, top + 0.36, 17, muted, [0, 0.5])
      this.#text(words.total, left + 0.2, top + 0.84, 17, muted, [0, 0.5])
      this.#totals.push(this.#text('0', left + PANEL - 0.62, top + 0.82, 26, ink, [1, 0.5], true))
      this.#payoffs.push(this.#text('', left + PANEL - 0.56, top + 0.36, 17, ink, [1, 0.5]))
    }
  }

  #historyTop(): number {
    return this.#high() + 0.75
  }

  #drawHistoryHeads(): void {
    const { muted, ink } = this.#stage.palette
    const top = this.#historyTop()
    this.#text(words.history, 0, top - 0.26, 16, muted, [0, 0.5])
    this.#letters = Array.from({ length: this.#players }, (_, player) => {
      const y = top + player * (ROUND + 0.06) + ROUND / 2
      this.#text(`agent_${player}`, -0.2, y, 17, ink, [1, 0.5])
      return Array.from({ length: this.#rounds }, (_slot, slot) =>
        this.#text('', (slot + 0.5) * ROUND, y, 16, ink, [0.5, 0.5], true),
      )
    })
    // Letters lie above their tiles.
    this.#stage.root.setChildIndex(this.#history, 0)
  }

  /** Keeps what a frame tells of its round: recordings of one seat, and states, are not in the actions. */
  #remember(frame: Frame): void {
    const round = frame.step - 1
    if (round < 0) return
    const players = frame.entities.filter((entity) => entity.kind === 'player')
    const choices = players.map((player) => player.state?.action)
    if (choices.every((choice) => typeof choice === 'number')) this.#choices.set(round, choices as number[])
    const sheet = frame.entities.find((entity) => entity.id === 'choice')?.state?.sheet
    this.#sheetOf.set(round, typeof sheet === 'number' ? sheet : 0)
  }

  /** Actions of round `round` (0 = the first), or undefined where they are not known. */
  #choice(round: number): readonly number[] | undefined {
    const seen = this.#choices.get(round)
    if (seen !== undefined || !this.#whole || round < 0) return seen
    const { actions } = this.#stage
    const M = this.#players
    return round * M + M > actions.length ? undefined : Array.from(actions.subarray(round * M, round * M + M))
  }

  #drawHeat(frame: Frame): void {
    const { palette } = this.#stage
    const [w, h] = [this.#cellWidth * UNIT, this.#cellHeight * UNIT]
    const layers = frame.layers ?? []
    const most = layers.reduce((top, layer) => layer.cells.reduce((a, b) => Math.max(a, b), top), 1)
    this.#heat.clear()
    this.#places.forEach(({ x, y, counts }, sheet) => {
      const [x0, y0] = [x * UNIT, y * UNIT]
      this.#heat.rect(x0, y0, this.#columns * w, this.#rows * h).fill(palette.corridor)
      const cells = layers[sheet]?.cells ?? []
      for (let cell = 0; cell < this.#rows * this.#columns; cell++) {
        const times = cells[cell] ?? 0
        counts[cell]?.set(times > 0 ? `×${times}` : '')
        if (times === 0) continue
        const alpha = 0.08 + 0.3 * (times / most)
        this.#heat
          .rect(x0 + (cell % this.#columns) * w, y0 + Math.floor(cell / this.#columns) * h, w, h)
          .fill({ color: palette.accent, alpha })
      }
    })
  }

  #drawChoice(frame: Frame): void {
    const { accent } = this.#stage.palette
    const [w, h] = [this.#cellWidth * UNIT, this.#cellHeight * UNIT]
    const tiny = Math.min(w, h) < 40
    this.#outline.clear()
    for (let age = TRAIL; age >= 0; age--) {
      const round = frame.step - 1 - age
      const choice = this.#choice(round)
      if (choice === undefined) continue
      const known = this.#sheetOf.get(round)
      const sheet = known ?? (this.#game.states.length > 0 ? -1 : this.#sheetOfChoices(choice))
      const place = this.#places[sheet]
      if (place === undefined) continue
      const inset = tiny ? -1 : age === 0 ? 2 : 5 + age * 3
      this.#outline
        .roundRect(
          place.x * UNIT + choice[1] * w + inset,
          place.y * UNIT + choice[0] * h + inset,
          Math.max(6, w - 2 * inset),
          Math.max(6, h - 2 * inset),
          tiny ? 2 : 6,
        )
        .stroke({
          color: accent,
          width: age === 0 ? (tiny ? 3 : 6) : 1.5,
          alpha: age === 0 ? 1 : 0.95 - age * 0.2,
        })
    }
  }

  #drawHistory(step: number): void {
    const { palette } = this.#stage
    const top = this.#historyTop()
    const first = Math.max(0, step - this.#rounds)
    this.#history.clear()
    for (let player = 0; player < this.#players; player++) {
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
        const sign = signOf(this.#game.actions[player], action)
        letter.set(sign.length > 2 ? '' : sign)
        letter.tint(textOn(colour))
      }
    }
  }

  #stripTop(): number {
    return this.#historyTop() + this.#players * (ROUND + 0.06) + 0.55
  }

  /** Left edge of a player's part of the strip, and its width. */
  #stripPart(player: number): [left: number, width: number] {
    const width = (this.#wide() + PANEL - 0.4) / 2
    return [player * (width + 0.4), width - 0.2]
  }

  #drawStripHeads(): void {
    if (this.#strategies === 'none') return
    const { muted, ink } = this.#stage.palette
    const top = this.#stripTop()
    const names = this.#game.actions[0]
    if (this.#strategies === 'bars') {
      this.#text(words.after(names[0] ?? ''), 0, top - 0.24, 16, muted, [0, 0.5])
      const signs = [0, 1].map((action) => signOf(names, action))
      for (const player of [0, 1]) {
        const [left, width] = this.#stripPart(player)
        const pairs = [0, 1, 2, 3].map((k) => `${signs[k >> 1]}${signs[k & 1]}`)
        pairs.forEach((pair, k) => {
          this.#text(pair, left + ((k + 0.5) * width) / 4, top + 1.62, 16, k < 4 ? ink : muted, [0.5, 0.5])
        })
      }
      return
    }
    this.#text(words.mixed, 0, top - 0.24, 16, muted, [0, 0.5])
    const corners = simplexCorners()
    for (const player of [0, 1]) {
      const [left] = this.#stripPart(player)
      corners.forEach(([x, y], action) => {
        const side = action === 0 ? 0.5 : action === 1 ? 1 : 0
        const dx = action === 0 ? 0 : action === 1 ? -0.08 : 0.08
        const name = shorten(this.#game.actions[player][action], 9)
        this.#text(name, left + 0.9 + x * 1.7 + dx, top + 0.22 + y * 1.45 + (action === 0 ? -0.02 : 0.04), 14, ink, [side, action === 0 ? 1 : 0.5]) // prettier-ignore
      })
    }
  }

  /** Up to `step`: chances after each joint action, or the way of the mean strategy. */
  #drawStrip(step: number): void {
    this.#strip.clear()
    if (this.#strategies === 'none') return
    const { palette } = this.#stage
    const top = this.#stripTop() * UNIT
    for (const player of [0, 1]) {
      const [left, width] = this.#stripPart(player)
      const colour = agentColour(palette, player)
      if (this.#strategies === 'bars') this.#drawBars(player, step, left * UNIT, top, width * UNIT, colour)
      else this.#drawSimplex(player, step, left * UNIT, top, colour)
    }
  }

  #drawBars(player: number, step: number, left: number, top: number, width: number, colour: number): void {
    const { palette } = this.#stage
    const seen = [0, 0, 0, 0]
    const first = [0, 0, 0, 0]
    for (let round = 1; round < step; round++) {
      const [now, last] = [this.#choice(round), this.#choice(round - 1)]
      if (now === undefined || last === undefined) continue
      const after = last[player] * 2 + last[1 - player]
      seen[after]++
      if (now[player] === 0) first[after]++
    }
    const height = 1.4 * UNIT
    for (let k = 0; k < 4; k++) {
      const x = left + (k * width) / 4 + 6
      const w = width / 4 - 12
      this.#strip.rect(x, top, w, height).fill(palette.corridor)
      if (seen[k] === 0) continue
      const share = first[k] / seen[k]
      this.#strip.rect(x, top + height * (1 - share), w, Math.max(3, height * share)).fill(colour)
    }
  }

  #drawSimplex(player: number, step: number, left: number, top: number, colour: number): void {
    const { palette } = this.#stage
    const corners = simplexCorners()
    const x0 = left + 0.9 * UNIT
    const at = (weights: readonly number[]): [number, number] => [
      x0 + corners.reduce((sum, [x], k) => sum + x * weights[k], 0) * 1.7 * UNIT,
      top + (0.22 + 1.45 * corners.reduce((sum, [, y], k) => sum + y * weights[k], 0)) * UNIT,
    ]
    this.#strip
      .poly([...at([1, 0, 0]), ...at([0, 1, 0]), ...at([0, 0, 1])])
      .fill(palette.corridor)
      .stroke({ color: palette.line, width: 2 })
    const counts = [0, 0, 0]
    let drawn = 0
    for (let round = 0; round < step; round++) {
      const action = this.#choice(round)?.[player]
      if (action === undefined) continue
      counts[action]++
      drawn++
      const [x, y] = at(counts.map((count) => count / drawn))
      if (drawn === 1) this.#strip.moveTo(x, y)
      else this.#strip.lineTo(x, y)
    }
    if (drawn === 0) return
    this.#strip.stroke({ color: colour, width: 2.5, alpha: 0.7 })
    const [x, y] = at(counts.map((count) => count / drawn))
    this.#strip.circle(x, y, 6).fill(colour)
  }
}

/** Corners of the simplex in a unit box: the first action on top, the second left, the third right. */
function simplexCorners(): readonly (readonly [number, number])[] {
  return [
    [0.5, 0],
    [0, 1],
    [1, 1],
  ]
}

/** Row player filled square, column player outlined circle, others filled circles: a second sign beside the colour. */
function playerSign(graphics: Graphics, palette: Palette, player: number, x: number, y: number, r: number): void {
  const colour = agentColour(palette, player)
  if (player === 0) graphics.roundRect(x - r, y - r, 2 * r, 2 * r, 3).fill(colour)
  else if (player === 1) graphics.circle(x, y, r - 1).stroke({ color: colour, width: 5 })
  else graphics.circle(x, y, r).fill(colour)
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

/** One capital per action; numbers where two actions begin alike; names where they are numbers. */
function signOf(names: readonly string[], action: number): string {
  if (/^\d+$/.test(names[action] ?? '')) return names[action]
  const first = names.map((name) => name.charAt(0).toUpperCase())
  return new Set(first).size === first.length ? first[action] : String(action)
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`
}

function gameOf(spec: EnvSpec | null): Game {
  const scene = spec?.world.scene as
    (Partial<Omit<Game, 'sheets'>> & { payoffs?: Sheet['payoffs']; sheets?: readonly Sheet[] }) | undefined
  if (!Array.isArray(scene?.actions) || !Array.isArray(scene.payoffs) || scene.actions.length < 2) return EMPTY_GAME
  const sheets = scene.sheets ?? [{ title: '', payoffs: scene.payoffs }]
  const { actions, equilibria = [], best = [], states = [] } = scene
  // where every joint action is as good, a mark on each says nothing
  const all = actions.reduce((product, names) => product * names.length, 1)
  return { actions, sheets, equilibria, best: best.length < all ? best : [], states }
}
