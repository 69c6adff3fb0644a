/** What it costs a good agent of tag and world-comm to leave the square: per axis, from mpe2 1.1.0. */
import { exponential } from '../core/exponential.ts'

/** 1 + ln 10 / 2: from here on the cost is 10. */
const FAR = 2.151292546497023

/** @param v distance from the centre along an axis */
export function border(v: number): number {
  if (v < 0.9) return 0
  if (v < 1) return (v - 0.9) * 10
  if (v >= FAR) return 10
  return 1 / exponential(2 * v - 2)
}
