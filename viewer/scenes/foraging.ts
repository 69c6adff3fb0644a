/**
 * Level-based foraging: a board, food as lozenges with the level they ask for, players as discs with the level they bring
 * and their number in a corner. Who loads is tied to the item; an item too heavy shows how much was brought to it.
 */
import { Container, Graphics } from 'pixi.js'
import { type Entity, type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { strings } from '../strings.ts'
import { agentColour, textOn, type Palette } from '../theme.ts'
import { tween, type Placed } from '../tween.ts'
import { type Box } from '../stage/camera.ts'
import { drawCorners } from '../stage/corners.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

const words = strings.scenes.foraging

/** Radii and half sizes, in drawing units. */
const DISC = 0.33 * UNIT
const FOOD = 0.42 * UNIT
const BADGE = 0.15 * UNIT
/** Half side and arm length of the corners around the selected player. */
const CORNER = 0.52 * UNIT
const ARM = 0.18 * UNIT

interface PlayerView {
  readonly view: Container
  readonly level: Label
}

interface FoodView {
  readonly view: Container
  readonly shape: Graphics
  readonly label: Label
  look: string
}

export class ForagingScene implements Scene {
  #stage!: SceneStage
  #box: Box = { x: -0.5, y: -0.5, width: 1, height: 1 }
  #foods = new Map<string, FoodView>()
  #players = new Map<string, PlayerView>()
  #under = new Graphics()
  #rings = new Graphics()
  #over = new Graphics()
  #foodLayer = new Container()
  #playerLayer = new Container()
  #placed: readonly Placed[] = []

  mount(stage: SceneStage, spec: EnvSpec | null, first: Frame): void {
    this.#stage = stage
    this.#foods = new Map()
    this.#players = new Map()
    this.#placed = []
    const edge = (axis: 'x' | 'y') => 1 + Math.max(0, ...first.entities.map((entity) => entity[axis]))
    const width = spec?.world.size?.width ?? edge('x')
    const height = spec?.world.size?.height ?? edge('y')
    this.#box = { x: -0.5, y: -0.5, width, height }
    this.#under = new Graphics()
    this.#rings = new Graphics()
    this.#over = new Graphics()
    this.#foodLayer = new Container()
    this.#playerLayer = new Container()
    const board = drawBoard(width, height, stage.palette)
    stage.root.addChild(board, this.#under, this.#foodLayer, this.#rings, this.#playerLayer, this.#over)
  }

  box(): Box {
    return this.#box
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const placed = tween(before, after, fraction)
    const players = placed.filter(({ entity }) => entity.kind === 'player')
    const sizes = spread(players)
    this.#placed = placed
    const foods = new Map(placed.filter(({ entity }) => entity.kind === 'food').map((food) => [food.entity.id, food]))
    for (const graphics of [this.#under, this.#rings, this.#over]) graphics.clear()
    // Food that is not in this frame is gone; scrubbing back brings it again.
    for (const [id, food] of this.#foods) food.view.visible = foods.has(id)
    for (const food of foods.values()) this.#drawFood(food)
    for (const player of players) {
      const size = sizes.get(player.entity.id) ?? 1
      this.#drawPlayer(player, size)
      const target = foods.get(String(player.entity.state?.target ?? ''))
      if (target !== undefined) this.#drawReach(player, target, size)
      if (player.entity.state?.blocked === true) this.#drawBlocked(player, size)
    }
    const selected = players.find(({ entity }) => entity.id === selection.agent)
    if (selected !== undefined) this.#drawSelection(selected)
  }

  pick(x: number, y: number): string | null {
    let nearest: string | null = null
    let best = 0.6
    for (const { entity, x: atX, y: atY } of this.#placed) {
      const away = Math.hypot(atX - x, atY - y)
      if (entity.kind === 'player' && away < best) {
        best = away
        nearest = entity.id
      }
    }
    return nearest
  }

  legend(): readonly LegendItem[] {
    const { palette } = this.#stage
    const { fixture, fixtureLine, accent, ink, surface, muted } = palette
    const disc = { kind: 'circle' as const, numbers: [11, 11, 8], fill: agentColour(palette, 0), stroke: ink, width: 1 }
    const lozenge = (fill: number, stroke: number, dash?: string) => ({
      kind: 'path' as const,
      d: 'M12 2 22 12 12 22 2 12z',
      fill,
      stroke,
      width: 2,
      ...(dash === undefined ? {} : { dash }),
    })
    return [
      {
        label: words.player,
        shapes: [disc, { kind: 'circle', numbers: [18, 18, 4.5], fill: surface, stroke: ink, width: 1 }],
      },
      { label: words.food, shapes: [lozenge(fixture, fixtureLine)] },
      {
        label: words.reach,
        shapes: [
          { kind: 'path', d: 'M2 12h20', stroke: ink, width: 4 },
          { kind: 'circle', numbers: [20, 12, 3], fill: ink },
        ],
      },
      { label: words.tooHeavy, shapes: [lozenge(fixture, ink, '4 3')] },
      {
        label: words.taken,
        shapes: [
          { ...lozenge(accent, accent), opacity: 0.35 },
          { kind: 'path', d: 'M12 2 22 12 12 22 2 12z', stroke: accent, width: 2.5 },
        ],
      },
      { label: words.blocked, shapes: [{ kind: 'circle', numbers: [12, 12, 9], stroke: ink, width: 2, dash: '4 3' }] },
      {
        label: words.shared,
        shapes: [
          { kind: 'circle', numbers: [8.5, 12, 6], fill: agentColour(palette, 0), stroke: ink, width: 1 },
          { kind: 'circle', numbers: [15.5, 12, 6], fill: agentColour(palette, 1), stroke: ink, width: 1 },
        ],
      },
      {
        label: words.sight,
        shapes: [{ kind: 'rect', numbers: [2, 2, 20, 20, 1], fill: accent, stroke: muted, opacity: 0.35 }],
      },
    ]
  }

  dispose(): void {
    this.#foods.clear()
    this.#players.clear()
  }

  #drawFood({ entity, x, y }: Placed): void {
    const { palette } = this.#stage
    const level = Number(entity.state?.level ?? 0)
    const load = Number(entity.state?.load ?? 0)
    const taken = entity.state?.taken === true
    const food = this.#foods.get(entity.id) ?? this.#makeFood(entity)
    food.view.position.set(x * UNIT, y * UNIT)
    const look = `${level} ${load} ${taken}`
    if (look === food.look) return
    food.look = look
    const tooHeavy = !taken && load > 0
    food.shape.clear()
    lozenge(food.shape, FOOD)
    if (taken) food.shape.fill({ color: palette.accent, alpha: 0.25 }).stroke({ color: palette.accent, width: 5 })
    else food.shape.fill(palette.fixture)
    if (!taken && !tooHeavy) {
      lozenge(food.shape, FOOD)
      food.shape.stroke({ color: palette.fixtureLine, width: 3 })
    }
    if (tooHeavy) dashedLozenge(food.shape, FOOD, palette.ink)
    food.label.set(tooHeavy ? `${load}/${level}` : String(level))
    food.label.fit(1.15 * FOOD)
    food.label.tint(taken ? palette.accent : palette.ink)
  }

  #makeFood(entity: Entity): FoodView {
    const { ink } = this.#stage.palette
    const shape = new Graphics()
    const label = this.#stage.label('', { size: 24, colour: ink, weight: 'bold' })
    const view = new Container()
    view.addChild(shape, label.view)
    this.#foodLayer.addChild(view)
    const food: FoodView = { view, shape, label, look: '' }
    this.#foods.set(entity.id, food)
    return food
  }

  #drawPlayer({ entity, x, y }: Placed, size: number): void {
    const player = this.#players.get(entity.id) ?? this.#makePlayer(entity)
    player.view.position.set(x * UNIT, y * UNIT)
    player.view.scale.set(size)
    player.level.set(String(entity.state?.level ?? ''))
    player.level.fit(1.4 * DISC)
  }

  #makePlayer(entity: Entity): PlayerView {
    const { palette } = this.#stage
    const number = typeof entity.state?.number === 'number' ? entity.state.number : this.#players.size
    const colour = agentColour(palette, number)
    const body = new Graphics().circle(0, 0, DISC).fill(colour).stroke({ color: palette.ink, width: 2.5 })
    const [bx, by] = [0.27 * UNIT, 0.27 * UNIT]
    const badge = new Graphics().circle(bx, by, BADGE).fill(palette.surface).stroke({ color: palette.ink, width: 1.5 })
    const level = this.#stage.label('', { size: 28, colour: textOn(colour), weight: 'bold' })
    const label = this.#stage.label(String(number), { size: 15, colour: palette.ink, weight: 'bold' })
    label.view.position.set(bx, by)
    label.fit(1.5 * BADGE)
    const view = new Container()
    view.addChild(body, level.view, badge, label.view)
    this.#playerLayer.addChild(view)
    const player: PlayerView = { view, level }
    this.#players.set(entity.id, player)
    return player
  }

  /** A bar with a knob from the rim of the disc to the item. */
  #drawReach(player: Placed, target: Placed, size: number): void {
    const { ink, surface } = this.#stage.palette
    const away = Math.hypot(target.x - player.x, target.y - player.y)
    if (away < 0.1) return
    const [dx, dy] = [(target.x - player.x) / away, (target.y - player.y) / away]
    const start = [player.x * UNIT + dx * DISC * size, player.y * UNIT + dy * DISC * size] as const
    const end = [target.x * UNIT - dx * 0.3 * UNIT, target.y * UNIT - dy * 0.3 * UNIT] as const
    for (const [colour, width] of [
      [surface, 11],
      [ink, 6],
    ]) {
      this.#over
        .moveTo(...start)
        .lineTo(...end)
        .stroke({ color: colour, width, cap: 'round' })
    }
    this.#over.circle(...end, 6).fill(ink)
  }

  /** A dashed ring around the disc, below it so that the number in the corner stays whole. */
  #drawBlocked({ x, y }: Placed, size: number): void {
    const dashes = 9
    const radius = DISC * size + 6
    const turn = (2 * Math.PI) / dashes
    for (let i = 0; i < dashes; i++) {
      const from = i * turn
      this.#rings.moveTo(x * UNIT + radius * Math.cos(from), y * UNIT + radius * Math.sin(from))
      this.#rings.arc(x * UNIT, y * UNIT, radius, from, from + 0.55 * turn)
    }
    this.#rings.stroke({ color: this.#stage.palette.ink, width: 3.5 })
  }

  /** What the player sees of the field, and corners around it. */
  #drawSelection({ entity, x, y }: Placed): void {
    const { accent, ink } = this.#stage.palette
    const sight = entity.state?.sightCells
    if (typeof sight === 'number') {
      const { width, height } = this.#box
      const [left, top] = [Math.max(-0.5, entity.x - sight - 0.5), Math.max(-0.5, entity.y - sight - 0.5)]
      const right = Math.min(width - 0.5, entity.x + sight + 0.5)
      const bottom = Math.min(height - 0.5, entity.y + sight + 0.5)
      this.#under
        .rect(left * UNIT, top * UNIT, (right - left) * UNIT, (bottom - top) * UNIT)
        .fill({ color: accent, alpha: 0.16 })
        .stroke({ color: accent, width: 4 })
    }
    drawCorners(this.#over, x * UNIT, y * UNIT, CORNER, ARM, ink)
  }
}

