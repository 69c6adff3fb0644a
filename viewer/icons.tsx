/** Signs of the buttons, drawn in the text colour. They say nothing to a screen reader: the button's name does. */
import { type JSX } from 'preact'
import { glyphOf } from './glyphs.ts'

const PATHS = {
  first: 'M6 5v14M19 5.5v13L9 12z',
  back: 'M17 5.5v13L7 12z',
  play: 'M8 5v14l11-7z',
  pause: 'M8 5v14M16 5v14',
  forward: 'M7 5.5v13L17 12z',
  last: 'M18 5v14M5 5.5v13L15 12z',
  loop: 'M5 11V9.5A3.5 3.5 0 0 1 8.500 6H18m0 0-3-3m3 3-3 3M19 13v1.500A3.500 3.500 0 0 1 15.500 18H6m0 0 3 3m-3-3 3-3',
  reverse: 'M11 6 5 12l6 6M5 12h14',
  live: 'M12 12h.01M8.500 8.500a5 5 0 0 0 0 7M15.500 8.500a5 5 0 0 1 0 7M5.700 5.700a9 9 0 0 0 0 12.600M18.300 5.700a9 9 0 0 1 0 12.600',
  link: 'M10 14a4 4 0 0 0 5.700 0l3-3a4 4 0 0 0-5.700-5.700l-1 1M14 10a4 4 0 0 0-5.700 0l-3 3a4 4 0 0 0 5.700 5.700l1-1',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2',
  moon: 'M20 14.500A8.500 8.500 0 0 1 9.500 4 8.500 8.500 0 1 0 20 14.500z',
  help: 'M9 9.300a3 3 0 1 1 4.500 2.600c-.9.500-1.500 1.100-1.500 2.100M12 17.500h.01',
  fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  check: 'M5 12.500l4.500 4.500L19 7.500',
  cross: 'M6 6l12 12M18 6L6 18',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  layers: 'M12 4 3 9l9 5 9-5zM4.500 13 12 17.200l7.500-4.200M4.500 16.500 12 20.700l7.500-4.200',
  bookmark: 'M7 4h10v16l-5-4-5 4z',
  target: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v4M12 17v4M3 12h4M17 12h4',
  search: 'M10.500 5a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zM15 15l5 5',
  panel: 'M4 5h16v14H4zM14 5v14',
  fork: 'M7 4v16M7 14c0-4 10-2 10-8M17 4v2',
  compare: 'M4 5h7v14H4zM13 5h7v14h-7z',
  share: 'M12 15V4m0 0L8 8m4-4 4 4M5 12v8h14v-8',
  download: 'M12 4v11m0 0-4-4m4 4 4-4M5 20h14',
} as const

export type IconName = keyof typeof PATHS
const SOLID: ReadonlySet<IconName> = new Set(['first', 'back', 'play', 'forward', 'last'])

export function Icon({ name, size = 18 }: { name: IconName; size?: number }): JSX.Element {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill={SOLID.has(name) ? 'currentColor' : 'none'}
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The sign of an event kind: a shape of its own, so that colour is never needed to tell kinds apart. */
export function EventGlyph({ kind, size = 12 }: { kind: string; size?: number }): JSX.Element {
  return (
    <svg class={`glyph glyph-${glyphOf(kind)}`} width={size} height={size} viewBox="-6 -6 12 12" aria-hidden="true">
      <EventShape kind={kind} />
    </svg>
  )
}

export function EventShape({ kind }: { kind: string }): JSX.Element {
  switch (glyphOf(kind)) {
    case 'diamond':
      return <path d="M0-5.5 5.5 0 0 5.5-5.5 0z" fill="currentColor" />
    case 'up':
      return <path d="M0-4.500 5 4.500H-5z" fill="currentColor" />
    case 'down':
      return <path d="M0 4.500 5-4.500H-5z" fill="none" stroke="currentColor" stroke-width="1.500" />
    case 'bar':
      return <path d="M-1.500-5.500h3v11h-3z" fill="currentColor" />
    case 'cross':
      return (
        <path
          d="M-4.500-4.500 4.500 4.500M4.500-4.500-4.500 4.500"
          fill="none"
          stroke="currentColor"
          stroke-width="2"
        />
      )
    case 'burst':
      return (
        <path
          d="M0-5.500V5.500M-5.500 0H5.500M-3.500-3.500 3.500 3.500M3.500-3.500-3.500 3.500"
          fill="none"
          stroke="currentColor"
          stroke-width="1.300"
        />
      )
    case 'ring':
      return <circle r="3.500" fill="none" stroke="currentColor" stroke-width="1.500" />
    case 'dot':
      return <circle r="3" fill="currentColor" />
  }
}
