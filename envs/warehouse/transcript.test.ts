import { expect, test } from 'vitest'
import { createBatch, episodeSeed } from '../core/index.ts'
import { warehouse } from './index.ts'
import { pictureOf } from './picture.ts'
import { ACTIONS, type WarehouseWorld } from './state.ts'

/** Robot 1 fetches, delivers and returns a shelf; robot 0 gets in its way twice. Commands of 0 and 1, step by step. */
const PLAY = [
  ['right', 'toggle'],
  ['right', 'noop'],
  ['forward', 'forward'], // a tie: the lower number goes first
  ['forward', 'forward'], // and is followed
  ['forward', 'right'],
  ['right', 'forward'],
  ['forward', 'forward'],
  ['forward', 'right'],
  ['forward', 'forward'],
  ['noop', 'forward'],
  ['left', 'forward'], // in the way
  ['forward', 'forward'],
  ['noop', 'right'],
  ['noop', 'forward'], // on the goal
  ['noop', 'forward'],
  ['noop', 'right'],
  ['noop', 'forward'], // a loaded robot cannot pass under a standing shelf
  ['noop', 'left'],
  ['noop', 'forward'],
  ['noop', 'right'],
  ['noop', 'forward'],
  ['noop', 'forward'],
  ['noop', 'right'],
  ['noop', 'forward'],
  ['noop', 'toggle'], // home again
] as const

/** transcript.txt is reviewed like code: run vitest with -u after a wanted change of rules, and raise the version. */
test('the transcript is what this environment plays', async () => {
  const options = {
    layout: '.....\n.xx..\n.xx..\n..g..',
    robots: 2,
    requests: 2,
    horizon: PLAY.length,
    reward: 'two-stage',
  }
  const batch = createBatch(warehouse, options, { autoreset: 'disabled' })
  const lines = [`warehouse version ${warehouse.version}, ${JSON.stringify(options)}`, `seed ${SEED}`]
  batch.reset([SEED])
  const show = (title: string) => {
    const { events } = batch.frame(0)
    const told = events.map(({ kind, agents }) => `${kind} by ${agents!.join(', ')}`).join('; ')
    lines.push('', title, pictureOf(batch.world as WarehouseWorld), ...(told === '' ? [] : [told]))
    lines.push(`rewards ${[...batch.reward].join(' ')}, state ${batch.hash(0)}`)
  }
  show('start')
  PLAY.forEach((pair, step) => {
    batch.step(Int32Array.from(pair, (name) => ACTIONS.indexOf(name)))
    show(`step ${step + 1}: ${pair.join(', ')}`)
  })
  lines.push('', `truncated ${batch.truncated[0]}, ${JSON.stringify(batch.finalMetrics(0))}`, '')
  await expect(lines.join('\n')).toMatchFileSnapshot('transcript.txt')
})

const SEED = episodeSeed('transcript', 'eval', 0, 0)
