/**
 * The skirmish: ground from void to high ground, units by shape (kind) and colour (side) with their number, bars of health
 * and shield, shots and healing as lines, splash, crosses where somebody fell; ranges and cone of the selected unit.
 */
import { Container, Graphics } from 'pixi.js'
import { type Entity, type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { agentColour, textOn, type Palette } from '../theme.ts'
import { tween, type Placed } from '../tween.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection, type Shape } from './scene.ts'

/** Corners of a body by kind; 0 = disc. Turned so that a corner is up, except the square. */
const CORNERS: Readonly<Record<string, number>> = {
  marine: 0,
  marauder: 4,
  medivac: 8,
  stalker: 3,
  zealot: 5,
  colossus: 6,
  zergling: 0,
  baneling: 7,
  hydralisk: 3,
  spine_crawler: 6,
}

/** Units draw no larger than this, in cells. */
const LARGEST = 1

interface UnitView {
  readonly view: Container
  readonly body: Graphics
  readonly label: Label
  kind: string
}

const number = (entity: Entity, name: string): number => {
  const value = entity.state?.[name]
  return typeof value === 'number' ? value : 0
}

const isAlive = (entity: Entity) => entity.state?.alive !== false

export class SkirmishScene implements Scene {
  #stage!: SceneStage
  #box: Box = { x: -0.5, y: -0.5, width: 1, height: 1 }
  #units = new Map<string, UnitView>()
  #under = new Graphics()
  #lines = new Graphics()
  #bars = new Graphics()
  #unitLayer = new Container()
  #placed: readonly Placed[] = []
  #kinds: readonly string[] = []

  mount(stage: SceneStage, spec: EnvSpec | null, first: Frame): void {
    this.#stage = stage
    this.#units = new Map()
    this.#placed = []
    this.#kinds = [...new Set(first.entities.map((entity) => entity.kind))].sort()
    const rows = rowsOf(spec)
    this.#box = usedBox(rows, first)
    this.#under = new Graphics()
    this.#lines = new Graphics()
    this.#bars = new Graphics()
    this.#unitLayer = new Container()
    stage.root.addChild(drawGround(rows, stage.palette), this.#under, this.#unitLayer, this.#lines, this.#bars)
  }

  box(): Box {
    return this.#box
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const placed = tween(before, after, fraction)
    // What happened on the way to `after` shows while we are on that way.
    const shown = fraction > 0 ? after : before
    const now = new Map(shown.entities.map((entity) => [entity.id, entity]))
    this.#placed = placed
    this.#under.clear()
    this.#lines.clear()
    this.#bars.clear()
    for (const at of placed) this.#drawUnit(at, now.get(at.entity.id) ?? at.entity)
    const places = new Map(placed.map((at) => [at.entity.id, at]))
    const selected = selection.agent === null ? undefined : places.get(selection.agent)
    if (selected !== undefined && isAlive(selected.entity)) this.#drawSelection(selected)
    for (const { from, to, kind } of shown.links ?? []) {
      const [a, b] = [places.get(from), places.get(to)]
      if (a !== undefined && b !== undefined) this.#drawShot(a, b, kind === 'heal')
    }
    for (const event of shown.events) {
      if (event.at === undefined) continue
      const { palette } = this.#stage
      const [cx, cy] = [event.at.x * UNIT, event.at.y * UNIT]
      if (event.kind === 'explosion') {
        this.#lines
          .circle(cx, cy, (event.value ?? 1) * UNIT)
          .fill({ color: agentColour(palette, 1), alpha: 0.25 })
          .stroke({ color: agentColour(palette, 1), width: 4 })
      } else if (event.kind === 'splash') {
        const shooter = places.get(event.agents?.[0] ?? '')
        if (shooter !== undefined) this.#drawBar(shooter, event.at, event.value ?? 1)
      } else if (event.kind === 'kill' || event.kind === 'death') {
        // A ring in the colour of the side that lost somebody.
        const colour = agentColour(palette, event.kind === 'kill' ? 5 : 0)
        this.#lines.circle(cx, cy, 0.55 * UNIT).stroke({ color: colour, width: 6, alpha: 0.9 })
      }
    }
  }

  pick(x: number, y: number): string | null {
    let nearest: string | null = null
    let best = 0.8
    for (const { entity, x: atX, y: atY } of this.#placed) {
      const away = Math.hypot(atX - x, atY - y)
      if (away >= best || !isAlive(entity)) continue
      best = away
      nearest = entity.id
    }
    return nearest
  }

  legend(): readonly LegendItem[] {
    const { palette } = this.#stage
    const [blue, red, green, orange] = [0, 5, 2, 1].map((index) => agentColour(palette, index))
    const kinds: LegendItem[] = this.#kinds.map((kind) => ({
      label: kind.replaceAll('_', ' '),
      shapes: [outline(kind, palette)],
    }))
    return [
      { label: 'ally', shapes: [{ kind: 'circle', numbers: [12, 12, 8], fill: blue }] },
      {
        label: 'enemy',
        shapes: [{ kind: 'circle', numbers: [12, 12, 7], fill: palette.surface, stroke: red, width: 3 }],
      },
      ...kinds,
      { label: 'health', shapes: [{ kind: 'rect', numbers: [2, 10, 20, 4, 1], fill: green }] },
      { label: 'shield', shapes: [{ kind: 'rect', numbers: [2, 10, 20, 4, 1], fill: palette.accent }] },
      { label: 'attack', shapes: [{ kind: 'path', d: 'M3 20 21 4', stroke: blue, width: 2 }] },
      { label: 'healing', shapes: [{ kind: 'path', d: 'M3 20 21 4', stroke: green, width: 3 }] },
      { label: 'splash', shapes: [{ kind: 'circle', numbers: [12, 12, 9], fill: orange, opacity: 0.4 }] },
      {
        label: 'falls in this step',
        shapes: [{ kind: 'circle', numbers: [12, 12, 9], stroke: red, width: 2.5 }],
      },
      { label: 'fallen', shapes: [{ kind: 'path', d: 'M6 6 18 18M18 6 6 18', stroke: palette.muted, width: 2 }] },
      {
        label: 'sight of the selected unit',
        shapes: [{ kind: 'circle', numbers: [12, 12, 10], stroke: palette.accent, width: 1.5 }],
      },
      {
        label: 'reach of its attack orders',
        shapes: [{ kind: 'circle', numbers: [12, 12, 7], stroke: palette.ink, width: 1.5, dash: '3 3' }],
      },
    ]
  }

  dispose(): void {
    this.#units.clear()
  }

  /** @param now the unit as it is at the end of the step being shown */
  #drawUnit({ entity, x, y }: Placed, now: Entity): void {
    const { palette } = this.#stage
    const unit = this.#units.get(entity.id) ?? this.#make(entity)
    if (unit.kind !== entity.kind) this.#shape(unit, entity)
    const alive = isAlive(entity)
    unit.view.visible = alive
    unit.view.position.set(x * UNIT, y * UNIT)
    if (!alive) {
      const arm = 0.2 * UNIT
      const [cx, cy] = [x * UNIT, y * UNIT]
      this.#under
        .moveTo(cx - arm, cy - arm)
        .lineTo(cx + arm, cy + arm)
        .moveTo(cx + arm, cy - arm)
        .lineTo(cx - arm, cy + arm)
        .stroke({ color: palette.muted, width: 4, alpha: 0.6 })
      return
    }
    const radius = Math.min(LARGEST, number(entity, 'radius')) * UNIT
    const width = Math.max(0.7 * UNIT, 1.6 * radius)
    const left = x * UNIT - width / 2
    let top = y * UNIT - radius - 12
    const bar = (value: number, full: number, colour: number) => {
      if (full <= 0) return
      this.#bars.rect(left, top, width, 7).fill({ color: palette.surface, alpha: 0.9 })
      this.#bars.rect(left, top, width * Math.max(0, Math.min(1, value / full)), 7).fill(colour)
      top -= 8
    }
    bar(number(now, 'health'), number(now, 'maxHealth'), agentColour(palette, 2))
    bar(number(now, 'shield'), number(now, 'maxShield'), palette.accent)
    if (entity.kind === 'medivac') bar(number(now, 'energy'), 200, agentColour(palette, 3))
  }

  #make(entity: Entity): UnitView {
    const label = this.#stage.label(/(\d+)$/.exec(entity.id)?.[1] ?? '', {
      size: 26,
      colour: isEnemy(entity) ? this.#stage.palette.ink : textOn(sideColour(this.#stage.palette, entity)),
      weight: 'bold',
    })
    const unit: UnitView = { view: new Container(), body: new Graphics(), label, kind: '' }
    unit.view.addChild(unit.body, label.view)
    this.#unitLayer.addChild(unit.view)
    this.#units.set(entity.id, unit)
    return unit
  }

  #shape(unit: UnitView, entity: Entity): void {
    const { palette } = this.#stage
    const radius = Math.min(LARGEST, number(entity, 'radius') || 0.4) * UNIT
    const corners = CORNERS[entity.kind] ?? 0
    unit.kind = entity.kind
    unit.body.clear()
    if (corners === 0) unit.body.circle(0, 0, radius)
    else unit.body.poly(polygon(corners, radius * 1.08))
    // One side filled, the other outlined, so that nobody needs the colours.
    const colour = sideColour(palette, entity)
    if (isEnemy(entity))
      unit.body.fill(palette.surface).stroke({ color: colour, width: 7, join: 'round', alignment: 1 })
    else unit.body.fill(colour).stroke({ color: palette.ink, width: 2.5, join: 'round' })
  }

  /** From edge to edge, with a dot at the end that was hit or healed. */
  #drawShot(from: Placed, to: Placed, heals: boolean): void {
    const { palette } = this.#stage
    const colour = heals ? agentColour(palette, 2) : sideColour(palette, from.entity)
    const [dx, dy] = [to.x - from.x, to.y - from.y]
    const length = Math.hypot(dx, dy)
    if (length === 0) return
    const reach = (entity: Entity) => Math.min(LARGEST, number(entity, 'radius'))
    const begin = Math.min(reach(from.entity), 0.4 * length) / length
    const end = 1 - Math.min(0.6 * reach(to.entity), 0.4 * length) / length
    const [hitX, hitY] = [(from.x + dx * end) * UNIT, (from.y + dy * end) * UNIT]
    this.#lines
      .moveTo((from.x + dx * begin) * UNIT, (from.y + dy * begin) * UNIT)
      .lineTo(hitX, hitY)
      .stroke({ color: colour, width: heals ? 7 : 4, alpha: 0.8 })
    this.#lines.circle(hitX, hitY, heals ? 11 : 8).fill({ color: colour, alpha: 0.9 })
  }

  /** A beam that sweeps `half` a width to each side of the point it is aimed at, across the line of fire. */
  #drawBar(shooter: Placed, at: { readonly x: number; readonly y: number }, half: number): void {
    const [dx, dy] = [at.x - shooter.x, at.y - shooter.y]
    const length = Math.hypot(dx, dy)
    const [ux, uy] = length > 0 ? [-dy / length, dx / length] : [0, 1]
    this.#lines
      .moveTo((at.x - ux * half) * UNIT, (at.y - uy * half) * UNIT)
      .lineTo((at.x + ux * half) * UNIT, (at.y + uy * half) * UNIT)
      .stroke({ color: agentColour(this.#stage.palette, 1), width: 0.3 * UNIT, alpha: 0.45, cap: 'round' })
  }

  /** Sight and reach as circles, the cone where there is one. */
  #drawSelection({ entity, x, y }: Placed): void {
    const { accent, ink } = this.#stage.palette
    const [cx, cy] = [x * UNIT, y * UNIT]
    const sight = number(entity, 'sight') * UNIT
    this.#under.circle(cx, cy, sight).fill({ color: accent, alpha: 0.07 }).stroke({ color: accent, width: 3 })
    this.#under.circle(cx, cy, number(entity, 'shootRange') * UNIT).stroke({ color: ink, width: 3, alpha: 0.5 })
    this.#under
      .circle(cx, cy, (number(entity, 'range') + number(entity, 'radius')) * UNIT)
      .stroke({ color: ink, width: 2, alpha: 0.25 })
    const [lookX, lookY] = [number(entity, 'lookX'), number(entity, 'lookY')]
    if (lookX !== 0 || lookY !== 0) {
      const angle = Math.atan2(lookY, lookX)
      this.#under
        .moveTo(cx, cy)
        .arc(cx, cy, sight, angle - Math.PI / 12, angle + Math.PI / 12)
        .closePath()
        .fill({ color: accent, alpha: 0.25 })
    }
    this.#lines
      .circle(cx, cy, (Math.min(LARGEST, number(entity, 'radius')) + 0.12) * UNIT)
      .stroke({ color: ink, width: 5 })
  }
}

