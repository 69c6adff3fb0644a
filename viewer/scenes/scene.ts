/** What a scene is: draws one family of worlds on the stage and decides nothing about rules. */
import { type Container } from 'pixi.js'
import { type EnvSpec, type Frame } from '../../envs/core/types.ts'
import { type Palette } from '../theme.ts'
import { type Box } from '../stage/camera.ts'

/** Drawing units per world unit: shapes are described at this size and scaled by the camera. */
export const UNIT = 64

export interface TextStyle {
  /** Height of the letters, in drawing units. */
  readonly size: number
  readonly colour: number
  readonly weight?: 'regular' | 'bold'
  /** Which point of the text sits at its place: 0 left/top, 0.5 middle, 1 right/bottom. */
  readonly anchor?: readonly [number, number]
}

/** A text of the shared bitmap font, so that hundreds of labels cost one texture. */
export interface Label {
  readonly view: Container
  set(text: string): void
  /** Width as written, in drawing units. */
  readonly width: number
  /** Makes the text smaller where it is wider than this, in drawing units. */
  fit(width: number): void
  tint(colour: number): void
}

/** What the camera shows now. */
export interface Camera {
  /** Pixels per world unit. */
  readonly scale: number
  /** The part of the world on the screen, in world units. Scenes of large worlds draw nothing outside of it. */
  readonly visible: Box
}

/** What the stage offers to a scene. */
export interface SceneStage {
  /** Everything drawn goes here; world unit (1, 1) is at (UNIT, UNIT). */
  readonly root: Container
  readonly palette: Palette
  label(text: string, style: TextStyle): Label
  /** Ids of the controlled agents. */
  readonly agents: readonly string[]
  /** Changes as the user moves; every change is followed by a `draw`. */
  readonly camera: Camera
  /** Joint actions of the whole replay [T, N, D], for trails. */
  readonly actions: Int32Array | Float32Array
}

/** What the user looks at. */
export interface Selection {
  /** Id of the selected agent, or null. */
  readonly agent: string | null
}

export interface Shape {
  readonly kind: 'circle' | 'rect' | 'path'
  /** circle: [x, y, r]; rect: [x, y, width, height, radius]; in a box of 24 by 24. */
  readonly numbers?: readonly number[]
  readonly d?: string
  readonly fill?: number
  readonly stroke?: number
  readonly width?: number
  readonly dash?: string
  readonly opacity?: number
}

/** A sign on the stage and its meaning. */
export interface LegendItem {
  readonly label: string
  readonly shapes: readonly Shape[]
}

export interface Scene {
  /** @param spec null when the environment cannot be simulated by this build */
  mount(stage: SceneStage, spec: EnvSpec | null, first: Frame): void
  /** The part of the world to show, in world units. */
  box(): Box
  /**
   * @param fraction way from `before` to `after`, 0 to 1
   */
  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void
  /** The id of the agent at a place in world units, or null. */
  pick(x: number, y: number): string | null
  legend(): readonly LegendItem[]
  /** Raised when `legend()` says more than before; left out where it never changes. */
  readonly version?: number
  dispose(): void
}

/** Something drawn over a scene, in the same world units. */
export interface Overlay {
  mount(stage: SceneStage): void
  draw(before: Frame, after: Frame, fraction: number, selection: Selection): void
  dispose(): void
}
