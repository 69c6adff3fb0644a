/** What a scenario and a suite look like as JSON, and the check of both. Pure: no files, no environments. */
import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { TroupeError, check, shown } from '../envs/index.ts'

/** Parts of letters, digits, dots, dashes, separated by slashes: `warehouse/tiny-2ag`. Nothing can climb out of a folder. */
export const ID_PATTERN = '^[a-z0-9][a-z0-9_-]*(?:[./][a-z0-9_-]+)*$'

const Id = Type.String({ pattern: ID_PATTERN, maxLength: 120 })

export const Scenario = Type.Object(
  {
    id: Id,
    title: Type.String({ minLength: 1, maxLength: 200 }),
    /** Id of the environment. */
    env: Type.String({ minLength: 1, maxLength: 120 }),
    /** Version of the environment that the scenario was written for. */
    version: Type.String({ minLength: 1, maxLength: 40 }),
    /** The environment's options; left-out ones take their defaults. */
    options: Type.Record(Type.String(), Type.Unknown()),
    /** Agents driven from outside; left out = all. */
    control: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Array(Type.String({ maxLength: 120 }), { minItems: 1, maxItems: 4096 })]),
    ),
    /** How learners and the return join the agents' rewards. */
    teamReward: Type.Union([Type.Literal('none'), Type.Literal('sum'), Type.Literal('mean')]),
    /** How results are measured (Gorsane et al. 2022). */
    evaluation: Type.Object(
      {
        /** Evaluations spread evenly over a training run. */
        points: Type.Integer({ minimum: 1, maximum: 10_000 }),
        /** Episodes of each. */
        episodes: Type.Integer({ minimum: 1, maximum: 100_000 }),
        /** Fresh episodes of the best checkpoint after training. */
        absoluteEpisodes: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
        /** Whether the policy's likeliest action is taken, or one drawn from its distribution. */
        policy: Type.Union([Type.Literal('greedy'), Type.Literal('sample')]),
      },
      { additionalProperties: false },
    ),
    /** Returns to compare with, and where they are from. */
    reference: Type.Optional(
      Type.Object(
        {
          random: Type.Optional(Type.Number()),
          best: Type.Optional(Type.Number()),
          source: Type.Optional(Type.String({ maxLength: 2000 })),
        },
        { additionalProperties: false },
      ),
    ),
    notes: Type.Optional(Type.String({ maxLength: 10_000 })),
  },
  { additionalProperties: false },
)
export type Scenario = Static<typeof Scenario>

export const Suite = Type.Object(
  {
    id: Id,
    title: Type.String({ minLength: 1, maxLength: 200 }),
    /** Ids of scenarios, in the order of tables. */
    scenarios: Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true }),
    notes: Type.Optional(Type.String({ maxLength: 10_000 })),
  },
  { additionalProperties: false },
)
export type Suite = Static<typeof Suite>

export type TeamReward = Scenario['teamReward']

/** Longest scenario or suite file in characters; the largest shipped one is far below. */
export const MAX_TEXT = 1_000_000

/**
 * Checks plain data against the scenario's shape. Whether this build knows the environment and its options is the
 * business of `scenarioSpec` and `openScenario`.
 * @param where file or door, for the message
 * @throws TroupeError naming the field, what came, what was expected and the nearest name
 */
export function checkScenario(value: unknown, where: string): Scenario {
  return checkObject(Scenario, value, where, 'a scenario object')
}

/** Checks plain data against the suite's shape. */
export function checkSuite(value: unknown, where: string): Suite {
  return checkObject(Suite, value, where, 'a suite object')
}

function checkObject<S extends TSchema>(schema: S, value: unknown, where: string, expected: string): Static<S> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new TroupeError('bad-file', { where, got: shown(value), expected })
  }
  return check(schema, value, where)
}

/** JSON text to plain data; a slip is told with its line and column where the engine names a position. */
export function parseJson(text: string, where: string): unknown {
  if (text.length > MAX_TEXT) {
    throw new TroupeError('bad-file', {
      where,
      got: `${text.length} characters long`,
      expected: `at most ${MAX_TEXT}`,
    })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new TroupeError('bad-file', {
      where: `${where}${placeOf(error, text)}`,
      got: `not JSON (${String((error as Error).message).slice(0, 120)})`,
      expected: 'JSON',
    })
  }
}

function placeOf(error: unknown, text: string): string {
  const position = /position (\d+)/.exec(String((error as Error).message))
  if (position === null) return ''
  const before = text.slice(0, Number(position[1])).split('\n')
  return `:${before.length}:${before[before.length - 1].length + 1}`
}
