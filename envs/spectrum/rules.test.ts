import { describe, expect, test } from 'vitest'
import { Generator, namedSeed } from '../core/index.ts'
import { playRandomly, slot, stateOf, world } from './testing.ts'
import { DEFERRED, HELD, JAMMED, PRIMARY } from './state.ts'
import { decibelsOf, LINEAR, RATE } from './tables.ts'

/** The newest slot of the users' layer: [channel + 1, result name] per user. */
const results = (batch: ReturnType<typeof world>) =>
  batch
    .frame(0)
    .entities.filter(({ kind }) => kind === 'user')
    .map(({ state }) => state!.result)

describe('a slot', () => {
  test('alone on a channel succeeds, two on one collide, silence is silence', () => {
    const batch = world({ users: 4, channels: 3, reward: 'competitive', obs: 'ack' })
    expect(slot(batch, 1, 2, 2, 0)).toEqual([1, 0, 0, 0])
    expect(results(batch)).toEqual(['success', 'collision', 'collision', 'silent'])
    // one-hot of silent, channel 0, 1, 2; ACK
    expect([...batch.observation.subarray(0, 5)]).toEqual([0, 1, 0, 0, 1])
    expect([...batch.observation.subarray(5, 10)]).toEqual([0, 0, 1, 0, 0])
    expect([...batch.observation.subarray(15, 20)]).toEqual([1, 0, 0, 0, 0])
    expect(slot(batch, 1, 2, 3, 3)).toEqual([1, 1, 0, 0])
  })

  test('the state shows every last action, ACK and the time', () => {
    const batch = world({ users: 2, channels: 2, horizon: 4 })
    slot(batch, 2, 0)
    expect([...batch.state]).toEqual([0, 0, 1, 1, 1, 0, 0, 0, 0.25])
  })

  test('dqsa shows the own rates; dqsaOracle calls a collided channel free and a used one not', () => {
    const plain = world({ users: 3, channels: 2, obs: 'dqsa' })
    slot(plain, 1, 2, 2)
    expect([...plain.observation.subarray(0, 6)]).toEqual([0, 1, 0, 1, 1, 1])
    const oracle = world({ users: 3, channels: 2, obs: 'dqsaOracle' })
    slot(oracle, 1, 2, 2)
    expect([...oracle.observation.subarray(0, 6)]).toEqual([0, 1, 0, 0, 1, 1])
    expect(oracle.spec.world.scene!.privileged).toBe(true)
    expect(plain.spec.world.scene!.privileged).toBe(false)
    expect(oracle.spec.agents[0].observation.filter(({ meaning }) => meaning?.includes('privileged'))).toHaveLength(2)
  })

  test('a window holds the last pairs, newest first, silence before the first slot', () => {
    const batch = world({ users: 1, channels: 2, obs: 'window', history: 3 })
    slot(batch, 2)
    expect([...batch.observation]).toEqual([0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0])
    slot(batch, 0)
    expect([...batch.observation]).toEqual([1, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0])
    slot(batch, 1)
    expect([...batch.observation]).toEqual([0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 1])
  })

  test('a failed attempt is silence, for the user and for the others', () => {
    const batch = world({ users: 2, channels: 1, attemptProb: 0.5, reward: 'competitive', horizon: 400 })
    let held = 0
    while (batch.truncated[0] === 0) {
      const [a, b] = slot(batch, 1, 1)
      const { last, flags } = stateOf(batch)
      for (const n of [0, 1]) {
        if (flags[n] !== HELD) continue
        held++
        expect(last[n]).toBe(0)
        expect([...batch.observation.subarray(n * 3, n * 3 + 3)]).toEqual([1, 0, 0])
      }
      expect(a + b).toBe(last[0] + last[1] === 1 ? 1 : 0)
    }
    // 800 fair coins: four standard deviations are 57
    expect(Math.abs(held - 400)).toBeLessThan(57)
    const never = world({ users: 1, channels: 1, attemptProb: 0 })
    expect(slot(never, 1)).toEqual([0])
    expect(never.spec.world.streams).toEqual([])
  })
})

