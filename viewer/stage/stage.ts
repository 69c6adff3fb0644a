/**
 * The drawing surface: one Pixi application for the life of the page. Scenes come and go on it, the canvas moves from
 * page to page, and nothing is drawn unless something changed.
 */
import 'pixi.js/unsafe-eval' // shader code without `new Function`, so that the strict page policy holds
import { Application, Container, GlLimitsSystem, RendererType } from 'pixi.js'
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import {
  UNIT,
  type Camera,
  type LegendItem,
  type Overlay,
  type Scene,
  type SceneStage,
  type Selection,
} from '../scenes/scene.ts'
import { strings } from '../strings.ts'
import { placeOf } from '../tween.ts'
import { type Palette } from '../theme.ts'
import { fit, pan, toWorld, visibleBox, zoomAt, type Box, type View, type Sight } from './camera.ts'
import { createLabel, installFonts } from './labels.ts'

/** Pixels kept free around the world when it is fitted. */
const PADDING = 20
/** A press that moves less than this, in pixels, is a click. */
const CLICK_SLACK = 5

/**
 * Least time between two pictures where a processor draws instead of a graphics card, in milliseconds: whatever else
 * runs on the machine, training for one, keeps most of its time.
 */
const SOFTWARE_PAUSE_MS = 45
/**
 * There, edges are not smoothed while things move, which costs three times as much as the picture itself; once nothing
 * has changed for this long, in milliseconds, the picture is drawn again at `REST_RESOLUTION` canvas pixels to one.
 */
const REST_MS = 300
const REST_RESOLUTION = 2

/**
 * Textures that one draw call may mix: plain white, and a font. Pixi writes a shader with a branch per texture, sixteen
 * as it comes, and a processor that draws works through all of them for every pixel.
 */
const MIXED_TEXTURES = 2

const askLimits = GlLimitsSystem.prototype.contextChange
GlLimitsSystem.prototype.contextChange = function () {
  askLimits.call(this)
  this.maxBatchableTextures = Math.min(MIXED_TEXTURES, this.maxBatchableTextures)
}

export { type Sight }

/** A followed agent is shown at least this large, in pixels per world unit. */
const FOLLOW_SCALE = 24

export type Surface = 'webgl' | 'webgpu' | 'canvas'

interface Picture {
  readonly before: Frame
  readonly after: Frame
  readonly fraction: number
  readonly selection: Selection
}

interface Mounted {
  readonly scene: Scene
  readonly spec: EnvSpec | null
  readonly actions: Int32Array | Float32Array
  readonly agents: readonly string[]
  readonly root: Container
  /** Above the scene. */
  readonly over: Container
  readonly overlay: Overlay | null
}

export class Stage {
  readonly surface: Surface
  /** Called with the id of the agent that was clicked, or null. */
  onPick: (agent: string | null) => void = () => {}
  /** Called when the camera went elsewhere; null when it shows the whole world. */
  onSight: (sight: Sight | null) => void = () => {}
  /** Called when the scene has more to say in its legend. */
  onLegend: () => void = () => {}
  /** Called after the camera moved. */
  onView: () => void = () => {}
  /** Called when the user moves the camera by hand. */
  onMoved: () => void = () => {}
  /** Called when the graphics context goes and when it is back. */
  onLost: (lost: boolean) => void = () => {}
  readonly #app: Application
  readonly #camera = new Container()
  #mounted: Mounted | undefined
  #picture: Picture | undefined
  #palette: Palette
  #view: View = { scale: 1, x: 0, y: 0 }
  #moved = false
  /** Where the camera looked last. */
  #seen: Sight | null = null
  #host: HTMLElement | undefined
  /** Its size in CSS pixels, as last observed: asking the element in each picture laid out the page again each time. */
  #size = { width: 0, height: 0 }
  #interactive = true
  #due = false
  #lost = false
  #pictures = 0
  /** Milliseconds of the page's thread that pictures took so far. */
  #spent = 0
  /** Agent that the camera stays on. */
  #followed: string | null = null
  /** A processor draws, so that every pixel counts. */
  readonly #software: boolean
  #rest: ReturnType<typeof setTimeout> | undefined
  #drawnAt = -Infinity
  readonly #resize = new ResizeObserver(() => this.#fitHost())

