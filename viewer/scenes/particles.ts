/**
 * Particles: discs by team (colour) and number, landmarks and goals as rings, obstacles and food as solids, forests as
 * shade; an arrow for velocity, a bubble for what is said, a ring where bodies touch, a mark at the edge for who left.
 */
import { Container, Graphics } from 'pixi.js'
import { type Entity, type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { agentColour, textOn } from '../theme.ts'
import { tween, type Placed } from '../tween.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

/** Frame units per world unit, and half the width of the drawn square in world units, where the spec does not say. */
const SCALE = 4
const HALF = 1.25

/** Seconds of travel that an arrow is long. */
const ARROW_SECONDS = 0.25

const number = (entity: Entity, name: string): number => {
  const value = entity.state?.[name]
  return typeof value === 'number' ? value : 0
}

/** Number that stands on a disc: the one at the end of its id; initials where kinds differ (speaker, listener, alice). */
function markOf(entity: Entity): string {
  const digits = /(\d+)$/.exec(entity.id)?.[1] ?? ''
  return ['agent', 'chaser', 'prey', 'adversary'].includes(entity.kind) ? digits : entity.kind.slice(0, 1).toUpperCase()
}

interface Disc {
  readonly view: Container
  readonly bubble: Graphics
  readonly words: Label
}

export class ParticlesScene implements Scene {
  #stage!: SceneStage
  #box: Box = { x: -0.5, y: -0.5, width: 10, height: 10 }
  #scale = SCALE
  #discs = new Map<string, Disc>()
  #discLayer = new Container()
  #bubbleLayer = new Container()
  #things = new Graphics()
  #marks = new Graphics()
  #placed: readonly Placed[] = []
  #teams: readonly string[] = []
  #kinds: ReadonlySet<string> = new Set()
  #speaks = false

  mount(stage: SceneStage, spec: EnvSpec | null, first: Frame): void {
    this.#stage = stage
    const facts = spec?.world.scene
    this.#scale = typeof facts?.scale === 'number' ? facts.scale : SCALE
    const half = typeof facts?.half === 'number' ? facts.half : HALF
    const size = 2 * half * this.#scale
    this.#box = { x: -0.5, y: -0.5, width: size, height: size }
    this.#discs = new Map()
    this.#placed = []
    this.#teams = [...new Set(first.entities.flatMap(({ team }) => (team === undefined ? [] : [team])))]
    this.#kinds = new Set(first.entities.map(({ kind }) => kind))
    this.#speaks = first.entities.some(({ state }) => state !== undefined && 'says' in state)
    this.#things = new Graphics()
    this.#marks = new Graphics()
    this.#discLayer = new Container()
    this.#bubbleLayer = new Container()
    stage.root.addChild(this.#ground(half), this.#things, this.#discLayer, this.#marks, this.#bubbleLayer)
  }

  box(): Box {
    return this.#box
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const { palette } = this.#stage
    const placed = tween(before, after, fraction)
    // What was said and where bodies touched on the way to `after` shows while we are on that way.
    const shown = fraction > 0 ? after : before
    const now = new Map(shown.entities.map((entity) => [entity.id, entity]))
    this.#placed = placed
    this.#things.clear()
    this.#marks.clear()
    for (const at of placed) if (at.entity.team === undefined) this.#drawThing(at)
    for (const at of placed) {
      if (at.entity.team === undefined) continue
      this.#drawDisc(at, now.get(at.entity.id) ?? at.entity, selection.agent === at.entity.id)
    }
    for (const { kind, at } of shown.events) {
      if (at === undefined) continue
      const colour = kind === 'catch' ? agentColour(palette, 5) : palette.muted
      this.#marks
        .circle(at.x * UNIT, at.y * UNIT, 0.16 * UNIT)
        .stroke({ color: colour, width: kind === 'catch' ? 7 : 4 })
    }
  }

  pick(x: number, y: number): string | null {
    let nearest: string | null = null
    let best = Infinity
    for (const { entity, x: atX, y: atY } of this.#placed) {
      if (entity.team === undefined) continue
      const away = Math.hypot(atX - x, atY - y)
      if (away >= best || away > Math.max(0.35, number(entity, 'radius') * this.#scale)) continue
      best = away
      nearest = entity.id
    }
    return nearest
  }

  legend(): readonly LegendItem[] {
    const { palette } = this.#stage
    const has = (kind: string) => this.#kinds.has(kind)
    const items: LegendItem[] = this.#teams.map((team) => ({
      label: team === 'pair' ? 'agent' : team,
      shapes: [{ kind: 'circle', numbers: [12, 12, 8], fill: this.#teamColour(team, 0) }],
    }))
    const ring = { kind: 'circle', numbers: [12, 12, 7], stroke: palette.ink, width: 1.5 } as const
    if (has('landmark')) {
      items.push({ label: 'landmark', shapes: [{ ...ring, fill: palette.fixture }] })
      if (this.#teams[0] !== 'agents') {
        const goal = agentColour(palette, 2)
        items.push({ label: 'goal', shapes: [ring, { ...ring, numbers: [12, 12, 10], stroke: goal, width: 2.5 }] })
      }
    }
    if (has('obstacle')) items.push({ label: 'obstacle', shapes: [{ ...ring, fill: palette.fixtureLine }] })
    if (has('food')) items.push({ label: 'food', shapes: [{ ...ring, fill: agentColour(palette, 6) }] })
    if (has('forest')) {
      items.push({ label: 'forest', shapes: [{ ...ring, fill: agentColour(palette, 2), opacity: 0.35 }] })
    }
    items.push({
      label: 'velocity',
      shapes: [{ kind: 'path', d: 'M3 12H20M15 7l5 5-5 5', stroke: palette.ink, width: 2 }],
    })
    if (this.#speaks) {
      items.push({
        label: 'what it says',
        shapes: [{ kind: 'rect', numbers: [3, 6, 18, 12, 4], fill: palette.surface, stroke: palette.ink, width: 1.5 }],
      })
    }
    const touch = { kind: 'circle', numbers: [12, 12, 6], width: 2.5 } as const
    if (has('chaser')) items.push({ label: 'catch', shapes: [{ ...touch, stroke: agentColour(palette, 5) }] })
    items.push({ label: 'contact', shapes: [{ ...touch, stroke: palette.muted }] })
    items.push({
      label: 'out of the picture',
      shapes: [{ kind: 'path', d: 'M5 6v12l13-6z', fill: this.#teamColour(this.#teams[0] ?? '', 0) }],
    })
    return items
  }

  dispose(): void {
    this.#discs.clear()
  }

  /** The plane with the square in which everything starts; it has no walls. */
  #ground(half: number): Graphics {
    const { palette } = this.#stage
    const { x, y, width, height } = this.#box
    const ground = new Graphics().rect(x * UNIT, y * UNIT, width * UNIT, height * UNIT).fill(palette.corridor)
    const side = 2 * this.#scale * UNIT
    const edge = (half - 1) * this.#scale * UNIT
    const [left, top] = [x * UNIT + edge, y * UNIT + edge]
    ground.rect(left, top, side, side).fill(palette.storage).stroke({ color: palette.line, width: 3 })
    ground
      .moveTo(left + side / 2, top)
      .lineTo(left + side / 2, top + side)
      .moveTo(left, top + side / 2)
      .lineTo(left + side, top + side / 2)
    return ground.stroke({ color: palette.line, width: 2 })
  }

  /** By team where there are two; in one team by number, as beside the stage. */
  #teamColour(team: string, agent: number): number {
    const { palette } = this.#stage
    if (/adversar|^eve$/.test(team)) return agentColour(palette, 5)
    return agentColour(palette, this.#teams.length > 1 ? 0 : agent)
  }

  #colourOf(entity: Entity): number {
    return this.#teamColour(entity.team ?? '', Number(/(\d+)$/.exec(entity.id)?.[1] ?? 0))
  }

  #drawThing({ entity, x, y }: Placed): void {
    const { palette } = this.#stage
    const things = this.#things
    const [cx, cy] = [x * UNIT, y * UNIT]
    const radius = number(entity, 'radius') * this.#scale * UNIT
    if (entity.kind === 'forest') {
      things
        .circle(cx, cy, radius)
        .fill({ color: agentColour(palette, 2), alpha: 0.22 })
        .stroke({ color: agentColour(palette, 2), width: 3, alpha: 0.6 })
      return
    }
    const fill = { obstacle: palette.fixtureLine, food: agentColour(palette, 6) }[entity.kind] ?? palette.fixture
    things.circle(cx, cy, radius).fill(fill).stroke({ color: palette.ink, width: 3 })
    // Agents stand on landmarks and food: their outline shows through.
    if (entity.kind !== 'obstacle')
      this.#marks.circle(cx, cy, radius).stroke({ color: palette.ink, width: 3, alpha: 0.6 })
    if (typeof entity.state?.goal === 'string') {
      things.circle(cx, cy, radius + 11).stroke({ color: agentColour(palette, 2), width: 6 })
    }
  }

  /** @param now the agent as it is at the end of the step being shown */
  #drawDisc({ entity, x, y }: Placed, now: Entity, selected: boolean): void {
    const { palette } = this.#stage
    const disc = this.#discs.get(entity.id) ?? this.#make(entity)
    disc.view.position.set(x * UNIT, y * UNIT)
    const radius = number(entity, 'radius') * this.#scale * UNIT
    const [cx, cy] = [x * UNIT, y * UNIT]
    const { x: left, y: top, width, height } = this.#box
    const outside = x < left || y < top || x > left + width || y > top + height
    if (outside) this.#pointOut(entity, x, y)
    if (selected) this.#marks.circle(cx, cy, radius + 8).stroke({ color: palette.ink, width: 5 })
    // y of the world grows upwards, of the picture downwards.
    const reach = ARROW_SECONDS * this.#scale * UNIT
    const [vx, vy] = [number(now, 'vx') * reach, -number(now, 'vy') * reach]
    const long = Math.hypot(vx, vy)
    if (long > 4) {
      const [ux, uy] = [vx / long, vy / long]
      const [fromX, fromY] = [cx + ux * radius, cy + uy * radius]
      const [toX, toY] = [fromX + vx, fromY + vy]
      const head = Math.min(14, long)
      this.#marks
        .moveTo(fromX, fromY)
        .lineTo(toX, toY)
        .moveTo(toX - head * (ux - uy * 0.7), toY - head * (uy + ux * 0.7))
        .lineTo(toX, toY)
        .lineTo(toX - head * (ux + uy * 0.7), toY - head * (uy - ux * 0.7))
        .stroke({ color: palette.ink, width: 4 })
    }
    this.#say(disc, now, cx, cy - radius)
  }

  /** An arrowhead at the edge of the picture towards an agent that left it. */
  #pointOut(entity: Entity, x: number, y: number): void {
    const { x: left, y: top, width, height } = this.#box
    const inset = 0.25
    const at = {
      x: Math.min(left + width - inset, Math.max(left + inset, x)) * UNIT,
      y: Math.min(top + height - inset, Math.max(top + inset, y)) * UNIT,
    }
    const angle = Math.atan2(y * UNIT - at.y, x * UNIT - at.x)
    const tip = (turn: number, length: number) => [
      at.x + Math.cos(angle + turn) * length,
      at.y + Math.sin(angle + turn) * length,
    ]
    this.#marks
      .poly([...tip(0, 16), ...tip(2.4, 16), ...tip(-2.4, 16)])
      .fill(this.#colourOf(entity))
      .stroke({ color: this.#stage.palette.ink, width: 2 })
  }

  #say(disc: Disc, now: Entity, cx: number, top: number): void {
    const { palette } = this.#stage
    const says = now.state?.says
    disc.bubble.clear()
    disc.words.view.visible = typeof says === 'string'
    if (typeof says !== 'string') return
    // Strengths of many words do not fit: the strongest is named.
    const strengths = says.split(' ').map(Number)
    const strongest = strengths.indexOf(Math.max(...strengths))
    disc.words.set(strengths.length === 1 ? says : `${strongest}: ${strengths[strongest].toFixed(1)}`)
    const wide = disc.words.width + 20
    disc.bubble
      .roundRect(cx - wide / 2, top - 44, wide, 32, 12)
      .fill(palette.surface)
      .stroke({ color: palette.ink, width: 2.5 })
    disc.bubble
      .moveTo(cx - 6, top - 12)
      .lineTo(cx, top - 3)
      .lineTo(cx + 6, top - 12)
      .fill(palette.surface)
    disc.words.view.position.set(cx, top - 28)
  }

  #make(entity: Entity): Disc {
    const { palette } = this.#stage
    const colour = this.#colourOf(entity)
    const radius = number(entity, 'radius') * this.#scale * UNIT
    const view = new Container()
    const body = new Graphics().circle(0, 0, radius).fill(colour).stroke({ color: palette.ink, width: 3 })
    const size = Math.max(14, Math.min(26, radius * 1.2))
    const label = this.#stage.label(markOf(entity), { size, colour: textOn(colour), weight: 'bold' })
    view.addChild(body, label.view)
    const disc: Disc = {
      view,
      bubble: new Graphics(),
      words: this.#stage.label('', { size: 22, colour: palette.ink, weight: 'bold' }),
    }
    this.#discLayer.addChild(view)
    this.#bubbleLayer.addChild(disc.bubble, disc.words.view)
    this.#discs.set(entity.id, disc)
    return disc
  }
}
