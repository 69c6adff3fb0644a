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
})
