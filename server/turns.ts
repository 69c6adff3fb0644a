/**
 * One answer in every turn of the event loop. Answers about boards are made without waiting for anything, and one turn
 * lets in one new connection: were all requests that are there answered in the same turn, the last of fifty visitors who
 * come together would be let in after 1 + 2 + … + 49 answers instead of 49.
 */
export class Turns {
  private readonly waiting: (() => void)[] = []
  private going = false

  /** Fulfilled in a turn of its own, in the order of asking. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve)
      if (this.going) return
      this.going = true
      setImmediate(this.step)
    })
  }

  private readonly step = (): void => {
    this.waiting.shift()!()
    if (this.waiting.length > 0) setImmediate(this.step)
    else this.going = false
  }
}
