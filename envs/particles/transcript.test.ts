import { expect, test } from 'vitest'
import { createBatch, episodeSeed } from '../core/index.ts'
import { act, createWishes, wish } from './control.ts'
import { particles } from './index.ts'
import { type ParticleWorld } from './state.ts'

const SEED = episodeSeed('transcript', 'eval', 0, 0)

const PLAYS = [
  { task: 'world-comm', horizon: 8 },
  { task: 'reference', actions: 'continuous', horizon: 4 },
]

/** transcript.txt is reviewed like code: run vitest with -u after a wanted change of rules, and raise the version. */
test('the transcript is what scripted play makes of these worlds', async () => {
  const lines = [`particles version ${particles.version}, seed ${SEED}`]
  for (const options of PLAYS) {
    const batch = createBatch(particles, options, { autoreset: 'disabled' })
    const world = batch.world as ParticleWorld
    const wishes = createWishes(world.plan)
    const { agents, actionDims: D } = batch.spec
    const box = batch.spec.actionKind === 'box'
    const action = box ? new Float32Array(agents.length * D) : new Int32Array(agents.length)
    batch.reset([SEED])
    const show = (title: string) => {
      lines.push('', title)
      for (const { id, kind, state } of batch.frame(0).entities) {
        const at = (name: string) => (state![name] as number).toFixed(4).padStart(8)
        const speed = state!.vx === undefined ? '' : `  v ${at('vx')} ${at('vy')}`
        const said = typeof state!.says === 'string' ? `  says ${state!.says}` : ''
        const goal = typeof state!.goal === 'string' ? `  ${state!.goal}` : ''
        lines.push(`  ${id.padEnd(16)} ${kind.padEnd(9)} ${at('x')} ${at('y')}${speed}${said}${goal}`)
      }
      const { events } = batch.frame(0)
      if (events.length > 0)
        lines.push(`  ${events.map((event) => `${event.kind} ${event.agents!.join(', ')}`).join('; ')}`)
      lines.push(`  rewards ${[...batch.reward].map((reward) => reward.toFixed(5)).join(' ')}, state ${batch.hash(0)}`)
    }
    lines.push('', JSON.stringify(options))
    show('start')
    for (let step = 1; step <= options.horizon; step++) {
      wish(world, 0, wishes)
      agents.forEach((_, n) => act(world.plan, wishes, n, action, n * D, D))
      batch.step(action as never)
      const names = agents.map(({ action: space }, n) => (space.kind === 'discrete' ? space.names[action[n]] : ''))
      show(`step ${step}${box ? '' : `: ${names.join(' | ')}`}`)
    }
    lines.push('', `truncated ${batch.truncated[0]}, ${JSON.stringify(batch.finalMetrics(0))}`)
  }
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('transcript.txt')
})
