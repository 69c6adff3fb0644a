/**
 * Follows the newest episode of a run, or of whatever is newest on the server: a new one is opened when the one on the
 * stage has been played, so that nobody sees only beginnings.
 */
import { effect } from '@preact/signals'
import { nameOf, type Session } from './session.ts'
import { reducedMotion } from './theme.ts'

/** A session that plays round and round until there is something newer, whoever opens its first episode. */
export function endless(session: Session): Session {
  session.player.setSpeed(2)
  session.player.setLive(true)
  session.player.setLoop(true)
  return session
}

export class Follower {
  #newest: string | null = null
  readonly #session: Session
  readonly #onOpen: (id: string) => void
  readonly #stop: () => void

  constructor(session: Session, onOpen: (id: string) => void = () => {}) {
    this.#session = session
    this.#onOpen = onOpen
    this.#stop = effect(() => {
      const { live, step, last } = session.clock.value
      const open = session.info.value !== null && session.opening.value === null
      if (live && open && step >= last) this.#next()
    })
  }

  /** A newer episode exists. @param now open it at once instead of when the present one has been played */
  offer(id: string, now = false): void {
    this.#newest = id
    const { live, step, last } = this.#session.clock.peek()
    const idle = this.#session.info.peek() === null && this.#session.opening.peek() === null
    if (now || idle || (live && step >= last)) this.#next()
  }

  /** Back to following after the user went elsewhere. */
  resume(): void {
    const { step, last } = this.#session.clock.peek()
    this.#session.player.setLive(true)
    this.#session.player.play()
    if (step >= last) this.#next()
  }

  close(): void {
    this.#stop()
  }

  #next(): void {
    const id = this.#newest
    const source = this.#session.source.peek()
    if (id === null || (source !== null && nameOf(source) === id) || this.#session.opening.peek() !== null) return
    this.#onOpen(id)
    void this.#session.open({ kind: 'server', id }, { playing: !reducedMotion() })
  }
}
