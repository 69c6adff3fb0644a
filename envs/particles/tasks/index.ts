/** Every task by name. Adding one adds a line here. */
import { type Task } from '../task.ts'
import { adversary } from './adversary.ts'
import { crypto } from './crypto.ts'
import { push } from './push.ts'
import { reference } from './reference.ts'
import { speakerListener } from './speaker-listener.ts'
import { spread } from './spread.ts'
import { tag } from './tag.ts'
import { worldComm } from './world-comm.ts'

export const TASK_NAMES = [
  'spread',
  'tag',
  'speaker-listener',
  'adversary',
  'reference',
  'push',
  'crypto',
  'world-comm',
] as const

export type TaskName = (typeof TASK_NAMES)[number]

export const TASKS: Readonly<Record<TaskName, Task>> = {
  spread,
  tag,
  'speaker-listener': speakerListener,
  adversary,
  reference,
  push,
  crypto,
  'world-comm': worldComm,
}
