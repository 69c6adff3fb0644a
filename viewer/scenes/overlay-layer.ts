/** Draws the overlays that are switched on over any scene. What they show is decided in `overlays.ts`. */
import { Container, Graphics } from 'pixi.js'
import { type Frame } from '../../envs/core/types.ts'
import { numberOf } from '../agents.ts'
import {
  happenings,
  PATH_STEPS,
  pathOf,
  plansIn,
  seeing,
  sightOf,
  signOf,
  visits,
  type Heat,
  type Point,
  type Sign,
} from '../overlays.ts'
import { type EpisodeInfo, type StepRecord } from '../sources/messages.ts'
import { strings } from '../strings.ts'
import { type Overview } from '../survey.ts'
import { attentionAt } from '../said.ts'
import { agentColour, heatColour, HEAT_COLOURS, WARNING } from '../theme.ts'
import { indexOf, placeOf, tween, type Placed } from '../tween.ts'
import { deadlocks, waits } from '../waiting.ts'
import { UNIT, type Label, type Overlay, type SceneStage, type Selection } from './scene.ts'

/** Where the layer reads what is on the page. */
export interface OverlaySource {
  readonly info: EpisodeInfo
  overview(): Overview
  on(): ReadonlySet<string>
  record(step: number): StepRecord | undefined
}

/** How strongly the others are drawn while one agent is selected. */
const FAINT = 0.22
/** Lines between agents that see each other at most; a page cannot show more. */
const MOST_PAIRS = 3000

interface Agent {
  readonly n: number
  readonly id: string
  readonly at: Placed
  readonly colour: number
  readonly alpha: number
}

export class OverlayLayer implements Overlay {
  readonly #source: OverlaySource
  #stage!: SceneStage
  #heat = new Graphics()
  #lines = new Graphics()
  #labels: Label[] = []
  #labelLayer = new Container()
  #used = 0
  /** What the heat map shows, so that it is drawn anew only when that changes. */
  #heatKey = ''

  constructor(source: OverlaySource) {
    this.#source = source
  }

  mount(stage: SceneStage): void {
    this.#stage = stage
    this.#heat = new Graphics()
    this.#lines = new Graphics()
    this.#labelLayer = new Container()
    this.#labels = []
    this.#heatKey = ''
    stage.root.addChild(this.#heat, this.#lines, this.#labelLayer)
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    const on = this.#source.on()
    this.#lines.clear()
    this.#used = 0
    this.#drawHeat(before.step, selection, on)
    if (on.size > 0) {
      const agents = this.#agents(before, after, fraction, selection)
      const { step } = before
      if (on.has('sight')) for (const agent of agents) this.#drawSight(agent)
      if (on.has('trails')) for (const agent of agents) this.#drawTrail(agent, step)
      if (on.has('ahead')) for (const agent of agents) this.#drawAhead(agent, step)
      if (on.has('plans')) this.#drawPlans(step)
      if (on.has('sees')) this.#drawSeeing(before, after, fraction, selection)
      if (on.has('attention')) this.#drawAttention(before, after, fraction, selection)
      if (on.has('waits')) this.#drawWaits(before, after, fraction)
      if (on.has('actions')) for (const agent of agents) this.#drawAction(agent, before, step)
      if (on.has('policy')) for (const agent of agents) this.#drawPolicy(agent, step)
      if (on.has('values')) for (const agent of agents) this.#drawValue(agent, step)
    }
    for (let i = this.#used; i < this.#labels.length; i++) this.#labels[i].view.visible = false
  }

  dispose(): void {
    this.#labels = []
  }

  /** The agents in sight of the camera, as they are drawn now. */
  #agents(before: Frame, after: Frame, fraction: number, { agent }: Selection): Agent[] {
    const { agents } = this.#source.info
    const { palette, camera } = this.#stage
    const { x, y, width, height } = camera.visible
    const indices: number[] = []
    const rows: number[] = []
    agents.forEach((id, n) => {
      const index = indexOf(before, id)
      if (index === undefined || before.entities[index].state?.alive === false) return
      const { x: atX, y: atY } = before.entities[index]
      if (atX < x - 2 || atY < y - 2 || atX > x + width + 2 || atY > y + height + 2) return
      indices.push(index)
      rows.push(n)
    })
    return tween(before, after, fraction, indices).map((at, i) => ({
      n: rows[i],
      id: agents[rows[i]],
      at,
      colour: agentColour(palette, numberOf(agents[rows[i]], rows[i])),
      alpha: agent === null || agent === agents[rows[i]] ? 1 : FAINT,
    }))
  }

  #drawHeat(step: number, { agent }: Selection, on: ReadonlySet<string>): void {
    const overview = this.#source.overview()
    const kind = on.has('visits') ? 'visits' : on.has('happenings') ? 'happenings' : ''
    const key = kind === '' ? '' : `${kind} ${step} ${agent} ${overview.steps} ${overview.done}`
    if (key === this.#heatKey) return
    this.#heatKey = key
    this.#heat.clear()
    if (kind === '') return
    const { info } = this.#source
    const heat: Heat =
      kind === 'visits'
        ? visits(overview, info.agents.length, agent === null ? -1 : info.agents.indexOf(agent), step)
        : happenings(overview, agent, step)
    // One path per colour: thousands of cells cost five fills.
    const byColour: Point[][] = HEAT_COLOURS.map(() => [])
    for (const cell of heat.cells.values()) byColour[heatColour(cell.count, heat.most)].push(cell)
    byColour.forEach((cells, index) => {
      if (cells.length === 0) return
      for (const { x, y } of cells) {
        this.#heat.rect((x - 0.5) * UNIT + 2, (y - 0.5) * UNIT + 2, UNIT - 4, UNIT - 4)
      }
      this.#heat.fill({ color: HEAT_COLOURS[index], alpha: 0.55 })
    })
  }

  #drawSight({ at, colour, alpha }: Agent): void {
    const sight = sightOf(at.entity)
    if (sight === null) return
    const { reach } = sight
    if (sight.shape === 'circle') this.#lines.circle(at.x * UNIT, at.y * UNIT, reach * UNIT)
    else {
      const size = (2 * reach + 1) * UNIT
      this.#lines.rect((at.x - reach - 0.5) * UNIT + 3, (at.y - reach - 0.5) * UNIT + 3, size - 6, size - 6)
    }
    this.#lines.fill({ color: colour, alpha: 0.09 * alpha }).stroke({ color: colour, width: 4, alpha: 0.85 * alpha })
  }

