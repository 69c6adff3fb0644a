/**
 * Draws any frame without knowing its world: layers of numbers as coloured cells, things by kind as shapes, agents as
 * numbered discs, links, texts and events. For plug-ins, other versions, and worlds that have no scene of their own.
 *
 * What it understands of `state`, where it is there: `alive`, `health` of `maxHealth`, `radius`, `carrying`.
 */
import { Container, Graphics } from 'pixi.js'
import { type Entity, type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { numberOf } from '../agents.ts'
import { glyphOf } from '../glyphs.ts'
import { strings } from '../strings.ts'
import { agentColour, textOn, type Palette } from '../theme.ts'
import { indexOf, tween, type Placed } from '../tween.ts'
import { type Box } from '../stage/camera.ts'
import { cellColour, isWall, rangeOf, scaleOf, type Range } from '../stage/layer-colours.ts'
import { PixelMap } from '../stage/pixel-map.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection, type Shape } from './scene.ts'

const words = strings.scenes.generic

/** Below this many pixels per world unit a large world is drawn as points. */
const FAR_SCALE = 6
/** From how many things on a world counts as large. */
const MANY = 600
/** Numbers are written into cells from this scale on, and into this many at most. */
const NUMBER_SCALE = 22
const MOST_NUMBERS = 400
/** Radius of an agent's disc and half side of a thing, in world units. */
const DISC = 0.36
/** Corners of the shapes of kinds, in the order in which kinds appear; 0 = disc. */
const CORNERS = [4, 3, 6, 0, 5, 8, 7] as const
/** Dashes of the kinds of links, in drawing units on and off. */
const DASHES: readonly (readonly [number, number])[] = [
  [1, 0],
  [12, 8],
  [4, 8],
  [20, 6],
]

interface View {
  readonly view: Container
  readonly body: Graphics
  readonly label: Label | null
  readonly entity: Entity
}

export class GenericScene implements Scene {
  /** Raised when there is more in the legend. */
  version = 0
  #stage!: SceneStage
  #box: Box = { x: -0.5, y: -0.5, width: 1, height: 1 }
  #sized = false
  #views = new Map<string, View>()
  #floor = new Graphics()
  #layerGround = new Container()
  #layers = new Map<string, { map: PixelMap; range: Range }>()
  #lines = new Graphics()
  #things = new Container()
  #bars = new Graphics()
  #textLayer = new Container()
  #texts: Label[] = []
  #used = 0
  #far: PixelMap | null = null
  #kinds: string[] = []
  #linkKinds: string[] = []
  #eventKinds: string[] = []
  #teams: string[] = []
  #agents = new Map<string, number>()
  #placed: readonly Placed[] = []
  #painted: Frame | null = null

  mount(stage: SceneStage, spec: EnvSpec | null, first: Frame): void {
    this.#stage = stage
    this.#views = new Map()
    this.#layers = new Map()
    this.#texts = []
    this.#far = null
    this.#painted = null
    this.#agents = new Map(stage.agents.map((id, index) => [id, numberOf(id, index)]))
    this.#floor = new Graphics()
    this.#layerGround = new Container()
    this.#layerGround.sortableChildren = true
    this.#lines = new Graphics()
    this.#things = new Container()
    this.#bars = new Graphics()
    this.#textLayer = new Container()
    stage.root.addChild(this.#floor, this.#layerGround, this.#things, this.#lines, this.#bars, this.#textLayer)
    const size = spec?.world.size
    this.#sized = size !== undefined
    if (size !== undefined) this.#box = { x: -0.5, y: -0.5, width: size.width, height: size.height }
    else this.#box = extent(first)
    this.#drawFloor()
    this.#learn(first)
  }

  box(): Box {
    return this.#box
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    if (before !== this.#painted) {
      this.#learn(before)
      this.#paintLayers(before)
    }
    this.#used = 0
    this.#lines.clear()
    this.#bars.clear()
    const { scale, visible } = this.#stage.camera
    const far = scale < FAR_SCALE && before.entities.length > MANY
    this.#things.visible = !far
    if (far) this.#drawPoints(before)
    else if (this.#far !== null) this.#far.sprite.visible = false
    const indices: number[] = []
    before.entities.forEach(({ id, x, y }, index) => {
      const inside =
        x >= visible.x - 2 &&
        y >= visible.y - 2 &&
        x <= visible.x + visible.width + 2 &&
        y <= visible.y + visible.height + 2
      if (inside && (!far || id === selection.agent)) indices.push(index)
    })
    this.#placed = tween(before, after, fraction, indices)
    const present = new Set<string>()
    for (const at of this.#placed) {
      present.add(at.entity.id)
      if (!far) this.#drawThing(at)
      if (at.entity.id === selection.agent) this.#drawSelection(at)
    }
    for (const [id, { view }] of this.#views) {
      if (present.has(id)) continue
      // Things that left the picture are thrown away, those out of sight as well: views stay as many as one can see.
      view.destroy({ children: true })
      this.#views.delete(id)
    }
    if (!far) this.#drawLinks(before)
    this.#drawEvents(before)
    for (const { x, y, text } of before.texts ?? []) this.#write(text, x, y, 0.36)
    if (!far) this.#writeNumbers(before)
    for (let i = this.#used; i < this.#texts.length; i++) this.#texts[i].view.visible = false
    this.#painted = before
  }

  pick(x: number, y: number): string | null {
    let nearest: string | null = null
    let best = Math.max(0.6, 8 / this.#stage.camera.scale)
    const candidates = this.#stage.camera.scale < FAR_SCALE ? (this.#painted?.entities ?? []) : null
    const consider = (id: string, atX: number, atY: number) => {
      if (!this.#agents.has(id)) return
      const away = Math.hypot(atX - x, atY - y)
      if (away < best) [best, nearest] = [away, id]
    }
    if (candidates !== null) for (const entity of candidates) consider(entity.id, entity.x, entity.y)
    else for (const at of this.#placed) consider(at.entity.id, at.x, at.y)
    return nearest
  }

  legend(): readonly LegendItem[] {
    const { palette } = this.#stage
    const { fixture, fixtureLine, muted, ink, accent, surface } = palette
    const blue = agentColour(palette, 0)
    const items: LegendItem[] = []
    if (this.#agents.size > 0) {
      const teams = this.#teams.length > 1 ? this.#teams : ['']
      teams.forEach((team, index) => {
        const label = team === '' ? words.agent : words.agentOf(team)
        const look = index % 2 === 0 ? { fill: blue, stroke: ink, width: 1 } : { fill: surface, stroke: blue, width: 3 }
        items.push({ label, shapes: [{ kind: 'circle', numbers: [12, 12, 7.5], ...look }] })
      })
    }
    this.#kinds.forEach((kind, index) => {
      items.push({ label: spoken(kind), shapes: [outline(index, { fill: fixture, stroke: fixtureLine, width: 1.5 })] })
    })
    this.#linkKinds.forEach((kind, index) => {
      const [on, off] = DASHES[index % DASHES.length]
      const dash = off === 0 ? undefined : `${on / 4} ${off / 4}`
      items.push({
        label: words.link(spoken(kind)),
        shapes: [
          { kind: 'path', d: 'M2 12h13', stroke: muted, width: 2, ...(dash === undefined ? {} : { dash }) },
          { kind: 'path', d: 'M22 12l-7-4v8z', fill: muted },
        ],
      })
    })
    for (const [name, { range }] of this.#layers) items.push(...layerLegend(name, range, palette))
    for (const kind of this.#eventKinds) {
      items.push({ label: spoken(kind), shapes: [eventSign(kind, accent)] })
    }
    return items
  }

  dispose(): void {
    for (const { map } of this.#layers.values()) map.dispose()
    this.#layers.clear()
    this.#far?.dispose()
    this.#far = null
    this.#views.clear()
    this.#texts = []
  }

  /** Notes kinds, teams and the room that the world takes, so that the legend and the camera keep up. */
  #learn(frame: Frame): void {
    const more = (list: string[], found: Iterable<string>) => {
      for (const name of found) {
        if (list.includes(name)) continue
        list.push(name)
        this.version++
      }
    }
    const agents = frame.entities.filter(({ id }) => this.#agents.has(id))
    const kinds = new Set(frame.entities.filter(({ id }) => !this.#agents.has(id)).map(({ kind }) => kind))
    more(this.#kinds, kinds)
    more(this.#teams, new Set(agents.flatMap(({ team }) => team ?? [])))
    more(this.#linkKinds, new Set((frame.links ?? []).map(({ kind }) => kind)))
    more(this.#eventKinds, new Set(frame.events.map(({ kind }) => kind)))
    if (this.#sized) return
    const box = joined(this.#box, extent(frame))
    if (box.width === this.#box.width && box.height === this.#box.height) return
    this.#box = box
    this.#drawFloor()
  }

  #drawFloor(): void {
    const { x, y, width, height } = this.#box
    this.#floor
      .clear()
      .rect(x * UNIT, y * UNIT, width * UNIT, height * UNIT)
      .fill(this.#stage.palette.corridor)
      .stroke({ color: this.#stage.palette.line, width: 3 })
  }

  #paintLayers(frame: Frame): void {
    const present = new Set<string>()
    frame.layers?.forEach(({ name, width, height, cells }, index) => {
      if (width === 0 || height === 0) return
      present.add(name)
      let layer = this.#layers.get(name)
      if (layer === undefined || layer.map.width !== width || layer.map.height !== height) {
        layer?.map.dispose()
        layer = { map: new PixelMap(width, height), range: rangeOf(cells, undefined) }
        this.#layers.set(name, layer)
        // What stands in the way is seen through no other layer.
        layer.map.sprite.zIndex = isWall(name) ? 1 : 0
        this.#layerGround.addChild(layer.map.sprite)
        this.version++
      }
      const range = rangeOf(cells, layer.range)
      if (JSON.stringify(range) !== JSON.stringify(layer.range)) this.version++
      layer.range = range
      const { map } = layer
      map.clear()
      for (let i = 0; i < cells.length; i++) {
        const paint = cellColour(name, cells[i], range, this.#stage.palette)
        if (paint !== null)
          map.set(
            i % width,
            Math.floor(i / width),
            paint.colour,
            index === 0 || isWall(name) ? paint.alpha : paint.alpha * 0.7,
          )
      }
      map.show()
    })
    for (const [name, { map }] of this.#layers) map.sprite.visible = present.has(name)
  }

  /** Everything as points: agents over things. */
  #drawPoints(frame: Frame): void {
    const { x, y, width, height } = this.#box
    const [right, bottom] = [Math.ceil(x + width), Math.ceil(y + height)]
    if (this.#far !== null && (this.#far.width < right || this.#far.height < bottom)) {
      this.#far.dispose()
      this.#far = null
    }
    const made = this.#far === null
    if (this.#far === null) {
      this.#far = new PixelMap(Math.max(1, right), Math.max(1, bottom))
      this.#stage.root.addChildAt(this.#far.sprite, this.#stage.root.getChildIndex(this.#things))
    }
    this.#far.sprite.visible = true
    if (!made && frame === this.#painted) return
    const { palette } = this.#stage
    this.#far.clear()
    for (const entity of frame.entities) {
      if (!this.#agents.has(entity.id)) this.#far.set(entity.x, entity.y, palette.fixture)
    }
    for (const entity of frame.entities) {
      const number = this.#agents.get(entity.id)
      if (number !== undefined) this.#far.set(entity.x, entity.y, agentColour(palette, number))
    }
    this.#far.show()
  }

  #drawThing({ entity, x, y, heading }: Placed): void {
    let view = this.#views.get(entity.id)
    const gone = entity.state?.alive === false
    const kept = view?.entity
    const changed =
      kept !== undefined &&
      (kept.kind !== entity.kind ||
        kept.team !== entity.team ||
        kept.state?.radius !== entity.state?.radius ||
        (kept.state?.alive === false) !== gone ||
        (kept.state?.carrying == null) !== (entity.state?.carrying == null))
    if (changed) {
      view!.view.destroy({ children: true })
      this.#views.delete(entity.id)
      view = undefined
    }
    view ??= this.#make(entity, gone)
    view.view.position.set(x * UNIT, y * UNIT)
    view.body.rotation = heading
    const { health, maxHealth } = entity.state ?? {}
    if (gone || typeof health !== 'number' || typeof maxHealth !== 'number' || maxHealth <= 0) return
    const [left, top] = [(x - 0.4) * UNIT, (y - 0.56) * UNIT]
    const share = Math.max(0, Math.min(1, health / maxHealth))
    this.#bars.rect(left, top, 0.8 * UNIT, 7).fill({ color: this.#stage.palette.surface, alpha: 0.9 })
    this.#bars.rect(left, top, 0.8 * UNIT * share, 7).fill(agentColour(this.#stage.palette, 2))
  }

  #make(entity: Entity, gone: boolean): View {
    const { palette } = this.#stage
    const number = this.#agents.get(entity.id)
    const body = new Graphics()
    const radius = entity.state?.radius
    const size = (typeof radius === 'number' && radius > 0 ? Math.min(2, radius) : DISC) * UNIT
    let label: Label | null = null
    if (gone) {
      const arm = 0.22 * UNIT
      body
        .moveTo(-arm, -arm)
        .lineTo(arm, arm)
        .moveTo(arm, -arm)
        .lineTo(-arm, arm)
        .stroke({ color: palette.muted, width: 5 })
    } else if (number !== undefined) {
      const colour = agentColour(palette, number)
      const outlined = this.#teams.length > 1 && this.#teams.indexOf(entity.team ?? '') % 2 === 1
      if (entity.state?.carrying != null) {
        body
          .roundRect(-0.46 * UNIT, -0.46 * UNIT, 0.92 * UNIT, 0.92 * UNIT, 8)
          .stroke({ color: palette.fixtureLine, width: 6 })
      }
      if (entity.heading !== undefined) {
        body
          .poly([0, -size * 1.35, size * 0.6, -size * 0.7, -size * 0.6, -size * 0.7])
          .fill(colour)
          .stroke({ color: palette.ink, width: 2 })
      }
      body.circle(0, 0, size)
      if (outlined) body.fill(palette.surface).stroke({ color: colour, width: 8 })
      else body.fill(colour).stroke({ color: palette.ink, width: 2 })
      const ink = outlined ? palette.ink : textOn(colour)
      label = this.#stage.label(String(number), { size: Math.min(26, size), colour: ink, weight: 'bold' })
    } else {
      const corners = CORNERS[this.#kinds.indexOf(entity.kind) % CORNERS.length]
      if (corners === 0) body.circle(0, 0, size)
      else body.poly(polygon(corners, size * 1.1))
      body.fill(palette.fixture).stroke({ color: palette.fixtureLine, width: 3 })
      const text = shortName(entity.id)
      label = this.#stage.label(text, { size: 18, colour: palette.ink })
      label.fit(size * 1.6)
    }
    const view = new Container()
    view.addChild(body)
    if (label !== null) view.addChild(label.view)
    this.#things.addChild(view)
    const made = { view, body, label, entity }
    this.#views.set(entity.id, made)
    return made
  }

  #drawSelection({ x, y }: Placed): void {
    const { ink, surface } = this.#stage.palette
    const radius = Math.max(0.56, 9 / this.#stage.camera.scale) * UNIT
    this.#bars.circle(x * UNIT, y * UNIT, radius).stroke({ color: surface, width: 9 })
    this.#bars.circle(x * UNIT, y * UNIT, radius).stroke({ color: ink, width: 5 })
  }

  #drawLinks(frame: Frame): void {
    const at = new Map(this.#placed.map((placed) => [placed.entity.id, placed]))
    for (const { from, to, kind } of frame.links ?? []) {
      const [a, b] = [at.get(from), at.get(to)]
      if (a === undefined || b === undefined) continue
      const length = Math.hypot(b.x - a.x, b.y - a.y) * UNIT
      if (length === 0) continue
      const [dx, dy] = [((b.x - a.x) * UNIT) / length, ((b.y - a.y) * UNIT) / length]
      const start = Math.min(length / 2, DISC * UNIT)
      const end = Math.max(length / 2, length - DISC * UNIT)
      const [on, off] = DASHES[this.#linkKinds.indexOf(kind) % DASHES.length]
      const [ax, ay] = [a.x * UNIT, a.y * UNIT]
      for (let along = start; along < end; along += off === 0 ? end : on + off) {
        const stop = off === 0 ? end : Math.min(end, along + on)
        this.#lines.moveTo(ax + dx * along, ay + dy * along).lineTo(ax + dx * stop, ay + dy * stop)
      }
      this.#lines.stroke({ color: this.#stage.palette.muted, width: 5, cap: 'round' })
      const [tipX, tipY] = [ax + dx * end, ay + dy * end]
      const [backX, backY] = [tipX - dx * 16, tipY - dy * 16]
      this.#lines
        .poly([tipX, tipY, backX - dy * 9, backY + dx * 9, backX + dy * 9, backY - dx * 9])
        .fill(this.#stage.palette.muted)
    }
  }

  /** A sign where something happened: at its place, or at the agents it happened to. */
  #drawEvents(frame: Frame): void {
    const { accent, surface } = this.#stage.palette
    for (const { kind, at, agents } of frame.events) {
      const places =
        at !== undefined
          ? [at]
          : (agents ?? []).flatMap((id) => {
              const index = indexOf(frame, id)
              return index === undefined ? [] : [frame.entities[index]]
            })
      for (const { x, y } of places) {
        const [cx, cy] = [(x + 0.38) * UNIT, (y - 0.38) * UNIT]
        const glyph = glyphOf(kind)
        const r = 11
        if (glyph === 'diamond') this.#bars.poly([cx, cy - r, cx + r, cy, cx, cy + r, cx - r, cy])
        else if (glyph === 'up') this.#bars.poly([cx, cy - r, cx + r, cy + r, cx - r, cy + r])
        else if (glyph === 'down') this.#bars.poly([cx, cy + r, cx + r, cy - r, cx - r, cy - r])
        else if (glyph === 'bar') this.#bars.rect(cx - 4, cy - r, 8, 2 * r)
        else if (glyph === 'cross' || glyph === 'burst') {
          this.#bars
            .moveTo(cx - r, cy - r)
            .lineTo(cx + r, cy + r)
            .moveTo(cx + r, cy - r)
            .lineTo(cx - r, cy + r)
            .stroke({ color: accent, width: 6 })
          continue
        } else this.#bars.circle(cx, cy, r * 0.8)
        this.#bars.fill(accent).stroke({ color: surface, width: 3 })
      }
    }
  }

  /** The numbers of kinds and magnitudes, where cells are large enough to read them: no colour without a number. */
  #writeNumbers(frame: Frame): void {
    const { scale, visible } = this.#stage.camera
    if (scale < NUMBER_SCALE) return
    let left = MOST_NUMBERS
    for (const { name, width, height, cells } of frame.layers ?? []) {
      const range = this.#layers.get(name)?.range
      if (range === undefined || (range.kinds !== null && range.kinds.filter((kind) => kind !== 0).length < 2)) continue
      const [x0, y0] = [Math.max(0, Math.floor(visible.x)), Math.max(0, Math.floor(visible.y))]
      const x1 = Math.min(width - 1, Math.ceil(visible.x + visible.width))
      const y1 = Math.min(height - 1, Math.ceil(visible.y + visible.height))
      for (let y = y0; y <= y1; y++) {
        for (let x = x0; x <= x1; x++) {
          const value = cells[y * width + x]
          if (value === 0 || left-- <= 0) continue
          this.#write(strings.short(value), x - 0.3, y + 0.34, 0.22)
        }
      }
    }
  }

  #write(text: string, x: number, y: number, size: number): void {
    const { ink } = this.#stage.palette
    let label = this.#texts[this.#used]
    if (label === undefined) {
      label = this.#stage.label(text, { size: UNIT * 0.36, colour: ink })
      this.#texts.push(label)
      this.#textLayer.addChild(label.view)
    }
    this.#used++
    label.set(text)
    label.view.visible = true
    label.view.scale.set(size / 0.36)
    label.view.position.set(x * UNIT, y * UNIT)
  }
}

/** The room that everything in a frame takes, with half a cell around. */
function extent(frame: Frame): Box {
  let [x0, y0, x1, y1] = [0, 0, 0, 0]
  const take = ({ x, y }: { x: number; y: number }) => {
    x0 = Math.min(x0, x)
    y0 = Math.min(y0, y)
    x1 = Math.max(x1, x)
    y1 = Math.max(y1, y)
  }
  frame.entities.forEach(take)
  frame.texts?.forEach(take)
  frame.layers?.forEach(({ width, height }) => take({ x: width - 1, y: height - 1 }))
  return { x: x0 - 0.5, y: y0 - 0.5, width: x1 - x0 + 1, height: y1 - y0 + 1 }
}

function joined(a: Box, b: Box): Box {
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const right = Math.max(a.x + a.width, b.x + b.width)
  const bottom = Math.max(a.y + a.height, b.y + b.height)
  return { x, y, width: right - x, height: bottom - y }
}

function layerLegend(name: string, range: Range, palette: Palette): LegendItem[] {
  const { low, high, kinds } = range
  if (kinds !== null) {
    const others = kinds.filter((kind) => kind !== 0)
    return others.map((kind) => {
      const { colour, alpha } = cellColour(name, kind, range, palette)!
      return {
        label: others.length === 1 ? spoken(name) : `${spoken(name)} ${kind}`,
        shapes: [{ kind: 'rect' as const, numbers: [2, 2, 20, 20, 0], fill: colour, opacity: alpha }],
      }
    })
  }
  const colours = scaleOf(low, high)
  const width = 24 / colours.length
  return [
    {
      label: `${spoken(name)}: ${strings.short(low)} – ${strings.short(high)}`,
      shapes: colours.map((fill, i) => ({ kind: 'rect' as const, numbers: [i * width, 6, width, 12, 0], fill })),
    },
  ]
}

function eventSign(kind: string, fill: number): Shape {
  const glyph = glyphOf(kind)
  if (glyph === 'diamond') return { kind: 'path', d: 'M12 4l8 8-8 8-8-8z', fill }
  if (glyph === 'up') return { kind: 'path', d: 'M12 4l8 16H4z', fill }
  if (glyph === 'down') return { kind: 'path', d: 'M12 20 4 4h16z', fill }
  if (glyph === 'bar') return { kind: 'rect', numbers: [9, 4, 6, 16, 0], fill }
  if (glyph === 'cross' || glyph === 'burst') return { kind: 'path', d: 'M5 5l14 14M19 5 5 19', stroke: fill, width: 4 }
  return { kind: 'circle', numbers: [12, 12, 6], fill }
}

function outline(index: number, look: Partial<Shape>): Shape {
  const corners = CORNERS[index % CORNERS.length]
  if (corners === 0) return { kind: 'circle', numbers: [12, 12, 8], ...look }
  const points = polygon(corners, 9).map((value) => (value + 12).toFixed(1))
  const path = Array.from({ length: corners }, (_, c) => `${points[2 * c]} ${points[2 * c + 1]}`).join('L')
  return { kind: 'path', d: `M${path}z`, ...look }
}

/** Points of a regular polygon around the origin; squares stand on a side. */
function polygon(corners: number, radius: number): number[] {
  const turn = corners === 4 ? Math.PI / 4 : -Math.PI / 2
  return Array.from({ length: corners }, (_, c) => turn + (c * 2 * Math.PI) / corners).flatMap((angle) => [
    radius * Math.cos(angle),
    radius * Math.sin(angle),
  ])
}

/** 'robot_12' is '12'; other names keep their first four letters. */
function shortName(id: string): string {
  return /(\d+)$/.exec(id)?.[1] ?? id.slice(0, 4)
}

/** 'tooHeavy' is 'too heavy'. */
function spoken(name: string): string {
  return name
    .replace(/([a-z])([A-Z0-9])/g, '$1 $2')
    .replace(/_/g, ' ')
    .toLowerCase()
    .slice(0, 40)
}
