/** Shapes as four nested loops: what the strided kernels take. */

/** Up to four loop lengths, outermost first, and for each operand the step in elements per loop. */
export interface Loops {
  readonly size: readonly number[] // [4]
  readonly steps: readonly (readonly number[])[] // per operand [4]
}

/** Row-major steps of a shape. */
export function stepsOf(shape: readonly number[]): number[] {
  const steps = new Array<number>(shape.length)
  let step = 1
  for (let i = shape.length - 1; i >= 0; i--) {
    steps[i] = step
    step *= shape[i]
  }
  return steps
}

/** Steps of `shape` read as if it had the shape `out`: 0 along axes that are broadcast. */
export function broadcastSteps(shape: readonly number[], out: readonly number[]): number[] {
  const own = stepsOf(shape)
  const shift = out.length - shape.length
  return out.map((_, i) => (i < shift || shape[i - shift] === 1 ? 0 : own[i - shift]))
}

/**
 * Joins axes that every operand walks through evenly and drops axes of length 1.
 * @returns null where more than four loops remain
 */
export function loops(shape: readonly number[], operands: readonly (readonly number[])[]): Loops | null {
  const size: number[] = []
  const steps: number[][] = operands.map(() => [])
  for (let axis = 0; axis < shape.length; axis++) {
    const length = shape[axis]
    if (length === 1) continue
    const last = size.length - 1
    if (last >= 0 && operands.every((operand, o) => steps[o][last] === operand[axis] * length)) {
      size[last] *= length
      for (let o = 0; o < operands.length; o++) steps[o][last] = operands[o][axis]
    } else {
      size.push(length)
      for (let o = 0; o < operands.length; o++) steps[o].push(operands[o][axis])
    }
  }
  if (size.length > 4) return null
  if (size.length === 0) {
    size.push(1)
    for (const own of steps) own.push(1)
  }
  while (size.length < 4) {
    size.unshift(1)
    for (const own of steps) own.unshift(0)
  }
  return { size, steps }
}
