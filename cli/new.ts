/** `troupe new env|policy <name>`: a small working plug-in with its tests. */
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Command } from 'commander'
import { TroupeError, shown } from '../envs/core/errors.ts'
import { isInstalled } from '../results/plugins.ts'
import { type CommandFile } from './command.ts'
import { writableFolder } from './folders.ts'
import { effective, oneOf } from './settings.ts'
import { printed } from './print-config.ts'

const KINDS = ['env', 'policy']

/** Words that a module must not use as a name, and names that are taken. */
const TAKEN = new Set(['warehouse', 'matrix', 'random', 'troupe', 'default', 'test', 'node_modules'])

export const define: CommandFile['define'] = (command: Command, perform) => {
  command
    .argument('<kind>', 'env or policy')
    .argument('<name>', 'lower case letters, digits and hyphens')
    .option('--in <dir>', 'make the folder in here', '.')
    .addHelpText('after', '\nExample:\n  troupe new env corridor && troupe check ./corridor/corridor.js')
    .action((kindTyped: string, name: string) =>
      perform((session) => {
        const options = effective(command)
        if (printed(options, session)) return
        const kind = oneOf('troupe new: kind', KINDS)(kindTyped)
        if (!/^[a-z][a-z0-9-]{0,40}$/.test(name) || TAKEN.has(name)) {
          throw new TroupeError('bad-option', {
            where: 'troupe new: name',
            got: TAKEN.has(name) ? `${shown(name)}, which is taken` : shown(name),
            expected: "a short name of lower case letters, digits and hyphens, such as 'corridor'",
          })
        }
        const folder = resolve(String(options.values.in), name)
        if (existsSync(folder)) {
          throw new TroupeError('bad-option', {
            where: `troupe new: ${relative('.', folder) || folder}`,
            got: 'there already',
            expected: 'a name that is free (nothing was changed)',
          })
        }
        const files = writeTemplate(kind, name, folder)
        const linked = linkTroupe(folder)
        const at = `./${relative('.', join(folder, `${name}.js`)).replaceAll('\\', '/')}`
        const trial =
          kind === 'env'
            ? `troupe run --env ${at} --policy random --episodes 5 --seed 1`
            : `troupe run matrix/stag-hunt --policy ${at} --episodes 5 --seed 1`
        session.out.result({ kind, name, folder, files, linked }, () =>
          [
            `${relative('.', folder)}/ has ${files.join(', ')}`,
            ...(linked ? [`node_modules/troupe in it is a link to this troupe, so that its tests find it`] : []),
            '',
            `  troupe check ${at}`,
            `  ${trial}`,
            `  cd ${relative('.', folder)} && node --test`,
          ].join('\n'),
        )
      }),
    )
}

/** Copies a template with NAME replaced, in file names too; returns the file names. */
function writeTemplate(kind: string, name: string, folder: string): string[] {
  const source = fileURLToPath(new URL(`./templates/${kind}/`, import.meta.url))
  const files = readdirSync(source)
  writableFolder(folder)
  return files.map((file) => {
    const text = readFileSync(join(source, file), 'utf8').replaceAll('NAME', name)
    const target = file.replace('NAME', name)
    writeFileSync(join(folder, target), text, { flag: 'wx' })
    return target
  })
}

/** Lets `import 'troupe'` work under plain `node --test` when troupe is not installed above the folder. */
function linkTroupe(folder: string): boolean {
  if (isInstalled('troupe', folder)) return false
  const here = dirname(fileURLToPath(import.meta.url))
  const root = resolve(here, here.endsWith(join('dist', 'cli')) ? '../..' : '..')
  try {
    mkdirSync(join(folder, 'node_modules'))
    symlinkSync(root, join(folder, 'node_modules', 'troupe'), process.platform === 'win32' ? 'junction' : 'dir')
    return true
  } catch {
    return false // a file system without links: the README says what the tests need
  }
}
