/** What a scenario and a suite look like as JSON, and the check of both. Pure: no files, no environments. */
import { Type, type Static, type TSchema } from '#typebox'
import { TroupeError, check, shown } from '../envs/index.ts'

/** Parts of letters, digits, dots, dashes, separated by slashes: `warehouse/tiny-2ag`. Nothing can climb out of a folder. */
export const ID_PATTERN = '^[a-z0-9][a-z0-9_-]*(?:[./][a-z0-9_-]+)*$'

const ID = { pattern: ID_PATTERN, maxLength: 120 }

const Title = Type.String({ minLength: 1, maxLength: 200, description: 'One line for tables.' })
const Notes = Type.String({ maxLength: 10_000, description: 'Anything a reader should know.' })

const Evaluation = Type.Object(
  {
    points: Type.Integer({
      minimum: 1,
      maximum: 10_000,
      description: 'Evaluations spread evenly over a training run.',
    }),
    episodes: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Episodes of each evaluation.' }),
    absoluteEpisodes: Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Fresh episodes of the best checkpoint after training.',
    }),
    policy: Type.Union([Type.Literal('greedy'), Type.Literal('sample')], {
      description: 'Whether the likeliest action is taken or one is drawn from the distribution.',
    }),
  },
  { additionalProperties: false, description: 'How results are measured.' },
)

const Reference = Type.Object(
  {
    random: Type.Optional(Type.Number({ description: 'Mean return of uniformly random play.' })),
    best: Type.Optional(Type.Number({ description: 'Best return known, or the largest there can be.' })),
    source: Type.Optional(Type.String({ maxLength: 2000, description: 'Where the two are from.' })),
  },
  { additionalProperties: false, description: 'Returns to compare with.' },
)

export const Scenario = Type.Object(
  {
    id: Type.String({ ...ID, description: 'Where it lies: `<env>/<name>`.' }),
    title: Title,
    env: Type.String({ minLength: 1, maxLength: 120, description: 'Id of the environment.' }),
    version: Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'Version of the environment that the scenario was written for.',
    }),
    options: Type.Record(Type.String(), Type.Unknown(), {
      description: "The environment's options; those left out take their defaults.",
    }),
    control: Type.Optional(
      Type.Union([Type.Literal('all'), Type.Array(Type.String({ maxLength: 120 }), { minItems: 1, maxItems: 4096 })], {
        description: 'Ids of the agents driven from outside, or `all` (the default); the world drives the others.',
      }),
    ),
    teamReward: Type.Union([Type.Literal('none'), Type.Literal('sum'), Type.Literal('mean')], {
      description: "How learners and the return join a team's rewards: `none`, `sum` or `mean`.",
    }),
    evaluation: Evaluation,
    reference: Type.Optional(Reference),
    notes: Type.Optional(Notes),
  },
  { additionalProperties: false },
)
export type Scenario = Static<typeof Scenario>

export const Suite = Type.Object(
  {
    id: Type.String({ ...ID, description: 'Name of the file.' }),
    title: Title,
    scenarios: Type.Array(Type.String(ID), {
      minItems: 1,
      maxItems: 1000,
      uniqueItems: true,
      description: 'Ids, in the order of tables.',
    }),
    notes: Type.Optional(Notes),
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
