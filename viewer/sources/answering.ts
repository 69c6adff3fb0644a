/** Opens one replay and answers for it; what the simulation worker does, wherever it runs. */
import { ENVS } from '../../envs/index.ts'
import { type Frame } from '../../envs/core/types.ts'
import { Episode, sentence } from './episode.ts'
import { type Answer, type Request } from './messages.ts'
import { buffersOf, Packer } from './pack.ts'

/** Steps surveyed at first and at most before the next look at the message queue, and how long a stretch should take, in ms. */
const FIRST_STEPS = 25
const SURVEY_STEPS = 200
const SURVEY_MS = 40
/** The survey lets the first question for steps go before it, for so long, in ms. */
const PATIENCE_MS = 300
/** Steps the timeline covers at most. */
const SURVEY_LIMIT = 200_000

/**
 * @param answer where answers go, and the memory in them that may change hands
 * @returns what hears requests
 */
export function answering(answer: (message: Answer, transfer?: ArrayBuffer[]) => void): (request: Request) => void {
  let episode: Episode | undefined
  let first: Frame | undefined
  /** Begins the survey of the opened episode, once. */
  let begin: () => void = () => {}

  function survey(opened: Episode, id: number, surveyed = 0, steps = FIRST_STEPS): void {
    if (episode !== opened) return
    try {
      const began = performance.now()
      const part = opened.survey(Math.min(steps, SURVEY_LIMIT - surveyed))
      // Worlds differ in what a step costs: a question of the page never waits longer than a stretch.
      const ms = Math.max(1, performance.now() - began)
      const next = Math.max(1, Math.min(SURVEY_STEPS, Math.floor((steps * SURVEY_MS) / ms)))
      const limited = !part.done && surveyed + steps >= SURVEY_LIMIT
      answer(
        { id, kind: 'survey', survey: limited ? { ...part, limited } : part },
        buffersOf([part.rewards, part.places]),
      )
      if (!part.done && !limited) setTimeout(() => survey(opened, id, surveyed + steps, next), 0)
    } catch (error) {
      answer({ id, kind: 'refused', message: sentence(opened.info.name, error) })
    }
  }

  return (data: Request) => {
    const { id } = data
    try {
      if (data.kind === 'open') {
        episode = undefined
        const opened = new Episode(data.name, data.material, ENVS)
        episode = opened
        first = opened.records(0, 1)[0].frame
        answer({ id, kind: 'opened', info: opened.info, first })
        begin = () => {
          begin = () => {}
          setTimeout(() => survey(opened, id), 0)
        }
        setTimeout(() => {
          if (episode === opened) begin()
        }, PATIENCE_MS)
      } else if (episode !== undefined && data.kind === 'records') {
        const packer = new Packer(first!)
        const records = episode.records(data.from, data.count).map((record) => packer.pack(record))
        answer({ id, kind: 'records', records }, buffersOf(records))
        begin()
      } else if (episode !== undefined && data.kind === 'verify') {
        answer({ id, kind: 'verdict', verdict: episode.verify() })
      }
    } catch (error) {
      const name = data.kind === 'open' ? data.name : (episode?.info.name ?? '')
      answer({ id, kind: 'refused', message: sentence(name, error) })
    }
  }
}
