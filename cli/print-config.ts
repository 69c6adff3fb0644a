/** `--print-config`: every effective setting and where it came from. */
import { type Session } from './command.ts'
import { optionSettings, settingsText, type Effective, type Setting } from './settings.ts'
import { table } from './output.ts'

/**
 * Answers `--print-config` where it was asked for.
 * @param more settings of a learner, where the command has one
 * @returns true when that was all the person wanted
 */
export function printed(options: Effective, session: Session, more: Record<string, Setting> = {}): boolean {
  if (options.values.printConfig !== true) return false
  const settings = { ...optionSettings(options), ...more }
  session.out.result({ settings }, () =>
    table([{ title: 'setting' }, { title: 'value' }, { title: 'from' }], settingsText(settings)),
  )
  return true
}
