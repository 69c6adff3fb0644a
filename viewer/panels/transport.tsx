/** The buttons that move the clock. */
import { type JSX } from 'preact'
import { useComputed, useSignal } from '@preact/signals'
import { Icon, type IconName } from '../icons.tsx'
import { SPEEDS, type PlayerState } from '../player.ts'
import { type Session } from '../session.ts'
import { strings } from '../strings.ts'
import { useThrottled } from './throttle.ts'

const words = strings.transport

/** @param live shown when the replay belongs to a run that can be followed */
export function Transport({ session, live }: { session: Session; live?: (on: boolean) => void }): JSX.Element {
  const { player } = session
  // The clock changes sixty times a second; these only when somebody presses something.
  const { playing, speed, loop, following, last, waiting, range } = usePressed(session)
  return (
    <section class="transport" aria-label={words.label}>
      <div class="transport-buttons">
        <Press icon="first" label={words.first} tip={words.firstTip} onPress={() => player.home()} />
        <Press icon="back" label={words.back} tip={words.backTip} onPress={() => player.stepBy(-1)} />
        <Press
          icon={playing ? 'pause' : 'play'}
          label={playing ? words.pause : words.play}
          tip={playing ? words.pauseTip : words.playTip}
          main
          onPress={() => player.toggle()}
        />
        <Press icon="forward" label={words.forward} tip={words.forwardTip} onPress={() => player.stepBy(1)} />
        <Press icon="last" label={words.last} tip={words.lastTip} onPress={() => player.end()} />
      </div>
      <StepField session={session} last={last} />
      <label class="speed">
        <span>{words.speed}</span>
        <select
          aria-label={words.speedLabel}
          value={String(Math.abs(speed))}
          onChange={(event) => player.setSpeed(Number(event.currentTarget.value) * (speed < 0 ? -1 : 1))}
        >
          {SPEEDS.map((choice) => (
            <option key={choice} value={String(choice)}>
              {words.times(choice)}
            </option>
          ))}
        </select>
      </label>
      <div class="transport-toggles">
        <Toggle
          icon="reverse"
          label={words.reverse}
          tip={words.reverseTip}
          on={speed < 0}
          onPress={() => player.reverse()}
        />
        <Toggle
          icon="loop"
          label={range === null ? words.loop : words.loopRange(range.from, range.to)}
          tip={words.loopTip}
          on={loop}
          onPress={() => player.setLoop(!loop)}
        />
        <RangeTools session={session} clear={range !== null} />
        <BookmarkToggle session={session} />
        {live !== undefined && (
          <Toggle icon="live" label={words.live} tip={words.liveTip} on={following} onPress={() => live(!following)} />
        )}
      </div>
      <span class="waiting" aria-hidden={!waiting}>
        {waiting ? words.waiting : ''}
      </span>
    </section>
  )
}

/** What the buttons show, without the step. */
function usePressed(session: Session) {
  const pressed = useComputed(() => {
    const { playing, speed, loop, live, last, waiting, range } = session.clock.value
    return JSON.stringify({ playing, speed, loop, following: live, last, waiting: waiting && !live, range })
  })
  return JSON.parse(pressed.value) as Pick<PlayerState, 'playing' | 'speed' | 'loop' | 'last' | 'waiting' | 'range'> & {
    following: boolean
  }
}

/** The ends of the stretch to loop. */
function RangeTools({ session, clear }: { session: Session; clear: boolean }): JSX.Element {
  return (
    <span class="range-tools">
      <Small label={words.rangeFrom} tip={words.rangeFromTip} text="[" onPress={() => session.loopEnd('from')} />
      <Small label={words.rangeTo} tip={words.rangeToTip} text="]" onPress={() => session.loopEnd('to')} />
      {clear && (
        <Small
          label={words.rangeClear}
          tip={words.rangeClearTip}
          text="×"
          onPress={() => session.player.setRange(null)}
        />
      )}
    </span>
  )
}

function Small(props: { label: string; tip: string; text: string; onPress: () => void }): JSX.Element {
  return (
    <button type="button" class="small" title={props.tip} onClick={props.onPress}>
      <span aria-hidden="true">{props.text}</span>
      <span class="hidden">{props.label}</span>
    </button>
  )
}

function BookmarkToggle({ session }: { session: Session }): JSX.Element {
  const step = useThrottled(
    useComputed(() => session.clock.value.step),
    150,
  ).value
  const on = session.bookmarks.value.includes(step)
  return (
    <Toggle
      icon="bookmark"
      label={words.bookmark}
      tip={on ? words.bookmarkAway(step) : words.bookmarkTip(step)}
      on={on}
      onPress={() => session.toggleBookmark()}
    />
  )
}

/** Time between two numbers of the step field, in milliseconds. */
const MOVING_MS = 50

/** Shows the step and takes a typed one. */
function StepField({ session, last }: { session: Session; last: number }): JSX.Element {
  const typing = useSignal<string | null>(null)
  const step = useThrottled(
    useComputed(() => session.clock.value.step),
    MOVING_MS,
  )
  const go = () => {
    const typed = typing.value
    typing.value = null
    if (typed !== null && typed.trim() !== '') session.player.seek(Number(typed))
  }
  return (
    <label class="step-field">
      <span>{words.step}</span>
      <input
        type="text"
        inputMode="numeric"
        autocomplete="off"
        aria-label={words.stepInput}
        size={Math.max(3, String(last).length)}
        maxLength={9}
        value={typing.value ?? String(step.value)}
        onFocus={(event) => {
          typing.value = event.currentTarget.value
          event.currentTarget.select()
        }}
        onInput={(event) => {
          typing.value = event.currentTarget.value.replace(/\D/g, '')
        }}
        onBlur={go}
        onKeyDown={(event) => {
          if (event.key === 'Escape') typing.value = null
          if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      <span class="of">{words.of(last)}</span>
    </label>
  )
}

interface ButtonProps {
  icon: IconName
  label: string
  tip: string
  onPress: () => void
}

function Press({ icon, label, tip, main, onPress }: ButtonProps & { main?: boolean }): JSX.Element {
  return (
    <button type="button" class={main ? 'press main' : 'press'} title={tip} onClick={onPress}>
      <Icon name={icon} size={main ? 22 : 18} />
      <span class="press-label">{label}</span>
    </button>
  )
}

function Toggle({ icon, label, tip, on, onPress }: ButtonProps & { on: boolean }): JSX.Element {
  return (
    <button type="button" class="toggle" aria-pressed={on} title={tip} onClick={onPress}>
      <Icon name={icon} size={16} />
      <span>{label}</span>
    </button>
  )
}
