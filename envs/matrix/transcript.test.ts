/** One readable game, reviewed like code: `npx vitest run envs/matrix/transcript.test.ts -u` rewrites transcript.txt. */
import { expect, test } from 'vitest'
import { createBatch, type Feature } from '../core/index.ts'
import { matrix } from './index.ts'

type Scripts = readonly [(round: number) => number, (round: number) => number]

/** Plays one episode and writes down what was seen, done and paid. */
function transcript(title: string, options: object, [row, column]: Scripts): string {
  const batch = createBatch(matrix, options, { autoreset: 'disabled' })
  const { agents, observationSize: F } = batch.spec
  const lines = [`== ${title}: ${JSON.stringify(options)}`]
  const seen = (agent: number) => {
    const names = agents[agent].observation
      .map(({ name }: Feature, i) => (batch.observation[agent * F + i] === 1 ? name : ''))
      .filter(Boolean)
    return names.length === 0 ? 'nothing yet' : names.join(' ')
  }
  batch.reset()
  while (batch.terminated[0] === 0 && batch.truncated[0] === 0) {
    const round = batch.stepCount[0]
    const action = Int32Array.of(row(round), column(round))
    const saw = agents.map((_, agent) => seen(agent))
    batch.step(action)
    const { entities } = batch.frame(0)
    const did = agents.map((agent, n) => {
      const entity = entities.find(({ id }) => id === agent.id)!
      return `${agent.id} saw ${saw[n]}; ${entity.state!.actionName}, reward ${batch.reward[n]}`
    })
    lines.push(`round ${round + 1}`, ...did.map((text) => `  ${text}`), `  state ${Array.from(batch.state).join('')}`)
  }
  lines.push(
    `${batch.terminated[0] === 1 ? 'terminated' : 'truncated'} after ${batch.finalLength[0]}`,
    `returns ${Array.from(batch.finalReturns).join(' ')}`,
    ...Object.entries(batch.finalMetrics(0)).map(([name, value]) => `  ${name} ${Number(value!.toFixed(6))}`),
    `  hash ${batch.hash(0)}`,
  )
  return lines.join('\n')
}

test('the transcript is as reviewed', async () => {
  const text = [
    transcript("Prisoner's dilemma once, both defect", { game: 'pd', horizon: 1, horizonEnds: 'termination' }, [
      () => 1,
      () => 1,
    ]),
    transcript('A defection answered in kind', { game: 'pd', observation: 'last', horizon: 5 }, [
      (round) => (round === 1 ? 1 : 0), // defects once
      (round) => (round === 2 ? 1 : 0), // tit for tat
    ]),
    transcript('Climbing: miscoordination is dear', { game: 'climbing', horizon: 3 }, [
      (round) => [0, 0, 1][round],
      (round) => [0, 1, 1][round],
    ]),
  ].join('\n\n')
  await expect(`${text}\n`).toMatchFileSnapshot('transcript.txt')
})