describe('rewards', () => {
  const options = { users: 4, channels: 3 }
  // users 0 and 3 succeed, 1 and 2 collide
  const paid = (reward: string, rest = {}) => slot(world({ ...options, reward, ...rest }), 1, 2, 2, 3)

  test('of every mode are what the formula says', () => {
    expect(paid('competitive')).toEqual([1, 0, 0, 1])
    expect(paid('sum')).toEqual([2, 2, 2, 2])
    expect(paid('sumMean')).toEqual([0.5, 0.5, 0.5, 0.5])
    expect(paid('sumIfAck')).toEqual([2, 0, 0, 2])
    expect(paid('penalised', { successReward: 0.5, collisionCost: 2, sendCost: 0.25 })).toEqual([
      0.25, -2.25, -2.25, 0.25,
    ])
  })

  test('propFair pays by the average before the slot, which then forgets with 1 / window', () => {
    const batch = world({ ...options, reward: 'propFair', fairWindow: 4, fairFloor: 0.5 })
    expect(slot(batch, 1, 2, 2, 3)).toEqual([2, 0, 0, 2]) // 1 / max(0, 0.5)
    expect([...stateOf(batch).average]).toEqual([0.25, 0, 0, 0.25])
    slot(batch, 1, 0, 0, 0)
    slot(batch, 1, 0, 0, 0)
    slot(batch, 1, 0, 0, 0)
    // 0.25, then 3/4 R + 1/4: 0.4375, 0.578125, 0.68359375
    expect(stateOf(batch).average[0]).toBe(0.68359375)
    expect(slot(batch, 1, 0, 0, 0)[0]).toBe(Math.fround(1 / 0.68359375))
  })

  test('alphaFair is the sum at 0, propFair at 1, and x R^-a between and beyond', () => {
    const play = (rest: object) => {
      const batch = world({ ...options, fairWindow: 4, fairFloor: 0.5, ...rest })
      for (let t = 0; t < 5; t++) slot(batch, 1, 2, 2, 3)
      return slot(batch, 1, 2, 2, 3)
    }
    expect(play({ reward: 'alphaFair', fairAlpha: 0 })).toEqual([1, 0, 0, 1])
    expect(play({ reward: 'alphaFair', fairAlpha: 1 })).toEqual(play({ reward: 'propFair' }))
    const average = 1 - 0.75 ** 5
    expect(play({ reward: 'alphaFair', fairAlpha: 2.5 })[0]).toBeCloseTo(average ** -2.5, 6)
  })

  test('propFairEpisodic pays once, the logarithm of the mean rate', () => {
    const batch = world({ users: 2, channels: 2, reward: 'propFairEpisodic', fairFloor: 0.01, horizon: 4 })
    expect(slot(batch, 1, 2)).toEqual([0, 0])
    expect(slot(batch, 1, 0)).toEqual([0, 0])
    expect(slot(batch, 1, 0)).toEqual([0, 0])
    const [a, b] = slot(batch, 1, 0)
    expect(a).toBeCloseTo(Math.log(1.01), 6)
    expect(b).toBeCloseTo(Math.log(0.26), 6)
    expect(() => world({ reward: 'propFairEpisodic', horizon: null })).toThrow(/without a horizon; expected a horizon/)
  })
})

