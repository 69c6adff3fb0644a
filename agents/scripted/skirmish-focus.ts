/** As nearest, but everybody shoots the weakest enemy in reach, so that fire comes together; medivacs heal the weakest. */
import { type PolicyDefinition } from '../core/policy.ts'
import { advance, chooseAttack, squad, tend, weakestFirst } from './skirmish-targets.ts'

export const skirmishFocus: PolicyDefinition = {
  name: 'skirmish-focus',
  kind: 'scripted',
  summary: 'Attacks the weakest enemy in reach, else walks towards the nearest; medivacs heal the weakest hurt mate.',
  envs: ['skirmish'],
  privileged: true,
  create: () =>
    squad('skirmish-focus', (unit) => {
      const { world, first, u } = unit
      if (world.plan.tables.heals[world.type[first + u]] > 0) return tend(unit, weakestFirst(unit))
      const attack = chooseAttack(unit, weakestFirst(unit))
      return attack >= 0 ? attack : advance(unit)
    }),
}
