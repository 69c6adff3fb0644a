/** Everybody attacks the nearest enemy in reach and walks towards the nearest otherwise; medivacs heal the nearest. */
import { type PolicyDefinition } from '../core/policy.ts'
import { advance, chooseAttack, nearestFirst, squad, tend } from './skirmish-targets.ts'

export const skirmishNearest: PolicyDefinition = {
  name: 'skirmish-nearest',
  kind: 'scripted',
  summary: 'Attacks the nearest enemy in reach, else walks towards the nearest; medivacs heal the nearest hurt mate.',
  envs: ['skirmish'],
  privileged: true,
  create: () =>
    squad('skirmish-nearest', (unit) => {
      const { world, first, u } = unit
      if (world.plan.tables.heals[world.type[first + u]] > 0) return tend(unit, nearestFirst(unit))
      const attack = chooseAttack(unit, nearestFirst(unit))
      return attack >= 0 ? attack : advance(unit)
    }),
}
