/** The signs of the overlays that are switched on, for the legend under the stage. */
import { PATH_STEPS, happenings, visits, type Heat, type OverlayId } from './overlays.ts'
import { type LegendItem } from './scenes/scene.ts'
import { type Session } from './session.ts'
import { strings } from './strings.ts'
import { agentColour, HEAT_COLOURS, WARNING, type Palette } from './theme.ts'

const words = strings.overlays

/** What the heat map that is on shows at a step; null without one. */
export function heatOf(session: Session, step: number): Heat | null {
  const on = session.overlays.peek()
  const info = session.info.peek()
  const agent = session.agent.peek()
  if (info === null) return null
  const overview = session.overview.peek()
  if (on.has('visits')) {
    return visits(overview, info.agents.length, agent === null ? -1 : info.agents.indexOf(agent), step)
  }
  return on.has('happenings') ? happenings(overview, agent, step) : null
}

/** The signs of the overlays that are on, for the legend under the stage. */
export function overlayLegend(on: ReadonlySet<string>, palette: Palette, heat: { most: number } | null): LegendItem[] {
  const { ink, muted, surface } = palette
  const blue = agentColour(palette, 0)
  const arrow = (colour: number) => [
    { kind: 'path' as const, d: 'M3 12h11', stroke: colour, width: 3 },
    { kind: 'path' as const, d: 'M21 12l-8-4.500v9z', fill: colour },
  ]
  const ring = { kind: 'circle' as const, numbers: [20, 12, 2.5], stroke: blue, width: 2 }
  const items: Record<OverlayId, LegendItem[]> = {
    trails: [
      {
        label: words.trails.legend(PATH_STEPS),
        shapes: [{ kind: 'path', d: 'M3 17h8v-9h10', stroke: blue, width: 3 }],
      },
    ],
    ahead: [
      {
        label: words.ahead.legend(PATH_STEPS),
        shapes: [{ kind: 'path', d: 'M3 12h14', stroke: blue, width: 2.5, dash: '4 3' }, ring],
      },
    ],
    plans: [
      {
        label: words.plans.legend(),
        shapes: [{ kind: 'path', d: 'M3 12h14', stroke: blue, width: 2.5, dash: '4 3' }, ring],
      },
    ],
    actions: [
      { label: words.actions.legend(), shapes: arrow(ink) },
      { label: words.stays, shapes: [{ kind: 'rect', numbers: [8, 8, 8, 8, 0], fill: ink }] },
    ],
    policy: [
      {
        label: words.policy.legend(),
        shapes: [
          { kind: 'rect', numbers: [3, 12, 4, 8, 0], fill: muted, opacity: 0.65 },
          { kind: 'rect', numbers: [10, 4, 4, 16, 0], fill: ink },
          { kind: 'rect', numbers: [17, 16, 4, 4, 0], fill: muted, opacity: 0.65 },
        ],
      },
    ],
    values: [
      {
        label: words.values.legend(),
        shapes: [
          { kind: 'rect', numbers: [1, 6, 22, 12, 3], fill: surface, stroke: muted },
          { kind: 'path', d: 'M6 12h12', stroke: ink, width: 2 },
        ],
      },
    ],
    sight: [
      {
        label: words.sight.legend(),
        shapes: [
          { kind: 'rect', numbers: [3, 3, 18, 18, 1], fill: blue, opacity: 0.15 },
          { kind: 'rect', numbers: [3, 3, 18, 18, 1], stroke: blue, width: 2 },
        ],
      },
    ],
    sees: [{ label: words.sees.legend(), shapes: arrow(blue) }],
    attention: [
      {
        label: words.attention.legend(),
        shapes: [
          { kind: 'path', d: 'M3 8h18', stroke: blue, width: 5 },
          { kind: 'path', d: 'M3 17h18', stroke: blue, width: 1.5 },
        ],
      },
    ],
    waits: [
      { label: words.waits.legend(), shapes: arrow(WARNING) },
      {
        label: words.deadlock,
        shapes: [
          { kind: 'circle', numbers: [12, 12, 8], stroke: WARNING, width: 2.5 },
          { kind: 'path', d: 'M9 9l6 6M15 9l-6 6', stroke: WARNING, width: 2.5 },
        ],
      },
    ],
    visits: heatLegend(words.visits.legend(), heat),
    happenings: on.has('visits') ? [] : heatLegend(words.happenings.legend(), heat),
  }
  return (Object.keys(items) as OverlayId[]).filter((id) => on.has(id)).flatMap((id) => items[id])
}

/** The colours of a heat map with the numbers they stand for. */
function heatLegend(what: string, heat: { most: number } | null): LegendItem[] {
  const width = 24 / HEAT_COLOURS.length
  return [
    {
      label: heat === null || heat.most === 0 ? what : `${what}: 1 – ${strings.count(heat.most)}`,
      shapes: HEAT_COLOURS.map((fill, i) => ({
        kind: 'rect' as const,
        numbers: [i * width, 6, width, 12, 0],
        fill,
        opacity: 0.8,
      })),
    },
  ]
}
