/** `troupe submit --live`: a policy plays on a server that holds the seeds and steps the worlds. */
import { TroupeError } from '../envs/core/index.ts'
import { type PlayMode } from '../agents/core/learner.ts'
import { type Policy } from '../agents/core/policy.ts'
import { loadScenario } from '../scenarios/load.ts'
import { type LiveDone } from '../server/protocol/live.ts'
import { type Description } from '../server/protocol/rest.ts'
import { type Session } from './command.ts'
import { readable } from './output.ts'
import { resolvePlayer } from './policies.ts'
import { ENVS } from '../envs/index.ts'

/** Between two words on progress. */
const SAY_MS = 2000

export interface LiveWanted {
  readonly server: string
  readonly key?: string
  readonly scenario: string
  /** Name, folder of a run or checkpoint, or module. */
  readonly policy: string
  readonly lanes?: number
  readonly mode?: PlayMode
  readonly backend?: string
  readonly name?: string
  readonly blind?: boolean
  /** Further words about the policy: algorithm, settings, training. */
  readonly description?: Partial<Description>
}

export interface LiveSubmitted {
  readonly id: string
  readonly status: 'published'
  readonly url: string
  readonly return: LiveDone['return']
  readonly episodes: number
  readonly lateTurns: number
  readonly turns: number
}

/**
 * Plays a whole live run.
 * @throws TroupeError bad-option for a policy that needs to see the whole world
 */
export async function submitLive(wanted: LiveWanted, session: Session): Promise<LiveSubmitted> {
  const { server, key, policy: named, lanes, backend, blind } = wanted
  const { playLive, LiveRefused } = await import('../server/live/client.ts')
  const known = loadScenario(wanted.scenario)
  const mode = wanted.mode ?? known.evaluation.policy
  const player = await resolvePlayer(named, known, ENVS, mode, session, backend)
  if (player.policy.privileged === true) {
    throw new TroupeError('bad-option', {
      where: `--policy ${player.name}`,
      got: 'one that sees the whole world',
      expected: 'one that chooses from observations: in a live evaluation nothing else is shown',
    })
  }
  const policy = player.policy as Policy
  const learned = player.manner === 'greedy' || player.manner === 'sample'
  const description: Description = {
    name: wanted.name ?? player.name,
    algorithm: player.name,
    mode: learned ? (player.manner as 'greedy' | 'sample') : player.manner === 'planner' ? 'planner' : 'scripted',
    centralised: false,
    package: session.version,
    ...(player.hash === undefined ? {} : { policyHash: player.hash }),
    ...wanted.description,
  }
  let episodes = 0
  let said = performance.now()
  try {
    const done = await playLive({
      server,
      scenario: known.id,
      policy: () => policy,
      description,
      ...(blind === undefined ? {} : { blind }),
      ...(key === undefined ? {} : { key }),
      ...(lanes === undefined ? {} : { lanes }),
      onStart: (started) => {
        episodes = started.episodes
        session.out.log(`Entry ${started.entry}: ${episodes} episodes, ${started.stepMs} ms for every answer.`)
      },
      onTurn: (turn, begun) => {
        if (performance.now() - said < SAY_MS) return
        said = performance.now()
        session.out.log(`turn ${readable(turn)}: episode ${begun} of ${episodes} has begun`)
      },
    })
    const { entry: id, path, lateTurns, turns } = done
    const url = `${server.replace(/\/$/, '')}${path}`
    return { id, status: 'published', url, return: done.return, episodes: done.episodes, lateTurns, turns }
  } catch (error) {
    if (!(error instanceof LiveRefused)) throw error
    const { where = 'server', got = 'a refusal', expected = error.fields.message, nearest } = error.fields
    const code = error.fields.code === 'busy' || error.fields.code === 'internal' ? 'environment' : 'bad-option'
    throw new TroupeError(code, {
      where: `${server}: ${where}`,
      got,
      expected,
      ...(nearest === undefined ? {} : { nearest }),
    })
  } finally {
    policy.dispose?.()
  }
}
