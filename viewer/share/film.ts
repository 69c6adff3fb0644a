/**
 * Pictures and films of an episode, made in the page from what the stage draws. Loaded on demand, and the encoders with
 * it: modern-gif for GIF, mediabunny over the browser's own WebCodecs for MP4 and WebM.
 */
import { effect } from '@preact/signals'
import { type Session } from '../session.ts'
import { type StepRecord } from '../sources/messages.ts'
import { scenarioName } from '../stage/stage-view.tsx'
import { type Stage } from '../stage/stage.ts'
import { figure, strings } from '../strings.ts'
import { teamReturn, teamRewardOf } from '../survey.ts'
import { hex, PALETTES, theme } from '../theme.ts'

const words = strings.share

export type FilmFormat = 'gif' | 'mp4' | 'webm'

export interface FilmPlan {
  readonly format: FilmFormat
  /** First and last step. */
  readonly from: number
  readonly to: number
  readonly stepsPerSecond: number
  /** Pixels; the height follows from the world. */
  readonly width: number
}

/** Pictures a second at most: GIF viewers slow shorter delays down, films need no more. */
const MOST_PICTURES = { gif: 12.5, mp4: 30, webm: 30 } as const
/** Pixels that a GIF may hold altogether: it is put together in memory. */
const MOST_GIF_PIXELS = 80e6
const MOST_FILM_PICTURES = 20_000
/** Height of the line under the picture, and its letters, for a picture of 640 pixels. */
const FOOT = 28
const LETTERS = 14

export const MIME: Readonly<Record<FilmFormat | 'png', string>> = {
  gif: 'image/gif',
  mp4: 'video/mp4',
  webm: 'video/webm',
  png: 'image/png',
}

/** Codecs in order of how many players know them. */
const CODECS = { mp4: ['avc', 'hevc', 'vp9', 'av1'], webm: ['vp9', 'vp8', 'av1'] } as const

/** Which films this browser can make. */
export async function filmFormats(): Promise<readonly FilmFormat[]> {
  if (typeof VideoEncoder !== 'function') return ['gif']
  const { getFirstEncodableVideoCodec } = await import('mediabunny')
  const films: FilmFormat[] = ['gif']
  for (const format of ['mp4', 'webm'] as const) {
    const codec = await getFirstEncodableVideoCodec([...CODECS[format]], { width: 640, height: 640 }).catch(() => null)
    if (codec !== null) films.push(format)
  }
  return films
}

/** One picture of the step shown. */
export async function still(session: Session, stage: Stage, width: number): Promise<Blob> {
  const { step } = session.clock.peek()
  await arrived(session, step)
  const sheet = new Sheet(session, stage, width)
  sheet.draw(step, 0)
  return sheet.png()
}

/**
 * A film of a stretch of steps. The page's clock goes along.
 * @param onProgress part done, 0 to 1
 * @throws Error with one sentence; AbortError when the signal says so
 */
export async function film(
  session: Session,
  stage: Stage,
  plan: FilmPlan,
  onProgress: (part: number) => void = () => undefined,
  signal?: AbortSignal,
): Promise<Blob> {
  const { format, stepsPerSecond } = plan
  const last = session.info.peek()?.steps ?? 0
  const from = Math.min(last, Math.max(0, plan.from))
  const to = Math.min(last, Math.max(from, plan.to))
  const perStep = Math.max(1, Math.floor(MOST_PICTURES[format] / stepsPerSecond))
  const rate = perStep * stepsPerSecond
  const pictures = (to - from) * perStep + 1
  const { step: before } = session.clock.peek()
  session.player.pause()
  session.player.seek(from)
  await arrived(session, from, signal)
  const sheet = new Sheet(session, stage, plan.width)
  const pixels = pictures * sheet.canvas.width * sheet.canvas.height
  if (format === 'gif' && pixels > MOST_GIF_PIXELS) throw new Error(words.gifTooLarge(pictures, sheet.canvas.width))
  if (pictures > MOST_FILM_PICTURES) throw new Error(words.filmTooLong(pictures))
  const encoder =
    format === 'gif' ? await gifEncoder(sheet.canvas, rate) : await videoEncoder(sheet.canvas, format, rate)
  try {
    let done = 0
    for (let step = from; step <= to; step++) {
      session.player.seek(step)
      await arrived(session, step, signal)
      if (step < to) await arrived(session, step + 1, signal)
      for (let k = 0; k < (step < to ? perStep : 1); k++) {
        sheet.draw(step, k / perStep)
        await encoder.add()
        onProgress((0.9 * ++done) / pictures)
        signal?.throwIfAborted()
      }
    }
    const blob = await encoder.finish()
    onProgress(1)
    return blob
  } catch (error) {
    await encoder.cancel()
    throw error
  } finally {
    session.player.seek(before)
  }
}

interface Encoder {
  add(): Promise<void>
  finish(): Promise<Blob>
  cancel(): Promise<void>
}

async function gifEncoder(canvas: HTMLCanvasElement, rate: number): Promise<Encoder> {
  const { Encoder: Gif } = await import('modern-gif')
  const { width, height } = canvas
  const gif = new Gif({ width, height, maxColors: 255, looped: true, loopCount: 0 })
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  return {
    add: () => gif.encode({ data: context.getImageData(0, 0, width, height).data, width, height, delay: 1000 / rate }),
    finish: () => gif.flush('blob'),
    cancel: async () => undefined,
  }
}