  private constructor(app: Application, palette: Palette, software: boolean) {
    this.#app = app
    this.#software = software
    this.#palette = palette
    this.surface =
      app.renderer.type === RendererType.WEBGL
        ? 'webgl'
        : app.renderer.type === RendererType.WEBGPU
          ? 'webgpu'
          : 'canvas'
    this.#camera.sortableChildren = true
    app.stage.addChild(this.#camera)
    app.canvas.className = 'stage-canvas'
    app.canvas.setAttribute('aria-hidden', 'true')
    this.#listen(app.canvas)
  }

  /** @throws Error when the browser can draw neither with WebGL nor on a plain canvas */
  static async create(palette: Palette): Promise<Stage> {
    const app = new Application()
    const software = drawsInSoftware()
    await app.init({
      preference: 'webgl',
      antialias: !software,
      resolution: software ? 1 : screenResolution(),
      autoDensity: true,
      backgroundAlpha: 0,
      autoStart: false,
      sharedTicker: false,
      eventFeatures: { move: false, globalMove: false, click: false, wheel: false },
      width: 320,
      height: 240,
    })
    app.ticker.stop()
    installFonts()
    return new Stage(app, palette, software)
  }

  /** Moves the canvas into an element and follows its size. @param interactive whether it zooms, pans and picks */
  attach(host: HTMLElement, interactive: boolean): void {
    this.detach()
    this.#host = host
    this.#interactive = interactive
    this.#app.canvas.style.touchAction = interactive ? 'none' : 'auto'
    host.append(this.#app.canvas)
    this.#resize.observe(host)
    this.#fitHost()
  }

  detach(): void {
    this.#resize.disconnect()
    this.#app.canvas.remove()
    this.#host = undefined
  }

  /** Puts another scene on the stage, and what is drawn over it; the ones before are disposed. */
  show(
    scene: Scene,
    spec: EnvSpec | null,
    first: Frame,
    actions: Int32Array | Float32Array,
    overlay: Overlay | null = null,
    agents: readonly string[] = [],
  ): void {
    this.clear()
    this.#mounted = { scene, spec, actions, agents, root: new Container(), over: new Container(), overlay }
    this.#camera.addChild(this.#mounted.root, this.#mounted.over)
    this.#mount(first)
    this.#moved = false
    this.fit()
  }

  clear(): void {
    if (this.#mounted === undefined) return
    this.#unmount(this.#mounted)
    this.#mounted = undefined
    this.#picture = undefined
    this.#followed = null
    this.invalidate()
  }

  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void {
    this.#picture = { before, after, fraction, selection }
    this.invalidate()
  }

  setPalette(palette: Palette): void {
    if (palette === this.#palette) return
    this.#palette = palette
    this.#remount()
  }

  legend(): readonly LegendItem[] {
    return this.#mounted?.scene.legend() ?? []
  }

  fit(): void {
    if (this.#mounted === undefined || this.#host === undefined) return
    this.#moved = false
    this.#look(this.#fitted())
  }

  zoom(factor: number): void {
    if (this.#host === undefined) return
    this.#moved = true
    this.#look(zoomAt(this.#view, this.#size.width / 2, this.#size.height / 2, factor))
  }

  /** The part of the world on the screen, and all of it; null without a world. */
  get views(): { visible: Box; box: Box } | null {
    if (this.#host === undefined || this.#mounted === undefined) return null
    const { width, height } = this.#size
    return { visible: visibleBox(this.#view, width, height), box: this.#mounted.scene.box() }
  }

  /** Keeps an agent in the middle of the picture, near enough to read; null lets go. */
  follow(agent: string | null): void {
    if (agent === this.#followed) return
    this.#followed = agent
    if (agent === null || this.#host === undefined) return
    if (this.#view.scale < FOLLOW_SCALE) {
      const { width, height } = this.#size
      this.#look(zoomAt(this.#view, width / 2, height / 2, FOLLOW_SCALE / this.#view.scale))
    }
    this.#moved = true
    this.invalidate()
  }

  /** The part of the world that is shown when it is fitted, in world units; null without one. */
  get box(): Box | null {
    return this.#mounted?.scene.box() ?? null
  }

  /** Where the camera looks, or null while it shows the whole world, whatever the size of the window. */
  get sight(): Sight | null {
    if (!this.#moved || this.#host === undefined) return null
    const middle = toWorld(this.#view, this.#size.width / 2, this.#size.height / 2)
    return { ...middle, zoom: this.#view.scale / this.#fitted().scale }
  }

  set sight(sight: Sight | null) {
    if (this.#mounted === undefined || this.#host === undefined) return
    if (sight === null) {
      this.fit()
      return
    }
    const { width, height } = this.#size
    const middle = zoomAt(this.#fitted(), 0, 0, sight.zoom)
    this.#moved = true
    this.#look({
      scale: middle.scale,
      x: width / 2 - sight.x * middle.scale,
      y: height / 2 - sight.y * middle.scale,
    })
  }

  #fitted(): View {
    const { width, height } = this.#size
    return fit(this.#mounted!.scene.box(), width, height, Math.min(PADDING, width * 0.04))
  }

  /** Marks above the world, at the scale of scenes (UNIT per world unit). @returns the way to take them away */
  addLayer(layer: Container): () => void {
    layer.zIndex = 1
    this.#camera.addChild(layer)
    this.invalidate()
    return () => {
      layer.destroy({ children: true })
      this.invalidate()
    }
  }

  /**
   * Draws now and hands out the canvas, whose picture lasts until the caller gives the page back to the browser.
   * @throws Error while the graphics context is lost: a picture of it would be blank
   */
  capture(): HTMLCanvasElement {
    if (this.#lost) throw new Error(strings.stage.gone)
    this.#render(true)
    return this.#app.canvas
  }

  /** Where a world point is in the window, in CSS pixels. */
  toWindow(x: number, y: number): { x: number; y: number } {
    const { left, top } = this.#app.canvas.getBoundingClientRect()
    return { x: left + this.#view.x + x * this.#view.scale, y: top + this.#view.y + y * this.#view.scale }
  }

  /** Pictures of a world drawn so far, and the part of a step that the last one was on its way. */
  get drawn(): { pictures: number; fraction: number; ms: number } {
    return { pictures: this.#pictures, fraction: this.#picture?.fraction ?? 0, ms: this.#spent }
  }

  /** Draws at the next picture of the screen. */
  invalidate(): void {
    if (this.#due) return
    this.#due = true
    const pause = this.#software ? SOFTWARE_PAUSE_MS : 0
    const draw = (now: number) => {
      if (now - this.#drawnAt < pause) {
        requestAnimationFrame(draw)
        return
      }
      this.#due = false
      this.#drawnAt = now
      if (!this.#lost && this.#host !== undefined) this.#render()
    }
    requestAnimationFrame(draw)
  }

  /** @param fine at the resolution of rest, where that is another one */
  #render(fine = false): void {
    const picture = this.#picture
    const mounted = this.#mounted
    const began = performance.now()
    if (this.#software) this.#setResolution(fine)
    if (picture !== undefined && mounted !== undefined) {
      const { before, after, fraction, selection } = picture
      const at = this.#followed === null ? null : placeOf(before, after, fraction, this.#followed)
      if (at !== null) this.#centre(at.x, at.y)
      const size = mounted.scene.box()
      const version = mounted.scene.version ?? 0
      mounted.scene.draw(before, after, fraction, selection)
      if ((mounted.scene.version ?? 0) !== version) this.onLegend()
      // A world that turned out larger than it looked is shown whole again.
      const now = mounted.scene.box()
      if (!this.#moved && (now.width !== size.width || now.height !== size.height)) this.fit()
      mounted.overlay?.draw(before, after, fraction, selection)
    }
    this.#app.render()
    // Until its scene is loaded a world is not on the picture.
    if (picture === undefined || mounted === undefined) return
    this.#pictures++
    this.#spent += performance.now() - began
  }

  /** Where a processor draws: coarse, with a fine picture to follow when nothing else does; or fine at once. */
  #setResolution(fine: boolean): void {
    clearTimeout(this.#rest)
    if (!fine) {
      this.#rest = setTimeout(() => {
        if (this.#due || this.#lost || this.#host === undefined) return
        this.#setResolution(true)
        this.#app.render()
      }, REST_MS)
    }
    const resolution = fine ? Math.max(REST_RESOLUTION, screenResolution()) : 1
    const { renderer } = this.#app
    if (renderer.resolution !== resolution) renderer.resize(this.#size.width, this.#size.height, resolution)
  }

  #mount(first: Frame): void {
    const { scene, spec, actions, agents, root, over, overlay } = this.#mounted!
    // eslint-disable-next-line @typescript-eslint/no-this-alias
    const stage = this
    const offer = (container: Container): SceneStage => ({
      root: container,
      palette: this.#palette,
      label: createLabel,
      actions,
      agents,
      get camera() {
        return stage.#cameraNow
      },
    })
    scene.mount(offer(root), spec, first)
    overlay?.mount(offer(over))
  }

  get #cameraNow(): Camera {
    const { width, height } = this.#size
    return { scale: this.#view.scale, visible: visibleBox(this.#view, width, height) }
  }

  #unmount({ scene, overlay, root, over }: Mounted): void {
    overlay?.dispose()
    scene.dispose()
    root.destroy({ children: true })
    over.destroy({ children: true })
  }

  /** Builds the scene anew on the same canvas: for another theme, or a new graphics context. */
  #remount(): void {
    const mounted = this.#mounted
    if (mounted === undefined) return
    this.#unmount(mounted)
    this.#mounted = { ...mounted, root: new Container(), over: new Container() }
    this.#camera.addChild(this.#mounted.root, this.#mounted.over)
    const first = this.#picture?.before
    if (first !== undefined) this.#mount(first)
    this.invalidate()
  }

  /** Moves the camera without asking for another picture: this is part of one. */
  #centre(x: number, y: number): void {
    const { width, height } = this.#size
    const { scale } = this.#view
    this.#view = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale }
    this.#camera.position.set(this.#view.x, this.#view.y)
    this.onView()
  }

  #look(view: View): void {
    this.#view = view
    this.#camera.scale.set(view.scale / UNIT)
    this.#camera.position.set(view.x, view.y)
    this.invalidate()
    this.#seen = this.sight
    this.onSight(this.#seen)
    this.onView()
  }

  #fitHost(): void {
    const host = this.#host
    if (host === undefined || host.clientWidth === 0 || host.clientHeight === 0) return
    this.#size = { width: host.clientWidth, height: host.clientHeight }
    const seen = this.#seen
    this.#app.renderer.resize(this.#size.width, this.#size.height)
    // Whatever the window does, the middle stays the middle.
    if (this.#moved && seen !== null) this.sight = seen
    else this.fit()
    // A resized canvas is blank: draw at once, not a picture later.
    if (!this.#lost) this.#render()
  }

  #drag(dx: number, dy: number): void {
    if (this.#mounted === undefined || this.#host === undefined) return
    const { width, height } = this.#size
    this.#look(pan(this.#view, dx, dy, this.#mounted.scene.box(), width, height))
  }

  #listen(canvas: HTMLCanvasElement): void {
    const pointers = new Map<number, { x: number; y: number }>()
    let travelled = 0
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!this.#interactive) return
        event.preventDefault()
        const lines = event.deltaMode === 1 ? 16 : 1
        const strength = event.ctrlKey ? 0.01 : 0.0015
        this.#moved = true
        if (this.#followed === null) this.onMoved()
        this.#look(zoomAt(this.#view, event.offsetX, event.offsetY, Math.exp(-event.deltaY * lines * strength)))
      },
      { passive: false },
    )
    canvas.addEventListener('pointerdown', (event) => {
      if (!this.#interactive || (event.pointerType === 'mouse' && event.button !== 0)) return
      canvas.setPointerCapture(event.pointerId)
      if (pointers.size === 0) travelled = 0
      pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY })
    })
    canvas.addEventListener('pointermove', (event) => {
      const last = pointers.get(event.pointerId)
      if (last === undefined) return
      const now = { x: event.offsetX, y: event.offsetY }
      travelled += Math.hypot(now.x - last.x, now.y - last.y)
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, at]) => at)
        const from = Math.hypot(last.x - other.x, last.y - other.y)
        const to = Math.hypot(now.x - other.x, now.y - other.y)
        if (from > 0) {
          // Two fingers zoom at the point between them, and take it along as they move.
          this.#moved = true
          this.#look(zoomAt(this.#view, (last.x + other.x) / 2, (last.y + other.y) / 2, to / from))
          this.#drag((now.x - last.x) / 2, (now.y - last.y) / 2)
          if (this.#followed === null) this.onMoved()
        }
      } else if (travelled > CLICK_SLACK) {
        this.#moved = true
        this.#followed = null
        this.#drag(now.x - last.x, now.y - last.y)
        this.onMoved()
      }
      pointers.set(event.pointerId, now)
    })
    const release = (event: PointerEvent) => {
      const known = pointers.delete(event.pointerId)
      if (!known || event.type === 'pointercancel' || pointers.size > 0 || travelled > CLICK_SLACK) return
      const at = toWorld(this.#view, event.offsetX, event.offsetY)
      this.onPick(this.#mounted?.scene.pick(at.x, at.y) ?? null)
    }
    canvas.addEventListener('pointerup', release)
    canvas.addEventListener('pointercancel', release)
    canvas.addEventListener('webglcontextlost', (event) => {
      event.preventDefault() // asks the browser to give the context back
      this.#lost = true
      this.onLost(true)
    })
    canvas.addEventListener('webglcontextrestored', () => {
      // Pixi rebuilds its own programs and textures in the same event; shapes are built anew after it.
      setTimeout(() => {
        this.#lost = false
        this.#remount()
        this.onLost(false)
      }, 0)
    })
  }
}

/** Canvas pixels per CSS pixel of the screen; more than three are not seen. */
function screenResolution(): number {
  return Math.min(3, globalThis.devicePixelRatio || 1)
}

/** Whether a processor does the drawing: no WebGL, or SwiftShader, llvmpipe, Microsoft Basic Render behind it. */
function drawsInSoftware(): boolean {
  const canvas = document.createElement('canvas')
  const gl = canvas.getContext('webgl2') ?? canvas.getContext('webgl')
  if (gl === null) return true
  const info = gl.getExtension('WEBGL_debug_renderer_info')
  const name = info === null ? '' : String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL))
  gl.getExtension('WEBGL_lose_context')?.loseContext() // browsers give out a dozen or so
  return /swiftshader|llvmpipe|softpipe|basic render|software/i.test(name)
}
