/** How evenly a sum is shared. All are undefined (NaN) where nothing is shared or somebody gets less than nothing. */

/**
 * 1 - Gini coefficient: 1 when all get the same, 1/n when one gets everything.
 * Gini = sum_ij |x_i - x_j| / (2 n sum x).
 */
export function equality(shares: ArrayLike<number>): number {
  const n = shares.length
  let sum = 0
  let differences = 0
  for (let i = 0; i < n; i++) {
    if (shares[i] < 0) return NaN
    sum += shares[i]
    for (let j = 0; j < n; j++) differences += Math.abs(shares[i] - shares[j])
  }
  return sum > 0 ? 1 - differences / (2 * n * sum) : NaN
}

/** The smallest share over the largest. */
export function minMaxShare(shares: ArrayLike<number>): number {
  let [low, high] = [Infinity, -Infinity]
  for (let i = 0; i < shares.length; i++) {
    low = Math.min(low, shares[i])
    high = Math.max(high, shares[i])
  }
  return low >= 0 && high > 0 ? low / high : NaN
}
