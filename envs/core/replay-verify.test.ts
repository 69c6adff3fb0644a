import { Type } from '#typebox'
import { describe, expect, it } from 'vitest'
import { createBatch } from './batch.ts'
import {
  Resimulation,
  definitionOf,
  readReplay,
  verifyReplay,
  writeReplay,
  type Replay,
  type Verdict,
} from './replay.ts'
import { lanterns } from './sample.ts'
import { LONG, recordSample } from './sample-replays.ts'
import { type EnvDefinition } from './types.ts'

const replay = recordSample(LONG, { keyframeEvery: 64 }).replay('sum')
const result = replay.header.result!
const withHeader = (change: object): Replay => ({ ...replay, header: { ...replay.header, ...change } })
const withResult = (change: object): Replay => withHeader({ result: { ...result, ...change } })

function refused(changed: Replay): Exclude<Verdict, { ok: true }> {
  const verdict = verifyReplay(changed, lanterns)
  if (verdict.ok) throw new Error('verified')
  return verdict
}

describe('verifying', () => {
  it('passes what was played, from memory and from the file, whatever was verified before', () => {
    const whole = { ok: true, steps: 200, complete: true }
    expect(verifyReplay(replay, lanterns)).toEqual(whole)
    const ending = recordSample({ gustOneIn: 1, cells: 2 }).replay('sum')
    expect(ending.header.result).toMatchObject({ terminated: true })
    for (let i = 0; i < 3; i++) {
      expect(verifyReplay(readReplay(writeReplay(ending)), lanterns)).toMatchObject({ ok: true, complete: true })
      expect(verifyReplay(readReplay(writeReplay(replay)), lanterns)).toEqual(whole)
    }
  })

  it('passes the part of an episode that was recorded and says that it is not complete', () => {
    const part = recordSample(LONG, { steps: 77 }).replay('sum')
    expect(verifyReplay(part, lanterns)).toEqual({ ok: true, steps: 77, complete: false })
  })

  it('passes an episode in which only some agents were controlled', () => {
    const part = recordSample(LONG, { control: ['agent_2', 'agent_0'] }).replay('sum')
    expect(part.header).toMatchObject({ control: [2, 0], agents: ['agent_2', 'agent_0'] })
    expect(verifyReplay(readReplay(writeReplay(part)), lanterns)).toMatchObject({ ok: true, steps: 200 })
  })

  it('refuses a scenario that was not the one played: its name would be believed', () => {
    const { scenario, options } = replay.header
    const claim = (change: object) => refused(withHeader({ scenario: { ...scenario, ...change } })).what
    expect(verifyReplay(withHeader({ scenario: { ...scenario, options } }), lanterns)).toMatchObject({ ok: true })
    expect(verifyReplay(withHeader({ scenario: { id: 'lanterns/test' } }), lanterns)).toMatchObject({ ok: true })
    expect(claim({ options: { ...options, cells: 3 } })).toBe('scenario option cells')
    expect(claim({ options: {} })).toMatch(/^scenario option /)
    expect(claim({ options: { ...options, sells: 3 } })).toBe('scenario options')
    expect(claim({ options: 'easy' })).toBe('scenario options')
    expect(claim({ env: 'warehouse' })).toBe('scenario env')
    expect(claim({ version: '7' })).toBe('scenario version')
    expect(claim({ control: ['agent_1'] })).toBe('scenario control')
  })

  it('takes an option that the world gained since the recording at its default', () => {
    const fog = Type.Integer({ minimum: 0, maximum: 9, default: 0, description: 'Cells of fog.' })
    const newer = { ...lanterns, options: Type.Object({ ...lanterns.options.properties, fog }) } as EnvDefinition
    expect(verifyReplay(replay, newer)).toMatchObject({ ok: true, steps: 200 })
    const { scenario, options } = replay.header
    const claims = (fogged: number) => withHeader({ scenario: { ...scenario, options: { ...options, fog: fogged } } })
    expect(verifyReplay(claims(0), newer)).toMatchObject({ ok: true })
    expect(verifyReplay(claims(2), newer)).toMatchObject({ ok: false, what: 'scenario option fog' })
  })

  it('misses an option that was recorded and taken out of the header, at its default or not', () => {
    const plain = recordSample({ horizon: 30 }).replay('sum')
    for (const whole of [plain, replay]) {
      for (const name of Object.keys(whole.header.options)) {
        const options = Object.fromEntries(Object.entries(whole.header.options).filter(([key]) => key !== name))
        const { ok } = verifyReplay({ ...whole, header: { ...whole.header, options } }, lanterns)
        expect(ok, name).toBe(false)
      }
    }
  })

  it('names the step of a changed action', () => {
    for (const step of [0, 1, 63, 64, 100, 199]) {
      const actions = replay.actions.slice()
      actions[step * 3 + 1] = actions[step * 3 + 1] === 0 ? (actions[step * 3 + 1] + 1) % 3 : 0
      expect(refused({ ...replay, actions }).step).toBe(step)
    }
  })

  it('answers illegal and masked actions with a verdict', () => {
    for (const wrong of [3, 77, -1, 2 ** 31 - 1]) {
      const actions = replay.actions.slice()
      actions[50 * 3] = wrong
      expect(refused({ ...replay, actions })).toMatchObject({
        ok: false,
        what: 'action',
        agent: replay.header.agents[0],
        step: 50,
        actual: String(wrong),
      })
    }
    const small = recordSample({ cells: 2, gustOneIn: 0, agents: 1, horizon: 3 }).replay('sum')
    const actions = small.actions.slice()
    const open = createBatch(lanterns, small.header.options, { autoreset: 'disabled' })
    open.reset([small.header.seed])
    actions[0] = open.mask[1] === 0 ? 1 : 2
    const verdict = verifyReplay({ ...small, actions }, lanterns)
    expect(verdict).toMatchObject({ ok: false, what: 'action', step: 0 })
    expect(!verdict.ok && verdict.actual).toMatch(/which is masked/)
  })

  it('names the step of a changed digest and chain entry', () => {
    const digests = replay.digests.slice()
    digests[120] ^= 1
    expect(refused({ ...replay, digests })).toMatchObject({ what: 'state', step: 120 })
    const chain = [...replay.chain]
    chain[1] = chain[0]
    expect(refused({ ...replay, chain })).toMatchObject({ what: 'chain', step: 127 })
    expect(refused({ ...replay, chain: [...replay.chain.slice(0, 3), chain[0]] })).toMatchObject({
      what: 'chain',
      step: 199,
    })
  })

  it('names the number of a raised result and shows both', () => {
    const raised = result.returns.map((value, n) => value + (n === 2 ? 1 : 0))
    expect(refused(withResult({ returns: raised }))).toEqual({
      ok: false,
      what: 'result return of agent_2',
      expected: String(raised[2]),
      actual: String(result.returns[2]),
    })
    expect(refused(withResult({ return: result.return + 1 }))).toMatchObject({ what: 'result return' })
    expect(refused(withResult({ metrics: { ...result.metrics, lamps: 300 } }))).toMatchObject({
      what: 'result metric lamps',
    })
    expect(refused(withResult({ metrics: { ...result.metrics, medals: 1 } }))).toMatchObject({
      what: 'result metric medals',
    })
    expect(refused(withResult({ terminated: true }))).toMatchObject({ what: 'result terminated' })
    expect(refused(withResult({ truncated: false }))).toMatchObject({ what: 'result truncated' })
    expect(refused(withResult({ digest: '0'.repeat(32) }))).toMatchObject({ what: 'result digest' })
    expect(refused(withResult({ steps: 7 }))).toMatchObject({ what: 'result steps' })
  })

  it('finds another seed, other options, other agents, a moved snapshot, and steps after the end', () => {
    expect(refused(withHeader({ seed: '0'.repeat(32) })).what).toMatch(/action|state|keyframe/)
    expect(refused(withHeader({ seed: null }))).toMatchObject({ what: 'seed' })
    expect(refused(withHeader({ agents: ['a', 'b', 'c'] }))).toMatchObject({ what: 'agents' })
    expect(refused(withHeader({ options: { ...replay.header.options, gustOneIn: 7 } })).ok).toBe(false)
    expect(refused(withHeader({ options: {} })).what).toBe('keyframe')
    expect(refused(withHeader({ action: { kind: 'discrete', sizes: [4], dims: 1 } }))).toMatchObject({
      what: 'action encoding',
    })
    const [first, second, ...rest] = replay.keyframes
    const moved = {
      ...second,
      snapshot: { ...second.snapshot!, arrays: { ...second.snapshot!.arrays, at: first.snapshot!.arrays.at } },
    }
    expect(refused({ ...replay, keyframes: [first, moved, ...rest] })).toMatchObject({ what: 'keyframe', step: 63 })
    const over = recordSample({ gustOneIn: 1, cells: 2 }).replay('sum')
    const longer = {
      ...over,
      steps: over.steps + 1,
      actions: Int32Array.of(...over.actions, 0, 0, 0),
      digests: Uint16Array.of(...over.digests, 0),
    }
    expect(refused(longer)).toMatchObject({ what: 'length', step: over.steps })
  })

  it('a picture that shows another world', () => {
    const pictured = recordSample(LONG, { keyframeEvery: 64, frames: true }).replay('sum')
    expect(verifyReplay(pictured, lanterns)).toMatchObject({ ok: true })
    const at = pictured.keyframes.findIndex(({ step, frame }) => step === 64 && frame !== null)
    const keyframe = pictured.keyframes[at]
    const [entity, ...others] = keyframe.frame!.entities
    const frame = { ...keyframe.frame!, entities: [{ ...entity, x: entity.x + 1 }, ...others] }
    const forged = pictured.keyframes.with(at, { ...keyframe, frame })
    expect(verifyReplay({ ...pictured, keyframes: forged }, lanterns)).toMatchObject({
      ok: false,
      what: 'picture',
      step: 63,
    })
  })

  it('accepts the mean only where the scenario pays the mean', () => {
    const scenario = { ...replay.header.scenario, teamReward: 'mean' }
    const mean = recordSample(LONG, { header: { scenario } }).replay('mean')
    expect(mean.header.result!.return).toBeCloseTo(result.return / 3, 12)
    expect(verifyReplay(mean, lanterns).ok).toBe(true)
    expect(refused(withHeader({ scenario }))).toMatchObject({ what: 'result return' })
  })

  it('refuses other worlds, versions and generators by name', () => {
    const second: EnvDefinition = { ...(lanterns as EnvDefinition), version: '2' }
    expect(() => verifyReplay(replay, second)).toThrow(
      'replay: environment is lanterns version 1; expected lanterns version 2, the one this build plays',
    )
    expect(() => new Resimulation(replay, second)).toThrow(/lanterns version 1/)
    expect(() => verifyReplay(withHeader({ env: 'skirmish' }), lanterns)).toThrow(
      /skirmish version 1; expected lanterns/,
    )
    expect(() => verifyReplay(withHeader({ generator: 'mt19937' }), lanterns)).toThrow(
      /generator is "mt19937"; expected xoshiro128/,
    )
    const table = { lanterns: lanterns as EnvDefinition }
    expect(definitionOf(replay.header, table)).toBe(lanterns)
    expect(() => definitionOf({ ...replay.header, env: 'lantern' }, table)).toThrow(/did you mean "lanterns"/)
    expect(() => definitionOf({ ...replay.header, env: 'constructor' }, table)).toThrow(/one of lanterns/)
    const plugin = { name: './mine.js', sha256: 'ef'.repeat(32) }
    expect(() => definitionOf({ ...replay.header, plugin }, table)).toThrow(/plug-in .\/mine.js/)
  })
})

