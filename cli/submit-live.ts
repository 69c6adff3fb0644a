/** `troupe submit --live`: a policy plays on a server that holds the seeds and steps the worlds. */
import { TroupeError } from '../envs/core/index.ts'
import { type Policy } from '../agents/core/policy.ts'
import { type Scenario } from '../scenarios/schema.ts'
import { type Description } from '../server/protocol/rest.ts'
import { type Session } from './command.ts'
import { EXIT, readable } from './output.ts'
import { type Player } from './policies.ts'

/** Between two words on progress. */
const SAY_MS = 2000

export interface LiveWanted {
  readonly scenario: Scenario
  readonly player: Player
  readonly description: Description
  readonly server: string
  readonly key?: string
  readonly lanes: number
  readonly blind?: boolean
}

/**
 * Plays a whole live run and says where it stands.
 * @throws TroupeError bad-option for a policy that needs to see the whole world, or in the words of the server
 */
export async function submitLive(wanted: LiveWanted, session: Session): Promise<number> {
  const { server, key, scenario, player, description, lanes, blind } = wanted
  const { LiveRefused, playLive } = await import('../server/live/client.ts')
  const { policy } = player
  if (policy.privileged === true) {
    throw new TroupeError('bad-option', {
      where: `--policy ${player.name}`,
      got: 'one that sees the whole world',
      expected: 'one that chooses from observations: in a live evaluation nothing else is shown',
    })
  }
  let episodes = 0
  let said = performance.now()
  try {
    const done = await playLive({
      server,
      scenario: scenario.id,
      policy: () => policy as Policy,
      description,
      lanes: Math.min(64, lanes),
      ...(blind === undefined ? {} : { blind }),
      ...(key === undefined ? {} : { key }),
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
    const { entry: id, lateTurns, turns } = done
    const url = `${server.replace(/\/$/, '')}${done.path}`
    const result = { id, status: 'published', url, return: done.return, episodes: done.episodes, lateTurns, turns }
    session.out.result(result, () => {
      const late = lateTurns === 0 ? 'no turn late' : `${readable(lateTurns)} of ${readable(turns)} turns late`
      return `Return ${readable(done.return.mean)} over ${done.episodes} episodes, ${late}.\nPublished: ${url}`
    })
    return EXIT.fine
  } catch (error) {
    if (!(error instanceof LiveRefused)) throw error
    const { where = 'server', got = 'a refusal', expected = error.fields.message, nearest } = error.fields
    const ours = error.fields.code === 'busy' || error.fields.code === 'internal'
    const hint = nearest === undefined ? {} : { nearest }
    throw new TroupeError(ours ? 'environment' : 'bad-option', { where: `${server}: ${where}`, got, expected, ...hint })
  }
}
