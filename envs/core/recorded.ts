/** What readers of recordings and pictures of other programs share. */
import { base64 } from '@scure/base'
import { GENERATOR } from './random.ts'
import { type EnvBatch, type Snapshot } from './types.ts'

function pack(row: ArrayBufferView): string {
  return base64.encode(new Uint8Array(row.buffer, row.byteOffset, row.byteLength))
}

/**
 * A running episode that began elsewhere: without a seed, returns at zero.
 * @param step joint actions so far
 * @param rows the lane's part of every array of the rules, by name; generators are any (all words 1) unless given as `random`
 */
export function snapshotOf(
  { spec }: EnvBatch,
  step: number,
  rows: Readonly<Record<string, ArrayBufferView>>,
  random: Uint32Array = new Uint32Array((spec.world.streams.length + 1) * 4).fill(1),
): Snapshot {
  return {
    format: 1,
    env: spec.env,
    version: spec.version,
    generator: GENERATOR,
    seed: null,
    episode: 0,
    step,
    terminated: false,
    truncated: false,
    returns: pack(new Float64Array(spec.world.agents.length)),
    arrays: Object.fromEntries(Object.entries({ ...rows, random }).map(([name, row]) => [name, pack(row)])),
  }
}

/** The cells of a drawn field, row by row: words between spaces; empty lines are left out. */
export function drawnCells(picture: string): string[][] {
  return picture
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '')
    .map((row) => row.split(/\s+/))
}
