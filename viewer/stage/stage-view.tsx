/** The stage inside a page: loads the scene of the opened replay and draws what the clock shows. */
import { useSignal, useSignalEffect } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Icon } from '../icons.tsx'
import { useNarrow } from '../narrow.ts'
import { Legend } from '../panels/legend.tsx'
import { sceneFor } from '../scenes/index.ts'
import { type LegendItem } from '../scenes/scene.ts'
import { type Session } from '../session.ts'
import { strings } from '../strings.ts'
import { PALETTES, reducedMotion, theme } from '../theme.ts'
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
    void sceneFor(info.header.env, info.mode === 'resimulate').then((scene) => {
      if (session.info.peek()?.header !== info.header || stage.peek() !== made) return
      made.show(scene, info.spec, first.frame, info.actions)
      made.setPalette(PALETTES[theme.peek()])
      legend.value = made.legend()
      draw(made, session)
      onReady?.(made)
    })
  })

  useSignalEffect(() => {
    const made = stage.value
    void session.clock.value
    void session.record.value
    void session.agent.value
    if (made !== null) draw(made, session)
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
      {interactive && stage.value?.surface === 'canvas' && <p class="stage-note">{strings.stage.plain}</p>}
      {interactive && (
        <div class="stage-foot">
          <Legend items={legend.value} narrow={narrow} />
          <StageTools stage={stage.value} />
        </div>
      )}
    </div>
  )
}

function StageTools({ stage }: { stage: Stage | null }): JSX.Element | null {
  if (stage === null) return null
  const words = strings.stage
  return (
    <div class="stage-tools">
      <button type="button" class="tool zoom" title={words.zoomIn} onClick={() => stage.zoom(1.25)}>
        <Icon name="plus" />
        <span class="hidden">{words.zoomIn}</span>
      </button>
      <button type="button" class="tool zoom" title={words.zoomOut} onClick={() => stage.zoom(0.8)}>
        <Icon name="minus" />
        <span class="hidden">{words.zoomOut}</span>
      </button>
      <button type="button" class="tool" title={words.fitLabel} onClick={() => stage.fit()}>
        <Icon name="fit" />
        <span class="hidden">{words.fitLabel}</span>
      </button>
    </div>
  )
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
