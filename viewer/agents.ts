/** What agents are called in pictures. */

/** The number an agent carries in its id, else its place in the list. */
export function numberOf(id: string, index: number): number {
  const digits = /(\d+)$/.exec(id)?.[1]
  return digits === undefined ? index : Number(digits)
}

/**
 * The agents whose id or number is what was typed, then those whose id holds it.
 * @param most how many at most
 */
export function findAgents(agents: readonly string[], typed: string, most: number): string[] {
  const wanted = typed.trim().toLowerCase()
  if (wanted === '') return []
  const exact: string[] = []
  const near: string[] = []
  agents.forEach((id, index) => {
    const low = id.toLowerCase()
    if (low === wanted || String(numberOf(id, index)) === wanted) exact.push(id)
    else if (low.includes(wanted)) near.push(id)
  })
  return [...exact, ...near].slice(0, most)
}
