import { base64 } from '@scure/base'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ENVS, Generator, episodeSeed, namedSeed, type Snapshot } from '../../envs/index.ts'
import { readReplay, verifyReplay } from '../../envs/core/replay.ts'
import { type Scenario } from '../../scenarios/schema.ts'
import { decodeObservation } from '../protocol/live.ts'
import { LiveGame } from './game.ts'
import { short } from './testing.ts'

function game(scenario: Scenario, episodes: number, lanes: number, root = 'a'): LiveGame {
  return new LiveGame({
    scenario,
    seeds: Array.from({ length: episodes }, (_, k) => episodeSeed(root, 'eval', k, 0)),
    lanes,
    header: () => ({ scenario, policies: [{ name: 'tested' }], package: '0.0.0' }),
  })
}

/** A legal answer to the waiting question, drawn from its mask alone. */
function legal(game: LiveGame, rng: Generator): Int32Array {
  const { episode, agents, actions, mask } = decodeObservation(game.frame(0, false))
  const { actionSizes } = game.batch.spec
  const choices: number[] = []
  for (let row = 0; row < episode.length * agents; row++) {
    let at = row * actions
    for (const size of actionSizes) {
      const allowed = Array.from({ length: size }, (_, a) => a).filter((a) => mask[at + a] === 1)
      choices.push(allowed[rng.below(allowed.length)])
      at += size
    }
  }
  return Int32Array.from(choices)
}

const WAREHOUSE = short('warehouse/small-4ag', 40)

describe('a live game', () => {
  it('plays every episode once over its lanes, and records each as a genuine replay', () => {
    const played = game(WAREHOUSE, 7, 3)
    const rng = new Generator(namedSeed('x', 'choices'))
    while (!played.over) played.play(legal(played, rng))
    expect(played.ended.map(({ episode }) => episode).sort()).toEqual([0, 1, 2, 3, 4, 5, 6])
    for (const { episode, replay, seed, length, lateSteps, ...ended } of played.ended) {
      const read = readReplay(replay)
      expect(verifyReplay(read, ENVS.warehouse)).toEqual({ ok: true, steps: 40, complete: true })
      expect(read.header.seed).toBe(seed)
      expect(seed).toBe(episodeSeed('a', 'eval', episode, 0))
      expect(read.header.result?.return).toBe(ended.return)
      expect([length, lateSteps]).toEqual([40, 0])
    }
  })

  it('asks about waiting lanes only, in their order, with their own observations', () => {
    const played = game(WAREHOUSE, 2, 2)
    const question = decodeObservation(played.frame(9, true))
    expect(question).toMatchObject({ turn: 9, late: true, agents: 4, features: 71, actions: 5 })
    expect([...question.episode]).toEqual([0, 1])
    expect([...question.observation]).toEqual([...played.batch.observation])
    expect([...question.mask]).toEqual([...played.batch.mask])
    played.play(null)
    expect([...decodeObservation(played.frame(10, false)).step]).toEqual([1, 1])
  })

  it('drops lanes that have nothing left to play', () => {
    // Matches of one round: three episodes on two lanes leave one lane for the second turn.
    const played = game(short('matrix/pd', 1), 3, 2)
    expect(played.waiting).toBe(2)
    played.play(Int32Array.of(0, 0, 1, 1))
    expect([...decodeObservation(played.frame(1, false)).episode]).toEqual([2])
    played.play(Int32Array.of(0, 1))
    expect(played.over).toBe(true)
    // matrix/pd: both cooperate, both defect, one each way. Returns are means over the two players.
    const [both, none, mixed] = played.ended.map((ended) => ended.returns)
    expect(both[0]).toBe(both[1])
    expect(none[0]).toBe(none[1])
    expect(both[0]).toBeGreaterThan(none[0])
    expect(mixed[1]).toBeGreaterThan(mixed[0])
  })

  it('refuses an illegal action by episode and agent, and nothing has happened then', () => {
    const played = game(WAREHOUSE, 3, 1)
    for (let t = 0; t < 40; t++) played.play(null)
    const before = played.frame(1, false)
    expect(() => played.play(Int32Array.of(0, 0, 5, 0))).toThrow(
      /^action frame: episode 1, agent_2 is 5; expected 0 noop/,
    )
    expect(played.frame(1, false)).toEqual(before)
    expect(played.batch.stepCount[0]).toBe(0)
  })

  it('plays the first legal choice, or the number nearest to zero, where nobody answers', () => {
    const idle = game(short('skirmish/3m', 10), 1, 1)
    // The first legal choice of a living unit is 1 (stop): 0 is for the dead.
    expect(idle.batch.mask[0]).toBe(0)
    for (let t = 0; t < 10 && !idle.over; t++) idle.play(null)
    const read = readReplay(idle.ended[0].replay)
    expect([...read.actions.subarray(0, 3)]).toEqual([1, 1, 1])
    expect(idle.ended[0].lateSteps).toBe(idle.ended[0].length)
  })

  it('needs episodes that end', () => {
    expect(() => game({ ...WAREHOUSE, options: { ...WAREHOUSE.options, horizon: null } }, 1, 1)).toThrow(
      /horizon is null; expected a scenario whose episodes have a last step/,
    )
  })
})

