import { describe, expect, it, vi } from 'vitest'
import { type Entity, type Frame } from '../../envs/core/types.ts'
import { PALETTES } from '../theme.ts'
import { cellColour, rangeOf } from '../stage/layer-colours.ts'

// Pixi asks the browser its name when it is loaded; nothing is rendered here.
vi.stubGlobal('navigator', { userAgent: '' })
const { Container } = await import('pixi.js')
const { GenericScene } = await import('./generic.ts')
type SceneStage = Parameters<InstanceType<typeof GenericScene>['mount']>[0]
type View = InstanceType<typeof Container>

/** A stage of a plug-in's world: no spec, only frames; texts are remembered. */
function stageOf(agents: readonly string[], scale = 40) {
  const texts: { text: string; view: View }[] = []
  const stage: SceneStage = {
    root: new Container(),
    palette: PALETTES.light,
    agents,
    actions: new Int32Array(0),
    camera: { scale, visible: { x: -1, y: -1, width: 20, height: 20 } },
    label: (text) => {
      const label = { text, view: new Container() }
      texts.push(label)
      return {
        view: label.view,
        set: (next) => {
          label.text = next
        },
        width: 10,
        fit: () => {},
        tint: () => {},
      }
    },
  }
  return { stage, shown: () => texts.filter(({ view }) => view.visible && !view.destroyed).map(({ text }) => text) }
}

const agent = (n: number, x: number, y: number, more: Partial<Entity> = {}): Entity => ({
  id: `walker_${n}`,
  kind: 'walker',
  x,
  y,
  ...more,
})
const frame = (entities: Entity[], more: Partial<Frame> = {}): Frame => ({
  step: 0,
  entities,
  events: [],
  counters: {},
  ...more,
})

function drawn(frames: Frame[], agents: readonly string[]) {
  const made = stageOf(agents)
  const scene = new GenericScene()
  scene.mount(made.stage, null, frames[0])
  for (const one of frames) scene.draw(one, one, 0, { agent: null })
  return { scene, ...made }
}

describe('a world that this page has no scene for', () => {
  it('shows agents by number and things by name, and finds the agent that is clicked', () => {
    const { scene, shown } = drawn(
      [frame([agent(0, 1, 1), agent(17, 4, 2, { heading: 1 }), { id: 'lamp_3', kind: 'lamp', x: 6, y: 0 }])],
      ['walker_0', 'walker_17'],
    )
    expect(shown()).toEqual(['0', '17', '3'])
    expect(scene.pick(4.2, 2.1)).toBe('walker_17')
    expect(scene.pick(6, 0)).toBe(null)
    expect(scene.box()).toEqual({ x: -0.5, y: -0.5, width: 7, height: 3 })
  })

  it('tells kinds, teams, links and events apart in the legend, by shape or dash and not only by colour', () => {
    const { scene } = drawn(
      [
        frame(
          [
            agent(0, 0, 0, { team: 'red' }),
            agent(1, 1, 0, { team: 'blue' }),
            { id: 'a', kind: 'lamp', x: 2, y: 0 },
            { id: 'b', kind: 'oilCan', x: 3, y: 0 },
          ],
          {
            links: [
              { from: 'walker_0', to: 'walker_1', kind: 'talks' },
              { from: 'walker_1', to: 'a', kind: 'wants' },
            ],
            events: [{ kind: 'delivery', at: { x: 0, y: 0 } }, { kind: 'spark' }],
          },
        ),
      ],
      ['walker_0', 'walker_1'],
    )
    const legend = scene.legend()
    expect(legend.map(({ label }) => label)).toEqual([
      'agent of red',
      'agent of blue',
      'lamp',
      'oil can',
      'link: talks',
      'link: wants',
      'delivery',
      'spark',
    ])
    const colourless = legend.map(({ shapes }) =>
      JSON.stringify(
        shapes.map(({ kind, numbers, d, dash, width, fill }) => [kind, numbers, d, dash, width, fill === undefined]),
      ),
    )
    expect(new Set(colourless).size).toBe(legend.length)
  })

  it('says more in the legend as the world shows more, and grows with it', () => {
    const { scene } = drawn([frame([agent(0, 0, 0)])], ['walker_0'])
    const before = scene.version
    const later = frame([agent(0, 0, 0), { id: 'x', kind: 'late', x: 9, y: 9 }])
    scene.draw(later, later, 0, { agent: null })
    expect(scene.version).toBeGreaterThan(before)
    expect(scene.legend().map(({ label }) => label)).toContain('late')
    expect(scene.box()).toEqual({ x: -0.5, y: -0.5, width: 10, height: 10 })
  })

  it('takes away what left the picture, and brings it back', () => {
    const [both, one] = [frame([agent(0, 0, 0), agent(1, 2, 0)]), frame([agent(0, 0, 0)])]
    const { scene, shown } = drawn([both, one], ['walker_0', 'walker_1'])
    expect(shown()).toEqual(['0'])
    scene.draw(both, both, 0, { agent: null })
    expect(shown()).toEqual(['0', '1'])
  })

  it('writes the texts of a frame', () => {
    const { shown } = drawn([frame([agent(0, 0, 0)], { texts: [{ x: 1, y: 1, text: 'gate open' }] })], ['walker_0'])
    expect(shown()).toEqual(['0', 'gate open'])
  })
})

describe('colours of layers', () => {
  const colour = (name: string, value: number, cells: number[]) =>
    cellColour(name, value, rangeOf(cells, undefined), PALETTES.light)

  it('few whole numbers are kinds, with nothing at 0; walls look like things', () => {
    expect(rangeOf([0, 1, 2, 1], undefined).kinds).toEqual([0, 1, 2])
    expect(colour('crops', 0, [0, 1, 2])).toBe(null)
    expect(colour('crops', 1, [0, 1, 2])!.colour).not.toBe(colour('crops', 2, [0, 1, 2])!.colour)
    expect(colour('walls', 1, [0, 1])!.colour).toBe(PALETTES.light.fixtureLine)
  })

  it('other numbers are magnitudes on a scale that only grows; signed ones have zero in the middle', () => {
    const first = rangeOf([0.5, 2], undefined)
    expect(first).toEqual({ low: 0.5, high: 2, kinds: null })
    expect(rangeOf([1], first)).toEqual(first)
    const least = colour('heat', 0, [0, 0.5, 10])!.colour
    const most = colour('heat', 10, [0, 0.5, 10])!.colour
    expect([least, most]).toEqual([0x440154, 0xfde725])
    expect(colour('field', 0, [-4, 0.5, 2])!.colour).toBe(0xf7f7f7)
    expect(colour('field', -4, [-4, 0.5, 2])!.colour).toBe(0x2166ac)
  })
})
