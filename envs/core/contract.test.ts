import { describe, expect, it } from 'vitest'
import { ENVS } from '../index.ts'
import { contract } from './contract.ts'
import { lanterns } from './sample.ts'
import { type EnvDefinition, type Port, type Rules, type WorldSpec } from './types.ts'

describe('the contract', () => {
  for (const definition of Object.values(ENVS)) for (const { name, run } of contract(definition)) it(name, run)
  const sets = [{}, { actions: 'multi-discrete' }, { actions: 'box' }, { agents: 1, gustOneIn: 0 }, { gustOneIn: 2 }]
  for (const { name, run } of contract(lanterns, sets)) it(name, run)
})

/** Lanterns with a fault built in. */
function faulty(
  change: (rules: Rules, port: Port) => void,
  spec: (world: WorldSpec) => WorldSpec = (world) => world,
): EnvDefinition {
  return {
    ...(lanterns as EnvDefinition),
    spec: (o) => spec(lanterns.spec(o as never)),
    create: (o, port) => {
      const rules = lanterns.create(o as never, port)
      change(rules, port)
      return rules
    },
  }
}

/** Runs something of our own after one of the rules' functions, for each lane listed. */
function after(rules: Rules, name: 'reset' | 'step' | 'legal' | 'observe', work: (lane: number) => void): void {
  const inner = rules[name]!.bind(rules)
  rules[name] = (lanes, count) => {
    inner(lanes, count)
    for (let k = 0; k < count; k++) work(lanes[k])
  }
}

/** Messages of the checks that fail, by the promise broken. */
function broken(definition: EnvDefinition, options: Record<string, unknown> = {}, only = ''): Record<string, string> {
  const out: Record<string, string> = {}
  for (const { name, run } of contract(definition, [options])) {
    if (!name.endsWith(only)) continue
    try {
      run()
    } catch (error) {
      out[name.slice(name.indexOf(': ') + 2)] = (error as Error).message
    }
  }
  return out
}

const none = () => undefined

