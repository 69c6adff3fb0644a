/**
 * The result record of one run: everything a number needs to be believed or re-made. One JSON document, versioned;
 * unknown fields are refused, so that a typing error never becomes a silent gap.
 */
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import { Type, type Static, type TSchema } from '#typebox'
import { TroupeError, check, shown } from '../envs/core/index.ts'
import { Scenario } from '../scenarios/schema.ts'

export const RECORD_FORMAT = 1
const MAX_TEXT = 1 << 28

const strict = <P extends Record<string, TSchema>>(properties: P, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description === undefined ? {} : { description }) })
const text = (description: string) => Type.String({ maxLength: 10_000, description })
const hash = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description })
const count = (description: string) => Type.Integer({ minimum: 0, description })

const Statistics = strict(
  {
    mean: Type.Number(),
    std: Type.Number({ minimum: 0, description: 'Sample standard deviation over episodes (n − 1).' }),
    min: Type.Number(),
    max: Type.Number(),
    interval: Type.Tuple([Type.Number(), Type.Number()], { description: "95 %: mean ± t std / √n, Student's t." }),
  },
  'Of the return over episodes.',
)

const ReplayFile = strict({
  file: text('Path from the folder of the run.'),
  sha256: hash('Of the file.'),
  episode: count('Which episode of the evaluation.'),
})

const Measured = {
  return: Statistics,
  returns: Type.Array(Type.Number(), { description: 'Return of every episode, in the order of the seeds.' }),
  lengths: Type.Array(Type.Integer({ minimum: 0 }), { description: 'Steps of every episode.' }),
  metrics: Type.Record(Type.String(), Type.Union([Type.Number(), Type.Null()]), {
    description: 'Means over the episodes where the metric is defined.',
  }),
  replays: Type.Array(ReplayFile),
}

export const EvaluationPoint = strict({
  step: count('Environment steps of training before this evaluation, over all lanes.'),
  point: count('Number of the evaluation; its episodes have the seeds eval | point | 0, 1, 2 …'),
  ...Measured,
})
export type EvaluationPoint = Static<typeof EvaluationPoint>

export const ResultRecord = strict(
  {
    format: Type.Literal(RECORD_FORMAT),
    scenario: Scenario,
    scenarioHash: hash('Content hash of the scenario.'),
    environment: strict({ id: text('Environment.'), version: text('Its version.') }),
    plugin: Type.Optional(strict({ name: text('Foreign environment.'), sha256: hash('Of its entry file.') })),
    algorithm: text('Name in `troupe algorithms`.'),
    paper: text('Where the algorithm is from.'),
    settings: Type.Record(Type.String(), Type.Unknown(), { description: 'All settings as they took effect.' }),
    seed: text('Root of every draw of the run.'),
    status: Type.Union([Type.Literal('finished'), Type.Literal('interrupted'), Type.Literal('diverged')]),
    diverged: Type.Optional(strict({ step: count('Environment step.'), message: text('Tensor and value.') })),
    protocol: strict(
      {
        policy: Type.Union(
          [Type.Literal('greedy'), Type.Literal('sample'), Type.Literal('scripted'), Type.Literal('planner')],
          { description: 'Likeliest action, or drawn from the distribution; scripted and planner do not learn.' },
        ),
        return: Type.Union([Type.Literal('sum over agents'), Type.Literal('mean over agents')]),
        teamReward: Type.Union([Type.Literal('none'), Type.Literal('sum'), Type.Literal('mean')]),
        points: count('Evaluations planned.'),
        episodes: count('Episodes of each.'),
        absoluteEpisodes: count('Episodes of the absolute metric.'),
      },
      'How every return in this record was measured.',
    ),
    steps: strict({
      requested: count('Environment steps asked for.'),
      total: count('Environment steps done, over all lanes.'),
      perLane: count('Of each parallel episode.'),
      lanes: count('Parallel episodes.'),
    }),
    evaluations: Type.Array(EvaluationPoint),
    best: Type.Union([
      strict({
        step: count('Evaluation with the highest mean.'),
        mean: Type.Number(),
        from: Type.Optional(
          count('Evaluations before this step do not count: networks were not as sparse as they end.'),
        ),
      }),
      Type.Null(),
    ]),
    absolute: Type.Union([
      strict({ step: count('Training steps of the checkpoint that was measured: the best.'), ...Measured }),
      Type.Null(),
    ]),
    weightsHash: Type.Union([hash('SHA-256 of policy and critic after the last update.'), Type.Null()], {
      description: 'null for a policy that is not learned.',
    }),
    policy: Type.Optional(
      strict(
        {
          privileged: Type.Boolean({ description: 'Whether it sees the whole world instead of observations.' }),
          sha256: Type.Optional(hash('Of the entry file, where it is a plug-in.')),
        },
        'Only of a policy that is not learned: such a record has no evaluations, only the absolute metric.',
      ),
    ),
    seconds: Type.Number({ minimum: 0, description: 'Wall time, evaluations included; over all sittings.' }),
    stepsPerSecond: Type.Number({ minimum: 0, description: 'Training steps over this wall time.' }),
    hardware: strict({
      cpu: text('Model.'),
      cores: count('Logical.'),
      memoryBytes: count('Of the machine.'),
      platform: text('System and processor.'),
      node: text('Version of Node.'),
      backend: text('What computed tensors.'),
      portable: Type.Boolean({ description: 'Whether another machine gets the same bits.' }),
      workers: Type.Optional(
        Type.Integer({
          minimum: 1,
          description: 'Threads that shared the shards in the last sitting; changes the time, not the numbers.',
        }),
      ),
    }),
    package: text('Version of troupe.'),
    evidence: Type.Literal(0, { description: '0: claimed by the one who ran it; replays can be checked by anyone.' }),
  },
  'One training run, measured.',
)
export type ResultRecord = Static<typeof ResultRecord>

