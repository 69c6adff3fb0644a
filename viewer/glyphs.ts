/** Signs of the kinds of events, the same on the timeline, in lists and over worlds. */

export type Glyph = 'diamond' | 'up' | 'down' | 'bar' | 'cross' | 'burst' | 'ring' | 'dot'

const GLYPHS: Readonly<Record<string, Glyph>> = {
  delivery: 'diamond',
  taken: 'diamond',
  tooHeavy: 'down',
  pickup: 'up',
  putdown: 'down',
  blocked: 'bar',
  collision: 'bar',
  interference: 'up',
  jammed: 'down',
  kill: 'cross',
  death: 'cross',
  explosion: 'burst',
  splash: 'ring',
  catch: 'cross',
  contact: 'ring',
}

export function glyphOf(kind: string): Glyph {
  return Object.hasOwn(GLYPHS, kind) ? GLYPHS[kind] : 'dot'
}