describe('primary users', () => {
  test('block a send and count it as interference; with underlay they only count', () => {
    for (const puRule of ['block', 'underlay']) {
      const batch = world({ users: 1, channels: 1, pu: 'bernoulli', puBusy: 1, puRule, reward: 'penalised', puCost: 3 })
      expect(slot(batch, 1)).toEqual([puRule === 'block' ? -3 : -2])
      expect(stateOf(batch).flags[0] & PRIMARY).toBe(PRIMARY)
      expect(batch.metrics(0)).toMatchObject({ interference: 1, opportunityUse: null, idleWaste: null })
    }
  })

  test('Gilbert-Elliott channels have the stationary share, and the correlation p11 - p01 from slot to slot', () => {
    const batch = world({ users: 1, channels: 8, pu: 'gilbertElliott', p11: 0.9, p01: 0.3, horizon: 2000 }, 10)
    let [idle, both, slots] = [0, 0, 0]
    const before = new Uint8Array(80)
    playRandomly(batch, () => {
      const { busy } = stateOf(batch)
      for (let i = 0; i < 80; i++) {
        idle += 1 - busy[i]
        both += (1 - busy[i]) * (1 - before[i])
        slots++
      }
      before.set(busy)
    })
    const pi = idle / slots
    expect(Math.abs(pi - 0.75)).toBeLessThan(0.005)
    // correlation = (P(idle, idle) - pi^2) / (pi (1 - pi)) = 0.6
    expect(Math.abs((both / slots - pi * pi) / (pi * (1 - pi)) - 0.6)).toBeLessThan(0.02)
  })

  test('a round robin has its set idle, and moves on by one', () => {
    const batch = world({ users: 1, channels: 5, pu: 'roundRobin', puGood: [0, 2], puSwitch: 1 })
    for (let t = 0; t < 12; t++) {
      const { busy, offset } = stateOf(batch)
      const at = offset[0]
      expect([...busy].map((one) => 1 - one)).toEqual(
        [0, 1, 2, 3, 4].map((k) => Number(k === at % 5 || k === (at + 2) % 5)),
      )
      slot(batch, 0)
      expect(stateOf(batch).offset[0]).toBe((at + 1) % 5)
    }
  })

  test('sensing tells the coming slot, with the errors asked for', () => {
    const counts = { idleRight: 0, idleAll: 0, busyRight: 0, busyAll: 0 }
    const options = {
      users: 2,
      channels: 4,
      pu: 'bernoulli',
      puBusy: 0.4,
      sensing: 'all',
      pFalseAlarm: 0.1,
      pMiss: 0.25,
    }
    const batch = world({ ...options, obs: 'sense', horizon: 4000 })
    playRandomly(batch, () => {
      const { busy } = stateOf(batch)
      for (let n = 0; n < 2; n++) {
        for (let k = 0; k < 4; k++) {
          const read = batch.observation[n * 10 + 6 + k]
          counts[busy[k] === 1 ? 'busyAll' : 'idleAll']++
          if (read === 1 - busy[k]) counts[busy[k] === 1 ? 'busyRight' : 'idleRight']++
        }
      }
    })
    expect(Math.abs(counts.idleRight / counts.idleAll - 0.9)).toBeLessThan(0.01)
    expect(Math.abs(counts.busyRight / counts.busyAll - 0.75)).toBeLessThan(0.015)
    const perfect = world({ ...options, pFalseAlarm: 0, pMiss: 0, obs: 'sense' })
    playRandomly(perfect, () => {
      const { busy } = stateOf(perfect)
      expect([...perfect.observation.subarray(6, 10)]).toEqual([...busy].map((one) => 1 - one))
    })
  })

  test('sensing one channel goes through them in turn, or looks where the user was', () => {
    const sweep = world({ users: 2, channels: 3, pu: 'bernoulli', sensing: 'one' })
    const seen = [0, 1, 2, 3].map(() => {
      const at = [...stateOf(sweep).sensedAt]
      slot(sweep, 0, 0)
      return at
    })
    expect(seen).toEqual([[0, 1], [1, 2], [2, 0], [0, 1]]) // prettier-ignore
    const last = world({ users: 1, channels: 3, pu: 'bernoulli', sensing: 'one', sensedChannel: 'last' })
    slot(last, 3)
    expect(stateOf(last).sensedAt[0]).toBe(2)
    expect([...last.observation.subarray(5)]).toEqual([0, 0, 1, 1 - stateOf(last).busy[2]])
  })
})

