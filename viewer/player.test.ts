import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Player, SPEEDS, STEPS_PER_SECOND } from './player.ts'

/** Lets `total` milliseconds pass in pictures of `ms` each. */
function run(player: Player, total: number, ms: number): void {
  for (let passed = 0; passed < total; passed += ms) player.advance(Math.min(ms, total - passed))
}

describe('player', () => {
  it('moves four steps a second at speed 1, with the fraction in between', () => {
    const player = new Player({ last: 100 })
    player.play()
    player.advance(625) // 2.5 steps
    expect(player.state).toMatchObject({ step: 2, fraction: 0.5, playing: true })
    expect(STEPS_PER_SECOND).toBe(4)
  })

  it('drops pictures and never steps: the place after a second does not depend on the frame rate', () => {
    for (const speed of [0.25, 1, 16, 32, 64, -64]) {
      for (const ms of [4, 16, 100, 500]) {
        const player = new Player({ last: 1000, step: 500, speed })
        player.play()
        run(player, 1000, ms)
        const { step, fraction } = player.state
        expect(step + fraction).toBeCloseTo(500 + speed * 4, 6)
      }
    }
  })

  it('plays at 64 times and no faster, at a quarter and no slower', () => {
    const player = new Player({ last: 10 })
    for (let i = 0; i < 20; i++) player.faster()
    expect(player.state.speed).toBe(64)
    for (let i = 0; i < 20; i++) player.slower()
    expect(player.state.speed).toBe(0.25)
    expect(SPEEDS.at(-1)).toBe(64)
  })

  it('keeps its direction when the speed changes and turns round on reverse', () => {
    const player = new Player({ last: 10, step: 5 })
    player.reverse()
    player.faster()
    expect(player.state.speed).toBe(-2)
    player.play()
    player.advance(500) // 4 steps back
    expect(player.state.step + player.state.fraction).toBeCloseTo(1, 9)
  })

  it('stops on the nearest whole step', () => {
    const player = new Player({ last: 10 })
    player.play()
    player.advance(350) // 1.4
    player.pause()
    expect(player.state).toMatchObject({ step: 1, fraction: 0, playing: false })
    player.play()
    player.advance(150) // 1.6
    player.pause()
    expect(player.state).toMatchObject({ step: 2, fraction: 0 })
  })

  it('stands still at the end and starts over when played again', () => {
    const player = new Player({ last: 3, speed: 64 })
    player.play()
    player.advance(500)
    expect(player.state).toMatchObject({ step: 3, fraction: 0, playing: false })
    player.play()
    expect(player.state).toMatchObject({ step: 0, playing: true })
  })

  it('goes round when looping, in both directions', () => {
    const player = new Player({ last: 4 })
    player.setLoop(true)
    player.play()
    player.advance(1000)
    player.advance(250) // 5 steps from 0: the four others, the last one shown as long as they were, and 0 again
    expect(player.state).toMatchObject({ step: 0, playing: true })
    player.reverse()
    player.advance(500)
    expect(player.state).toMatchObject({ step: 3, playing: true })
  })

  it('steps both ways from the first and the last step, whatever was pressed before', () => {
    const player = new Player({ last: 5 })
    player.end()
    player.stepBy(-1)
    expect(player.state.step).toBe(4)
    player.home()
    player.stepBy(-1)
    expect(player.state.step).toBe(0)
    player.stepBy(1)
    expect(player.state.step).toBe(1)
    player.stepBy(10)
    expect(player.state.step).toBe(5)
  })

  it('stepping back in the middle of a movement returns to the step just shown', () => {
    const player = new Player({ last: 5, step: 2 })
    player.play()
    player.advance(125) // 2.5
    player.stepBy(-1)
    expect(player.state).toMatchObject({ step: 2, fraction: 0, playing: false })
  })

  it('goes to a typed step and clamps nonsense', () => {
    const player = new Player({ last: 50 })
    player.seek(42)
    expect(player.state.step).toBe(42)
    player.seek(9999)
    expect(player.state.step).toBe(50)
    player.seek(-3)
    expect(player.state.step).toBe(0)
    player.seek(Number.NaN)
    expect(player.state.step).toBe(0)
  })

  it('waits on a whole step for steps that are not there yet', () => {
    let known = 3
    const player = new Player({ last: 100, ready: (step) => step <= known })
    player.play()
    player.advance(1000)
    expect(player.state).toMatchObject({ step: 3, fraction: 0, waiting: true, playing: true })
    known = 100
    player.advance(250)
    expect(player.state).toMatchObject({ step: 4, waiting: false })
  })

  it('follows live until the user scrubs', () => {
    const player = new Player({ last: 2 })
    player.setLive(true)
    player.play()
    player.advance(1000)
    expect(player.state).toMatchObject({ step: 2, playing: true, waiting: true, live: true })
    player.setLast(6)
    player.advance(500)
    expect(player.state).toMatchObject({ step: 4, live: true })
    player.seek(1)
    expect(player.state).toMatchObject({ step: 1, live: false, playing: true })
  })

  it('shows the place that another clock tells, between steps too, and stands by itself', () => {
    const player = new Player({ last: 10 })
    player.play()
    player.place(4, 0.5)
    expect(player.state).toMatchObject({ step: 4, fraction: 0.5, playing: false })
    player.advance(1000)
    expect(player.state).toMatchObject({ step: 4, fraction: 0.5 })
    player.place(99, 0.5)
    expect(player.state).toMatchObject({ step: 10, fraction: 0 })
  })

  it('does not jump after a tab was asleep', () => {
    const player = new Player({ last: 10_000 })
    player.play()
    player.advance(3_600_000)
    expect(player.state.step).toBe(4)
  })

  it('tells listeners and stops telling them', () => {
    const player = new Player({ last: 10 })
    const seen: number[] = []
    const stop = player.subscribe((state) => seen.push(state.step))
    player.seek(3)
    stop()
    player.seek(4)
    expect(seen).toEqual([3])
  })

  it('loops over a stretch in both directions, and starts at its beginning from outside', () => {
    const player = new Player({ last: 100, step: 50 })
    player.setRange({ from: 14, to: 10 }) // either order
    expect(player.state).toMatchObject({ range: { from: 10, to: 14 }, loop: true, step: 50 })
    player.play()
    expect(player.state.step).toBe(10)
    player.advance(1000) // 4 steps on: the last of the stretch
    expect(player.state.step).toBe(14)
    player.advance(250)
    expect(player.state).toMatchObject({ step: 10, playing: true })
    player.reverse()
    player.advance(250)
    expect(player.state.step).toBe(14)
    player.setRange(null)
    expect(player.state).toMatchObject({ range: null, loop: false })
    player.setRange({ from: 3, to: 3 })
    expect(player.state.range).toBe(null)
  })

  it('gives a stretch up with the episode it belonged to, and where the episode turns out shorter', () => {
    const player = new Player({ last: 100 })
    player.setRange({ from: 40, to: 80 })
    player.setLast(60)
    expect(player.state.range).toBe(null)
    player.setRange({ from: 40, to: 50 })
    player.open(200, 0, false)
    expect(player.state.range).toBe(null)
  })

  describe('laws, for any episode, speed and frame rate', () => {
    const last = fc.integer({ min: 1, max: 400 })
    const size = fc.constantFrom(...SPEEDS)
    const pictures = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 40 })
    const place = ({ state }: Player) => state.step + state.fraction

    it('seeking to t shows what playing to t shows', () => {
      fc.assert(
        fc.property(last, size, pictures, (T, speed, times) => {
          const played = new Player({ last: T, speed })
          played.play()
          for (const ms of times) played.advance(ms)
          played.pause()
          const sought = new Player({ last: T, speed })
          sought.seek(played.state.step)
          expect(sought.state).toEqual(played.state)
          // Independently: distance is speed times time, and never past the end.
          const way = (speed * STEPS_PER_SECOND * times.reduce((a, b) => a + b, 0)) / 1000
          expect(Math.abs(played.state.step - Math.min(T, way))).toBeLessThanOrEqual(0.5 + 1e-6)
        }),
      )
    })

    it('forward and then back for as long is where it began', () => {
      fc.assert(
        fc.property(last, size, pictures, fc.double({ min: 0, max: 1, noNaN: true }), (T, speed, times, share) => {
          const way = (speed * STEPS_PER_SECOND * times.reduce((a, b) => a + b, 0)) / 1000
          fc.pre(way < T)
          const start = Math.floor(share * (T - way))
          const player = new Player({ last: T, step: start, speed })
          player.play()
          for (const ms of times) player.advance(ms)
          player.reverse()
          for (const ms of [...times].reverse()) player.advance(ms)
          expect(place(player)).toBeCloseTo(start, 6)
        }),
      )
    })

    it('single steps there and back are the identity wherever the ends are not met', () => {
      fc.assert(
        fc.property(last, fc.nat(400), fc.integer({ min: -50, max: 50 }), (T, at, by) => {
          const step = Math.min(T, at)
          fc.pre(step + by >= 0 && step + by <= T)
          const player = new Player({ last: T, step })
          player.stepBy(by)
          expect(player.state).toMatchObject({ step: step + by, fraction: 0, playing: false })
          player.stepBy(-by)
          expect(player.state.step).toBe(step)
        }),
      )
    })

    it('playing a stretch never leaves it and passes over each of its steps', () => {
      fc.assert(
        fc.property(last, fc.nat(400), fc.nat(400), fc.boolean(), (T, a, b, back) => {
          const ends = [Math.min(a, T), Math.min(b, T)].sort((x, y) => x - y)
          fc.pre(ends[0] < ends[1])
          const player = new Player({ last: T, speed: back ? -1 : 1 })
          player.setRange({ from: ends[0], to: ends[1] })
          player.play()
          const seen = new Set<number>([player.state.step])
          for (let i = 0; i <= ends[1] - ends[0] + 2; i++) {
            player.advance(250)
            seen.add(player.state.step)
          }
          expect([...seen].sort((x, y) => x - y)).toEqual(
            Array.from({ length: ends[1] - ends[0] + 1 }, (_, i) => ends[0] + i),
          )
        }),
        { numRuns: 30 },
      )
    })
  })
})

it('following live, no picture is so slow that the end of an episode is jumped over', () => {
  for (const ms of [16, 300, 1000]) {
    const player = new Player({ last: 24, speed: 2 })
    player.setLive(true)
    player.setLoop(true)
    const seen = new Set<number>()
    player.subscribe(({ step }) => seen.add(step))
    player.play()
    run(player, 9000, ms) // three times through
    expect(seen.has(24)).toBe(true)
    expect([...seen].some((step) => step < 5)).toBe(true)
  }
})