/**
 * Checks a record that came from outside.
 * @throws TroupeError bad-version, bad-option naming the field
 */
export function checkRecord(value: unknown, where = 'record'): ResultRecord {
  const format = (value as { format?: unknown } | null)?.format
  if (value === null || typeof value !== 'object' || format !== RECORD_FORMAT) {
    throw new TroupeError('bad-version', {
      where,
      got: value === null || typeof value !== 'object' ? shown(value) : `format ${shown(format)}`,
      expected: `a record of format ${RECORD_FORMAT}`,
    })
  }
  return check(ResultRecord, value, where)
}

/** Reads and checks a record file. @throws TroupeError bad-file, bad-version, bad-option */
export function readRecord(path: string): ResultRecord {
  const bytes = readFileSync(path)
  if (bytes.length > MAX_TEXT) {
    throw new TroupeError('bad-file', { where: path, got: `${bytes.length} bytes`, expected: `at most ${MAX_TEXT}` })
  }
  let value: unknown
  try {
    value = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new TroupeError('bad-file', { where: path, got: 'not JSON', expected: 'a result record' })
  }
  return checkRecord(value, path)
}

/** A record as a file: one line per field and per evaluation, so that it is short and a difference is found by eye. */
export function recordText(record: ResultRecord): string {
  const fields = Object.entries(record).filter(([, value]) => value !== undefined)
  const lines = fields.map(([name, value]) => {
    const rows =
      Array.isArray(value) && value.length > 0 ? value.map((row) => `\n    ${JSON.stringify(row)}`) : undefined
    return `  ${JSON.stringify(name)}: ${rows === undefined ? JSON.stringify(value) : `[${rows.join()}\n  ]`}`
  })
  return `{\n${lines.join(',\n')}\n}\n`
}

/** What the run was computed on, and by how many threads where that is a choice. */
export function hardware(
  backend: { readonly detail: string; readonly portable: boolean },
  workers?: number,
): ResultRecord['hardware'] {
  const processors = cpus()
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryBytes: totalmem(),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    backend: backend.detail,
    portable: backend.portable,
    ...(workers === undefined ? {} : { workers }),
  }
}

/** Version of this copy of troupe, from the package.json above the sources or the built files. */
export function packageVersion(): string {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as Record<string, string>
      if (name === 'troupe') return version
    } catch {
      // not there: sources and built files lie at different depths
    }
  }
  return 'unknown'
}
