/** Tournaments of a data folder: `tournaments/<name>/tournament.json`, as `troupe tournament --out` writes it. */
import { join } from 'node:path'
import { type Static } from '#typebox'
import { TroupeError, nearestName, shown } from '../envs/core/errors.ts'
import { check } from '../envs/core/schema.ts'
import { entries, inOrder, isPlainName, readObject } from './files.ts'
import { type Limits } from './limits.ts'
import { TournamentFile, type Tournament, type TournamentList } from './protocol/tournaments.ts'
import { fileProblem } from './refusal.ts'

export const TOURNAMENTS = 'tournaments'
const FILE = 'tournament.json'

export class Tournaments {
  private readonly folder: string
  private readonly limits: Limits

  constructor(data: string, limits: Limits) {
    this.folder = join(data, TOURNAMENTS)
    this.limits = limits
  }

  /** The newest first. */
  async list(): Promise<TournamentList> {
    const names = await this.names()
    const list: TournamentList = { tournaments: [], skipped: [] }
    await inOrder(names.slice(0, this.limits.runs), async (id) => {
      try {
        const { scenario, players, order, episodes, at } = await this.read(id)
        const best = players[order[0]]
        list.tournaments.push({ id, scenario: scenario.id, players: players.length, best, episodes, at })
      } catch (error) {
        list.skipped.push({ id, reason: fileProblem(error) })
      }
    })
    for (const id of names.slice(this.limits.runs)) list.skipped.push({ id, reason: 'more than are listed' })
    list.tournaments.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : a.id < b.id ? -1 : 1))
    list.skipped.sort((a, b) => (a.id < b.id ? -1 : 1))
    return list
  }

  /** @throws TroupeError unknown-name, or bad-file with what is wrong in it */
  async find(id: string): Promise<Tournament> {
    // Looked up among the names that are there; never made into a path.
    const names = await this.names()
    if (!names.includes(id)) {
      const nearest = nearestName(id, names)
      throw new TroupeError('unknown-name', {
        where: 'tournament',
        got: shown(id),
        expected: names.length === 0 ? 'none is there yet' : 'one of /api/tournaments',
        ...(nearest === undefined ? {} : { nearest: shown(nearest) }),
      })
    }
    return this.read(id)
  }

  private async names(): Promise<string[]> {
    const all = await entries(this.folder)
    return all
      .filter((one) => one.isDirectory() && isPlainName(one.name))
      .map(({ name }) => name)
      .sort()
  }

  private async read(id: string): Promise<Tournament> {
    const file = await readObject(join(this.folder, id, FILE), FILE, this.limits.runBytes)
    const { scenario, ...rest } = checked(file.value)
    const fits = (ok: boolean, where: string, got: string, expected: string) => {
      if (!ok) throw new TroupeError('bad-file', { where: `${FILE}: ${where}`, got, expected })
    }
    const n = rest.players.length
    for (const name of ['payoffs', 'wins'] as const) {
      const table = rest[name]
      fits(table.length === n && table.every((row) => row.length === n), name, 'of another size', `${n} rows of ${n}`)
    }
    fits(rest.means.length === n, 'means', `${rest.means.length}`, `${n}, one for each player`)
    const places = new Set(rest.order.filter((place) => place < n))
    fits(places.size === n && rest.order.length === n, 'order', 'not every player once', `0 to ${n - 1} in some order`)
    const odd = rest.ratings.find(({ player }) => !rest.players.includes(player))
    fits(odd === undefined, 'ratings', shown(odd?.player), 'names of players')
    return { id, at: new Date(file.modifiedMs).toISOString(), scenario: { id: scenario.id }, ...rest }
  }
}

function checked(value: unknown): Static<typeof TournamentFile> {
  try {
    return check(TournamentFile, value, FILE)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    // Nothing the visitor asked is wrong.
    const { where, got, expected } = error
    throw new TroupeError('bad-file', { where, got, expected })
  }
}