const isEnemy = (entity: Entity) => entity.team === 'enemies'

function sideColour(palette: Palette, entity: Entity): number {
  return agentColour(palette, isEnemy(entity) ? 5 : 0)
}

/** Points of a regular polygon around the origin. */
function polygon(corners: number, radius: number): number[] {
  const turn = corners === 4 ? Math.PI / 4 : -Math.PI / 2
  return Array.from({ length: corners }, (_, c) => turn + (c * 2 * Math.PI) / corners).flatMap((angle) => [
    radius * Math.cos(angle),
    radius * Math.sin(angle),
  ])
}

/** A kind's outline in a box of 24 by 24. */
function outline(kind: string, palette: Palette): Shape {
  const corners = CORNERS[kind] ?? 0
  const look = { stroke: palette.ink, width: 1.5, fill: palette.fixture }
  if (corners === 0) return { kind: 'circle', numbers: [12, 12, kind === 'zergling' ? 6 : 8], ...look }
  const points = polygon(corners, 9).map((value) => (value + 12).toFixed(1))
  const path = Array.from({ length: corners }, (_, c) => `${points[2 * c]} ${points[2 * c + 1]}`).join('L')
  return { kind: 'path', d: `M${path}z`, ...look }
}

/** Rows of the ground, top first; worlds that do not say get one tone of 32 by 32. */
function rowsOf(spec: EnvSpec | null): string[] {
  const rows = spec?.world.scene?.terrain
  if (Array.isArray(rows) && rows.length > 0 && rows.every((row) => typeof row === 'string')) return rows as string[]
  return Array.from({ length: 32 }, () => '.'.repeat(32))
}

