/**
 * Spectrum access as a waterfall: channels above, users below, time from left to right with the newest slot at the right.
 * A block in a channel row is a success (the number says whose), a cross a collision, hatching a primary user, bars a jammer.
 * Beside the rows the share of successful slots, above them the totals so far.
 */
import { Graphics } from 'pixi.js'
import { type Entity, type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { figure, strings } from '../strings.ts'
import { agentColour, textOn, type Palette } from '../theme.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

const words = strings.scenes.spectrum

/** Sizes in world units. */
const CELL = 0.3
const HEAD = 2.5 // names of rows
const BARS = 3.3
const TOP = 2.1 // totals
const GAP = 0.85 // between channels and users
const TALLEST = 1
const SHORTEST = 0.24
/** Height that the rows share when there are few. */
const ROOM = 14
/** Rows lower than this have no names of their own, every tenth does. */
const READABLE = 0.42
/** Numbers are written into so many cells at most: each is a text. */
const MOST_NUMBERS = 480

// Bits of the layer `channels` and results of the layer `users`, as envs/spectrum/frame.ts writes them.
const PRIMARY = 4
const JAM = 8
const SENT = 16
const COLLISION = 2
const BEFORE = 32
const [, SUCCESS, COLLIDED, HIT, JAMMED, EMPTY, DEFERRED, HELD] = [0, 1, 2, 3, 4, 5, 6, 7]
const UNSEEN = 9
const NOBODY = -1

interface World {
  readonly users: number
  readonly channels: number
  readonly slots: number
  readonly seat: boolean
  readonly pu: string
  readonly jammer: string
  readonly waits: boolean
  readonly shared: boolean
}

const EMPTY_WORLD: World = {
  users: 0,
  channels: 0,
  slots: 40,
  seat: false,
  pu: 'none',
  jammer: 'none',
  waits: false,
  shared: false,
}

export class SpectrumScene implements Scene {
  #stage!: SceneStage
  #world: World = EMPTY_WORLD
  #row = TALLEST
  #ground = new Graphics()
  #cells = new Graphics()
  #marks = new Graphics()
  #frame = new Graphics()
  #numbers: Label[] = []
  #names: Label[] = []
  #shares: Label[] = []
  #totals: Label[] = []

  mount(stage: SceneStage, spec: EnvSpec | null, _first: Frame): void {
    this.#stage = stage
    this.#world = { ...EMPTY_WORLD, ...(spec?.world.scene as Partial<World> | undefined) }
    const { users, channels, slots } = this.#world
    this.#row = Math.max(SHORTEST, Math.min(TALLEST, ROOM / Math.max(1, users + channels)))
    this.#ground = new Graphics()
    this.#cells = new Graphics()
    this.#marks = new Graphics()
    this.#frame = new Graphics()
    stage.root.addChild(this.#ground, this.#cells, this.#marks, this.#frame)
    this.#numbers = []
    if (channels * slots <= MOST_NUMBERS && this.#row >= READABLE) {
      const size = Math.min(0.27, this.#row * 0.6) * UNIT
      for (let i = 0; i < channels * slots; i++) {
        const [k, column] = [Math.floor(i / slots), i % slots]
        const y = this.#channelTop(k) + this.#row / 2
        this.#numbers.push(this.#text('', (column + 0.5) * CELL, y, size, stage.palette.ink, 0.5, true))
      }
    }
    this.#drawHeads()
  }

  box(): Box {
    const { slots } = this.#world
    return { x: -HEAD, y: -TOP, width: HEAD + slots * CELL + BARS, height: TOP + this.#bottom() + 0.2 }
  }

  draw(before: Frame, _after: Frame, _fraction: number, selection: Selection): void {
    const { users, channels, slots } = this.#world
    const layer = (name: string) => before.layers?.find((one) => one.name === name)?.cells ?? []
    const channelCells = layer('channels')
    const userCells = layer('users')
    for (const graphics of [this.#ground, this.#cells, this.#marks, this.#frame]) graphics.clear()
    // Who succeeded: −1 nobody, −n for n users at once (neighbours far apart), else the user.
    const owner = new Int32Array(channels * slots).fill(NOBODY)
    for (let n = 0; n < users; n++) {
      for (let column = 0; column < slots; column++) {
        const code = userCells[n * slots + column] ?? UNSEEN
        if ((code & 15) !== SUCCESS) continue
        const at = ((code >> 4) - 1) * slots + column
        owner[at] = owner[at] === NOBODY ? n : owner[at] >= 0 ? -2 : owner[at] - 1
      }
    }
    this.#drawGround(Math.min(before.step, slots))
    this.#drawChannels(channelCells, owner)
    this.#drawUsers(userCells)
    if (this.#world.seat) this.#drawJammer(channelCells)
    this.#drawShares(before, channelCells, owner)
    this.#drawTotals(before)
    this.#drawSelection(selection, userCells)
  }

  pick(_x: number, y: number): string | null {
    const { users, seat } = this.#world
    const row = Math.floor((y - this.#userTop(0)) / this.#row)
    if (row >= 0 && row < users) return `agent_${row}`
    return seat && row === users ? 'jammer' : null
  }

  legend(): readonly LegendItem[] {
    const { palette } = this.#stage
    const { pu, jammer, waits, shared } = this.#world
    const red = collisionColour(palette)
    const cell = { kind: 'rect', numbers: [7, 3, 10, 18, 0] } as const
    const items: (LegendItem | false)[] = [
      { label: words.success, shapes: [{ ...cell, fill: agentColour(palette, 0) }] },
      shared && {
        label: words.several,
        shapes: [{ ...cell, fill: palette.muted }],
      },
      {
        label: words.collision,
        shapes: [
          { ...cell, fill: palette.corridor },
          { kind: 'path', d: 'M7 6 17 18M17 6 7 18', stroke: red, width: 2.5 },
        ],
      },
      pu !== 'none' && {
        label: words.primary,
        shapes: [
          { ...cell, fill: palette.fixture },
          { kind: 'path', d: 'M7 12 17 4M7 20 17 12', stroke: palette.fixtureLine, width: 1.5 },
        ],
      },
      pu !== 'none' && {
        label: words.interference,
        shapes: [
          { ...cell, fill: palette.fixture },
          { kind: 'path', d: 'M12 7 17 17H7z', fill: palette.ink },
        ],
      },
      jammer !== 'none' && {
        label: words.jammed,
        shapes: [
          { ...cell, fill: palette.corridor },
          { kind: 'path', d: 'M7 7H17M7 12H17M7 17H17', stroke: palette.ink, width: 2 },
        ],
      },
      { label: words.idle, shapes: [{ ...cell, fill: palette.corridor, stroke: palette.line }] },
      waits && {
        label: words.waited,
        shapes: [
          { ...cell, fill: palette.corridor },
          { kind: 'circle', numbers: [12, 12, 2.5], fill: palette.muted },
        ],
      },
    ]
    return items.filter((item) => item !== false)
  }

  dispose(): void {
    this.#numbers = []
    this.#names = []
    this.#shares = []
    this.#totals = []
  }

  // --- places --------------------------------------------------------------------------------------------------------

  #channelTop(k: number): number {
    return k * this.#row
  }

  #userTop(n: number): number {
    return this.#world.channels * this.#row + GAP + n * this.#row
  }

  #bottom(): number {
    return this.#userTop(this.#world.users + (this.#world.seat ? 1 : 0))
  }

  #text(text: string, x: number, y: number, size: number, colour: number, anchor: number, bold = false): Label {
    const label = this.#stage.label(text, { size, colour, anchor: [anchor, 0.5], weight: bold ? 'bold' : 'regular' })
    label.view.position.set(x * UNIT, y * UNIT)
    this.#stage.root.addChild(label.view)
    return label
  }

  // --- what never changes --------------------------------------------------------------------------------------------

  #drawHeads(): void {
    const { palette } = this.#stage
    const { users, channels, slots, seat } = this.#world
    const right = slots * CELL
    const every = this.#row >= READABLE ? 1 : Math.ceil(READABLE / this.#row)
    const size = Math.min(0.46, Math.max(this.#row, READABLE) * 0.8) * UNIT
    this.#names = []
    this.#shares = []
    const head = (text: string, y: number) => {
      this.#text(text, -0.2, y, size, palette.ink, 1).fit((HEAD - 0.3) * UNIT)
    }
    for (let k = 0; k < channels; k += every) head(words.channel(k), this.#channelTop(k) + this.#row / 2)
    for (let n = 0; n < users; n++) {
      const y = this.#userTop(n) + this.#row / 2
      const name = this.#text(n % every === 0 ? `agent_${n}` : '', -0.2, y, size, palette.ink, 1)
      name.fit((HEAD - 0.3) * UNIT)
      this.#names.push(name)
    }
    if (seat) head('jammer', this.#userTop(users) + this.#row / 2)
    const note = 0.38 * UNIT
    this.#text(words.newest, right, this.#userTop(0) - GAP / 2, note, palette.muted, 1)
    this.#text(words.lately(slots), right + 0.25, -0.32, note, palette.muted, 0).fit((BARS - 0.3) * UNIT)
    this.#text(words.soFar, right + 0.25, this.#userTop(0) - GAP / 2, note, palette.muted, 0).fit((BARS - 0.3) * UNIT)
    const rows = channels + users
    for (let row = 0; row < rows; row++) {
      const top = row < channels ? this.#channelTop(row) : this.#userTop(row - channels)
      const index = row < channels ? row : row - channels
      const x = right + BARS - 0.1
      const label = this.#text('', x, top + this.#row / 2, size, palette.ink, 1)
      label.view.visible = index % every === 0
      this.#shares.push(label)
    }
    this.#totals = [words.perChannel, words.fairness, words.collisionRate].map((title, i) => {
      const x = -HEAD + 0.2 + (i * (HEAD + right + BARS)) / 3
      this.#text(title, x, -TOP + 0.35, note, palette.muted, 0).fit(((HEAD + right + BARS) / 3 - 0.8) * UNIT)
      return this.#text('', x, -TOP + 0.95, 0.66 * UNIT, palette.ink, 0, true)
    })
  }

  // --- what a slot changes -------------------------------------------------------------------------------------------

  /** @param seen slots of the episode so far, at most those shown */
  #drawGround(seen: number): void {
    const { palette } = this.#stage
    const { users, channels, slots, seat } = this.#world
    const left = (slots - seen) * CELL * UNIT
    const width = seen * CELL * UNIT
    if (seen === 0) return
    const inset = this.#row > READABLE ? 0.04 : 0.02
    const strip = (top: number) =>
      this.#ground.rect(left, (top + inset) * UNIT, width, (this.#row - 2 * inset) * UNIT).fill(palette.corridor)
    for (let k = 0; k < channels; k++) strip(this.#channelTop(k))
    for (let n = 0; n < users + (seat ? 1 : 0); n++) strip(this.#userTop(n))
  }

  /** A cell of a row, slightly smaller than its place. */
  #cell(graphics: Graphics, column: number, top: number, part = 1): Graphics {
    const inset = this.#row > READABLE ? 0.04 : 0.02
    const height = (this.#row - 2 * inset) * part
    const y = top + (this.#row - height) / 2
    return graphics.rect((column * CELL + 0.015) * UNIT, y * UNIT, (CELL - 0.03) * UNIT, height * UNIT)
  }

  #cross(column: number, top: number): void {
    const [left, right] = [(column + 0.14) * CELL * UNIT, (column + 0.86) * CELL * UNIT]
    const middle = (top + this.#row / 2) * UNIT
    const arm = Math.min(this.#row * 0.36, CELL * 0.6) * UNIT
    this.#marks
      .moveTo(left, middle - arm)
      .lineTo(right, middle + arm)
      .moveTo(right, middle - arm)
      .lineTo(left, middle + arm)
  }

  #hatch(column: number, top: number): void {
    const [left, right] = [column * CELL * UNIT + 1, (column + 1) * CELL * UNIT - 1]
    const lines = Math.max(1, Math.round(this.#row / 0.33))
    const pitch = (this.#row * UNIT) / lines
    for (let line = 0; line < lines; line++) {
      const y = top * UNIT + line * pitch
      this.#frame.moveTo(left, y + pitch * 0.85).lineTo(right, y + pitch * 0.15)
    }
  }

  #bars(column: number, top: number): void {
    const [left, right] = [(column + 0.12) * CELL * UNIT, (column + 0.88) * CELL * UNIT]
    for (const part of [0.25, 0.5, 0.75]) {
      const y = (top + part * this.#row) * UNIT
      this.#marks.moveTo(left, y).lineTo(right, y)
    }
  }

  #triangle(graphics: Graphics, column: number, top: number): void {
    const x = (column + 0.5) * CELL * UNIT
    const y = (top + this.#row / 2) * UNIT
    const r = Math.min(CELL * 0.36, this.#row * 0.3) * UNIT
    graphics.poly([x, y - r, x + r, y + r, x - r, y + r])
  }

  /** Calls `paint` for every cell of a layer that passes, so that alike things are filled in one go. */
  #each(rows: number, top: (row: number) => number, paint: (row: number, column: number, top: number) => void): void {
    const { slots } = this.#world
    for (let row = 0; row < rows; row++) {
      const y = top(row)
      for (let column = 0; column < slots; column++) paint(row, column, y)
    }
  }

  #drawChannels(cells: readonly number[], owner: Int32Array): void {
    const { palette } = this.#stage
    const { channels, slots } = this.#world
    const at = (row: number, column: number) => cells[row * slots + column] ?? BEFORE
    const top = (k: number) => this.#channelTop(k)
    let any = false
    this.#each(channels, top, (k, column, y) => {
      if ((at(k, column) & PRIMARY) === 0) return
      this.#cell(this.#cells, column, y)
      any = true
    })
    if (any) this.#cells.fill(palette.fixture)
    any = false
    this.#each(channels, top, (k, column, y) => {
      if ((at(k, column) & PRIMARY) === 0) return
      this.#hatch(column, y)
      any = true
    })
    if (any) this.#frame.stroke({ color: palette.fixtureLine, width: 2 })
    const numbered = this.#numbers.length > 0
    for (const label of this.#numbers) label.set('')
    this.#each(channels, top, (k, column, y) => {
      const user = owner[k * slots + column]
      if (user === NOBODY) return
      const colour = !numbered ? palette.accent : user >= 0 ? agentColour(palette, user) : palette.muted
      this.#cell(this.#cells, column, y).fill(colour)
      if (!numbered) return
      const label = this.#numbers[k * slots + column]
      label.set(user >= 0 ? String(user) : `×${-user}`)
      label.tint(textOn(colour))
      label.fit(CELL * 0.9 * UNIT)
    })
    any = false
    this.#each(channels, top, (k, column, y) => {
      if ((at(k, column) & COLLISION) === 0) return
      this.#cross(column, y)
      any = true
    })
    if (any) this.#marks.stroke({ color: collisionColour(palette), width: 4 })
    any = false
    this.#each(channels, top, (k, column, y) => {
      if ((at(k, column) & JAM) === 0) return
      this.#bars(column, y)
      any = true
    })
    if (any) this.#marks.stroke({ color: palette.ink, width: 3.5, alpha: 0.8 })
    any = false
    this.#each(channels, top, (k, column, y) => {
      const code = at(k, column)
      if ((code & PRIMARY) === 0 || (code & SENT) === 0 || owner[k * slots + column] !== NOBODY) return
      this.#triangle(this.#marks, column, y)
      any = true
    })
    if (any) this.#marks.fill(palette.ink)
  }

  #drawUsers(cells: readonly number[]): void {
    const { palette } = this.#stage
    const { users, slots } = this.#world
    const at = (row: number, column: number) => (cells[row * slots + column] ?? UNSEEN) & 15
    const top = (n: number) => this.#userTop(n)
    for (let n = 0; n < users; n++) {
      let any = false
      for (let column = 0; column < slots; column++) {
        if (at(n, column) !== SUCCESS) continue
        this.#cell(this.#cells, column, top(n), 0.8)
        any = true
      }
      if (any) this.#cells.fill(agentColour(palette, n))
    }
    const pass = (
      wanted: (result: number) => boolean,
      paint: (column: number, y: number) => void,
      done: () => void,
    ) => {
      let any = false
      this.#each(users, top, (n, column, y) => {
        if (!wanted(at(n, column))) return
        paint(column, y)
        any = true
      })
      if (any) done()
    }
    pass(
      (result) => result === COLLIDED,
      (column, y) => this.#cross(column, y),
      () => this.#marks.stroke({ color: collisionColour(palette), width: 4 }),
    )
    pass(
      (result) => result === HIT,
      (column, y) => this.#triangle(this.#marks, column, y),
      () => this.#marks.fill(palette.ink),
    )
    pass(
      (result) => result === JAMMED,
      (column, y) => this.#bars(column, y),
      () => this.#marks.stroke({ color: palette.ink, width: 3.5, alpha: 0.8 }),
    )
    pass(
      (result) => result === DEFERRED || result === HELD || result === EMPTY,
      (column, y) => this.#marks.circle((column + 0.5) * CELL * UNIT, (y + this.#row / 2) * UNIT, 0.06 * UNIT),
      () => this.#marks.fill(palette.muted),
    )
  }

  /** The seat's own row: a mark where it jammed anything; the channel rows say what. */
  #drawJammer(cells: readonly number[]): void {
    const { users, channels, slots } = this.#world
    let any = false
    for (let column = 0; column < slots; column++) {
      for (let k = 0; k < channels; k++) {
        if (((cells[k * slots + column] ?? 0) & JAM) === 0) continue
        this.#bars(column, this.#userTop(users))
        any = true
      }
    }
    if (any) this.#marks.stroke({ color: this.#stage.palette.ink, width: 3.5, alpha: 0.8 })
  }

  #drawShares(frame: Frame, cells: readonly number[], owner: Int32Array): void {
    const { palette } = this.#stage
    const { users, channels, slots } = this.#world
    const left = slots * CELL + 0.25
    const room = BARS - 1.65
    const bar = (top: number, share: number, colour: number) => {
      const height = this.#row * 0.5
      const y = (top + (this.#row - height) / 2) * UNIT
      this.#cells.rect(left * UNIT, y, room * UNIT, height * UNIT).fill(palette.corridor)
      if (share > 0) this.#cells.rect(left * UNIT, y, room * share * UNIT, height * UNIT).fill(colour)
    }
    for (let k = 0; k < channels; k++) {
      let [won, slotsSeen] = [0, 0]
      for (let column = 0; column < slots; column++) {
        if ((cells[k * slots + column] & BEFORE) !== 0) continue
        slotsSeen++
        if (owner[k * slots + column] !== NOBODY) won++
      }
      const share = slotsSeen === 0 ? 0 : won / slotsSeen
      bar(this.#channelTop(k), share, palette.accent)
      this.#shares[k].set(slotsSeen === 0 ? '' : share.toFixed(2))
    }
    const bodies = new Map(frame.entities.map((entity): [string, Entity] => [entity.id, entity]))
    for (let n = 0; n < users; n++) {
      const state = bodies.get(`agent_${n}`)?.state
      const share = Number(state?.throughput ?? 0)
      bar(this.#userTop(n), Math.min(1, share), agentColour(palette, n))
      this.#shares[channels + n].set(state?.throughput == null ? '' : share.toFixed(2))
      this.#names[n].tint(state?.present === false ? palette.muted : palette.ink)
    }
  }

  #drawTotals({ counters }: Frame): void {
    const { throughputPerChannel, jain, sends, collidedSends } = counters
    const short = (value: number | undefined) => (value === undefined ? '–' : figure(Number(value.toFixed(3))))
    this.#totals[0].set(short(throughputPerChannel))
    this.#totals[1].set(short(jain))
    this.#totals[2].set(short(sends > 0 ? collidedSends / sends : undefined))
  }

  /** A line around the user's row, and around the cells of the channels where it sent. */
  #drawSelection(selection: Selection, cells: readonly number[]): void {
    const { accent } = this.#stage.palette
    const { users, slots } = this.#world
    const n = Number(/^agent_(\d+)$/.exec(selection.agent ?? '')?.[1] ?? -1)
    const row = selection.agent === 'jammer' ? users : n
    if (row < 0 || row > users) return
    const wide = (HEAD + slots * CELL) * UNIT
    this.#frame
      .roundRect((0.1 - HEAD) * UNIT, this.#userTop(row) * UNIT, wide, this.#row * UNIT, 6)
      .stroke({ color: accent, width: 4 })
    if (row === users) return
    for (let column = 0; column < slots; column++) {
      const channel = ((cells[row * slots + column] ?? 0) >> 4) - 1
      if (channel >= 0) this.#cell(this.#frame, column, this.#channelTop(channel)).stroke({ color: accent, width: 3 })
    }
  }
}

/** Vermilion of the palette; a cross always goes with it. */
function collisionColour(palette: Palette): number {
  return agentColour(palette, 5)
}
