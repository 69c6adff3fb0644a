/** Parts of a page that are loaded when they are first shown. */
import { type ComponentType, type JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { strings } from './strings.ts'

/** @param load the component's module; asked once */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): (props: Props) => JSX.Element {
  let made: ComponentType<Props> | undefined
  return function Lazy(props: Props) {
    const [Part, show] = useState(() => made)
    const [failed, fail] = useState(false)
    useEffect(() => {
      if (Part !== undefined) return
      load().then(
        (loaded) => {
          made = loaded
          show(() => loaded)
        },
        () => fail(true),
      )
    }, [Part])
    if (failed) return <p class="failure lazy">{strings.partFailed}</p>
    return Part === undefined ? <p class="muted lazy">{strings.partLoading}</p> : <Part {...props} />
  }
}
