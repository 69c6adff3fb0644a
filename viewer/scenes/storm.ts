/** STORM: walkers with noses on a walled grid, coins of two shapes, beams, and what both hold beside the grid. */
import { Container, Graphics } from 'pixi.js'
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { figure, strings } from '../strings.ts'
import { agentColour, textOn } from '../theme.ts'
import { tween } from '../tween.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

const words = strings.scenes.storm

const SIDE = 8
/** Width of the panels beside the grid, in world units. */
const PANEL = 3.4
const PANEL_PITCH = 1.5

interface Walker {
  readonly view: Container
  readonly body: Container
}

export class StormScene implements Scene {
  #stage!: SceneStage
  #ground = new Graphics()
  #over = new Graphics()
  #panels = new Graphics()
  #walkers: Walker[] = []
  #held: Label[][] = []
  #at: { id: string; x: number; y: number }[] = []

  mount(stage: SceneStage, spec: EnvSpec | null, _first: Frame): void {
    this.#stage = stage
    const { palette } = stage
    const floor = new Graphics()
    const side = SIDE * UNIT
    floor.rect(-0.5 * UNIT, -0.5 * UNIT, side, side).fill(palette.corridor)
    for (let k = 1; k < SIDE; k++) {
      const at = (k - 0.5) * UNIT
      floor.moveTo(at, -0.5 * UNIT).lineTo(at, -0.5 * UNIT + side)
      floor.moveTo(-0.5 * UNIT, at).lineTo(-0.5 * UNIT + side, at)
    }
    floor.stroke({ color: palette.line, width: 1 })
    floor.rect(-0.5 * UNIT, -0.5 * UNIT, side, side).stroke({ color: palette.fixtureLine, width: 6 })
    this.#ground = new Graphics()
    this.#over = new Graphics()
    this.#panels = new Graphics()
    this.#walkers = [0, 1].map((n) => {
      const colour = agentColour(palette, n)
      const shape = new Graphics()
        .moveTo(0, -0.46 * UNIT)
        .lineTo(0.2 * UNIT, -0.2 * UNIT)
        .lineTo(-0.2 * UNIT, -0.2 * UNIT)
        .closePath()
        .circle(0, 0, 0.32 * UNIT)
        .fill(colour)
      const body = new Container()
      body.addChild(shape)
      const view = new Container()
      view.addChild(body, stage.label(String(n), { size: 22, colour: textOn(colour), weight: 'bold' }).view)
      return { view, body }
    })
    stage.root.addChild(floor, this.#ground, this.#panels, ...this.#walkers.map(({ view }) => view), this.#over)
    this.#drawPanelHeads(spec)
  }

  #text(text: string, x: number, y: number, size: number, colour: number, anchor = 0, bold = false): Label {
    const weight = bold ? 'bold' : 'regular'
    const label = this.#stage.label(text, { size, colour, anchor: [anchor, 0.5], weight })
    label.view.position.set(x * UNIT, y * UNIT)
    this.#stage.root.addChild(label.view)
    return label
  }

  #drawPanelHeads(spec: EnvSpec | null): void {
    const { ink, muted } = this.#stage.palette
    const left = SIDE - 0.5 + 0.4
    this.#held = [0, 1].map((n) => {
      const top = -0.4 + n * PANEL_PITCH
      this.#text(`agent_${n}`, left + 0.6, top + 0.32, 20, ink)
      this.#text(words.holds, left + 0.2, top + 0.86, 18, muted)
      return [1.2, 2.1].map((x) => this.#text('0', left + x + 0.25, top + 0.86, 24, ink, 0, true))
    })
    const { payoffs } = (spec?.world.scene ?? {}) as { payoffs?: number[][][] }
    if (payoffs === undefined) return
    const top = -0.4 + 2 * PANEL_PITCH + 0.45
    ;['A', 'B'].forEach((type, k) => {
      this.#text(type, left + 1.1 + k * 1.15, top, 19, muted, 0.5)
      this.#text(type, left + 0.25, top + 0.55 + k * 0.6, 19, muted, 0.5)
    })
    payoffs[0].forEach((row, i) =>
      row.forEach((value, j) => {
        const pair = `${figure(value)}, ${figure(payoffs[1][i][j])}`
        this.#text(pair, left + 1.1 + j * 1.15, top + 0.55 + i * 0.6, 20, ink, 0.5, true).fit(1.05 * UNIT)
      }),
    )
  }

  box(): Box {
    return { x: -0.65, y: -0.65, width: SIDE + 0.3 + PANEL, height: SIDE + 0.3 }
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const { palette } = this.#stage
    this.#ground.clear()
    this.#over.clear()
    this.#panels.clear()
    for (const { kind, x, y, state } of before.entities) {
      const [px, py] = [x * UNIT, y * UNIT]
      if (kind === 'beam')
        this.#ground.rect(px - 0.5 * UNIT, py - 0.5 * UNIT, UNIT, UNIT).fill({ color: palette.accent, alpha: 0.28 }) // prettier-ignore
      else if (kind === 'coin') this.#coin(this.#ground, px, py, state?.type === 'A' ? 0 : 1, 0.2 * UNIT)
    }
    const far = new Map(after.entities.map((entity) => [entity.id, entity]))
    this.#at = []
    for (const place of tween(before, after, fraction)) {
      const { entity } = place
      if (entity.kind !== 'walker') continue
      const to = far.get(entity.id) ?? entity
      const jump = Math.abs(entity.x - to.x) + Math.abs(entity.y - to.y) > 1 // the grid starts over
      const [x, y] = jump ? [entity.x, entity.y] : [place.x, place.y]
      const n = Number(entity.state?.number ?? 0)
      const walker = this.#walkers[n]
      walker.view.position.set(x * UNIT, y * UNIT)
      walker.body.rotation = jump ? (entity.heading ?? 0) : place.heading
      walker.view.alpha = entity.state?.frozen === true ? 0.55 : 1
      this.#at.push({ id: entity.id, x, y })
      if (entity.state?.frozen === true) {
        this.#over
          .roundRect(x * UNIT - 0.46 * UNIT, y * UNIT - 0.46 * UNIT, 0.92 * UNIT, 0.92 * UNIT, 10)
          .stroke({ color: palette.ink, width: 3 })
      }
      if (entity.id === selection.agent) {
        this.#over.circle(x * UNIT, y * UNIT, 0.52 * UNIT).stroke({ color: palette.accent, width: 4 })
      }
      this.#held[n][0].set(String(entity.state?.coinsA ?? 0))
      this.#held[n][1].set(String(entity.state?.coinsB ?? 0))
      this.#panel(n, selection.agent === entity.id)
    }
  }

  #panel(n: number, selected: boolean): void {
    const { palette } = this.#stage
    const left = (SIDE - 0.5 + 0.4) * UNIT
    const top = (-0.4 + n * PANEL_PITCH) * UNIT
    this.#panels
      .roundRect(left, top, (PANEL - 0.5) * UNIT, 1.2 * UNIT, 8)
      .fill(palette.surface)
      .stroke({ color: selected ? palette.accent : palette.line, width: selected ? 4 : 2 })
      .circle(left + 0.33 * UNIT, top + 0.32 * UNIT, 0.15 * UNIT)
      .fill(agentColour(palette, n))
    this.#coin(this.#panels, left + 1.22 * UNIT, top + 0.86 * UNIT, 0, 10)
    this.#coin(this.#panels, left + 2.12 * UNIT, top + 0.86 * UNIT, 1, 10)
  }

  /** Type A a filled disc, type B an outlined square: told apart without colour. */
  #coin(graphics: Graphics, x: number, y: number, type: number, r: number): void {
    const { palette } = this.#stage
    if (type === 0) graphics.circle(x, y, r).fill(palette.ink)
    else graphics.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7).stroke({ color: palette.ink, width: r * 0.35 })
  }

  pick(x: number, y: number): string | null {
    for (const { id, x: px, y: py } of this.#at) if (Math.hypot(px - x, py - y) <= 0.5) return id
    return null
  }

  legend(): readonly LegendItem[] {
    const { ink, accent } = this.#stage.palette
    return [
      { label: words.coinA, shapes: [{ kind: 'circle', numbers: [12, 12, 6], fill: ink }] },
      { label: words.coinB, shapes: [{ kind: 'rect', numbers: [7, 7, 10, 10, 0], stroke: ink, width: 2.5 }] },
      { label: words.beam, shapes: [{ kind: 'rect', numbers: [4, 4, 16, 16, 0], fill: accent, opacity: 0.3 }] },
      { label: words.frozen, shapes: [{ kind: 'rect', numbers: [4, 4, 16, 16, 4], stroke: ink, width: 2 }] },
    ]
  }

  dispose(): void {
    this.#walkers = []
    this.#held = []
    this.#at = []
  }
}
