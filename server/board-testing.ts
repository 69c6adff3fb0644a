/** What the tests of the leaderboard share: a small task, honest and dishonest replays, and a client. */
import { request as ask, type IncomingMessage } from 'node:http'
import { TroupeError, type EpisodeSeed } from '../envs/index.ts'
import { readReplay, writeReplay, type Replay } from '../envs/core/replay.ts'
import { playEpisodes } from '../agents/core/play.ts'
import { POLICIES } from '../agents/index.ts'
import { openScenario, scenarioSpec, type Scenario } from '../scenarios/open.ts'
import { writeBundle, BUNDLE_TYPE } from './protocol/bundle.ts'
import { type ErrorFields } from './protocol/hello.ts'
import { type NewSubmission, type Submission } from './protocol/rest.ts'

/** Forty short episodes: enough for a rank, cheap to play. */
export const SMALL: Scenario = {
  id: 'warehouse/test-small',
  title: 'A small floor for tests',
  env: 'warehouse',
  version: '1',
  options: { size: 'tiny', robots: 2, horizon: 70 },
  teamReward: 'sum',
  evaluation: { points: 1, episodes: 32, absoluteEpisodes: 40, policy: 'greedy' },
  reference: { random: 0, best: 4 },
}

/** The prisoner's dilemma, once: episodes of one step. */
export const GAME: Scenario = {
  id: 'matrix/test-pd',
  title: "A prisoner's dilemma for tests",
  env: 'matrix',
  version: '1',
  options: { game: 'pd' },
  teamReward: 'mean',
  evaluation: { points: 1, episodes: 32, absoluteEpisodes: 32, policy: 'greedy' },
  reference: { random: -2, best: 0 },
}

/** Replays of a policy on these seeds, without what a submission does not need. */
export function replaysOf(scenario: Scenario, seeds: readonly EpisodeSeed[], policy = 'random', rng = '1'): Replay[] {
  const batch = openScenario(scenario, { lanes: Math.min(16, seeds.length), autoreset: 'disabled' })
  const { episodes } = playEpisodes({
    batch,
    policy: POLICIES[policy].create(scenarioSpec(scenario)),
    seeds,
    rng,
    teamReward: scenario.teamReward,
    record: () => ({ scenario, policies: [{ name: policy }], package: '0' }),
  })
  return episodes.map(({ replay }) => {
    const { probability: _p, value: _v, ...rest } = readReplay(replay!)
    return rest
  })
}

export const bundleOf = (replays: readonly Replay[]): Uint8Array => writeBundle(replays.map((one) => writeReplay(one)))

export const meanOf = (replays: readonly Replay[]): number =>
  replays.reduce((sum, { header }) => sum + header.result!.return, 0) / replays.length

export function description(name = 'somebody'): NewSubmission['description'] {
  return { name, algorithm: 'random', mode: 'sample', centralised: false, compute: { steps: 1000, device: 'a laptop' } }
}

export interface Heard {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers of every kind
  readonly json: any
}

/** A client that can also be rude: raw paths, any method, any header. */
export class Client {
  private readonly port: number
  readonly key: string | undefined

  constructor(port: number, key?: string) {
    this.port = port
    this.key = key
  }

  with(key: string | undefined): Client {
    return new Client(this.port, key)
  }

  ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Heard> {
    const bytes =
      body === undefined
        ? undefined
        : body instanceof Uint8Array
          ? body
          : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const all: Record<string, string> = {
      ...(this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }),
      ...(bytes === undefined
        ? {}
        : {
            'content-type': body instanceof Uint8Array ? BUNDLE_TYPE : 'application/json',
            'content-length': String(bytes.length),
          }),
      ...headers,
    }
    return new Promise((done, fail) => {
      const asked = ask(
        { host: '127.0.0.1', port: this.port, path, method, headers: all, agent: false },
        (response) => {
          const parts: Buffer[] = []
          response.on('data', (part: Buffer) => parts.push(part))
          response.on('error', fail)
          response.on('end', () => {
            const text = Buffer.concat(parts).toString()
            const isJson = response.headers['content-type']?.includes('json') === true && text !== ''
            const json: unknown = isJson ? JSON.parse(text) : undefined
            done({ status: response.statusCode!, headers: response.headers, text, json })
          })
        },
      )
      asked.on('error', fail)
      asked.end(bytes)
    })
  }

  get(path: string, headers?: Record<string, string>): Promise<Heard> {
    return this.ask('GET', path, undefined, headers)
  }

  /** @throws with the server's words when it is refused */
  async open(
    asked: Partial<NewSubmission> & { scenario: string },
    headers?: Record<string, string>,
  ): Promise<Submission> {
    const heard = await this.ask(
      'POST',
      '/api/submissions',
      { level: 'replayed', description: description(), ...asked },
      headers,
    )
    if (heard.status >= 300) throw refused(heard)
    return heard.json as Submission
  }

  async upload(id: string, bundle: Uint8Array): Promise<Submission> {
    const heard = await this.ask('PUT', `/api/submissions/${id}/bundle`, bundle)
    if (heard.status >= 300) throw refused(heard)
    return heard.json as Submission
  }

  /** Waits until a submission is published, failed or expired. */
  async settled(id: string, ms = 20_000): Promise<Submission> {
    const deadline = Date.now() + ms
    for (;;) {
      const { json } = await this.get(`/api/submissions/${id}`)
      const submission = json as Submission
      if (['published', 'failed', 'expired'].includes(submission.state)) return submission
      if (Date.now() > deadline) throw new Error(`submission ${id} is still ${submission.state}`)
      await new Promise((resolve) => setTimeout(resolve, 15))
    }
  }

  /** The whole way of an honest submission. */
  async submit(
    scenario: Scenario,
    policy = 'random',
    rng = '1',
    more: Partial<NewSubmission> = {},
  ): Promise<Submission> {
    const opened = await this.open({ scenario: scenario.id, ...more })
    const replays = replaysOf(scenario, opened.seeds!, policy, rng)
    await this.upload(opened.id, bundleOf(replays))
    return this.settled(opened.id)
  }
}

function refused({ status, json, text }: Heard): Error {
  const fields = (json as { error?: ErrorFields } | undefined)?.error
  if (fields === undefined) return new Error(`${status} ${text}`)
  return Object.assign(
    new TroupeError('bad-message', {
      where: fields.where ?? '',
      got: fields.got ?? '',
      expected: fields.expected ?? '',
    }),
    { status, fields, message: fields.message },
  )
}
