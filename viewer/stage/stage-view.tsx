/** The stage inside a page: loads the scene of the opened replay and draws what the clock shows. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { heatOf, overlayLegend } from '../overlay-legend.ts'
import { useNarrow } from '../narrow.ts'
import { Legend } from '../panels/legend.tsx'
import { OverlayMenu } from '../panels/overlay-menu.tsx'
import { sceneFor } from '../scenes/index.ts'
import { type LegendItem, type Overlay } from '../scenes/scene.ts'
import { type Session } from '../session.ts'
import { useThrottled } from '../panels/throttle.ts'
import { strings } from '../strings.ts'
import { PALETTES, reducedMotion, theme } from '../theme.ts'
import { Minimap } from './minimap.tsx'
import { sharedStage, type Slot } from './shared.ts'
import { type Stage } from './stage.ts'

type Condition = 'starting' | 'ready' | 'lost' | 'none'

/**
 * @param slot which stage of the page
 * @param onReady a world is on the stage
 * @param interactive zoom, pan, pick, legend and buttons; false for a small moving picture
 */
export function StageView(props: {
  session: Session
  interactive: boolean
  slot?: Slot
  onReady?: (stage: Stage) => void
}): JSX.Element {
  const { session, interactive, slot = 0, onReady } = props
  const host = useRef<HTMLDivElement>(null)
  const stage = useSignal<Stage | null>(null)
  const condition = useSignal<Condition>('starting')
  const legend = useSignal<readonly LegendItem[]>([])
  /** The scene on the stage belongs to this replay. */
  const shown = useSignal<object | null>(null)

  useEffect(() => {
    let here = true
    sharedStage(slot).then(
      (made) => {
        if (!here || host.current === null) return
        made.attach(host.current, interactive)
        made.onPick = (agent) => {
          if (interactive) session.select(agent)
        }
        made.onLost = (lost) => {
          condition.value = lost ? 'lost' : 'ready'
        }
        made.onSight = (sight) => {
          if (interactive) session.sight.value = sight
        }
        made.onLegend = () => {
          legend.value = made.legend()
        }
        made.onMoved = () => {
          session.following.value = false
        }
        condition.value = 'ready'
        stage.value = made
      },
      () => {
        if (here) condition.value = 'none'
      },
    )
    return () => {
      here = false
      stage.peek()?.clear()
      stage.peek()?.detach()
    }
  }, [session, interactive, slot])

  // Another replay: another scene on the same stage, as soon as the first frame is known.
  useSignalEffect(() => {
    const made = stage.value
    const info = session.info.value
    const first = session.record.value
    if (made === null || info === null || first === null || shown.peek() === info.header) return
    shown.value = info.header
    const load = async () => {
      const scene = await sceneFor(info.header.env, info.mode === 'resimulate')
      const overlay = interactive ? await overlayOf(session) : null
      if (session.info.peek()?.header !== info.header || stage.peek() !== made) return
      const wanted = session.sight.peek()
      made.show(scene, info.spec, first.frame, info.actions, overlay, info.header.agents)
      if (interactive && wanted !== null) made.sight = wanted
      made.setPalette(PALETTES[theme.peek()])
      legend.value = made.legend()
      draw(made, session)
      onReady?.(made)
    }
    void load()
  })

  useSignalEffect(() => {
    const made = stage.value
    void session.clock.value
    void session.record.value
    const agent = session.agent.value
    void session.overlays.value
    void session.overview.value
    if (agent === null) session.following.value = false
    if (made === null) return
    if (interactive) made.follow(session.following.value ? agent : null)
    draw(made, session)
  })

  useSignalEffect(() => {
    const made = stage.value
    const palette = PALETTES[theme.value]
    if (made === null) return
    made.setPalette(palette)
    legend.value = made.legend()
  })

  const narrow = useNarrow()
  const info = session.info.value
  return (
    <div class="stage">
      <div
        ref={host}
        class="stage-host"
        role="img"
        aria-label={strings.stage.label(scenarioName(info?.header.scenario))}
        data-surface={stage.value?.surface}
      />
      {condition.value === 'none' && <p class="stage-message">{strings.stage.none}</p>}
      {condition.value === 'lost' && <p class="stage-message">{strings.stage.lost}</p>}
      {condition.value === 'starting' && <p class="stage-message quiet">{strings.stage.starting}</p>}
      {interactive && <StageNote session={session} surface={stage.value?.surface} />}
      {interactive && stage.value !== null && <Minimap session={session} stage={stage.value} />}
      {interactive && (
        <div class="stage-foot">
          <StageLegend session={session} items={legend.value} narrow={narrow} />
          <StageTools stage={stage.value} session={session} />
        </div>
      )}
    </div>
  )
}

function StageNote({ session, surface }: { session: Session; surface: string | undefined }): JSX.Element | null {
  const agent = session.following.value ? session.agent.value : null
  const text = agent !== null ? strings.stage.following(agent) : surface === 'canvas' ? strings.stage.plain : null
  return text === null ? null : <p class="stage-note">{text}</p>
}

/** The signs of the scene, then those of the overlays that are on. */
function StageLegend(props: { session: Session; items: readonly LegendItem[]; narrow: boolean }): JSX.Element {
  const { session, items, narrow } = props
  const on = session.overlays.value
  const palette = PALETTES[theme.value]
  const record = useThrottled(session.record, 250).value
  const more = useMemo(() => {
    if (on.size === 0 || record === null) return []
    return overlayLegend(on, palette, heatOf(session, record.step))
  }, [on, palette, record, session])
  return <Legend items={[...items, ...more]} narrow={narrow} />
}

/** What the layer over the scene reads from the page; loaded with the scene, since it draws with Pixi. */
async function overlayOf(session: Session): Promise<Overlay> {
  const { OverlayLayer } = await import('../scenes/overlay-layer.ts')
  return new OverlayLayer({
    get info() {
      return session.info.peek()!
    },
    overview: () => session.overview.peek(),
    on: () => session.overlays.peek(),
    record: (step) => session.at(step),
  })
}

function StageTools({ stage, session }: { stage: Stage | null; session: Session }): JSX.Element | null {
  if (stage === null) return null
  const words = strings.stage
  return (
    <div class="stage-tools">
      <OverlayMenu session={session} />
      <button type="button" class="tool zoom" title={words.zoomIn} onClick={() => stage.zoom(1.25)}>
        <Icon name="plus" />
        <span class="hidden">{words.zoomIn}</span>
      </button>
      <button type="button" class="tool zoom" title={words.zoomOut} onClick={() => stage.zoom(0.8)}>
        <Icon name="minus" />
        <span class="hidden">{words.zoomOut}</span>
      </button>
      <button type="button" class="tool" title={words.fitLabel} onClick={() => fit(stage, session)}>
        <Icon name="fit" />
        <span class="hidden">{words.fitLabel}</span>
      </button>
    </div>
  )
}

function fit(stage: Stage, session: Session): void {
  session.following.value = false
  stage.fit()
}

function draw(stage: Stage, session: Session): void {
  const { step, fraction } = session.player.state
  const before = session.at(step)
  if (before === undefined) return // keep the last whole picture until the step is simulated
  const after = session.at(step + 1) ?? before
  const glide = reducedMotion() ? 0 : fraction
  stage.draw(before.frame, after.frame, glide, { agent: session.agent.peek() })
}

/** What a replay's scenario is called; replays of other programs may not say. */
export function scenarioName(scenario: Readonly<Record<string, unknown>> | undefined): string {
  return typeof scenario?.id === 'string' && scenario.id !== '' ? scenario.id : strings.unknown
}
