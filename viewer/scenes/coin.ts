/** The coin game: a torus of cells, players as a filled square and a ring, coins as small discs in their colours. */
import { Container, Graphics } from 'pixi.js'
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { strings } from '../strings.ts'
import { agentColour, type Palette } from '../theme.ts'
import { tween } from '../tween.ts'
import { type Box } from '../stage/camera.ts'
import { UNIT, type Label, type LegendItem, type Scene, type SceneStage, type Selection } from './scene.ts'

const words = strings.scenes.coin

/** Width of the tallies beside the torus, in world units. */
const PANEL = 3.05
const PANEL_PITCH = 1.3

export class CoinScene implements Scene {
  #stage!: SceneStage
  #side = 3
  #players: Container[] = []
  #coins: Container[] = []
  #over = new Graphics()
  #panels = new Graphics()
  #own: Label[] = []
  #taken: Label[] = []
  #at: { id: string; x: number; y: number }[] = []

  mount(stage: SceneStage, spec: EnvSpec | null, _first: Frame): void {
    this.#stage = stage
    const { palette } = stage
    this.#side = (spec?.world.scene as { side?: number } | undefined)?.side ?? 3
    const floor = new Graphics()
    const side = this.#side * UNIT
    floor.rect(-0.5 * UNIT, -0.5 * UNIT, side, side).fill(palette.corridor)
    for (let k = 0; k <= this.#side; k++) {
      const at = (k - 0.5) * UNIT
      floor.moveTo(at, -0.5 * UNIT).lineTo(at, -0.5 * UNIT + side)
      floor.moveTo(-0.5 * UNIT, at).lineTo(-0.5 * UNIT + side, at)
    }
    floor.stroke({ color: palette.line, width: 2 })
    this.#over = new Graphics()
    this.#panels = new Graphics()
    this.#players = [0, 1].map((n) => wrapped(playerShape(palette, n)))
    this.#coins = [0, 1].map((n) => wrapped(coinShape(palette, n)))
    stage.root.addChild(floor, this.#panels, ...this.#players, ...this.#coins, this.#over)
    const left = this.#side - 0.5 + 0.3
    this.#own = []
    this.#taken = []
    for (const n of [0, 1]) {
      const top = -0.5 + n * PANEL_PITCH
      this.#text(`agent_${n}`, left + 0.5, top + 0.28, 17, palette.ink, 0)
      this.#text(words.ownCoins, left + 0.15, top + 0.76, 16, palette.muted, 0)
      this.#text(words.otherCoins, left + 1.42, top + 0.76, 16, palette.muted, 0)
      this.#own.push(this.#text('0', left + 1.08, top + 0.76, 20, palette.ink, 1))
      this.#taken.push(this.#text('0', left + PANEL - 0.55, top + 0.76, 20, palette.ink, 1))
    }
  }

  #text(text: string, x: number, y: number, size: number, colour: number, anchor: number): Label {
    const label = this.#stage.label(text, {
      size,
      colour,
      anchor: [anchor, 0.5],
      weight: anchor === 1 ? 'bold' : 'regular',
    })
    label.view.position.set(x * UNIT, y * UNIT)
    this.#stage.root.addChild(label.view)
    return label
  }

  box(): Box {
    return { x: -0.6, y: -0.6, width: this.#side + 0.2 + PANEL, height: Math.max(this.#side, 2 * PANEL_PITCH) + 0.2 }
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const { palette } = this.#stage
    // on a torus a step over the edge is no way through the middle: such entities jump
    const near = new Map(after.entities.map((entity) => [entity.id, entity]))
    const placed = tween(before, after, fraction).map((place) => {
      const [from, to] = [place.entity, near.get(place.entity.id) ?? place.entity]
      const jump = Math.abs(from.x - to.x) + Math.abs(from.y - to.y) > 1
      return jump || from.kind === 'coin' ? { ...place, x: from.x, y: from.y } : place
    })
    this.#at = []
    this.#over.clear()
    /** Two of a kind in one cell stand side by side. */
    const together = (kind: string) => {
      const [a, b] = placed.filter(({ entity }) => entity.kind === kind)
      return b !== undefined && a.x === b.x && a.y === b.y
    }
    const shifts = { coin: together('coin') ? 0.2 : 0, collector: together('collector') ? 0.16 : 0 }
    for (const { entity, x, y } of placed) {
      const n = Number(entity.state?.number ?? 0)
      const shift = (n === 0 ? -1 : 1) * shifts[entity.kind as keyof typeof shifts]
      const view = entity.kind === 'coin' ? this.#coins[n] : this.#players[n]
      view.position.set((x + shift) * UNIT, y * UNIT)
      if (entity.kind === 'coin') continue
      this.#at.push({ id: entity.id, x: x + shift, y })
      this.#own[n].set(String(entity.state?.ownCoins ?? 0))
      this.#taken[n].set(String(entity.state?.otherCoins ?? 0))
      if (entity.id === selection.agent) {
        this.#over.circle((x + shift) * UNIT, y * UNIT, 0.42 * UNIT).stroke({ color: palette.accent, width: 4 })
      }
    }
    for (const event of before.events) {
      if (event.kind !== 'taken coin' || event.at === undefined) continue
      const [x, y] = [event.at.x * UNIT, event.at.y * UNIT]
      this.#over.rect(x - 0.46 * UNIT, y - 0.46 * UNIT, 0.92 * UNIT, 0.92 * UNIT)
      this.#over.stroke({ color: palette.ink, width: 3 })
    }
    this.#panels.clear()
    for (const n of [0, 1]) {
      const left = (this.#side - 0.5 + 0.3) * UNIT
      const top = (-0.5 + n * PANEL_PITCH) * UNIT
      const chosen = selection.agent === `agent_${n}`
      this.#panels
        .roundRect(left, top, (PANEL - 0.4) * UNIT, 1.1 * UNIT, 8)
        .fill(palette.surface)
        .stroke({ color: chosen ? palette.accent : palette.line, width: chosen ? 4 : 2 })
      const sign = left + 0.27 * UNIT
      if (n === 0) this.#panels.roundRect(sign - 9, top + 0.28 * UNIT - 9, 18, 18, 3).fill(agentColour(palette, 0))
      else this.#panels.circle(sign, top + 0.28 * UNIT, 8).stroke({ color: agentColour(palette, 1), width: 5 })
    }
  }

  pick(x: number, y: number): string | null {
    for (const { id, x: px, y: py } of this.#at) if (Math.hypot(px - x, py - y) <= 0.4) return id
    return null
  }

  legend(): readonly LegendItem[] {
    const { palette } = this.#stage
    const colours = [0, 1].map((n) => agentColour(palette, n))
    return [
      { label: words.player(0), shapes: [{ kind: 'rect', numbers: [5, 5, 14, 14, 3], fill: colours[0] }] },
      { label: words.player(1), shapes: [{ kind: 'circle', numbers: [12, 12, 6], stroke: colours[1], width: 4 }] },
      ...[0, 1].map((n) => ({
        label: words.own(n),
        shapes: [{ kind: 'circle' as const, numbers: [12, 12, 4], fill: colours[n], stroke: palette.ink, width: 1.5 }],
      })),
      { label: words.taken, shapes: [{ kind: 'rect', numbers: [4, 4, 16, 16, 0], stroke: palette.ink, width: 2 }] },
    ]
  }

  dispose(): void {
    this.#players = []
    this.#coins = []
    this.#own = []
    this.#taken = []
    this.#at = []
  }
}

function wrapped(shape: Graphics): Container {
  const view = new Container()
  view.addChild(shape)
  return view
}

function playerShape(palette: Palette, n: number): Graphics {
  const colour = agentColour(palette, n)
  const size = 0.3 * UNIT
  return n === 0
    ? new Graphics().roundRect(-size, -size, 2 * size, 2 * size, 6).fill(colour)
    : new Graphics().circle(0, 0, size - 3).stroke({ color: colour, width: 9 })
}

/** Small enough to be seen inside the ring of a player, and outlined to be seen on a square. */
function coinShape(palette: Palette, n: number): Graphics {
  return new Graphics()
    .circle(0, 0, 0.15 * UNIT)
    .fill(agentColour(palette, n))
    .stroke({ color: palette.ink, width: 2.5 })
}
