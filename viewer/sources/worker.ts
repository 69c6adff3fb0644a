/** The simulation worker: opens one replay and answers for it. Keeps the page free while episodes are simulated. */
import { ENVS } from '../../envs/index.ts'
import { Episode, sentence } from './episode.ts'
import { type Answer, type Request } from './messages.ts'

/** Steps surveyed between two looks at the message queue. */
const SURVEY_STEPS = 200
/** Steps the timeline covers at most. */
const SURVEY_LIMIT = 200_000

let episode: Episode | undefined

function answer(message: Answer): void {
  self.postMessage(message)
}

function survey(opened: Episode, id: number, surveyed = 0): void {
  if (episode !== opened) return
  try {
    const part = opened.survey(SURVEY_STEPS)
    const limited = !part.done && surveyed + SURVEY_STEPS >= SURVEY_LIMIT
    answer({ id, kind: 'survey', survey: limited ? { ...part, limited } : part })
    if (!part.done && !limited) setTimeout(() => survey(opened, id, surveyed + SURVEY_STEPS), 0)
  } catch (error) {
    answer({ id, kind: 'refused', message: sentence(opened.info.name, error) })
  }
}

self.onmessage = ({ data }: MessageEvent<Request>) => {
  const { id } = data
  try {
    if (data.kind === 'open') {
      episode = undefined
      const opened = new Episode(data.name, data.material, ENVS)
      episode = opened
      answer({ id, kind: 'opened', info: opened.info })
      setTimeout(() => survey(opened, id), 0)
    } else if (episode !== undefined && data.kind === 'records') {
      answer({ id, kind: 'records', records: episode.records(data.from, data.count) })
    } else if (episode !== undefined && data.kind === 'verify') {
      answer({ id, kind: 'verdict', verdict: episode.verify() })
    }
  } catch (error) {
    const name = data.kind === 'open' ? data.name : (episode?.info.name ?? '')
    answer({ id, kind: 'refused', message: sentence(name, error) })
  }
}
