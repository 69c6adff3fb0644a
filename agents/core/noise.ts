/**
 * Noise of policies, one uniform per draw. All from + − × ÷ and the square root, so that what a seed draws is the same in
 * every engine.
 */
import { naturalLogarithm } from '../../envs/core/index.ts'

/** Half a step of the 24-bit uniforms of `Generator.float`: moves [0, 1) into (0, 1). */
const HALF_STEP = 2 ** -25

/**
 * Standard normal, the quantile of a uniform (Wichura 1988, algorithm AS 241, PPND16: relative error about 1e-16; its third
 * region, beyond 7 deviations, is out of reach of 24 bits).
 * @param uniform in [0, 1), of 24 bits
 */
export function normal(uniform: number): number {
  const q = uniform + HALF_STEP - 0.5
  if (q >= -0.425 && q <= 0.425) {
    const r = 0.180625 - q * q
    const above =
      ((((((2.5090809287301226727e3 * r + 3.3430575583588128105e4) * r + 6.7265770927008700853e4) * r +
        4.5921953931549871457e4) *
        r +
        1.3731693765509461125e4) *
        r +
        1.9715909503065514427e3) *
        r +
        1.3314166789178437745e2) *
        r +
      3.387132872796366608
    const below =
      ((((((5.226495278852854561e3 * r + 2.8729085735721942674e4) * r + 3.930789580009271061e4) * r +
        2.1213794301586595867e4) *
        r +
        5.3941960214247511077e3) *
        r +
        6.871870074920579083e2) *
        r +
        4.2313330701600911252e1) *
        r +
      1
    return (q * above) / below
  }
  const tail = q < 0 ? uniform + HALF_STEP : 1 - (uniform + HALF_STEP)
  const r = Math.sqrt(-naturalLogarithm(tail)) - 1.6
  const above =
    ((((((7.7454501427834140764e-4 * r + 2.27238449892691845833e-2) * r + 2.4178072517745061177e-1) * r +
      1.27045825245236838258) *
      r +
      3.64784832476320460504) *
      r +
      5.7694972214606914055) *
      r +
      4.6303378461565452959) *
      r +
    1.42343711074968357734
  const below =
    ((((((1.05075007164441684324e-9 * r + 5.475938084995344946e-4) * r + 1.51986665636164571966e-2) * r +
      1.4810397642748007459e-1) *
      r +
      6.8976733498510000455e-1) *
      r +
      1.6763848301838038494) *
      r +
      2.05319162663775882187) *
      r +
    1
  return q < 0 ? -above / below : above / below
}

/** Standard Gumbel, −log(−log u): the largest of logits with such noise is a draw from their softmax. @param uniform as above */
export function gumbel(uniform: number): number {
  return -naturalLogarithm(-naturalLogarithm(uniform + HALF_STEP))
}
