/** `troupe algorithms`: learners and policies, with their sources. */
import { type Command } from 'commander'
import { LEARNERS, POLICIES } from '../agents/index.ts'
import { type CommandFile } from './command.ts'
import { effective } from './settings.ts'
import { printed } from './print-config.ts'
import { table } from './output.ts'

export const define: CommandFile['define'] = (command: Command, perform) => {
  command.action(() =>
    perform((session) => {
      const options = effective(command)
      if (printed(options, session)) return
      const rows = [
        ...Object.values(LEARNERS).map(({ name, summary, paper, settings, presets = {} }) => ({
          name,
          kind: 'learner' as const,
          paper: paper ?? null,
          summary,
          settings: Object.fromEntries(
            Object.entries(settings.properties).map(([key, field]) => [
              key,
              { default: field.default, description: field.description ?? null },
            ]),
          ),
          presets,
        })),
        ...Object.values(POLICIES).map(({ name, kind, summary, paper, envs, privileged }) => ({
          name,
          kind,
          paper: paper ?? null,
          summary,
          envs: envs ?? null,
          privileged,
        })),
      ]
      session.out.result(rows, () =>
        table(
          [{ title: 'name' }, { title: 'kind' }, { title: 'what it is' }],
          rows.flatMap((row) => [
            [row.name, row.kind, row.summary],
            ...(row.paper === null ? [] : [['', '', row.paper]]),
          ]),
        ),
      )
    }),
  )
}
