/** Values for people to read: while they change many times a second, only some of them. */
import { effect, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'

/** Follows a signal at most every `ms`; the last value always arrives. */
export function useThrottled<T>(source: ReadonlySignal<T>, ms: number): Signal<T> {
  const [out] = useState(() => signal(source.peek()))
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let last = -Infinity
    const stop = effect(() => {
      const value = source.value
      const now = performance.now()
      clearTimeout(timer)
      if (now - last >= ms) {
        last = now
        out.value = value
      } else {
        timer = setTimeout(
          () => {
            last = performance.now()
            out.value = source.peek()
          },
          ms - (now - last),
        )
      }
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [source, ms, out])
  return out
}
