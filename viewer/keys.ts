/** What keys do on the replay page. Ignored while the user types in a field. */
import { type Session } from './session.ts'

export interface KeyActions {
  help(): void
  /** Opens or closes the list of overlays. */
  overlays?(): void
  /** To the field that finds an agent. */
  find?(): void
  /** Plays on from this step. */
  fork?(): void
  /** Another episode beside this one. */
  compare?(): void
  /** Links, pictures, films. */
  share?(): void
  /** Digits typed so far for "go to step"; '' when none. */
  typed(digits: string): void
}

/** Longest step number that can be typed. */
const MAX_DIGITS = 9
/** Digits are forgotten after this long without another one, in milliseconds. */
const FORGET_MS = 3000

export class Keys {
  #digits = ''
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #session: Session
  readonly #actions: KeyActions

  constructor(session: Session, actions: KeyActions) {
    this.#session = session
    this.#actions = actions
  }

  /** @returns whether the key meant something */
  press(key: string, shift: boolean): boolean {
    const { player } = this.#session
    if (/^[0-9]$/.test(key)) {
      if (this.#digits.length < MAX_DIGITS) this.#type(this.#digits + key)
      return true
    }
    const typed = this.#digits
    if (typed !== '') {
      this.#type('')
      if (key === 'Enter') {
        player.seek(Number(typed))
        return true
      }
      if (key === 'Escape' || key === 'Backspace') {
        if (key === 'Backspace') this.#type(typed.slice(0, -1))
        return true
      }
    }
    switch (key) {
      case ' ':
      case 'k':
        player.toggle()
        return true
      case 'ArrowLeft':
        if (shift) this.#session.jump(-1)
        else player.stepBy(-1)
        return true
      case 'ArrowRight':
        if (shift) this.#session.jump(1)
        else player.stepBy(1)
        return true
      case 'j':
        player.stepBy(-10)
        return true
      case 'l':
        player.stepBy(10)
        return true
      case 'Home':
        player.home()
        return true
      case 'End':
        player.end()
        return true
      case '<':
      case ',':
        player.slower()
        return true
      case '>':
      case '.':
        player.faster()
        return true
      case 'r':
        player.reverse()
        return true
      case 'a':
        this.#session.loopEnd('from')
        return true
      case 'b':
        this.#session.loopEnd('to')
        return true
      case 'x':
        player.setRange(null)
        return true
      case 'm':
        this.#session.toggleBookmark()
        return true
      case 'n':
        this.#session.jumpOwn(1)
        return true
      case 'p':
        this.#session.jumpOwn(-1)
        return true
      case 'f':
        this.#session.following.value = !this.#session.following.peek() && this.#session.agent.peek() !== null
        return true
      case 'o':
        this.#actions.overlays?.()
        return this.#actions.overlays !== undefined
      case '/':
        this.#actions.find?.()
        return this.#actions.find !== undefined
      case '[':
        this.#session.cycle(-1)
        return true
      case ']':
        this.#session.cycle(1)
        return true
      case 'Escape':
        if (this.#session.agent.peek() === null) return false
        this.#session.select(null)
        return true
      case '?':
        this.#actions.help()
        return true
      case 't':
        this.#actions.fork?.()
        return this.#actions.fork !== undefined
      case 'c':
        this.#actions.compare?.()
        return this.#actions.compare !== undefined
      case 'e':
        this.#actions.share?.()
        return this.#actions.share !== undefined
      default:
        return false
    }
  }

  #type(digits: string): void {
    this.#digits = digits
    this.#actions.typed(digits)
    clearTimeout(this.#timer)
    if (digits !== '') this.#timer = setTimeout(() => this.#type(''), FORGET_MS)
  }
}

/** Whether a key press belongs to the field or control it was made in, not to the page. */
export function belongsToField(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('dialog[open]') !== null) return true
  if (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) {
    return true
  }
  if (target instanceof HTMLInputElement) {
    // A slider and a tick box take few keys for themselves; the rest are for the page.
    if (target.type === 'range') return ['Home', 'End', 'PageUp', 'PageDown'].includes(key)
    if (target.type === 'checkbox') return key === ' '
    return true
  }
  if (target.getAttribute('role') === 'tab') return key.startsWith('Arrow') || key === ' ' || key === 'Enter'
  // Space and Enter press the button or open the link or summary that has the focus.
  return (key === ' ' || key === 'Enter') && target.closest('button, a, summary') !== null
}
