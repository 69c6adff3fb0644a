/**
 * Draws any frame without knowing its world: a disc per entity that has a heading or a team, a square for the rest,
 * each with its id. For replays that this build cannot simulate.
 */
import { Container, Graphics } from 'pixi.js'
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { strings } from '../strings.ts'
import { agentColour, textOn } from '../theme.ts'
import { tween } from '../tween.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

interface Mark {
  readonly view: Container
  readonly label: Label
}

export class PlainScene implements Scene {
  #stage!: SceneStage
  #box: Box = { x: -0.5, y: -0.5, width: 1, height: 1 }
  #marks = new Map<string, Mark>()
  #links = new Graphics()
  #ring = new Graphics()
  #kinds: string[] = []
  #agents = new Map<string, { x: number; y: number }>()

  mount(stage: SceneStage, spec: EnvSpec | null, first: Frame): void {
    this.#stage = stage
    this.#marks = new Map()
    this.#links = new Graphics()
    const size = spec?.world.size
    const edge = (axis: 'x' | 'y') => Math.max(0, ...first.entities.map((entity) => entity[axis]))
    this.#box = { x: -0.5, y: -0.5, width: size?.width ?? edge('x') + 1, height: size?.height ?? edge('y') + 1 }
    const floor = new Graphics()
      .rect(this.#box.x * UNIT, this.#box.y * UNIT, this.#box.width * UNIT, this.#box.height * UNIT)
      .fill(stage.palette.corridor)
      .stroke({ color: stage.palette.line, width: 2 })
    this.#ring = new Graphics().circle(0, 0, 0.52 * UNIT).stroke({ color: stage.palette.accent, width: 5 })
    this.#ring.visible = false
    stage.root.addChild(floor, this.#links, this.#ring)
    this.#kinds = [...new Set(first.entities.map((entity) => entity.kind))]
  }

  box(): Box {
    return this.#box
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const placed = tween(before, after, fraction)
    const present = new Set<string>()
    this.#agents.clear()
    this.#ring.visible = false
    placed.forEach(({ entity, x, y, heading }, index) => {
      present.add(entity.id)
      const mark = this.#marks.get(entity.id) ?? this.#make(entity.id, entity.heading !== undefined, index)
      mark.view.visible = true
      mark.view.position.set(x * UNIT, y * UNIT)
      mark.view.children[0].rotation = heading
      if (entity.heading !== undefined || entity.team !== undefined) this.#agents.set(entity.id, { x, y })
      if (entity.id === selection.agent) {
        this.#ring.visible = true
        this.#ring.position.set(x * UNIT, y * UNIT)
      }
    })
    for (const [id, mark] of this.#marks) if (!present.has(id)) mark.view.visible = false
    const at = new Map(placed.map((p) => [p.entity.id, p]))
    this.#links.clear()
    for (const { from, to } of before.links ?? []) {
      const [a, b] = [at.get(from), at.get(to)]
      if (a === undefined || b === undefined) continue
      this.#links.moveTo(a.x * UNIT, a.y * UNIT).lineTo(b.x * UNIT, b.y * UNIT)
    }
    this.#links.stroke({ color: this.#stage.palette.muted, width: 3 })
  }

  pick(x: number, y: number): string | null {
    for (const [id, at] of this.#agents) if (Math.hypot(at.x - x, at.y - y) <= 0.5) return id
    return null
  }

  legend(): readonly LegendItem[] {
    const { fixture, fixtureLine } = this.#stage.palette
    return this.#kinds.map((kind) => ({
      label: strings.scenes.plain.entity(kind),
      shapes: [{ kind: 'rect', numbers: [5, 5, 14, 14, 3], fill: fixture, stroke: fixtureLine }],
    }))
  }

  dispose(): void {
    this.#marks.clear()
  }

  #make(id: string, moving: boolean, index: number): Mark {
    const { palette } = this.#stage
    const colour = moving ? agentColour(palette, index) : palette.fixture
    const shape = new Graphics()
    if (moving) {
      shape
        .moveTo(0, -0.48 * UNIT)
        .lineTo(0.2 * UNIT, -0.2 * UNIT)
        .lineTo(-0.2 * UNIT, -0.2 * UNIT)
        .closePath()
        .circle(0, 0, 0.34 * UNIT)
        .fill(colour)
    } else {
      shape
        .roundRect(-0.38 * UNIT, -0.38 * UNIT, 0.76 * UNIT, 0.76 * UNIT, 8)
        .fill(colour)
        .stroke({ color: palette.fixtureLine, width: 2 })
    }
    const label = this.#stage.label(shortName(id), { size: 20, colour: textOn(colour), weight: 'bold' })
    const view = new Container()
    view.addChild(shape, label.view)
    this.#stage.root.addChild(view)
    const mark = { view, label }
    this.#marks.set(id, mark)
    return mark
  }
}

/** 'robot_12' is '12'; other names keep their first four letters. */
function shortName(id: string): string {
  return /(\d+)$/.exec(id)?.[1] ?? id.slice(0, 4)
}