describe('rates', () => {
  test('a Shannon success is worth log2(1 + SNR) of its channel', () => {
    const batch = world({ users: 2, channels: 2, rate: 'shannon', snrDb: [[0, 10], [20, 30]], reward: 'competitive' }) // prettier-ignore
    const [a, b] = slot(batch, 2, 1)
    expect(a).toBeCloseTo(Math.log2(11), 2)
    expect(b).toBeCloseTo(Math.log2(101), 2)
    expect(batch.metrics(0).sumRate).toBeCloseTo(Math.log2(11) + Math.log2(101), 2)
  })

  test('Rayleigh fading keeps the mean, holds for a block and is drawn anew after it', () => {
    const batch = world({ users: 4, channels: 8, fading: 'rayleigh', fadingSlots: 5, snrDb: 10, horizon: 2000 })
    let [sum, draws] = [0, 0]
    let before = [...stateOf(batch).level]
    playRandomly(batch, () => {
      const now = [...stateOf(batch).level]
      const changed = now.filter((level, i) => level !== before[i]).length
      if (batch.stepCount[0] % 5 !== 0) expect(changed).toBe(0)
      else {
        expect(changed).toBeGreaterThan(16)
        for (const level of now) sum += LINEAR[level]
        draws += now.length
      }
      before = now
    })
    expect(Math.abs(sum / draws / 10 - 1)).toBeLessThan(0.04) // 12,800 exponential draws: standard error 0.009
  })

  test('drawn mean SNRs lie in their range and differ from episode to episode', () => {
    const batch = world({ users: 6, channels: 4, snrRangeDb: [0, 20], rate: 'shannon' }, 2)
    const levels = [...stateOf(batch).level].map(decibelsOf)
    expect(Math.min(...levels)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...levels)).toBeLessThanOrEqual(20)
    expect(levels.slice(0, 24)).not.toEqual(levels.slice(24))
  })

  test('the snr observation is that of the last send, 0 when silent', () => {
    const batch = world({ users: 1, channels: 2, obs: 'snr', snrDb: [[3, 15]] })
    slot(batch, 2)
    expect(batch.observation.at(-1)).toBe(0.5)
    slot(batch, 0)
    expect(batch.observation.at(-1)).toBe(0)
  })
})

describe('interference by SINR', () => {
  test('two links succeed together exactly when both SINRs reach the threshold, and earn log2(1 + SINR)', () => {
    const options = {
      users: 6,
      channels: 2,
      interference: 'sinr',
      rate: 'shannon',
      reward: 'competitive',
      horizon: 300,
    }
    const batch = world(options)
    const rng = new Generator(namedSeed('sinr', 'actions'))
    const counts = { together: 0, failed: 0 }
    while (batch.truncated[0] === 0) {
      const action = Array.from({ length: 6 }, () => rng.below(3))
      const rewards = slot(batch, ...action)
      const { gain } = stateOf(batch)
      action.forEach((channel, n) => {
        if (channel === 0) return
        // straight from the definition, in floating point
        let noise = 1
        action.forEach((other, m) => {
          if (m !== n && other === channel) noise += 10 ** (decibelsOf(gain[m * 6 + n]) / 10)
        })
        const sinr = 10 ** (decibelsOf(gain[n * 6 + n]) / 10) / noise
        if (Math.abs(sinr / 10 ** 0.5 - 1) < 1e-9) return
        if (sinr < 10 ** 0.5) {
          expect(rewards[n]).toBe(0)
          counts.failed++
        } else {
          expect(Math.abs(rewards[n] - Math.log2(1 + sinr))).toBeLessThan(0.085) // a quarter decibel
          if (action.filter((other) => other === channel).length > 1) counts.together++
        }
      })
    }
    expect(counts.together).toBeGreaterThan(50)
    expect(counts.failed).toBeGreaterThan(50)
  })

  test('gains fall with distance by the exponent, without shadowing', () => {
    // a link of exactly 100 m: 20 + 90 - 40 - 35 log10(100) = 0 dB over noise
    const at = (metres: number) => {
      const batch = world({ users: 3, channels: 1, interference: 'sinr', linkMetres: [metres, metres], shadowingDb: 0 })
      return [0, 1, 2].map((n) => decibelsOf(stateOf(batch).gain[n * 3 + n]))
    }
    for (const value of at(100)) expect(Math.abs(value)).toBeLessThanOrEqual(0.75)
    for (const value of at(10)) expect(Math.abs(value - 35)).toBeLessThanOrEqual(0.75)
  })
})