/**
 * Sets players who share a cell side by side, smaller, so that none is hidden.
 * @returns the size of those that are smaller, by id
 */
function spread(players: readonly Placed[]): Map<string, number> {
  const groups = new Map<string, Placed[]>()
  for (const player of players) {
    const key = `${player.x.toFixed(2)},${player.y.toFixed(2)}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [player])
    else group.push(player)
  }
  const sizes = new Map<string, number>()
  for (const group of groups.values()) {
    if (group.length === 1) continue
    const size = 1.3 / group.length
    group.forEach((player, k) => {
      player.x += ((k - (group.length - 1) / 2) * 0.92) / group.length
      sizes.set(player.entity.id, size)
    })
  }
  return sizes
}

function drawBoard(width: number, height: number, palette: Palette): Graphics {
  const board = new Graphics()
    .roundRect(-0.5 * UNIT, -0.5 * UNIT, width * UNIT, height * UNIT, 8)
    .fill(palette.corridor)
    .stroke({ color: palette.fixtureLine, width: 3, alignment: 0 })
  // Every other cell a tone darker: counting cells is what one does on this board.
  for (let y = 0; y < height; y++) {
    for (let x = (y + 1) % 2; x < width; x += 2) board.rect((x - 0.5) * UNIT, (y - 0.5) * UNIT, UNIT, UNIT)
  }
  return board.fill(palette.storage)
}

function lozenge(graphics: Graphics, half: number): void {
  graphics.poly([0, -half, half, 0, 0, half, -half, 0])
}

function dashedLozenge(graphics: Graphics, half: number, colour: number): void {
  const corners = [
    [0, -half],
    [half, 0],
    [0, half],
    [-half, 0],
  ]
  corners.forEach(([x, y], k) => {
    const [toX, toY] = corners[(k + 1) % 4]
    for (let part = 0; part < 3; part++) {
      const [from, to] = [(part + 0.1) / 3, (part + 0.75) / 3]
      graphics.moveTo(x + (toX - x) * from, y + (toY - y) * from).lineTo(x + (toX - x) * to, y + (toY - y) * to)
    }
  })
  graphics.stroke({ color: colour, width: 4 })
}
