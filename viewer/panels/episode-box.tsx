/** A small moving picture of an episode, with the way to the whole page. */
import { type JSX } from 'preact'
import { useClock } from '../clock.ts'
import { Icon } from '../icons.tsx'
import { linkTo } from './bar.tsx'
import { type Session } from '../session.ts'
import { scenarioName, StageView } from '../stage/stage-view.tsx'
import { figure, strings } from '../strings.ts'
import { teamReturn, teamRewardOf } from '../survey.ts'
import { useThrottled } from './throttle.ts'

/** @param onOpen opens the whole page, where the episode has no address */
export function EpisodeBox(props: {
  session: Session
  caption: string
  failed?: boolean
  onOpen?: () => void
}): JSX.Element | null {
  const { session, caption, failed, onOpen } = props
  useClock(session)
  const info = session.info.value
  const record = useThrottled(session.record, 200).value
  const { playing, step, last } = session.clock.value
  if (failed === true && info === null) return null
  const total =
    record?.returns == null || info === null ? null : teamReturn(teamRewardOf(info.header.scenario), record.returns)
  return (
    <section class="episode-box" aria-label={caption}>
      <div class="episode-stage">{info !== null && <StageView session={session} interactive={false} />}</div>
      {info !== null && (
        <div class="episode-caption">
          <div>
            <strong>{caption}</strong>
            <span class="muted">
              {scenarioName(info.header.scenario)} ·{' '}
              {info.header.policies.map(({ name }) => name).join(', ') || strings.unknown}
            </span>
            <span class="muted tabular">
              {strings.timeline.sliderText(step, last)}
              {total !== null && ` · ${strings.bar.return} ${figure(total)}`}
            </span>
          </div>
          <div class="row">
            <button
              type="button"
              class="quiet-button"
              onClick={() => (step >= last && !playing ? session.player.open(last, 0, true) : session.player.toggle())}
            >
              <Icon name={playing ? 'pause' : 'play'} size={14} />
              {playing ? strings.transport.pause : strings.transport.play}
            </button>
            {onOpen === undefined ? (
              <a class="button" href={linkTo(session)}>
                {strings.home.open}
              </a>
            ) : (
              <button type="button" class="button" onClick={onOpen}>
                {strings.home.open}
              </button>
            )}
          </div>
        </div>
      )}
      {session.failure.value !== null && (
        <p class="failure" role="status">
          {session.failure.value}
        </p>
      )}
    </section>
  )
}
