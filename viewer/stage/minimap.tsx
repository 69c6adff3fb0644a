/** A small map of the whole world while the stage shows a part of it: where everybody is, and where one looks. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { numberOf } from '../agents.ts'
import { useThrottled } from '../panels/throttle.ts'
import { type Session } from '../session.ts'
import { strings } from '../strings.ts'
import { agentColour, PALETTES, pixel, theme } from '../theme.ts'
import { type Box } from './camera.ts'
import { type Stage } from './stage.ts'

/** Longer side, in pixels. */
const SIDE = 160
/** The map is there while less than this share of the world is in sight. */
const WHOLE = 0.85

export function Minimap({ session, stage }: { session: Session; stage: Stage }): JSX.Element | null {
  const views = useSignal(stage.views)
  const record = useThrottled(session.record, 200).value
  const canvas = useRef<HTMLCanvasElement>(null)
  const palette = PALETTES[theme.value]

  useEffect(() => {
    let due = 0
    stage.onView = () => {
      if (due !== 0) return
      due = requestAnimationFrame(() => {
        due = 0
        views.value = stage.views
      })
    }
    stage.onView()
    return () => {
      stage.onView = () => {}
      cancelAnimationFrame(due)
    }
  }, [stage, views])

  const shown = views.value
  const partial = shown !== null && shareInSight(shown) < WHOLE
  const agents = session.info.value?.agents
  const { width, height } = sizeOf(shown?.box ?? { x: 0, y: 0, width: 1, height: 1 })

  // The things of the world change with the step, the frame around what is in sight with the camera.
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!partial || context == null || record === null || agents === undefined) return
    const { box } = shown
    const { width: across, height: down } = context.canvas
    const scale = across / box.width
    // Pixel by pixel: a rectangle for each of fifty thousand things took longer than the stage.
    const image = context.createImageData(across, down)
    const pixels = new Uint32Array(image.data.buffer).fill(pixel(palette.corridor))
    const number = new Map(agents.map((id, index) => [id, numberOf(id, index)]))
    const dot = (x: number, y: number, size: number, colour: number) => {
      const side = Math.max(1, Math.round(size))
      const left = Math.round((x - box.x) * scale - side / 2)
      const top = Math.round((y - box.y) * scale - side / 2)
      for (let py = Math.max(0, top); py < Math.min(down, top + side); py++) {
        for (let px = Math.max(0, left); px < Math.min(across, left + side); px++) pixels[py * across + px] = colour
      }
    }
    const thing = pixel(palette.fixture)
    for (const { id, x, y, state } of record.frame.entities) {
      if (!number.has(id) && state?.carriedBy == null) dot(x, y, 0.8 * scale, thing)
    }
    const least = agents.length > 2000 ? 1 : agents.length > 500 ? 1.5 : 3
    const size = Math.max(least * (across / width), scale)
    for (const { id, x, y } of record.frame.entities) {
      const colour = number.get(id)
      if (colour !== undefined) dot(x, y, size, pixel(agentColour(palette, colour)))
    }
    context.putImageData(image, 0, 0)
  }, [record, partial, palette, agents, width, height])

  if (!partial) return null
  const { box, visible } = shown
  const scale = width / box.width
  const look = (event: { clientX: number; clientY: number; currentTarget: Element }) => {
    const { left, top } = event.currentTarget.getBoundingClientRect()
    const sight = stage.sight
    if (sight === null) return
    session.following.value = false
    stage.sight = {
      ...sight,
      x: box.x + (event.clientX - left) / scale,
      y: box.y + (event.clientY - top) / scale,
    }
  }
  const ratio = Math.min(2, globalThis.devicePixelRatio || 1)
  const left = Math.max(0, (visible.x - box.x) * scale)
  const top = Math.max(0, (visible.y - box.y) * scale)
  const right = Math.min(width, (visible.x + visible.width - box.x) * scale)
  const bottom = Math.min(height, (visible.y + visible.height - box.y) * scale)
  return (
    <div
      class="minimap"
      title={strings.stage.minimap}
      style={{ width: `${width}px`, height: `${height}px` }}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        look(event)
      }}
      onPointerMove={(event) => {
        if (event.buttons !== 0) look(event)
      }}
    >
      <canvas
        ref={canvas}
        width={width * ratio}
        height={height * ratio}
        style={{ width: `${width}px`, height: `${height}px` }}
        role="img"
        aria-label={strings.stage.minimap}
      />
      <span
        class="minimap-view"
        style={{
          left: `${left}px`,
          top: `${top}px`,
          width: `${Math.max(3, right - left)}px`,
          height: `${Math.max(3, bottom - top)}px`,
        }}
      />
    </div>
  )
}

/** How much of the world is on the screen, 0 to 1. */
function shareInSight({ box, visible }: { box: Box; visible: Box }): number {
  const overlap = (a: number, sizeA: number, b: number, sizeB: number) =>
    Math.max(0, Math.min(a + sizeA, b + sizeB) - Math.max(a, b))
  const across = overlap(box.x, box.width, visible.x, visible.width) / box.width
  const along = overlap(box.y, box.height, visible.y, visible.height) / box.height
  return across * along
}

function sizeOf(box: Box): { width: number; height: number } {
  const scale = SIDE / Math.max(box.width, box.height)
  return { width: Math.max(24, Math.round(box.width * scale)), height: Math.max(24, Math.round(box.height * scale)) }
}