describe('packets and presence', () => {
  test('a success takes a packet, arrivals fill the queue, a full one drops', () => {
    const batch = world({
      users: 2,
      channels: 2,
      arrivalProb: [1, 0],
      queueCap: 2,
      queueStart: 1,
      reward: 'competitive',
    })
    expect(slot(batch, 1, 2)).toEqual([1, 1])
    expect([...stateOf(batch).queue]).toEqual([1, 0])
    expect([...batch.mask.subarray(3, 6)]).toEqual([1, 0, 0]) // nothing to send
    expect(() => batch.step(Int32Array.of(1, 1))).toThrow(/masked/)
    slot(batch, 0, 0)
    slot(batch, 0, 0)
    expect([...stateOf(batch).queue]).toEqual([2, 0])
    expect(batch.metrics(0)).toMatchObject({ dropped: 1, queue: (1 + 2 + 2) / 6 })
  })

  test('on the grid a neighbour without a packet disturbs and pays nothing, as in the original', () => {
    const options = { users: 10, channels: 1, neighbours: 'grid', arrivalProb: 0, emptySends: true, obs: 'queue' }
    const batch = world({ ...options, reward: 'penalised', successReward: 0.1, collisionCost: 10 })
    // users 0 and 5 are neighbours and collide; 2 and 9 succeed
    const first = slot(batch, 1, 0, 1, 0, 0, 1, 0, 0, 0, 1)
    expect(first.map((value) => Number(value.toFixed(6)))).toEqual([-10, 0, 0.1, 0, 0, -10, 0, 0, 0, 0.1])
    expect([...batch.observation]).toEqual([1, 1, 0, 1, 1, 1, 1, 1, 1, 0])
    // user 2 is empty now: it ruins user 3's send and is not charged
    expect(slot(batch, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0)).toEqual([0, 0, 0, -10, 0, 0, 0, 0, 0, 0])
    expect(results(batch)[2]).toBe('empty')
  })

  test('users away can only be silent, stay alive, and come and go at the rates asked for', () => {
    const batch = world({ users: 5, channels: 2, leaveProb: 0.1, returnProb: 0.3, horizon: 4000 })
    let present = 0
    playRandomly(batch, () => {
      const here = stateOf(batch).present
      for (let n = 0; n < 5; n++) {
        present += here[n]
        const legal = batch.mask.subarray(n * 3, n * 3 + 3).join('')
        if (batch.alive[n] !== 1 || legal !== (here[n] === 1 ? '111' : '100')) throw new Error(`user ${n}: ${legal}`)
      }
    })
    expect(Math.abs(present / 20_000 - 0.75)).toBeLessThan(0.02)
  })

  test('users of a cluster have its channels only', () => {
    const batch = world({ users: 4, channels: 6, clusters: 2 })
    expect([...batch.mask.subarray(7, 14)]).toEqual([1, 1, 1, 1, 0, 0, 0])
    expect([...batch.mask.subarray(14, 21)]).toEqual([1, 0, 0, 0, 1, 1, 1])
    expect(() => world({ users: 5, channels: 6, clusters: 2 })).toThrow(/clusters is 2; expected a number that divides/)
  })
})