describe('going to a step', () => {
  const straight = createBatch(lanterns, replay.header.options, { autoreset: 'disabled' })
  straight.reset([replay.header.seed])
  const look = (batch: typeof straight) => ({
    hash: batch.hash(0),
    reward: [...batch.reward],
    observation: [...batch.observation],
    frame: batch.frame(0),
    ended: [batch.terminated[0], batch.truncated[0]],
    metrics: batch.metrics(0),
  })
  const seen = [look(straight)]
  for (let t = 0; t < replay.steps; t++) {
    straight.step(replay.actions.slice(t * 3, t * 3 + 3))
    seen.push(look(straight))
  }

  it('shows what was there when it was played, rewards and events included, in any order', () => {
    for (const source of [replay, { ...replay, keyframes: [] }]) {
      const resimulation = new Resimulation(source, lanterns)
      const order = [0, 200, 199, 1, 64, 65, 63, 128, 200, 0, 0, 130, 131, 130, 200]
      for (const step of order) {
        resimulation.seek(step)
        expect(resimulation.step).toBe(step)
        expect(look(resimulation.batch), `step ${step}`).toEqual(seen[step])
        expect(resimulation.frame()).toEqual(seen[step].frame)
      }
    }
  })

  it('gives copies of the actions played in a state, and none at the end', () => {
    const resimulation = new Resimulation(replay, lanterns)
    expect(resimulation.actionsAt(42)).toEqual(replay.actions.slice(126, 129))
    resimulation.actionsAt(42)!.fill(9)
    expect(resimulation.actionsAt(42)).toEqual(replay.actions.slice(126, 129))
    for (const step of [200, -1, 0.5, NaN]) expect(resimulation.actionsAt(step)).toBeNull()
  })

  it('refuses steps that are not there and stays where it is', () => {
    const resimulation = new Resimulation(replay, lanterns)
    resimulation.seek(10)
    for (const step of [201, -1, 1.5, NaN, 2 ** 53])
      expect(() => resimulation.seek(step)).toThrow(/whole number of 0 to 200/)
    expect(look(resimulation.batch)).toEqual(seen[10])
  })

  it('stops before an illegal action, and goes on elsewhere', () => {
    const actions = replay.actions.slice()
    actions[300] = 99
    const resimulation = new Resimulation({ ...replay, actions }, lanterns)
    expect(() => resimulation.seek(150)).toThrow(/is 99; expected 0 stay/)
    expect(resimulation.step).toBe(100)
    expect(look(resimulation.batch)).toEqual(seen[100])
    resimulation.seek(99)
    expect(look(resimulation.batch)).toEqual(seen[99])
  })

  it('uses a far keyframe of the file, and does without a broken one', () => {
    const long = recordSample({ cells: 9000, gustOneIn: 0, agents: 2, horizon: 9000 }, { keyframeEvery: 6000 }).replay(
      'sum',
    )
    const last = new Resimulation({ ...long, keyframes: [] }, lanterns)
    last.seek(9000)
    const broken = long.keyframes.map((keyframe) => ({ ...keyframe, snapshot: { ...keyframe.snapshot!, arrays: {} } }))
    for (const keyframes of [long.keyframes, broken]) {
      const quick = new Resimulation({ ...long, keyframes }, lanterns)
      quick.seek(9000)
      last.seek(9000)
      expect(quick.batch.hash(0)).toBe(last.batch.hash(0))
      quick.seek(10)
      last.seek(10)
      expect(quick.batch.hash(0)).toBe(last.batch.hash(0))
    }
  })

  it('refuses a header that fits no such world', () => {
    expect(() => new Resimulation(withHeader({ agents: ['a', 'b', 'c'] }), lanterns)).toThrow(/header: agents/)
    expect(() => new Resimulation(withHeader({ options: { agents: 1e9 } }), lanterns)).toThrow(/agents/)
  })
})

describe('a wrong call', () => {
  it('is one sentence, not a crash inside', () => {
    const replay = withHeader({})
    expect(() => verifyReplay(replay, undefined as never)).toThrow(
      'verifyReplay: definition is undefined; expected the environment of the replay, such as ENVS.warehouse',
    )
    expect(() => verifyReplay(new Uint8Array(3) as never, lanterns)).toThrow(/verifyReplay: replay is Uint8Array\(3\)/)
    expect(() => verifyReplay(null as never, lanterns)).toThrow(/expected what readReplay returns/)
  })
})
