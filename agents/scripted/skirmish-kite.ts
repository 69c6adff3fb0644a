/**
 * Ranged units shoot when their weapon is ready and step away from melee enemies while it reloads; everybody else, and
 * everybody whom no melee enemy threatens, fights as `skirmish-focus`.
 */
import { type PolicyDefinition } from '../core/policy.ts'
import { advance, chooseAttack, nearestFirst, nearestOf, squad, tend, walk, weakestFirst } from './skirmish-targets.ts'

/** Ranges below this are melee, in cells. */
const MELEE = 2

/** A melee enemy whose edge is nearer than this chases the unit away, in cells. */
const DANGER = 3

export const skirmishKite: PolicyDefinition = {
  name: 'skirmish-kite',
  kind: 'scripted',
  summary: 'Ranged units shoot and step back from melee enemies while they reload; else as skirmish-focus.',
  envs: ['skirmish'],
  privileged: true,
  create: () =>
    squad('skirmish-kite', (unit) => {
      const { world, first, u, side } = unit
      const { tables, options } = world.plan
      const type = world.type[first + u]
      if (tables.heals[type] > 0) return tend(unit, weakestFirst(unit))
      const attack = chooseAttack(unit, tables.range[type] >= MELEE ? weakestFirst(unit) : nearestFirst(unit))
      if (tables.range[type] < MELEE) return attack >= 0 ? attack : advance(unit)
      const threat = nearestOf(unit, 1 - side, (v) => tables.range[world.type[first + v]] < MELEE)
      const reloading = world.cooldown[first + u] > options.loops
      if (threat >= 0 && reloading) {
        const dx = world.x[first + threat] - world.x[first + u]
        const dy = world.y[first + threat] - world.y[first + u]
        const edge = Math.sqrt(dx * dx + dy * dy) - tables.radius[type] - tables.radius[world.type[first + threat]]
        if (edge < DANGER) return walk(unit, threat, -1)
      }
      return attack >= 0 ? attack : advance(unit)
    }),
}
