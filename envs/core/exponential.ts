/**
 * The exponential and the logarithm from + − × ÷ alone, so that every engine gets the same bits: contact forces and border
 * penalties of particles, and the noise of policies. `Math.exp` and `Math.log` may differ between engines.
 *
 * Both reduce their argument and use the minimax polynomials of fdlibm 5.3 (Sun Microsystems 1993, e_exp.c, s_log1p.c).
 * Accuracy, measured on 150,000 arguments each against 50-digit arithmetic: the relative error of `exponential` on
 * [0, 700] is at most 1.4e-16, that of `softplus` on [-40, 300] at most 2.2e-16, about one unit in the last place.
 */

const LN2_HIGH = 6.9314718036912382e-1 // ln 2 in two parts: the first has zeros at the end, so k times it is exact
const LN2_LOW = 1.9082149292705877e-10
const INVERSE_LN2 = 1.4426950408889634

/** 2^-k for k from 0 to 1022, exact by halving. */
const HALVES = new Float64Array(1023)
for (let k = 0, half = 1; k < HALVES.length; k++, half /= 2) HALVES[k] = half

/**
 * e^-y.
 * @param y 0 or more; from 708 on the result is 0
 */
export function exponential(y: number): number {
  if (y > 708) return 0
  const k = (INVERSE_LN2 * y + 0.5) | 0
  const high = k * LN2_HIGH - y
  const low = -k * LN2_LOW
  const r = high - low // -y = r - k ln 2, |r| at most ln 2 / 2
  const t = r * r
  const c =
    r -
    t *
      (1.66666666666666019037e-1 +
        t *
          (-2.77777777770155933842e-3 +
            t * (6.6137563214379343612e-5 + t * (-1.6533902205465251539e-6 + t * 4.1381367970572384604e-8))))
  return (1 - (low - (r * c) / (2 - c) - high)) * HALVES[k]
}

/** The series of log1p after its argument was brought near zero: f - (f²/2 - s (f²/2 + R)), s = f / (2 + f). */
function logarithmTail(f: number, half: number): number {
  const s = f / (2 + f)
  const z = s * s
  const series =
    z *
    (6.66666666666673513e-1 +
      z *
        (3.999999999940941908e-1 +
          z *
            (2.857142874366239149e-1 +
              z *
                (2.222219843214978396e-1 +
                  z * (1.818357216161805012e-1 + z * (1.531383769920937332e-1 + z * 1.479819860510658591e-1))))))
  return s * (half + series)
}

/** ln(1 + t) for t from -0.2928 to 1. */
function logarithm(t: number): number {
  if (t < 0.41421356237309505) {
    const half = 0.5 * t * t
    return t - (half - logarithmTail(t, half))
  }
  // 1 + t = 2 (1 + f); what 1 + t lost in rounding comes back as the correction c.
  const u = 1 + t
  const c = (t - (u - 1)) / u
  const f = u / 2 - 1
  const half = 0.5 * f * f
  return LN2_HIGH - (half - (logarithmTail(f, half) + (LN2_LOW + c)) - f)
}

/** ln(1 + e^x), without overflow: 0 far to the left, x far to the right. */
export function softplus(x: number): number {
  room[0] = x
  softplusIn(room)
  return room[0]
}

const room = new Float64Array(1)

/** `softplus` in place: a number handed over in an array is never boxed. @param room its first number is replaced */
export function softplusIn(room: Float64Array): void {
  const x = room[0]
  room[0] = x > 0 ? x + logarithm(exponential(x)) : logarithm(exponential(-x))
}

/** ln x of a positive number that is neither subnormal nor infinite. */
export function naturalLogarithm(x: number): number {
  let k = 0
  let m = x // x = m 2^k, m of √½ to √2; halving and doubling are exact
  for (; m >= 2 ** 32; m /= 2 ** 32) k += 32
  for (; m < 2 ** -32; m *= 2 ** 32) k -= 32
  for (; m >= 2; m /= 2) k++
  for (; m < 1; m *= 2) k--
  if (m > Math.SQRT2) {
    m /= 2 // near 1 from below k ln 2 would cancel
    k++
  }
  return k * LN2_HIGH + (k * LN2_LOW + logarithm(m - 1))
}
