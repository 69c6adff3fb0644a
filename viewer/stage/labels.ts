/** Labels of one shared bitmap font: hundreds of them cost one texture, at any zoom. */
import { BitmapFont, BitmapText } from 'pixi.js'
import { type Label, type TextStyle } from '../scenes/scene.ts'

/** Size at which the letters are rendered once, in pixels. */
const RENDERED_SIZE = 44
const FAMILY = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif'
/** Rendered at once; other letters follow when a label first needs them. */
const LETTERS = '0123456789'

let installed = false

/** Draws the digits once. White, so that every label can be tinted. */
export function installFonts(): void {
  if (installed) return
  installed = true
  for (const weight of ['regular', 'bold'] as const) {
    BitmapFont.install({
      name: fontName(weight),
      style: {
        fontFamily: FAMILY,
        fontSize: RENDERED_SIZE,
        fontWeight: weight === 'bold' ? '700' : '400',
        fill: '#ffffff',
      },
      chars: LETTERS,
      resolution: 2,
      // Measuring every pair of letters took longer than everything else on a first visit.
      skipKerning: true,
      padding: 6,
      textureStyle: { scaleMode: 'linear' },
    })
  }
}

const fontName = (weight: 'regular' | 'bold') => `troupe-${weight}`

export function createLabel(text: string, style: TextStyle): Label {
  const view = new BitmapText({
    text,
    style: { fontFamily: fontName(style.weight ?? 'regular'), fontSize: style.size },
    anchor: { x: style.anchor?.[0] ?? 0.5, y: style.anchor?.[1] ?? 0.5 },
  })
  view.tint = style.colour
  return {
    view,
    set: (next) => {
      if (view.text !== next) view.text = next
    },
    get width() {
      return view.width
    },
    fit: (width) => {
      view.scale.set(1)
      if (view.width > width) view.scale.set(width / view.width)
    },
    tint: (colour) => {
      view.tint = colour
    },
  }
}