/** Changes a saved array: the numbers of one lane as they lie in memory. */
function changed(
  snapshot: Snapshot,
  name: string,
  kind: 'u8' | 'u16' | 'i32',
  change: (row: number[]) => void,
): Snapshot {
  const bytes = base64.decode(snapshot.arrays[name])
  const Row = { u8: Uint8Array, u16: Uint16Array, i32: Int32Array }[kind]
  const row = new Row(bytes.slice().buffer)
  const numbers = [...row]
  change(numbers)
  const out = new Uint8Array(Row.from(numbers).buffer)
  return { ...snapshot, arrays: { ...snapshot.arrays, [name]: base64.encode(out) } }
}

const numbers = (snapshot: Snapshot, name: string) => [
  ...new Uint16Array(base64.decode(snapshot.arrays[name]).slice().buffer),
]

describe('what is hidden', () => {
  // The floor of warehouse/small-4ag; sensors reach one cell in every direction.
  const { width } = game(WAREHOUSE, 1, 1).batch.spec.world.size!
  const far = (a: number, b: number) =>
    Math.max(Math.abs((a % width) - (b % width)), Math.abs(Math.floor(a / width) - Math.floor(b / width))) > 1

  it('does not show in a question: generators, returns, tallies, seeds, and what lies beyond the sensors', () => {
    const seen = { random: 0, returns: 0, tally: 0, request: 0, heading: 0 }
    fc.assert(
      fc.property(
        fc.nat(1000),
        fc.nat(39),
        fc.nat(),
        fc.constantFrom(...(Object.keys(seen) as (keyof typeof seen)[])),
        (root, steps, salt, what) => {
          const played = game(WAREHOUSE, 1, 1, `root ${root}`)
          const rng = new Generator(namedSeed('walk', String(root)))
          for (let t = 0; t < steps; t++) played.play(legal(played, rng))
          const { batch } = played
          const saved = batch.save(0)
          const before = played.frame(steps, false)
          const cells = numbers(saved, 'cell')
          const shelves = numbers(saved, 'shelfCell')
          /** Robots that must not notice. */
          let unaware = [0, 1, 2, 3]
          let other: Snapshot = saved
          if (what === 'random')
            other = changed(saved, 'random', 'i32', (row) =>
              row.forEach((_, i) => (row[i] ^= Math.imul(salt + i, 2654435761) | 1)),
            )
          if (what === 'tally')
            other = changed(saved, 'tally', 'i32', (row) => row.forEach((_, i) => (row[i] += (salt % 50) + i + 1)))
          if (what === 'returns')
            other = {
              ...saved,
              seed: 'f'.repeat(32),
              returns: base64.encode(new Uint8Array(base64.decode(saved.returns).length).fill(salt % 100)),
            }
          if (what === 'request') {
            const queue = numbers(saved, 'queue')
            const free = shelves.map((_, k) => k).filter((k) => !queue.includes(k))
            const [place, shelf] = [salt % queue.length, free[salt % free.length]]
            const [gone, come] = [queue[place], shelf]
            unaware = unaware.filter((n) => far(cells[n], shelves[gone]) && far(cells[n], shelves[come]))
            other = changed(saved, 'queue', 'u16', (row) => void (row[place] = come))
          }
          if (what === 'heading') {
            const turned = salt % 4
            unaware = unaware.filter((n) => n !== turned && far(cells[n], cells[turned]))
            other = changed(saved, 'heading', 'u8', (row) => void (row[turned] = (row[turned] + 1 + (salt % 3)) % 4))
          }
          batch.load(0, other)
          expect(batch.save(0)).not.toEqual(saved)
          const after = played.frame(steps, false)
          if (what === 'random' || what === 'tally' || what === 'returns') expect(after).toEqual(before)
          const [a, b] = [decodeObservation(before), decodeObservation(after)]
          for (const n of unaware) {
            expect(b.observation.subarray(n * 71, (n + 1) * 71)).toEqual(a.observation.subarray(n * 71, (n + 1) * 71))
            expect(b.mask.subarray(n * 5, (n + 1) * 5)).toEqual(a.mask.subarray(n * 5, (n + 1) * 5))
            seen[what]++
          }
        },
      ),
      { numRuns: 80 },
    )
    for (const [what, times] of Object.entries(seen)) expect([what, times > 0]).toEqual([what, true])
  })

  it.each([
    'warehouse/tiny-2ag',
    'matrix/pd-repeated',
    'coin/3x3',
    'foraging/8x8-2p-2f-coop',
    'particles/spread',
    'particles/tag-continuous',
    'spectrum/dsa-3u2c',
    'skirmish/2s3z',
    'skirmish/v2-terran_5_vs_5',
  ])('of %s does not show: generators, seed, returns', (id) => {
    const played = game(short(id, 30), 1, 1, 'families')
    const rng = new Generator(namedSeed('families', id))
    for (let t = 0; t < 7; t++) played.play(legal(played, rng))
    const saved = played.batch.save(0)
    const before = played.frame(7, false)
    const other = changed(saved, 'random', 'i32', (row) => row.forEach((_, i) => (row[i] ^= 0x55555555)))
    const returns = base64.encode(new Uint8Array(base64.decode(saved.returns).length).fill(7))
    played.batch.load(0, { ...other, seed: 'f'.repeat(32), returns })
    expect(played.batch.save(0)).not.toEqual(saved)
    expect(played.frame(7, false)).toEqual(before)
  })

  it('of a skirmish does not show: the health of enemies out of sight; one’s own does', () => {
    const played = game(short('skirmish/2s3z', 30), 1, 1)
    const { agents } = played.batch.spec
    const saved = played.batch.save(0)
    const before = played.frame(0, false)
    const weakened = (from: number, to: number) => {
      const health = new Float64Array(base64.decode(saved.arrays.health).slice().buffer)
      expect(health).toHaveLength(10)
      for (let unit = from; unit < to; unit++) health[unit] -= 30
      const arrays = { ...saved.arrays, health: base64.encode(new Uint8Array(health.buffer)) }
      played.batch.load(0, { ...saved, arrays })
      return played.frame(0, false)
    }
    // The armies start farther apart than the nine cells that units see.
    expect(weakened(agents.length, 10)).toEqual(before)
    expect(weakened(0, 1)).not.toEqual(before)
  })

  it('would show if a question held it: a robot that is near another notices that it turns', () => {
    // The other side of the promise above, so that the comparison is known to be able to fail.
    for (let root = 0; ; root++) {
      const played = game(WAREHOUSE, 1, 1, `near ${root}`)
      const saved = played.batch.save(0)
      const cells = numbers(saved, 'cell')
      const pair = [0, 1, 2, 3]
        .flatMap((n) => [0, 1, 2, 3].map((m) => [n, m]))
        .find(([n, m]) => n !== m && !far(cells[n], cells[m]))
      if (pair === undefined) continue
      const before = decodeObservation(played.frame(0, false)).observation
      played.batch.load(
        0,
        changed(saved, 'heading', 'u8', (row) => void (row[pair[1]] = (row[pair[1]] + 1) % 4)),
      )
      const after = decodeObservation(played.frame(0, false)).observation
      expect(after.subarray(pair[0] * 71, (pair[0] + 1) * 71)).not.toEqual(
        before.subarray(pair[0] * 71, (pair[0] + 1) * 71),
      )
      return
    }
  })
})
