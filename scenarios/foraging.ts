/**
 * Foraging tasks by name. The original registers thousands of sizes; a few lie in `foraging/` as files, and every other
 * name that follows the pattern is a scenario all the same.
 */
import { optionsFromName } from '../envs/foraging/reference.ts'
import { foraging } from '../envs/foraging/index.ts'
import { type Scenario } from './schema.ts'

const N = '([1-9]\\d*)'
const NAME = new RegExp(
  `^foraging/(strict-)?(grid-)?(?:${N}s-)?${N}x${N}-${N}p-${N}f(-coop)?(-ind)?(-pen)?(-raw)?(-masked)?$`,
)

/** How names are built, for messages and pages. */
export const FORAGING_PATTERN =
  'foraging/[strict-][grid-][{sight}s-]{rows}x{columns}-{n}p-{n}f[-coop][-ind][-pen][-raw][-masked]'

/**
 * The task that a name spells out; null where the name does not follow the pattern. Whether such a world can be is seen
 * when it is opened.
 */
export function foragingScenario(id: string): Scenario | null {
  const parts = NAME.exec(id)
  if (parts === null) return null
  const [, strict, grid, sight, rows, columns, players, foods, coop = '', ind = '', pen = '', raw, masked] = parts
  const sized = `${rows}x${columns}-${players}p-${foods}f${coop}${ind}${pen}`
  const original = `Foraging${grid === undefined ? '' : '-grid'}${sight === undefined ? '' : `-${sight}s`}-${sized}-v3`
  const says = [
    `Foraging ${rows} x ${columns}`,
    players === '1' ? '1 player' : `${players} players`,
    foods === '1' ? '1 item' : `${foods} items`,
    ...(coop ? ['items of the highest level'] : []),
    ...(ind ? ['items of level 1'] : []),
    ...(sight === undefined ? [] : [`sight ${sight}`]),
    ...(grid === undefined ? [] : ['grid observations']),
    ...(pen ? ['penalty 0.1'] : []),
    ...(raw === undefined ? [] : ['rewards not normalised']),
    ...(masked === undefined ? [] : ['masks']),
    ...(strict === undefined ? [] : ['strict rules']),
  ]
  return {
    id,
    title: says.join(', '),
    env: foraging.id,
    version: foraging.version,
    options: {
      ...optionsFromName(original),
      ...(raw === undefined ? {} : { normalisedRewards: false }),
      ...(masked === undefined ? {} : { actionMask: true }),
      ...(strict === undefined ? {} : { strict: true }),
      horizon: 50,
    },
    teamReward: 'sum',
    evaluation: { points: 100, episodes: 32, absoluteEpisodes: 320, policy: 'sample' },
    notes:
      (strict === undefined
        ? `${original} of lbforaging 2.0. `
        : `${original} of lbforaging 2.0 without its quirks. `) +
      'The time limit is a truncation here, a termination there.',
  }
}
