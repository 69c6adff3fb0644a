/** What a person presses who plays an agent: buttons, keys, or a gamepad. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { type ActionSpace } from '../../envs/core/types.ts'
import { belongsToField } from '../keys.ts'
import { strings } from '../strings.ts'
import { actionKeys, actionOfKey, PAD_BUTTONS } from './keys.ts'

const words = strings.fork

interface Props {
  readonly agent: string
  readonly space: ActionSpace
  /** Legal choices of the agent at the step shown, [A]; null where all are. */
  readonly legal: Uint8Array | null
  /** Choice of someone who says nothing, [D]. */
  readonly idle: readonly number[]
  readonly over: boolean
  onChoice(choice: readonly number[]): void
}

export function Pad(props: Props): JSX.Element {
  const { agent, space, over } = props
  return (
    <section class="pad" aria-label={words.pad(agent)}>
      <p class="pad-title">
        <strong>{words.pad(agent)}</strong> <span class="muted">{words.padHelp}</span>
      </p>
      {over ? (
        <p role="status">{words.over}</p>
      ) : space.kind === 'discrete' ? (
        <Buttons {...props} />
      ) : (
        <Fields {...props} />
      )}
    </section>
  )
}

function Buttons({ space, legal, onChoice }: Props): JSX.Element {
  const names = space.kind === 'discrete' ? space.names : []
  const keys = actionKeys(names)
  const allowed = (k: number) => legal === null || legal[k] === 1
  const press = (k: number) => {
    if (k >= 0 && allowed(k)) onChoice([k])
  }
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
      if (belongsToField(event.target, event.key)) return
      const k = actionOfKey(event.key, keys)
      if (k < 0) return
      // Ahead of the page's own keys: who plays does not scrub.
      event.preventDefault()
      event.stopImmediatePropagation()
      press(k)
    }
    addEventListener('keydown', listen, { capture: true })
    const stopPad = watchGamepad((key) => press(actionOfKey(key, keys)))
    return () => {
      removeEventListener('keydown', listen, { capture: true })
      stopPad()
    }
  })
  return (
    <div class="pad-buttons">
      {names.map((name, k) => (
        <button
          key={name}
          type="button"
          class="button pad-button"
          disabled={!allowed(k)}
          title={allowed(k) ? undefined : words.notLegal}
          aria-keyshortcuts={keys[k] === '' ? undefined : keys[k].toUpperCase()}
          onClick={() => press(k)}
        >
          <span>{name}</span>
          {keys[k] !== '' && (
            <kbd>
              <span class="hidden">, {words.key('')}</span>
              {keys[k]}
            </kbd>
          )}
        </button>
      ))}
    </div>
  )
}

/** Several numbers or choices at once. */
function Fields({ space, legal, idle, onChoice }: Props): JSX.Element | null {
  const chosen = useSignal<readonly number[]>(idle)
  if (space.kind === 'discrete') return null
  const set = (d: number, value: number) => {
    chosen.value = chosen.value.map((old, at) => (at === d ? value : old))
  }
  let from = 0
  return (
    <form
      class="pad-fields"
      onSubmit={(event) => {
        event.preventDefault()
        onChoice(chosen.value)
      }}
    >
      {space.kind === 'box'
        ? space.dimensions.map(({ name, low, high }, d) => (
            <label key={name}>
              {name}
              <input
                type="range"
                min={low}
                max={high}
                step={(high - low) / 20}
                aria-label={words.value(name)}
                value={chosen.value[d]}
                onInput={(event) => set(d, Number(event.currentTarget.value))}
              />
              <output>{strings.figure(chosen.value[d])}</output>
            </label>
          ))
        : space.dimensions.map(({ name, values }, d) => {
            const first = from
            from += values.length
            return (
              <label key={name}>
                {name}
                <select value={String(chosen.value[d])} onChange={(event) => set(d, Number(event.currentTarget.value))}>
                  {values.map((value, k) => (
                    <option key={value} value={String(k)} disabled={legal !== null && legal[first + k] === 0}>
                      {value}
                    </option>
                  ))}
                </select>
              </label>
            )
          })}
      <button type="submit" class="button">
        {words.play}
      </button>
    </form>
  )
}

/** Calls back once for each press of a button that means something. @returns the way to stop */
function watchGamepad(pressed: (key: string) => void): () => void {
  if (typeof navigator.getGamepads !== 'function') return () => undefined
  const down = new Set<string>()
  let handle = 0
  const look = () => {
    const pads = navigator.getGamepads().filter((pad) => pad !== null)
    for (const pad of pads) {
      for (const [button, key] of Object.entries(PAD_BUTTONS)) {
        const id = `${pad.index} ${button}`
        const is = pad.buttons[Number(button)]?.pressed === true
        if (is && !down.has(id)) pressed(key)
        if (is) down.add(id)
        else down.delete(id)
      }
    }
    handle = requestAnimationFrame(look)
  }
  // Nothing is looked at until somebody plugs one in and presses a button, which is when browsers tell.
  const begin = () => {
    if (handle === 0) handle = requestAnimationFrame(look)
  }
  if (navigator.getGamepads().some((pad) => pad !== null)) begin()
  addEventListener('gamepadconnected', begin)
  return () => {
    removeEventListener('gamepadconnected', begin)
    cancelAnimationFrame(handle)
  }
}