describe('jammers', () => {
  test('a constant one stays, a sweeping one moves on', () => {
    const constant = world({ users: 1, channels: 5, jammer: 'constant', jammerChannels: 2, horizon: 50 })
    const there = [...stateOf(constant).jam]
    expect(there.reduce((a, b) => a + b)).toBe(2)
    playRandomly(constant, () => expect([...stateOf(constant).jam]).toEqual(there))
    const sweep = world({ users: 1, channels: 5, jammer: 'sweep', jammerDwell: 2, reward: 'competitive' })
    const start = stateOf(sweep).jam.indexOf(1)
    for (let t = 0; t < 20; t++) {
      const jammed = (start + Math.floor(t / 2)) % 5
      expect(stateOf(sweep).jam.indexOf(1)).toBe(jammed)
      expect(slot(sweep, 1 + (t % 5))).toEqual([t % 5 === jammed ? 0 : 1])
    }
  })

  test('a reactive one jams where somebody sent, a slot later or at once', () => {
    const later = world({ users: 1, channels: 3, jammer: 'reactive', reward: 'competitive' })
    expect([1, 1, 2, 3, 3, 0, 3].map((choice) => slot(later, choice)[0])).toEqual([1, 0, 1, 1, 0, 0, 1])
    const now = world({ users: 1, channels: 3, jammer: 'reactive', jammerReaction: 0, reward: 'competitive' })
    expect([1, 2, 3].map((choice) => slot(now, choice)[0])).toEqual([0, 0, 0])
    const two = world({
      users: 3,
      channels: 3,
      jammer: 'reactive',
      jammerReaction: 0,
      jammerChannels: 2,
      reward: 'sum',
    })
    for (let t = 0; t < 20; t++) expect(slot(two, 1, 2, 3)).toEqual([1, 1, 1]) // two of three channels are hit
  })

  test('a seat jams what it chooses, hears where anybody sent, and gets minus the sum', () => {
    const batch = world({ users: 2, channels: 2, jammer: 'seat', reward: 'competitive' })
    expect(batch.spec.agents.map(({ id, team }) => `${id} ${team}`)).toEqual([
      'agent_0 user 0',
      'agent_1 user 1',
      'jammer jammer',
    ])
    expect(slot(batch, 1, 2, 2)).toEqual([1, 0, -1])
    expect(stateOf(batch).flags[1] & JAMMED).toBe(JAMMED)
    const F = batch.spec.observationSize
    expect([...batch.observation.subarray(2 * F)]).toEqual([0, 0, 1, 1, 1])
    expect(slot(batch, 0, 0, 0)).toEqual([0, 0, 0])
  })
})

describe('carrier sensing', () => {
  const options = { users: 3, channels: 2, miniSlots: 4, miniSlotShare: 0.05, reward: 'competitive' }
  /** Channel k after w mini-slots. */
  const on = (k: number, w: number) => 1 + k * 4 + w

  test('the first to begin has the channel, who heard it defers, equal waits collide', () => {
    const batch = world(options)
    expect(slot(batch, on(0, 1), on(0, 3), on(1, 2)).map((x) => Number(x.toFixed(2)))).toEqual([0.95, 0, 0.9])
    expect(stateOf(batch).flags[1]).toBe(DEFERRED)
    expect([...batch.observation.subarray(4, 8)]).toEqual([1, 0, 0, 0]) // it was silent
    expect(slot(batch, on(0, 1), on(0, 1), on(0, 2))).toEqual([0, 0, 0])
    expect(results(batch)).toEqual(['collision', 'collision', 'deferred'])
  })

  test('a primary user is heard by who waits, not by who begins at once', () => {
    const batch = world({ ...options, pu: 'bernoulli', puBusy: 1 })
    slot(batch, on(0, 0), on(1, 1), 0)
    expect(results(batch)).toEqual(['primary', 'deferred', 'silent'])
  })

  test('among neighbours a deferred user silences nobody', () => {
    // a line 0 - 1 - 2: user 1 hears 0 and defers, so user 2, who would have heard 1, sends
    const batch = world({ ...options, neighbours: [[1], [0, 2], [1]] })
    slot(batch, on(0, 0), on(0, 1), on(0, 2))
    expect(results(batch)).toEqual(['success', 'deferred', 'success'])
    slot(batch, on(0, 1), on(0, 1), on(1, 3)) // equal waits collide here, too
    expect(results(batch)).toEqual(['collision', 'collision', 'success'])
  })
})

test('rates in the table are those of the formula to half a unit', () => {
  for (let level = 0; level < LINEAR.length; level += 17) {
    expect(Math.abs(RATE[level] / 1024 - Math.log2(1 + 10 ** (decibelsOf(level) / 10)))).toBeLessThanOrEqual(
      0.5001 / 1024,
    )
  }
})
