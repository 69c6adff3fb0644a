import { expect, test } from 'vitest'
import { createBatch, episodeSeed } from '../core/index.ts'
import { spectrum } from './index.ts'

const SEED = episodeSeed('transcript', 'eval', 0, 0)

/** Three users feel their way into taking turns on two Gilbert–Elliott channels; actions slot by slot. */
const PLAY = [
  [1, 1, 0],
  [1, 1, 2],
  [1, 2, 2],
  [0, 1, 2],
  [2, 0, 1],
  [1, 2, 0],
  [0, 1, 2],
  [2, 0, 1],
]

/** transcript.txt is reviewed like code: run vitest with -u after a wanted change of rules, and raise the version. */
test('the transcript is what this environment plays', async () => {
  const options = {
    users: 3,
    channels: 2,
    pu: 'gilbertElliott',
    p11: 0.9,
    p01: 0.3,
    reward: 'sumIfAck',
    horizon: PLAY.length,
  }
  const batch = createBatch(spectrum, options, { autoreset: 'disabled' })
  const lines = [`spectrum version ${spectrum.version}, ${JSON.stringify(options)}`, `seed ${SEED}`]
  batch.reset([SEED])
  const channels = () => batch.frame(0).entities.filter(({ kind }) => kind === 'channel')
  const show = (title: string) => {
    const frame = batch.frame(0)
    lines.push('', title)
    for (const { kind, agents, value } of frame.events)
      lines.push(`  ${kind} on channel ${value}: ${agents!.join(', ')}`)
    const busy = channels().flatMap(({ state }) => (state!.primaryNext === true ? [String(state!.number)] : []))
    lines.push(
      `  rewards ${[...batch.reward].join(' ')}; busy next: ${busy.join(', ') || 'none'}; state ${batch.hash(0)}`,
    )
  }
  show('start')
  PLAY.forEach((choices, t) => {
    batch.step(Int32Array.from(choices))
    show(
      `slot ${t + 1}: ${choices.map((choice) => (batch.spec.agents[0].action.kind === 'discrete' ? batch.spec.agents[0].action.names[choice] : '')).join(', ')}`,
    )
  })
  lines.push('', JSON.stringify(batch.metrics(0)), '')
  await expect(lines.join('\n')).toMatchFileSnapshot('transcript.txt')
})
