/** Colours for the drawn worlds, and the switch between light and dark. Text colours live in style.css, same names. */
import { signal } from '@preact/signals'

export type Theme = 'light' | 'dark'

export interface Palette {
  readonly theme: Theme
  readonly background: number
  readonly surface: number
  readonly ink: number
  readonly muted: number
  readonly line: number
  readonly accent: number
  /** Two near tones of floor. */
  readonly corridor: number
  readonly storage: number
  /** Things that stand about, and their outline. */
  readonly fixture: number
  readonly fixtureLine: number
  /** Agents by number: Okabe and Ito 2008, then ink. A number or glyph always stands beside. */
  readonly agents: readonly number[]
}

const OKABE_ITO = [0x0072b2, 0xe69f00, 0x009e73, 0xcc79a7, 0x56b4e9, 0xd55e00, 0xf0e442]

export const PALETTES: Readonly<Record<Theme, Palette>> = {
  light: {
    theme: 'light',
    background: 0xfbfaf7,
    surface: 0xffffff,
    ink: 0x1c1f24,
    muted: 0x5c6470,
    line: 0xe2e0da,
    accent: 0x3b6fb6,
    corridor: 0xf4f1ea,
    storage: 0xe9e4d9,
    fixture: 0xcfc7b8,
    fixtureLine: 0x857c6d,
    agents: [...OKABE_ITO, 0x1c1f24],
  },
  dark: {
    theme: 'dark',
    background: 0x14161a,
    surface: 0x1c1f25,
    ink: 0xe8e6e1,
    muted: 0x9aa3af,
    line: 0x2b2f37,
    accent: 0x7aa7e6,
    corridor: 0x1d2026,
    storage: 0x272b33,
    fixture: 0x474e5a,
    fixtureLine: 0x7d8794,
    agents: [...OKABE_ITO, 0xe8e6e1],
  },
}

/** What should not be: vermilion of Okabe and Ito, always with a shape of its own. */
export const WARNING = 0xd55e00

/** Of magnitudes, least to most: five stops of viridis (van der Walt and Smith 2015), perceptually uniform. */
export const HEAT_COLOURS = [0x440154, 0x3b528b, 0x21918c, 0x5ec962, 0xfde725] as const

/** Which colour of `HEAT_COLOURS` a count from 1 to `most` has. */
export function heatColour(count: number, most: number): number {
  if (most <= 1) return 0
  const share = (count - 1) / (most - 1)
  return Math.min(HEAT_COLOURS.length - 1, Math.max(0, Math.floor(share * HEAT_COLOURS.length)))
}

export function agentColour(palette: Palette, index: number): number {
  return palette.agents[index % palette.agents.length]
}

/** Relative luminance of a colour, 0 to 1 (WCAG 2). */
export function luminance(colour: number): number {
  const channel = (shift: number) => {
    const c = ((colour >> shift) & 0xff) / 255
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}

/** Contrast between two colours, 1 to 21 (WCAG 2). */
export function contrast(a: number, b: number): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y)
  return (light + 0.05) / (dark + 0.05)
}

/** Black or white, whichever reads better on a colour. */
export function textOn(colour: number): number {
  return contrast(colour, 0xffffff) >= contrast(colour, 0x14161a) ? 0xffffff : 0x14161a
}

export function hex(colour: number): string {
  return `#${colour.toString(16).padStart(6, '0')}`
}

/**
 * A colour as one pixel of an image's data: r, g, b, a in memory order. Every machine that runs a browser is little-endian.
 * @param colour 0xrrggbb @param alpha 0 to 1
 */
export function pixel(colour: number, alpha = 1): number {
  const [r, g, b] = [(colour >> 16) & 255, (colour >> 8) & 255, colour & 255]
  return ((Math.round(alpha * 255) << 24) | (b << 16) | (g << 8) | r) >>> 0
}

const STORED = 'troupe-theme'

export const theme = signal<Theme>('light')

/** Takes the stored choice, else the system's, and follows the system while nothing was chosen. */
export function startTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const stored = readStored()
  apply(stored ?? (dark.matches ? 'dark' : 'light'))
  dark.addEventListener('change', () => {
    if (readStored() === null) apply(dark.matches ? 'dark' : 'light')
  })
}

/** For as long as the page lives; nothing is stored. */
export function setTheme(next: Theme): void {
  apply(next)
}

export function switchTheme(): void {
  const next = theme.value === 'dark' ? 'light' : 'dark'
  try {
    localStorage.setItem(STORED, next)
  } catch {
    // Private windows may refuse to store; the choice then lasts as long as the page.
  }
  apply(next)
}

function readStored(): Theme | null {
  try {
    const stored = localStorage.getItem(STORED)
    return stored === 'light' || stored === 'dark' ? stored : null
  } catch {
    return null
  }
}

function apply(next: Theme): void {
  theme.value = next
  document.documentElement.dataset.theme = next
}

/** Whether the system asks for little motion; pictures then change on whole steps only. */
export function reducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches
}