  /** Where it came from: fainter the longer ago. */
  #drawTrail({ n, at, colour, alpha }: Agent, step: number): void {
    const { info } = this.#source
    const points = pathOf(this.#source.overview(), info.agents.length, n, step - PATH_STEPS, step)
    points.push({ x: at.x, y: at.y })
    // The agent itself stays readable: the line ends at its edge.
    if (points.length > 1) points[points.length - 1] = shortened(points[points.length - 2], at, 0.4)
    for (let i = 1; i < points.length; i++) {
      const [a, b] = [points[i - 1], points[i]]
      if (a.x === b.x && a.y === b.y) continue
      const age = (i + 1) / points.length
      this.#line(a, b).stroke({ color: colour, width: 9, alpha: alpha * (0.15 + 0.65 * age), cap: 'round' })
    }
  }

  /** Where it will go in this episode: dashed, with a ring at the end. */
  #drawAhead({ n, at, colour, alpha }: Agent, step: number): void {
    const { info } = this.#source
    const points = pathOf(this.#source.overview(), info.agents.length, n, step + 1, step + PATH_STEPS)
    if (points.length === 0) return
    this.#path([{ x: at.x, y: at.y }, ...points], colour, alpha)
  }

  #drawPlans(step: number): void {
    const { info } = this.#source
    for (const note of info.notes) {
      if (note.step !== step) continue
      for (const { agent, points } of plansIn(note.text)) {
        const n = info.agents.indexOf(agent)
        const colour = n < 0 ? this.#stage.palette.ink : agentColour(this.#stage.palette, numberOf(agent, n))
        this.#path(points, colour, 1)
      }
    }
  }

  #path(points: readonly Point[], colour: number, alpha: number): void {
    for (let i = 1; i < points.length; i++) this.#dashed(points[i - 1], points[i])
    const end = points[points.length - 1]
    this.#lines
      .moveTo(end.x * UNIT + 10, end.y * UNIT)
      .circle(end.x * UNIT, end.y * UNIT, 10)
      .stroke({ color: colour, width: 5, alpha: 0.9 * alpha })
  }

  #drawSeeing(before: Frame, after: Frame, fraction: number, { agent }: Selection): void {
    const { info } = this.#source
    const record = this.#source.record(before.step)
    if (record === undefined) return
    const pairs = seeing(info, record)
    const both = new Set(pairs.map(({ from, to }) => `${to}|${from}`))
    for (const { from, to } of pairs.slice(0, MOST_PAIRS)) {
      const mutual = both.has(`${from}|${to}`)
      if (mutual && from > to) continue
      const a = placeOf(before, after, fraction, from)
      const b = placeOf(before, after, fraction, to)
      if (a === null || b === null) continue
      const colour = agentColour(this.#stage.palette, numberOf(from, info.agents.indexOf(from)))
      const alpha = agent === null || from === agent || (mutual && to === agent) ? 0.8 : FAINT / 2
      const end = shortened(a, b, 0.42)
      this.#line(shortened(b, a, 0.42), end).stroke({ color: colour, width: 3, alpha })
      if (!mutual) this.#head(a, end, 11).fill({ color: colour, alpha })
    }
  }

  /** The wider, the more it counts; the number beside it for the selected agent. */
  #drawAttention(before: Frame, after: Frame, fraction: number, { agent }: Selection): void {
    const { info } = this.#source
    for (const { from, to, weight } of attentionAt(info.notes, before.step).slice(0, MOST_PAIRS)) {
      const a = placeOf(before, after, fraction, from)
      const b = placeOf(before, after, fraction, to)
      if (a === null || b === null || weight <= 0) continue
      const color = agentColour(this.#stage.palette, numberOf(from, info.agents.indexOf(from)))
      const alpha = agent === null || agent === from ? 0.8 : FAINT / 2
      const end = shortened(a, b, 0.42)
      this.#line(shortened(b, a, 0.42), end).stroke({ color, width: 2 + 12 * weight, alpha, cap: 'round' })
      this.#head(a, end, 14).fill({ color, alpha })
      if (agent === from) this.#text(weight.toFixed(2), (a.x + b.x) / 2, (a.y + b.y) / 2, 1, 0.3)
    }
  }

  /** Arrows from who was blocked to what was in the way; two that block each other are crossed out. */
  #drawWaits(before: Frame, after: Frame, fraction: number): void {
    const { surface } = this.#stage.palette
    const past = this.#source.record(before.step - 1)?.frame ?? null
    const all = waits(before, past)
    for (const { agent, x, y } of all) {
      const from = placeOf(before, after, fraction, agent)
      if (from === null) continue
      const end = shortened(from, { x, y }, 0.28)
      this.#line(from, end).stroke({ color: surface, width: 17, cap: 'round' })
      this.#line(from, end).stroke({ color: WARNING, width: 9, cap: 'round' })
      this.#head(from, { x, y }, 22).fill(WARNING).stroke({ color: surface, width: 3 })
    }
    for (const pair of deadlocks(all)) {
      const [a, b] = pair.map((id) => placeOf(before, after, fraction, id))
      if (a === null || b === null) continue
      const [cx, cy] = [((a.x + b.x) / 2) * UNIT, ((a.y + b.y) / 2) * UNIT]
      this.#lines.circle(cx, cy, 17).fill(surface).stroke({ color: WARNING, width: 5 })
      this.#lines
        .moveTo(cx - 7, cy - 7)
        .lineTo(cx + 7, cy + 7)
        .moveTo(cx + 7, cy - 7)
        .lineTo(cx - 7, cy + 7)
        .stroke({ color: WARNING, width: 5, cap: 'round' })
    }
  }

  #drawAction({ n, at, alpha }: Agent, frame: Frame, step: number): void {
    const { info } = this.#source
    const space = info.spec?.agents[n]?.action
    if (space === undefined || step >= info.steps) return
    const { dims } = info.header.action
    const from = (step * info.agents.length + n) * dims
    this.#drawSign(signOf(space, info.actions.subarray(from, from + dims), at.entity), at, alpha, frame)
  }

  #drawSign(sign: Sign, at: Placed, alpha: number, frame: Frame): void {
    const { ink, surface } = this.#stage.palette
    const halo = { color: surface, width: 15, alpha, cap: 'round' as const }
    const line = { color: ink, width: 7, alpha, cap: 'round' as const }
    if (sign.kind === 'move') {
      const size = Math.hypot(sign.dx, sign.dy)
      const a = { x: at.x + (sign.dx / size) * 0.3, y: at.y + (sign.dy / size) * 0.3 }
      const b = { x: at.x + sign.dx * 0.72, y: at.y + sign.dy * 0.72 }
      this.#line(a, b).stroke(halo)
      this.#line(a, b).stroke(line)
      this.#head(a, { x: at.x + sign.dx * 0.9, y: at.y + sign.dy * 0.9 }, 20).fill({ color: ink, alpha })
    } else if (sign.kind === 'turn') {
      const radius = 0.52 * UNIT
      const begin = at.heading - Math.PI / 2
      const end = begin + sign.by * 1.15
      const arc = () =>
        this.#lines
          .moveTo(at.x * UNIT + radius * Math.cos(begin), at.y * UNIT + radius * Math.sin(begin))
          .arc(at.x * UNIT, at.y * UNIT, radius, begin, end, sign.by < 0)
      arc().stroke(halo)
      arc().stroke(line)
      const tip = { x: at.x + (radius / UNIT) * Math.cos(end), y: at.y + (radius / UNIT) * Math.sin(end) }
      const along = { x: tip.x - sign.by * Math.sin(end) * 0.2, y: tip.y + sign.by * Math.cos(end) * 0.2 }
      this.#head(tip, along, 20).fill({ color: ink, alpha })
    } else if (sign.kind === 'stay') {
      this.#lines
        .rect((at.x + 0.3) * UNIT, (at.y + 0.28) * UNIT, 13, 13)
        .fill({ color: ink, alpha })
        .stroke({ color: surface, width: 3, alpha })
    } else if (sign.kind === 'at') {
      const index = indexOf(frame, sign.id)
      if (index === undefined) return
      const target = frame.entities[index]
      this.#dashed(at, target).stroke({ color: ink, width: 4, alpha: 0.8 * alpha })
      this.#head(at, shortened(at, target, 0.3), 18).fill({ color: ink, alpha })
    } else this.#text(sign.text, at.x, at.y + 0.62, alpha, 0.3)
  }

  /** One small bar per choice above the agent, the one taken in ink. */
  #drawPolicy({ n, at, alpha }: Agent, step: number): void {
    const { info } = this.#source
    const { probability, spec } = info
    if (probability === null || spec === null || step >= info.steps) return
    const A = spec.actionSize
    const from = (step * info.agents.length + n) * A
    const { dims } = info.header.action
    const taken = info.actions[(step * info.agents.length + n) * dims]
    const { ink, muted, surface, line } = this.#stage.palette
    const width = Math.min(1.5, Math.max(0.7, A * 0.14)) * UNIT
    const height = 0.4 * UNIT
    const [left, bottom] = [at.x * UNIT - width / 2, (at.y - 0.42) * UNIT]
    this.#lines
      .roundRect(left - 4, bottom - height - 4, width + 8, height + 8, 4)
      .fill({ color: surface, alpha: 0.92 * alpha })
      .stroke({ color: line, width: 2, alpha })
    for (let a = 0; a < A; a++) {
      const tall = Math.max(1.5, Math.min(1, probability[from + a]) * height)
      this.#lines
        .rect(left + (a * width) / A + 1, bottom - tall, width / A - 2, tall)
        .fill({ color: a === taken ? ink : muted, alpha: (a === taken ? 1 : 0.65) * alpha })
    }
  }

  #drawValue({ n, at, alpha }: Agent, step: number): void {
    const { info } = this.#source
    if (info.value === null || step >= info.steps) return
    this.#text(strings.short(info.value[step * info.agents.length + n]), at.x, at.y + 0.62, alpha, 0.34)
  }

  /** A text on a plate, from the pool. @param size height of the letters in world units */
  #text(text: string, x: number, y: number, alpha: number, size: number): void {
    const { ink, surface } = this.#stage.palette
    let label = this.#labels[this.#used]
    if (label === undefined) {
      label = this.#stage.label(text, { size: size * UNIT, colour: ink, weight: 'bold' })
      this.#labels.push(label)
      this.#labelLayer.addChild(label.view)
    }
    this.#used++
    label.set(text)
    label.view.visible = true
    label.view.alpha = alpha
    label.view.position.set(x * UNIT, y * UNIT)
    const width = label.width + 12
    this.#lines
      .roundRect(x * UNIT - width / 2, y * UNIT - size * UNIT * 0.6, width, size * UNIT * 1.2, 5)
      .fill({ color: surface, alpha: 0.92 * alpha })
  }

  #line(a: Point, b: Point): Graphics {
    return this.#lines.moveTo(a.x * UNIT, a.y * UNIT).lineTo(b.x * UNIT, b.y * UNIT)
  }

  /** The head of an arrow from `a` with its point at `b`; fill it. @param size in drawing units */
  #head(a: Point, b: Point, size: number): Graphics {
    const away = Math.hypot(b.x - a.x, b.y - a.y) || 1
    const [dx, dy] = [(b.x - a.x) / away, (b.y - a.y) / away]
    const [x, y] = [b.x * UNIT, b.y * UNIT]
    const [backX, backY] = [x - dx * size, y - dy * size]
    const half = size * 0.6
    return this.#lines.poly([x, y, backX - dy * half, backY + dx * half, backX + dy * half, backY - dx * half])
  }

  #dashed(a: Point, b: Point): Graphics {
    const length = Math.hypot(b.x - a.x, b.y - a.y) * UNIT
    if (length === 0) return this.#lines
    const [dx, dy] = [((b.x - a.x) * UNIT) / length, ((b.y - a.y) * UNIT) / length]
    for (let at = 0; at < length; at += 18) {
      const to = Math.min(length, at + 10)
      this.#lines.moveTo(a.x * UNIT + dx * at, a.y * UNIT + dy * at).lineTo(a.x * UNIT + dx * to, a.y * UNIT + dy * to)
    }
    return this.#lines
  }
}

/** The point on the way from `a` to `b` that lies `by` world units before `b`. */
function shortened(a: Point, b: Point, by: number): Point {
  const away = Math.hypot(b.x - a.x, b.y - a.y)
  const part = away <= by ? 0 : (away - by) / away
  return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part }
}
