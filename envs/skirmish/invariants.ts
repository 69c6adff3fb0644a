/** What must hold of every lane after every step, for the tests; plain code, so that all of them share it. */
import { type DigestibleBatch, type Generator } from '../core/index.ts'
import { type SkirmishWorld } from './state.ts'

/** Uniform legal actions. */
export function randomActions(batch: DigestibleBatch, rng: Generator): Int32Array {
  const A = batch.spec.actionSize
  const action = new Int32Array(batch.lanes * batch.spec.agents.length)
  for (let i = 0; i < action.length; i++) {
    let choice = rng.below(A)
    while (batch.mask[i * A + choice] === 0) choice = (choice + 1) % A
    action[i] = choice
  }
  return action
}

/** What must hold of every lane after every step. */
export function invariants(batch: DigestibleBatch, what: string): void {
  const world = batch.world as SkirmishWorld
  const { units, tables, terrain, agents } = world.plan
  const A = batch.spec.actionSize
  for (let lane = 0; lane < batch.lanes; lane++) {
    const first = lane * units
    for (let u = 0; u < units; u++) {
      const i = first + u
      const t = world.type[i]
      const where = () => `${what}, lane ${lane}, unit ${u}`
      if (u < agents) {
        const mask = batch.mask.subarray((lane * agents + u) * A, (lane * agents + u + 1) * A)
        const alive = world.health[i] > 0
        if (alive !== (batch.alive[lane * agents + u] === 1)) throw new Error(`${where()}: alive differs`)
        if (!alive && (mask[0] !== 1 || mask.indexOf(1, 1) >= 0))
          throw new Error(`${where()}: dead, not just the no-op`)
        if (alive && mask[0] === 1) throw new Error(`${where()}: alive with a no-op`)
      }
      if (world.health[i] <= 0) continue
      const full = world.health[i] <= tables.health[t] && world.shield[i] >= 0 && world.shield[i] <= tables.shield[t]
      if (!full) throw new Error(`${where()}: health ${world.health[i]}, shield ${world.shield[i]}`)
      const x = world.x[i] + terrain.width / 2
      const y = world.y[i] + terrain.height / 2
      if (!(x >= 0 && y >= 0 && x < terrain.width && y < terrain.height)) throw new Error(`${where()}: off the map`)
      const cells = tables.strides[t] === 1 ? terrain.strideable : terrain.walkable
      if (tables.flies[t] === 0 && cells[Math.floor(y) * terrain.width + Math.floor(x)] === 0) {
        throw new Error(`${where()}: in a wall at ${x}, ${y}`)
      }
      if (world.plan.rules !== 'sc2') continue
      for (let v = 0; v < u; v++) {
        const j = first + v
        if (world.health[j] <= 0 || (tables.layer[t] & tables.layer[world.type[j]]) === 0) continue
        const dx = world.x[j] - world.x[i]
        const dy = world.y[j] - world.y[i]
        const apart = tables.radius[t] + tables.radius[world.type[j]] - 0.1
        if (dx * dx + dy * dy < apart * apart) {
          throw new Error(`${where()}: ${Math.sqrt(dx * dx + dy * dy)} from ${v}, ${apart} at least`)
        }
      }
    }
  }
}