/** The part of the map that can be walked, and everybody in it, with a cell around. */
function usedBox(rows: readonly string[], first: Frame): Box {
  const width = Math.max(...rows.map((row) => row.length))
  let [x0, y0, x1, y1] = [width, rows.length, 0, 0]
  const take = (x: number, y: number) => {
    x0 = Math.min(x0, x)
    y0 = Math.min(y0, y)
    x1 = Math.max(x1, x)
    y1 = Math.max(y1, y)
  }
  rows.forEach((row, y) => [...row].forEach((sign, x) => sign !== '#' && take(x, y)))
  for (const { x, y } of first.entities) take(Math.round(x), Math.round(y))
  return { x: x0 - 1, y: y0 - 1, width: x1 - x0 + 2, height: y1 - y0 + 2 }
}

function drawGround(rows: readonly string[], palette: Palette): Graphics {
  const ground = new Graphics()
  const tones: readonly (readonly [RegExp, number])[] = [
    [/%+/g, palette.fixture],
    [/\.+/g, palette.corridor],
    [/\/+/g, palette.storage],
    [/h+/g, palette.storage],
  ]
  for (const [pattern, colour] of tones) {
    let any = false
    rows.forEach((row, y) => {
      // Cells next to each other are one rectangle, so that no seams show.
      for (const match of row.matchAll(pattern)) {
        ground.rect((match.index - 0.5) * UNIT, (y - 0.5) * UNIT, match[0].length * UNIT, UNIT)
        any = true
      }
    })
    if (any) ground.fill(colour)
  }
  // Ramps are hatched, in a path of its own: a stroke without one would outline the floor's rows.
  if (!rows.some((row) => row.includes('/'))) return ground
  ground.beginPath()
  rows.forEach((row, y) => {
    for (const match of row.matchAll(/\//g)) {
      const [left, top] = [(match.index - 0.5) * UNIT, (y - 0.5) * UNIT]
      ground.moveTo(left, top + UNIT).lineTo(left + UNIT, top)
    }
  })
  return ground.stroke({ color: palette.fixtureLine, width: 2, alpha: 0.5 })
}
