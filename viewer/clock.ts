/** Lets real time move a session's clock, once per picture of the screen, while it plays. */
import { effect } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Session } from './session.ts'

export function useClock(session: Pick<Session, 'player' | 'clock'>): void {
  useEffect(() => {
    let handle = 0
    let last = 0
    const tick = (now: number) => {
      handle = requestAnimationFrame(tick)
      session.player.advance(now - last)
      last = now
    }
    const stop = effect(() => {
      const playing = session.clock.value.playing
      if (playing && handle === 0) {
        last = performance.now()
        handle = requestAnimationFrame(tick)
      } else if (!playing && handle !== 0) {
        cancelAnimationFrame(handle)
        handle = 0
      }
    })
    return () => {
      stop()
      cancelAnimationFrame(handle)
      handle = 0
    }
  }, [session])
}
