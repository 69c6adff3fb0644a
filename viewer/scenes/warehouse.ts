/**
 * The robotic warehouse, flat and legible from 12 pixels per cell: floor in two near tones, shelves as rounded squares,
 * requested ones with a ring and a dot, robots as discs with a nose and their number, goals hatched.
 */
import { Container, Graphics, type Sprite } from 'pixi.js'
import { type Entity, type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { strings } from '../strings.ts'
import { agentColour, hex, textOn, type Palette } from '../theme.ts'
import { placeOf, tween, type Placed } from '../tween.ts'
import { PixelMap } from '../stage/pixel-map.ts'
import { ShapeSheet, type Painter } from '../stage/shape-sheet.ts'
import { type Box } from '../stage/camera.ts'
import { drawCorners } from '../stage/corners.ts'
import { UNIT, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

const words = strings.scenes.warehouse

/** Half sizes and radii, in drawing units. */
const SHELF = 0.36 * UNIT
const CARRIED = 0.45 * UNIT
const DISC = 0.31 * UNIT
const NOSE = 0.44 * UNIT
/** Half side and arm length of the corners around the selected robot. */
const CORNER = 0.58 * UNIT
const ARM = 0.2 * UNIT
/** Below this many pixels per cell a large floor is drawn as points, one pixel per cell of a texture. */
const FAR_SCALE = 7
/** From how many cells on a floor counts as large. */
const LARGE = 2000
/** Robots in a standstill are joined when they are no farther apart than this, in cells. */
const NEAR = 1.5

interface ShelfView {
  readonly view: Sprite
  requested: boolean
  /** Which drawing of the shelves it was last part of. */
  turn: number
}

interface RobotView {
  readonly view: Container
  readonly body: Sprite
  readonly carried: Sprite
  load: 'none' | 'shelf' | 'requested'
  turn: number
}

/** Where robots and shelves stand in the list of a frame, found once per frame. */
interface Listing {
  readonly robots: readonly number[]
  readonly shelves: readonly number[]
}

/** Shapes by their number on the sheet; after these come the bodies of robots, a colour each. */
const SHELF_SHAPE = 0
const REQUESTED_SHAPE = 1
const CARRIED_SHAPE = 2
const CARRIED_REQUESTED_SHAPE = 3
const STANDSTILL_SHAPE = 4
const BLOCKED_SHAPE = 5
const BODY_SHAPES = 6

export class WarehouseScene implements Scene {
  #stage!: SceneStage
  #sheet!: ShapeSheet
  #box: Box = { x: -0.5, y: -0.5, width: 1, height: 1 }
  #shelves = new Map<string, ShelfView>()
  #robots = new Map<string, RobotView>()
  #under = new Graphics()
  #over = new Graphics()
  #shelfLayer = new Container()
  #robotLayer = new Container()
  /** Robots in sight, as drawn last. */
  #placed: readonly Placed[] = []
  /** Halos and bars over robots, as many as were ever needed at once. */
  #marks: Sprite[] = []
  #markLayer = new Container()
  #listings = new WeakMap<Frame, Listing>()
  /** What the shelves on the stage are of: the frame, and the part of the floor in sight. */
  #shelved: { frame: Frame; x: number; y: number; width: number; height: number } | null = null
  #far: { map: PixelMap; ground: Uint32Array; frame: Frame | null } | null = null
  #rows: readonly string[] = []
  #turn = 0
  #shown: Frame | null = null

  mount(stage: SceneStage, spec: EnvSpec | null, first: Frame): void {
    this.#stage = stage
    this.#sheet = new ShapeSheet(paintersOf(stage.palette))
    this.#shelves = new Map()
    this.#robots = new Map()
    this.#placed = []
    this.#marks = []
    this.#markLayer = new Container()
    this.#shelved = null
    this.#far = null
    this.#shown = null
    const rows = rowsOf(spec, first)
    this.#rows = rows
    this.#box = { x: -0.5, y: -0.5, width: Math.max(...rows.map((row) => row.length)), height: rows.length }
    this.#under = new Graphics()
    this.#over = new Graphics()
    // A layer that stands still is put together once, not in every picture.
    this.#shelfLayer = new Container({ isRenderGroup: true })
    this.#robotLayer = new Container()
    const goals = first.entities.filter((entity) => entity.kind === 'goal')
    stage.root.addChild(
      drawFloor(rows, stage.palette),
      drawGoals(goals, stage.palette),
      this.#shelfLayer,
      this.#under,
      this.#robotLayer,
      this.#markLayer,
      this.#over,
    )
  }

  box(): Box {
    return this.#box
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const { scale, visible } = this.#stage.camera
    const far = scale < FAR_SCALE && this.#box.width * this.#box.height > LARGE
    this.#shown = before
    this.#shelfLayer.visible = !far
    this.#robotLayer.visible = !far
    this.#markLayer.visible = !far
    if (this.#far !== null) this.#far.map.sprite.visible = far
    this.#under.clear()
    this.#over.clear()
    if (far) {
      this.#placed = []
      this.#drawPoints(before)
      const selected = selection.agent === null ? null : placeOf(before, after, fraction, selection.agent)
      if (selected !== null) this.#drawFarSelection(selected, scale)
      return
    }
    const { robots: all, shelves } = this.#listingOf(before)
    this.#drawShelves(before, shelves)
    const inside = all.filter((index) => {
      const { x, y } = before.entities[index]
      return (
        x > visible.x - 2 &&
        y > visible.y - 2 &&
        x < visible.x + visible.width + 2 &&
        y < visible.y + visible.height + 2
      )
    })
    const robots = tween(before, after, fraction, inside)
    this.#placed = robots
    this.#turn++
    for (const at of robots) this.#drawRobot(at)
    // Robots out of sight leave the stage, so that it holds no more of them than one can see.
    if (this.#robots.size > robots.length) {
      for (const [id, { view, turn }] of this.#robots) {
        if (turn === this.#turn) continue
        view.destroy({ children: true })
        this.#robots.delete(id)
      }
    }
    const selected = robots.find(({ entity }) => entity.id === selection.agent)
    if (selected !== undefined) this.#drawSelection(selected)
    const still = robots.filter(({ entity }) => entity.state?.standstill === true)
    const blocked = robots.filter(({ entity }) => entity.state?.blocked === true)
    this.#joinStandstill(still)
    this.#mark(still, blocked)
    for (const event of before.events) {
      if (event.kind !== 'delivery') continue
      for (const id of event.agents ?? []) {
        const at = robots.find(({ entity }) => entity.id === id)
        if (at !== undefined) this.#drawDelivery(at)
      }
    }
  }

  pick(x: number, y: number): string | null {
    let nearest: string | null = null
    let best = Math.max(0.6, 8 / this.#stage.camera.scale)
    const consider = (id: string, atX: number, atY: number) => {
      const away = Math.hypot(atX - x, atY - y)
      if (away < best) [best, nearest] = [away, id]
    }
    for (const at of this.#placed) consider(at.entity.id, at.x, at.y)
    if (this.#placed.length === 0 && this.#shown !== null) {
      for (const index of this.#listingOf(this.#shown).robots) {
        const entity = this.#shown.entities[index]
        consider(entity.id, entity.x, entity.y)
      }
    }
    return nearest
  }

  legend(): readonly LegendItem[] {
    const { palette } = this.#stage
    const { fixture, fixtureLine, accent, ink, storage, corridor, line, muted } = palette
    const blue = agentColour(palette, 0)
    const disc = [
      { kind: 'path' as const, d: 'M12 3 17 9H7z', fill: blue },
      { kind: 'circle' as const, numbers: [12, 13, 6.5], fill: blue, stroke: ink, width: 1 },
    ]
    const square = (half: number) => [12 - half, 12 - half, 2 * half, 2 * half, 3]
    return [
      { label: words.robot, shapes: disc },
      {
        label: words.loaded,
        shapes: [{ kind: 'rect', numbers: square(10.5), stroke: fixtureLine, width: 2.5 }, ...disc],
      },
      { label: words.shelf, shapes: [{ kind: 'rect', numbers: square(8), fill: fixture, stroke: fixtureLine }] },
      {
        label: words.requested,
        shapes: [
          { kind: 'rect', numbers: square(8), fill: fixture, stroke: accent, width: 3 },
          { kind: 'circle', numbers: [12, 12, 2.6], fill: accent },
        ],
      },
      {
        label: words.goal,
        shapes: [
          { kind: 'rect', numbers: [2, 2, 20, 20, 0], fill: storage, stroke: muted },
          { kind: 'path', d: 'M2 10 10 2M2 18 18 2M6 22 22 6M14 22l8-8', stroke: muted, width: 1.5 },
        ],
      },
      {
        label: words.delivery,
        shapes: [{ kind: 'path', d: 'M12 4l8 8-8 8-8-8z', fill: accent, stroke: palette.surface }],
      },
      { label: words.blocked, shapes: [{ kind: 'path', d: 'M5 12h14', stroke: ink, width: 4 }] },
      {
        label: words.standstill,
        shapes: [{ kind: 'circle', numbers: [12, 12, 9], stroke: ink, width: 2, dash: '4 3' }],
      },
      {
        label: words.sensor,
        shapes: [{ kind: 'rect', numbers: [2, 2, 20, 20, 1], fill: accent, stroke: accent, opacity: 0.35 }],
      },
      { label: words.corridor, shapes: [{ kind: 'rect', numbers: square(9), fill: corridor, stroke: line }] },
      { label: words.storage, shapes: [{ kind: 'rect', numbers: square(9), fill: storage, stroke: line }] },
    ]
  }

  dispose(): void {
    this.#far?.map.dispose()
    this.#far = null
    this.#shelves.clear()
    this.#robots.clear()
    this.#sheet.dispose()
  }

  #listingOf(frame: Frame): Listing {
    let listing = this.#listings.get(frame)
    if (listing === undefined) {
      const robots: number[] = []
      const shelves: number[] = []
      frame.entities.forEach(({ kind }, index) => {
        if (kind === 'robot') robots.push(index)
        else if (kind === 'shelf') shelves.push(index)
      })
      listing = { robots, shelves }
      this.#listings.set(frame, listing)
    }
    return listing
  }

  /** Shelves change on whole steps only, and those in sight with the camera: in between there is nothing to do. */
  #drawShelves(frame: Frame, shelves: readonly number[]): void {
    const { x, y, width, height } = this.#stage.camera.visible
    const past = this.#shelved
    if (
      past !== null &&
      past.frame === frame &&
      past.x === x &&
      past.y === y &&
      past.width === width &&
      past.height === height
    ) {
      return
    }
    this.#shelved = { frame, x, y, width, height }
    this.#turn++
    let drawn = 0
    for (const index of shelves) {
      const entity = frame.entities[index]
      if (entity.x < x - 1 || entity.y < y - 1 || entity.x > x + width + 1 || entity.y > y + height + 1) continue
      this.#drawShelf(entity)
      drawn++
    }
    if (this.#shelves.size === drawn) return
    for (const [id, { view, turn }] of this.#shelves) {
      if (turn === this.#turn) continue
      view.destroy()
      this.#shelves.delete(id)
    }
  }

  /** The whole floor as one texture: what never changes is painted once, shelves and robots once per step. */
  #drawPoints(frame: Frame): void {
    const { palette } = this.#stage
    if (this.#far === null) {
      const map = new PixelMap(this.#box.width, this.#box.height)
      this.#rows.forEach((row, y) => {
        for (let x = 0; x < row.length; x++) if (row[x] === 'x' || row[x] === 'X') map.set(x, y, palette.storage)
      })
      for (const { kind, x, y } of frame.entities) if (kind === 'goal') map.set(x, y, palette.muted)
      this.#far = { map, ground: map.keep(), frame: null }
      this.#stage.root.addChildAt(map.sprite, this.#stage.root.getChildIndex(this.#shelfLayer))
    }
    const { map, ground } = this.#far
    if (this.#far.frame === frame) return
    this.#far.frame = frame
    map.restore(ground)
    const { robots, shelves } = this.#listingOf(frame)
    for (const index of shelves) {
      const { x, y, state } = frame.entities[index]
      if (state?.carriedBy == null) map.set(x, y, state?.requested === true ? palette.accent : palette.fixture)
    }
    for (const index of robots) {
      const entity = frame.entities[index]
      map.set(entity.x, entity.y, agentColour(palette, numberOf(entity, index)))
    }
    map.show()
  }

  /** A ring that is seen from far away. */
  #drawFarSelection({ x, y }: Placed, scale: number): void {
    const { ink, surface } = this.#stage.palette
    const radius = (9 / scale) * UNIT
    const width = (2.5 / scale) * UNIT
    this.#over.circle(x * UNIT, y * UNIT, radius).stroke({ color: surface, width: 2 * width })
    this.#over.circle(x * UNIT, y * UNIT, radius).stroke({ color: ink, width })
  }

  #drawShelf(entity: Entity): void {
    const requested = entity.state?.requested === true
    let shelf = this.#shelves.get(entity.id)
    if (shelf === undefined) {
      shelf = { view: this.#sheet.sprite(SHELF_SHAPE), requested: false, turn: 0 }
      this.#shelves.set(entity.id, shelf)
      this.#shelfLayer.addChild(shelf.view)
    }
    if (shelf.requested !== requested) {
      shelf.requested = requested
      this.#sheet.turnInto(shelf.view, requested ? REQUESTED_SHAPE : SHELF_SHAPE)
    }
    // A carried shelf is drawn as the outline around its robot.
    shelf.turn = this.#turn
    this.#sheet.reveal(shelf.view, entity.state?.carriedBy == null)
    shelf.view.position.set(entity.x * UNIT, entity.y * UNIT)
  }

  #drawRobot({ entity, x, y, heading }: Placed): void {
    const robot = this.#robots.get(entity.id) ?? this.#makeRobot(entity)
    robot.turn = this.#turn
    robot.view.position.set(x * UNIT, y * UNIT)
    robot.body.rotation = heading
    const { carrying, carryingRequested } = entity.state ?? {}
    const load = carrying == null ? 'none' : carryingRequested === true ? 'requested' : 'shelf'
    if (load === robot.load) return
    robot.load = load
    this.#sheet.reveal(robot.carried, load !== 'none')
    this.#sheet.turnInto(robot.carried, load === 'requested' ? CARRIED_REQUESTED_SHAPE : CARRIED_SHAPE)
  }

  #makeRobot(entity: Entity): RobotView {
    const { palette } = this.#stage
    const number = numberOf(entity, this.#robots.size)
    const colour = agentColour(palette, number)
    const body = this.#sheet.sprite(BODY_SHAPES + (number % palette.agents.length))
    const carried = this.#sheet.sprite(CARRIED_SHAPE)
    this.#sheet.reveal(carried, false)
    const label = this.#stage.label(String(number), { size: 24, colour: textOn(colour), weight: 'bold' })
    label.fit(1.75 * DISC)
    const view = new Container()
    view.addChild(carried, body, label.view)
    this.#robotLayer.addChild(view)
    const robot: RobotView = { view, body, carried, load: 'none', turn: 0 }
    this.#robots.set(entity.id, robot)
    return robot
  }

  /** The sensor window, and corners around the robot. */
  #drawSelection({ entity, x, y }: Placed): void {
    const { accent, ink } = this.#stage.palette
    const range = typeof entity.state?.sensorRange === 'number' ? entity.state.sensorRange : 0
    if (range > 0) {
      const [left, top] = [(x - range - 0.5) * UNIT, (y - range - 0.5) * UNIT]
      const size = (2 * range + 1) * UNIT
      this.#under.rect(left, top, size, size).fill({ color: accent, alpha: 0.16 }).stroke({ color: accent, width: 4 })
    }
    drawCorners(this.#over, x * UNIT, y * UNIT, CORNER, ARM, ink)
  }

  /** Dashed halos around robots in a standstill, and bars across the way that blocked ones wanted to go. */
  #mark(still: readonly Placed[], blocked: readonly Placed[]): void {
    let used = 0
    const next = (shape: number, x: number, y: number, rotation: number) => {
      if (used === this.#marks.length) {
        const fresh = this.#sheet.sprite(shape)
        this.#marks.push(fresh)
        this.#markLayer.addChild(fresh)
      }
      const mark = this.#marks[used++]
      this.#sheet.turnInto(mark, shape)
      this.#sheet.reveal(mark, true)
      mark.position.set(x * UNIT, y * UNIT)
      mark.rotation = rotation
    }
    for (const { x, y } of still) next(STANDSTILL_SHAPE, x, y, 0)
    for (const { x, y, heading } of blocked) {
      next(BLOCKED_SHAPE, x + Math.sin(heading) * 0.5, y - Math.cos(heading) * 0.5, heading)
    }
    for (let i = used; i < this.#marks.length; i++) this.#sheet.reveal(this.#marks[i], false)
  }

  /** Dashes between robots that stand in each other's way. */
  #joinStandstill(robots: readonly Placed[]): void {
    let joined = 0
    for (let i = 0; i < robots.length; i++) {
      for (let k = i + 1; k < robots.length; k++) {
        const [a, b] = [robots[i], robots[k]]
        const [bx, by] = [b.x - a.x, b.y - a.y]
        if (bx > NEAR || bx < -NEAR || by > NEAR || by < -NEAR) continue
        const away = Math.hypot(bx, by)
        if (away > NEAR || away === 0) continue
        const [dx, dy] = [bx / away, by / away]
        const edge = 0.47
        dashedLine(
          this.#over,
          (a.x + dx * edge) * UNIT,
          (a.y + dy * edge) * UNIT,
          (b.x - dx * edge) * UNIT,
          (b.y - dy * edge) * UNIT,
        )
        joined++
      }
    }
    if (joined > 0) this.#over.stroke({ color: this.#stage.palette.ink, width: 4 })
  }

  #drawDelivery({ x, y }: Placed): void {
    const { accent, surface } = this.#stage.palette
    const [cx, cy] = [(x + 0.36) * UNIT, (y - 0.36) * UNIT]
    const r = 0.17 * UNIT
    this.#over
      .poly([cx, cy - r, cx + r, cy, cx, cy + r, cx - r, cy])
      .fill(accent)
      .stroke({ color: surface, width: 3 })
  }
}

function numberOf({ state }: Entity, otherwise: number): number {
  return typeof state?.number === 'number' ? state.number : otherwise
}

/** Rows of the floor plan; worlds that do not say get one tone. */
function rowsOf(spec: EnvSpec | null, first: Frame): string[] {
  const rows = spec?.world.scene?.rows
  if (Array.isArray(rows) && rows.length > 0 && rows.every((row) => typeof row === 'string')) return rows as string[]
  const edge = (axis: 'x' | 'y') => Math.max(0, ...first.entities.map((entity) => entity[axis]))
  return Array.from({ length: edge('y') + 1 }, () => '.'.repeat(edge('x') + 1))
}

function drawFloor(rows: readonly string[], palette: Palette): Graphics {
  const floor = new Graphics()
  const width = Math.max(...rows.map((row) => row.length))
  floor
    .roundRect(-0.5 * UNIT, -0.5 * UNIT, width * UNIT, rows.length * UNIT, 8)
    .fill(palette.corridor)
    .stroke({ color: palette.fixtureLine, width: 3, alignment: 0 })
  rows.forEach((row, y) => {
    // Storage cells next to each other are one rectangle, so that no seams show.
    for (const match of row.matchAll(/x+/gi)) {
      floor.rect((match.index - 0.5) * UNIT, (y - 0.5) * UNIT, match[0].length * UNIT, UNIT)
    }
  })
  return floor.fill(palette.storage)
}

function drawGoals(goals: readonly Entity[], palette: Palette): Graphics {
  const drawn = new Graphics()
  for (const { x, y } of goals) {
    const [left, top] = [(x - 0.5) * UNIT, (y - 0.5) * UNIT]
    drawn.rect(left + 2, top + 2, UNIT - 4, UNIT - 4).fill(palette.storage)
    for (let offset = 16; offset < 2 * UNIT; offset += 16) {
      const from = Math.max(0, offset - UNIT)
      const to = Math.min(UNIT, offset)
      drawn.moveTo(left + from, top + offset - from).lineTo(left + to, top + offset - to)
    }
    drawn.stroke({ color: palette.muted, width: 2.5, alpha: 0.75 })
    drawn.rect(left + 2, top + 2, UNIT - 4, UNIT - 4).stroke({ color: palette.muted, width: 3 })
  }
  return drawn
}

/** The shapes of the sheet, in the order of their numbers. */
function paintersOf(palette: Palette): Painter[] {
  const { fixture, fixtureLine, accent, ink, surface } = palette
  const shelf =
    (half: number, radius: number, alpha: number, line: number, width: number): Painter =>
    (onto) => {
      onto.beginPath()
      onto.roundRect(-half, -half, 2 * half, 2 * half, radius)
      onto.globalAlpha = alpha
      fillIn(onto, fixture)
      onto.globalAlpha = 1
      strokeIn(onto, line, width)
    }
  const dot =
    (x: number, y: number, radius: number): Painter =>
    (onto) => {
      onto.beginPath()
      onto.arc(x, y, radius, 0, 2 * Math.PI)
      fillIn(onto, accent)
    }
  return [
    shelf(SHELF, 9, 1, fixtureLine, 3),
    (onto) => {
      shelf(SHELF, 9, 1, accent, 8)(onto)
      dot(0, 0, 0.13 * UNIT)(onto)
    },
    shelf(CARRIED, 10, 0.55, fixtureLine, 6),
    (onto) => {
      shelf(CARRIED, 10, 0.55, accent, 8)(onto)
      dot(CARRIED - 5, -CARRIED + 5, 0.12 * UNIT)(onto)
      strokeIn(onto, surface, 2)
    },
    (onto) => {
      const radius = 0.47 * UNIT
      const dash = (2 * Math.PI * radius) / Math.round((2 * Math.PI * radius) / (DASH + GAP))
      onto.setLineDash([(dash * DASH) / (DASH + GAP), (dash * GAP) / (DASH + GAP)])
      onto.beginPath()
      onto.arc(0, 0, radius, 0, 2 * Math.PI)
      strokeIn(onto, ink, 4)
    },
    (onto) => {
      const half = 0.24 * UNIT
      onto.lineCap = 'round'
      onto.beginPath()
      onto.moveTo(-half, 0)
      onto.lineTo(half, 0)
      strokeIn(onto, surface, 15)
      strokeIn(onto, ink, 8)
    },
    ...palette.agents.map((_, number) => robotBody(agentColour(palette, number), ink)),
  ]
}

/** A disc with a nose, in one colour. */
function robotBody(colour: number, ink: number): Painter {
  return (onto) => {
    onto.lineJoin = 'round'
    onto.beginPath()
    onto.moveTo(0, -NOSE)
    onto.lineTo(DISC * 0.78, -DISC * 0.55)
    onto.lineTo(-DISC * 0.78, -DISC * 0.55)
    onto.closePath()
    fillIn(onto, colour)
    strokeIn(onto, ink, 2.5)
    onto.beginPath()
    onto.arc(0, 0, DISC, 0, 2 * Math.PI)
    fillIn(onto, colour)
    strokeIn(onto, ink, 2.5)
    // The nose grows out of the disc: hide the line between them.
    onto.beginPath()
    onto.moveTo(0, -NOSE + 5)
    onto.lineTo(DISC * 0.62, -DISC * 0.55)
    onto.lineTo(-DISC * 0.62, -DISC * 0.55)
    onto.closePath()
    fillIn(onto, colour)
  }
}

function fillIn(onto: CanvasRenderingContext2D, colour: number): void {
  onto.fillStyle = hex(colour)
  onto.fill()
}

function strokeIn(onto: CanvasRenderingContext2D, colour: number, width: number): void {
  onto.strokeStyle = hex(colour)
  onto.lineWidth = width
  onto.stroke()
}

const DASH = 10
const GAP = 8

function dashedLine(graphics: Graphics, x1: number, y1: number, x2: number, y2: number): void {
  const length = Math.hypot(x2 - x1, y2 - y1)
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length]
  for (let at = 0; at < length; at += DASH + GAP) {
    const to = Math.min(length, at + DASH)
    graphics.moveTo(x1 + dx * at, y1 + dy * at).lineTo(x1 + dx * to, y1 + dy * to)
  }
}