async function videoEncoder(canvas: HTMLCanvasElement, format: 'mp4' | 'webm', rate: number): Promise<Encoder> {
  if (typeof VideoEncoder !== 'function') throw new Error(words.noFilms)
  const bunny = await import('mediabunny')
  const { width, height } = canvas
  const codec = await bunny.getFirstEncodableVideoCodec([...CODECS[format]], { width, height })
  if (codec === null) throw new Error(words.noFormat(format))
  const output = new bunny.Output({
    format: format === 'mp4' ? new bunny.Mp4OutputFormat({ fastStart: 'in-memory' }) : new bunny.WebMOutputFormat(),
    target: new bunny.BufferTarget(),
  })
  const source = new bunny.CanvasSource(canvas, { codec, bitrate: bunny.QUALITY_HIGH, latencyMode: 'realtime' })
  output.addVideoTrack(source, { frameRate: rate })
  await output.start()
  let pictures = 0
  return {
    add: () => source.add(pictures++ / rate, 1 / rate),
    finish: async () => {
      await output.finalize()
      return new Blob([output.target.buffer!], { type: MIME[format] })
    },
    cancel: async () => {
      if (output.state === 'started') await output.cancel()
    },
  }
}

/** A sheet of paper: the world as large as it goes, and a line that says what it is. */
class Sheet {
  readonly canvas = document.createElement('canvas')
  readonly #session: Session
  readonly #stage: Stage
  readonly #context: CanvasRenderingContext2D
  readonly #foot: number

  constructor(session: Session, stage: Stage, width: number) {
    this.#session = session
    this.#stage = stage
    const part = partOf(stage, stage.capture())
    const even = (size: number) => Math.max(2, 2 * Math.round(size / 2))
    this.canvas.width = even(width)
    this.#foot = Math.round((FOOT * width) / 640)
    this.canvas.height = even((this.canvas.width * part.height) / part.width + this.#foot)
    const context = this.canvas.getContext('2d', { willReadFrequently: true })
    if (context === null) throw new Error(strings.stage.none)
    this.#context = context
  }

  /** @param fraction way to the next step, 0 to 1 */
  draw(step: number, fraction: number): void {
    const before = this.#session.at(step)
    if (before === undefined) throw new Error(strings.stage.gone)
    const after = this.#session.at(step + 1) ?? before
    this.#stage.draw(before.frame, after.frame, fraction, { agent: this.#session.agent.peek() })
    const picture = this.#stage.capture()
    const palette = PALETTES[theme.peek()]
    const { width, height } = this.canvas
    // The page around may change its size while a film is made.
    const { x, y, width: w, height: h } = partOf(this.#stage, picture)
    this.#context.fillStyle = hex(palette.background)
    this.#context.fillRect(0, 0, width, height)
    this.#context.imageSmoothingQuality = 'high'
    this.#context.drawImage(picture, x, y, w, h, 0, 0, width, height - this.#foot)
    this.#context.fillStyle = hex(palette.muted)
    this.#context.font = `${Math.round((LETTERS * width) / 640)}px system-ui, sans-serif`
    this.#context.textBaseline = 'middle'
    this.#context.fillText(this.#line(before), (8 * width) / 640, height - this.#foot / 2, width - (16 * width) / 640)
  }

  #line(record: StepRecord): string {
    const { header } = this.#session.info.peek()!
    const names = header.policies.map(({ name }) => name).join(', ') || strings.unknown
    const total =
      record.returns === null
        ? []
        : [`${strings.bar.return} ${figure(teamReturn(teamRewardOf(header.scenario), record.returns))}`]
    return [scenarioName(header.scenario), names, strings.events.row(record.step), ...total].join(' · ')
  }

  png(): Promise<Blob> {
    return new Promise((resolve, reject) => {
      this.canvas.toBlob((blob) => (blob === null ? reject(new Error(strings.stage.none)) : resolve(blob)), 'image/png')
    })
  }
}

/**
 * The whole world where it is fitted, what is looked at otherwise; in pixels of the stage's canvas.
 * @param canvas as it was just captured
 */
function partOf(stage: Stage, canvas: HTMLCanvasElement): { x: number; y: number; width: number; height: number } {
  const whole = { x: 0, y: 0, width: canvas.width, height: canvas.height }
  const { box } = stage
  if (stage.sight !== null || box === null) return whole
  const place = canvas.getBoundingClientRect()
  const ratio = canvas.width / Math.max(1, place.width)
  const [from, to] = [stage.toWindow(box.x, box.y), stage.toWindow(box.x + box.width, box.y + box.height)]
  const margin = 8
  const x = Math.max(0, (from.x - place.left - margin) * ratio)
  const y = Math.max(0, (from.y - place.top - margin) * ratio)
  return {
    x,
    y,
    width: Math.min(canvas.width - x, (to.x - from.x + 2 * margin) * ratio),
    height: Math.min(canvas.height - y, (to.y - from.y + 2 * margin) * ratio),
  }
}

/** Waits until a step is simulated. */
function arrived(session: Session, step: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  if (session.at(step) !== undefined) return Promise.resolve()
  return new Promise((resolve, reject) => {
    let stop = (): void => undefined
    const timer = setInterval(() => look(), 20)
    const end = (then: () => void) => {
      clearInterval(timer)
      stop()
      then()
    }
    const look = () => {
      if (session.at(step) !== undefined) end(resolve)
      else if (signal?.aborted === true) end(() => reject(signal.reason as Error))
      else if (session.failure.peek() !== null) end(() => reject(new Error(session.failure.peek()!)))
    }
    stop = effect(() => {
      void session.record.value
    })
  })
}
