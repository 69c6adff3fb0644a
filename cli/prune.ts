/** `troupe prune`: old replays of a data folder go. Shows first, removes with --yes. */
import { relative } from 'node:path'
import { type Command } from 'commander'
import { TroupeError } from '../envs/core/index.ts'
import { planPrune, prune } from '../results/prune.ts'
import { type CommandFile } from './command.ts'
import { readable } from './output.ts'
import { printed } from './print-config.ts'
import { effective, whole } from './settings.ts'

/** Files named in the list; the rest are counted. */
const NAMED = 10

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .option('--days <n>', 'replays older than so many days go', whole('--days', 0, 36_500))
    .option('--megabytes <n>', 'the oldest go until the rest takes no more', whole('--megabytes', 0, 1e9))
    .option('--yes', 'remove them; without it they are only listed')
    .addHelpText(
      'after',
      '\nReplays in <data>/replays and in the runs there. Those that a record points to stay: they are its evidence.\nA replay of 500 steps and 4 robots takes about 3 kB; 1,000 of skirmish/3m about 1 MB.',
    )
    .action(() =>
      perform(async (session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const {
          data,
          days,
          megabytes,
          yes = false,
        } = options.values as {
          data: string
          days?: number
          megabytes?: number
          yes?: boolean
        }
        if (days === undefined && megabytes === undefined) {
          const expected = '--days or --megabytes, or both'
          throw new TroupeError('bad-usage', { where: 'troupe prune', got: 'nothing that says what is old', expected })
        }
        const bytes = megabytes === undefined ? undefined : megabytes * 1e6
        const plan = planPrune({
          data,
          ...(days === undefined ? {} : { days }),
          ...(bytes === undefined ? {} : { bytes }),
        })
        if (yes) prune(plan.remove)
        const freed = plan.remove.reduce((sum, one) => sum + one.bytes, 0)
        const files = plan.remove.map(({ file }) => relative('.', file))
        const { replays, evidence } = plan
        session.out.result({ removed: yes, files, bytes: freed, replays, kept: replays - files.length, evidence }, () =>
          [
            ...files.slice(0, NAMED),
            ...(files.length > NAMED ? [`… and ${files.length - NAMED} more`] : []),
            `${yes ? 'Removed' : 'Would remove'} ${files.length} of ${replays} replays, ${readable(freed)} bytes; ${evidence} belong to records and stay.`,
            ...(yes || files.length === 0 ? [] : ['Nothing was removed yet: add --yes.']),
          ].join('\n'),
        )
      }),
    )
}