describe('the contract finds', () => {
  it('nothing in a sound world', () => {
    expect(broken(faulty(none))).toEqual({})
  })

  it('a spec with a doubled feature, a turned range, a metric of the core, a name that is no camelCase', () => {
    const promise = 'the spec is complete and says the same at every call'
    const state = (name: string, low: number, high: number) => (world: WorldSpec) => ({
      ...world,
      state: [...world.state.slice(1), { name, low, high }],
    })
    expect(broken(faulty(none, state('lampsLeft', 0, 300)), {}, promise)[promise]).toMatch(
      /state: "lampsLeft" is there twice/,
    )
    expect(broken(faulty(none, state('x', 300, 0)), {}, promise)[promise]).toMatch(/x has the range 300 to 0/)
    expect(
      broken(
        faulty(none, (world) => ({ ...world, metrics: ['lamps', 'episodeLength'] })),
        {},
        promise,
      )[promise],
    ).toMatch(/added by the core/)
    expect(
      broken(
        faulty(none, (world) => ({ ...world, metrics: ['lamps', 'lamps-lit'] })),
        {},
        promise,
      )[promise],
    ).toMatch(/not camelCase/)
    let calls = 0
    const restless = faulty(none, (world) => ({ ...world, scene: { calls: calls++ } }))
    expect(broken(restless, {}, promise)[promise]).toMatch(/differs between two calls/)
  })

  it('memory outside the state arrays', () => {
    let count = 0
    const found = broken(
      faulty((rules, port) => {
        after(rules, 'step', (lane) => {
          if (++count % 5 === 0) port.reward[lane * port.agents] += 1
        })
      }),
    )
    expect(Object.keys(found)).toContain('same seeds and actions give the same episodes in two instances')
    expect(Object.keys(found)).toContain('a saved game goes on the same in another instance, through JSON')
  })

  it('a state array that is not saved', () => {
    const found = broken(
      faulty((rules) => {
        const { lit: _, ...arrays } = rules.arrays
        Object.assign(rules, { arrays })
      }),
    )
    expect(found['a saved game goes on the same in another instance, through JSON']).toMatch(/saved at step/)
  })

  it('an output element that is not written', () => {
    const promise = 'every output element is written at every step'
    const forgets = (array: 'observation' | 'reward' | 'mask') =>
      broken(
        faulty((rules, port) => {
          const name = array === 'observation' ? 'observe' : array === 'reward' ? 'step' : 'legal'
          const inner = rules[name]!.bind(rules)
          rules[name] = (lanes, count) => {
            const kept = port[array][1]
            inner(lanes, count)
            port[array][1] = kept
          }
        }),
      )[promise]
    expect(forgets('observation')).toMatch(/observation: element 1 is NaN/)
    expect(forgets('reward')).toMatch(/reward: element 1 is 12345/)
    expect(forgets('mask')).toMatch(/mask: element 1 is 77/)
  })

  it('an observation outside its range, and one that is NaN', () => {
    const promise = 'observations and states stay inside their declared bounds'
    const put = (value: number) =>
      broken(faulty((rules, port) => after(rules, 'observe', () => (port.observation[2] = value))))[promise]
    expect(put(-1)).toMatch(/lane 0, agent_0: observation: lampsLeft is -1; declared 0 to 8/)
    expect(put(NaN)).toMatch(/lampsLeft is NaN/)
  })

  it('an agent without a legal action, a dead one with two, and one that comes back', () => {
    const promise = 'every agent has a legal action, a dead one exactly one, and nobody comes back'
    const mask = (work: (port: Port, lane: number) => void) =>
      broken(
        faulty((rules, port) => after(rules, 'legal', (lane) => work(port, lane))),
        { gustOneIn: 4 },
      )
    const emptied = mask((port, lane) => {
      if (port.step[lane] === 9) port.mask.fill(0, lane * 9, lane * 9 + 3)
    })
    expect(emptied[promise]).toMatch(/no legal action/)
    const lively = mask((port, lane) => {
      for (let i = 0; i < 3; i++) if (port.alive[lane * 3 + i] === 0) port.mask[(lane * 3 + i) * 3 + 1] = 1
    })
    expect(lively[promise]).toMatch(/dead with 2 legal actions; exactly one is expected/)
    const risen = broken(
      faulty((rules, port) =>
        after(rules, 'step', (lane) => {
          if (port.step[lane] % 6 === 0) for (let i = 0; i < 3; i++) rules.arrays.out[lane * 3 + i] = 0
        }),
      ),
      { gustOneIn: 3, cells: 20 },
      promise,
    )
    expect(risen[promise]).toMatch(/came back to life/)
  })

  it('lanes that share chance', () => {
    const found = broken(
      faulty((rules, port) =>
        after(rules, 'step', (lane) => {
          if (lane > 0) for (let w = 0; w < 4; w++) port.random[lane * port.streams * 4 + 4 + w] = port.random[4 + w]
        }),
      ),
    )
    expect(found['a lane among many is the lane alone']).toMatch(/lane \d of six against the same lane alone/)
  })

  it('streams that change nothing, and chance that is not declared', () => {
    const promise = 'seeds matter where streams are declared, and only there'
    const calm = faulty((rules) =>
      after(rules, 'reset', (lane) => {
        const width = rules.arrays.at.length / rules.arrays.gust.length
        rules.arrays.at.fill(0, lane * width, (lane + 1) * width)
      }),
    )
    expect(broken(calm, { gustOneIn: 0 }, promise)[promise]).toMatch(/yet 16 seeds give one episode/)
    let draws = 0
    const wild = faulty(
      (rules) => {
        after(rules, 'reset', (lane) => (rules.arrays.calls[lane] = draws++))
      },
      (world) => ({ ...world, streams: [] }),
    )
    expect(broken(wild, { gustOneIn: 0 }, promise)[promise]).toBeDefined()
  })

  it('frames that cannot be stored, have an id twice, or remember what is not in the state', () => {
    const promise = 'frames are plain data with unique ids and survive save and load'
    const framed = (change: (frame: ReturnType<Rules['frame']>) => object) =>
      broken(
        faulty((rules) => {
          const inner = rules.frame.bind(rules)
          rules.frame = (lane) => ({ ...inner(lane), ...change(inner(lane)) }) as never
        }),
      )[promise]
    expect(framed((frame) => ({ entities: [...frame.entities, frame.entities[0]] }))).toMatch(
      /"agent_0" is there twice/,
    )
    expect(framed(() => ({ entities: [{ id: 'a', kind: 'b', x: NaN, y: 0 }] }))).toMatch(/entities\[0\]\.x is NaN/)
    expect(framed(() => ({ step: 3 }))).toMatch(/says step 3/)
    const remembers = broken(
      faulty((rules, port) => {
        let last = 0
        after(rules, 'step', (lane) => (last = port.action[lane]))
        const inner = rules.frame.bind(rules)
        rules.frame = (lane) => ({ ...inner(lane), counters: { last: last } })
      }),
    )
    expect(remembers[promise]).toMatch(/differs after save and load/)
  })

  it('reward terms that do not add up', () => {
    const found = broken(
      faulty((rules) => {
        const inner = rules.rewardTerms!.bind(rules)
        rules.rewardTerms = (lane) => ({ ...inner(lane), extra: new Float32Array(3).fill(0.5) })
      }),
    )
    expect(found['reward terms sum to the reward']).toMatch(/reward terms sum to .*, the reward is/)
  })

  it('a step that makes garbage', () => {
    const kept: unknown[] = []
    const found = broken(
      faulty((rules) =>
        after(rules, 'step', (lane) => {
          kept[lane & 15] = Array.from({ length: 40 }, (_, i) => i)
        }),
      ),
    )
    expect(found['steps leave no garbage']).toMatch(/bytes of garbage/)
  })

  it('a reset that keeps something of the episode before', () => {
    const found = broken(
      faulty((rules) => {
        const inner = rules.reset.bind(rules)
        const { calls } = rules.arrays
        rules.reset = (lanes, count) => {
          const kept = calls.slice()
          inner(lanes, count)
          for (let k = 0; k < count; k++) calls[lanes[k]] = kept[lanes[k]]
        }
      }),
      { actions: 'multi-discrete' },
    )
    expect(found['same seeds and actions give the same episodes in two instances']).toMatch(
      /leaves something of the episode before/,
    )
  })

  it('a world that throws, by its own message', () => {
    const found = broken(
      faulty((rules) => {
        rules.observe = () => {
          throw new Error('the lamp fell over')
        }
      }),
    )
    expect(found['same seeds and actions give the same episodes in two instances']).toBe('the lamp fell over')
  })
})
