import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { fixtureJson } from '../../testing.ts'
import { statistics } from '../../agents/core/evaluate.ts'
import { scenarioHash } from '../../scenarios/open.ts'
import { loadScenario } from '../../scenarios/load.ts'
import { sha256 } from '../files.ts'
import { checkRecord, recordText, type ResultRecord } from '../record.ts'
import { findRecords, loadRecords, writeReport } from '../report.ts'
import { csv, csvCell, RUN_COLUMNS, runsCsv } from './csv.ts'
import { figure } from './format.ts'
import { REPORT_POLICY, reportHtml } from './html.ts'
import { reportLatex, tex } from './latex.ts'
import { marlEval, type MarlEval } from './marl-eval.ts'
import { reportMarkdown } from './markdown.ts'
import { buildReport, namedRecords, type RecordAt } from './model.ts'

const home = mkdtempSync(join(tmpdir(), 'troupe-report-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const hunt = loadScenario('matrix/stag-hunt') // random 5, best 8
const climb = loadScenario('matrix/climbing-repeated') // random −86.1, best 275
const nano = loadScenario('warehouse/nano-2ag')

interface Wish {
  readonly scenario?: typeof hunt
  readonly algorithm?: string
  readonly seed?: string
  readonly returns?: number[]
  readonly curve?: readonly (readonly [step: number, returns: number[], won?: number])[]
  readonly change?: Partial<ResultRecord>
}

function made({ scenario = hunt, algorithm = 'mappo', seed = '1', returns, curve, change }: Wish = {}): ResultRecord {
  const plain = (values: number[]) => {
    const { interval, ...rest } = statistics(values)
    return { ...rest, interval: [interval[0], interval[1]] as [number, number] }
  }
  const absolute = returns ?? Array.from({ length: 32 }, (_, k) => 5 + (k % 4))
  const evaluations = (curve ?? [[0, [5, 5]], [500, [6, 6]], [1000, [7, 7]]] as const).map(([step, values, won = 0.5], point) => ({
    step,
    point,
    return: plain([...values]),
    returns: [...values],
    lengths: values.map(() => 1),
    metrics: { winRate: won, rare: point === 0 ? null : 1 },
    replays: [],
  })) // prettier-ignore
  return checkRecord({
    format: 1,
    scenario,
    scenarioHash: scenarioHash(scenario),
    environment: { id: scenario.env, version: scenario.version },
    algorithm,
    paper: 'a paper',
    settings: { lr: 0.001, shards: 2 },
    seed,
    status: 'finished',
    protocol: {
      policy: scenario.evaluation.policy,
      return: scenario.teamReward === 'mean' ? 'mean over agents' : 'sum over agents',
      teamReward: scenario.teamReward,
      points: evaluations.length,
      episodes: 2,
      absoluteEpisodes: absolute.length,
    },
    steps: { requested: 1000, total: 1000, perLane: 125, lanes: 8 },
    evaluations,
    best: { step: 1000, mean: 7 },
    absolute: {
      step: 1000,
      return: plain(absolute),
      returns: absolute,
      lengths: absolute.map(() => 1),
      metrics: { winRate: 0.75, rare: 1 },
      replays: [],
    },
    weightsHash: 'b'.repeat(64),
    seconds: 10,
    stepsPerSecond: 100,
    hardware: {
      cpu: 'a cpu',
      cores: 2,
      memoryBytes: 1,
      platform: 'linux x64',
      node: 'v20',
      backend: 'simd',
      portable: true,
    },
    package: '0.1.0',
    evidence: 0,
    ...change,
  })
}

const at = (
  record: ResultRecord,
  folder = `runs/${record.scenario.id}/${record.algorithm}/seed-${record.seed}`,
): RecordAt => ({
  record,
  folder,
})

/** Five runs each of two learners on two tasks; mappo is clearly better. */
const two = [hunt, climb].flatMap((scenario) =>
  ['mappo', 'ippo'].flatMap((algorithm) =>
    [1, 2, 3, 4, 5].map((seed) => {
      const [low, high] = scenario === hunt ? [5, 8] : [-86.111111, 275]
      const score = (algorithm === 'mappo' ? 0.8 : 0.4) + seed / 100
      return at(made({ scenario, algorithm, seed: String(seed), returns: Array(32).fill(low + score * (high - low)) }))
    }),
  ),
)

const quick = { replicates: 2000 }

test('return against sparsity: last evaluations by schedule and sparsity, dense runs being the measure', () => {
  const sparse = (sparsity: number, sparsitySchedule: string, seed: string, last: number) =>
    at(
      made({ algorithm: 'iagc', seed, curve: [[0, [9, 9]], [1000, [last - 1, last + 1]]], change: { settings: { sparsity, sparsitySchedule } } }), // prettier-ignore
      `runs/${sparsity}-${sparsitySchedule}-${seed}`,
    )
  const pruned = [
    sparse(0.9, 'linear', '1', 4),
    sparse(0.9, 'harmonic', '1', 5),
    sparse(0.9, 'harmonic', '2', 7),
    sparse(0.5, 'harmonic', '1', 7.5),
    sparse(0, 'polynomial', '1', 8),
  ]
  const report = buildReport([...pruned, at(made())], quick)
  const of = (schedule: string, sparsity: number, runs: number, [mean, low, high]: number[], ofDense: number) => ({ algorithm: 'iagc', schedule, sparsity, runs, mean, low, high, ofDense }) // prettier-ignore
  expect(report.tasks[0].sparsity).toEqual([
    of('', 0, 1, [8, 8, 8], 1),
    of('harmonic', 0.5, 1, [7.5, 7.5, 7.5], 7.5 / 8),
    of('harmonic', 0.9, 2, [6, 5, 7], 0.75),
    of('linear', 0.9, 1, [4, 4, 4], 0.5),
  ])
  expect(reportMarkdown(report)).toContain('| iagc | harmonic | 90 % | 6.00 | 5.00 | 7.00 | 75.0 % | 2 |')
  expect(reportHtml(report)).toContain('<td>90 %</td><td>6.00</td><td>5.00</td><td>7.00</td><td>75.0 %</td><td>2</td>')
  expect(reportLatex(report)).toContain('iagc & harmonic & 90 \\% & 6.00 & 5.00 & 7.00 & 75.0 \\% & 2')
  expect(buildReport(pruned.slice(1, 3), quick).tasks[0].sparsity).toEqual([]) // one sparsity is no comparison
  expect(buildReport([pruned[0], pruned[3]], quick).tasks[0].sparsity.map(({ ofDense }) => ofDense)).toEqual([
    null,
    null,
  ])
})

describe('the model', () => {
  const report = buildReport(two, quick)

  test('normalises by the scenario’s references, pools tasks, ranks what is beyond doubt', () => {
    const [all] = report.groups
    expect(all.tasks).toEqual(['matrix/stag-hunt', 'matrix/climbing-repeated'])
    expect(all.rows.map(({ entry }) => entry)).toEqual(['mappo', 'ippo'])
    expect(all.rows[0].values.iqm).toBeCloseTo(0.83, 9)
    expect(all.rows[1].values.mean).toBeCloseTo(0.43, 9)
    expect(all.rows.map(({ rank }) => [rank!.best, rank!.worst])).toEqual([[1, 1], [2, 2]]) // prettier-ignore
    expect(all.improvement).toMatchObject([{ x: 'mappo', y: 'ippo', p: 1, verdict: 'meaningful' }])
    expect(report.groups).toHaveLength(1) // one environment needs no group of its own
  })

  test('the same records give the same report', () => {
    expect(buildReport(two, quick)).toEqual(report)
    expect(reportHtml(buildReport(two, quick))).toBe(reportHtml(report))
  })

  test('names the protocol beside every number, also sum or mean over agents', () => {
    for (const { protocol } of report.tasks) {
      expect(protocol).toMatch(
        /mean of 32 fresh episodes of the best checkpoint; return = (sum|mean) over agents; policy/,
      )
      expect(protocol).toMatch(/along training 3 evaluations of 2 episodes/)
    }
    expect(report.tasks.map(({ returnIs }) => returnIs)).toEqual(['sum over agents', 'mean over agents'])
  })

  test('few runs get neither interval nor rank, and the reader is told', () => {
    const few = buildReport(
      two.filter(({ record }) => Number(record.seed) <= 2),
      quick,
    )
    expect(few.groups[0].rows.every(({ intervals, rank }) => intervals === null && rank === null)).toBe(true)
    expect(few.tasks.every(({ rows }) => rows.every(({ interval, rank }) => interval === null && rank === null))).toBe(
      true,
    )
    expect(few.notes.join('\n')).toMatch(/mappo: 2 runs: no interval below 3/)
  })

  test('a diverged run scores below all and is said, never left out', () => {
    const diverged = two.map((one, k) =>
      k > 1 ? one : at(made({ ...one.record, change: { ...one.record, status: 'diverged', absolute: null } })),
    )
    const { tasks, groups, notes } = buildReport(diverged, quick)
    const row = tasks[0].rows.find(({ entry }) => entry === 'mappo')!
    expect([row.mean, row.low, row.diverged]).toEqual([-Infinity, -Infinity, 2])
    expect(row.rank).toEqual({ rank: 2, best: 2, worst: 2 })
    expect(groups[0].rows.find(({ entry }) => entry === 'mappo')!.values.mean).toBe(-Infinity)
    expect(notes.join()).toContain('mappo: 2 runs diverged and score below all.')
    expect(figure(row.mean)).toBe('failed')
  })

  test('runs that are not over are left out and counted', () => {
    const [first, ...rest] = two
    const open = at(made({ change: { ...first.record, status: 'interrupted', absolute: null } }))
    expect(buildReport([open, ...rest], quick).notes[0]).toBe('1 of 20 runs are not over and are left out.')
    expect(() => buildReport([open], quick)).toThrow('only runs that are not over')
  })

  test('another task, protocol or the same run under one name is refused', () => {
    const other = { ...hunt, options: { ...hunt.options, horizon: 2 } }
    expect(() => buildReport([at(made()), at(made({ scenario: other, seed: '2' }))])).toThrow(/scenario hash/)
    expect(() => buildReport([at(made()), at(made({ seed: '2', returns: [1, 2] }))])).toThrow(
      'episodes of the absolute metric is 2; expected 32',
    )
    expect(() => buildReport([at(made()), at(made())])).toThrow('which is there already')
    expect(() => buildReport([])).toThrow('no records')
  })

  test('settings that differ make two entries, and only those settings are named', () => {
    const records = ['1', '2'].flatMap((seed) => [
      at(made({ seed })),
      at(made({ seed, change: { settings: { lr: 0.01, shards: 4 } } })),
    ])
    expect(buildReport(records, quick).entries.map(({ name }) => name)).toEqual(['mappo (lr=0.001)', 'mappo (lr=0.01)'])
    // Found by the learner, or another on another task: one recipe.
    const same = [at(made()), at(made({ scenario: nano, change: { settings: { lr: 0.01, shards: 1 } } }))]
    expect(buildReport(same, quick).entries.map(({ name }) => name)).toEqual(['mappo'])
  })

  test('who lacks a task is in the tables but not in the aggregates', () => {
    const partial = buildReport([...two, at(made({ algorithm: 'other' }))], quick)
    expect(partial.groups[0].rows.map(({ entry }) => entry)).toEqual(['mappo', 'ippo'])
    expect(partial.groups[0].partial).toEqual(['other'])
    expect(partial.tasks[0].rows.map(({ entry }) => entry)).toContain('other')
  })

  test('a scenario without references that differ stays out of the aggregates, and that is said', () => {
    const pennies = loadScenario('matrix/mp')
    const { groups, tasks, notes } = buildReport([...two, at(made({ scenario: pennies }))], quick)
    expect(groups[0].tasks).not.toContain('matrix/mp')
    expect(tasks.map(({ id }) => id)).toContain('matrix/mp')
    expect(notes.join()).toContain('matrix/mp')
  })

  test('a win rate is of its evaluation alone: all lost, then all won, is 0 and then 1', () => {
    const record = made({ curve: [[0, [0, 0], 0], [1000, [1, 1], 1]] }) // prettier-ignore
    expect(record.evaluations.map(({ metrics }) => metrics.winRate)).toEqual([0, 1])
    const { curves } = buildReport([at(record)], quick).tasks[0]
    expect([curves[0].value[0], curves[0].value.at(-1)]).toEqual([0, 1])
  })
})

describe('worst episodes', () => {
  const folder = join(home, 'runs/matrix/stag-hunt/mappo/seed-1')
  const bytes = new Uint8Array([1, 2, 3, 4])
  mkdirSync(join(folder, 'replays'), { recursive: true })
  writeFileSync(join(folder, 'replays/worst.replay'), bytes)
  const record = made()
  record.absolute!.replays = [
    { file: 'replays/worst.replay', sha256: sha256(bytes), episode: 0 },
    { file: 'replays/gone.replay', sha256: sha256(bytes), episode: 4 },
    { file: '../../../secret', sha256: sha256(bytes), episode: 1 },
  ]
  writeFileSync(join(folder, 'record.json'), recordText(record))
  const out = join(home, 'report')
  const { files, report } = writeReport(findRecords([join(home, 'runs')]), out, quick)
  const html = readFileSync(files.html, 'utf8')

  test('are listed lowest first and carried inside the page; what is not there is a link', () => {
    expect(report.worst.map(({ return: value, episode }) => [value, episode])).toEqual([[5, 0], [5, 4], [6, 1]]) // prettier-ignore
    expect(html).toContain('href="data:application/octet-stream;base64,AQIDBA=="')
    expect(html).toContain('href="../runs/matrix/stag-hunt/mappo/seed-1/replays/gone.replay"')
  })

  test('nothing but a replay whose hash is the record’s is read into the page', () => {
    writeFileSync(join(folder, 'replays/gone.replay'), 'another file')
    writeReport(findRecords([join(home, 'runs')]), out, quick)
    expect(readFileSync(files.html, 'utf8')).toContain(
      'href="../runs/matrix/stag-hunt/mappo/seed-1/replays/gone.replay"',
    )
    rmSync(join(folder, 'replays/gone.replay'))
  })

  test('every form is written, and a folder without records is refused', () => {
    for (const file of Object.values(files)) expect(existsSync(file)).toBe(true)
    const empty = join(home, 'empty')
    mkdirSync(empty)
    expect(() => findRecords([empty])).toThrow('without records')
    expect(() => findRecords([join(home, 'nowhere')])).toThrow('not there')
    expect(loadRecords(findRecords([folder]), out)[0].folder).toBe('../runs/matrix/stag-hunt/mappo/seed-1')
  })
})

describe('the page', () => {
  const evil = `<script>alert(1)</script>"'&`
  const html = reportHtml(
    buildReport([at(made({ change: { paper: evil, settings: { lr: evil } } })), ...two.slice(5)], {
      ...quick,
      title: evil,
    }),
  )

  test('is one file without scripts, handlers, style attributes or anything from elsewhere', () => {
    expect(html).not.toMatch(/<script|javascript:|\son\w+=|\sstyle=|@import|url\(|https?:/i)
    expect(html.match(/<style>/g)).toHaveLength(1)
    expect(html).toContain(`content="${REPORT_POLICY}"`)
    expect(REPORT_POLICY).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'$/,
    )
  })

  test('shows text as text', () => {
    expect(html).toContain('&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;')
  })

  test('says how every return was measured and draws no NaN', () => {
    expect(html.match(/Measured: mean of 32 fresh episodes/g)!.length).toBeGreaterThanOrEqual(2)
    expect(html).toMatch(/return \(sum over agents\)/)
    expect(html).not.toMatch(/NaN|Infinity|undefined/)
  })
})

describe('cells of tables', () => {
  test.each([
    ['=1+1', `'=1+1`],
    ['+1', `'+1`],
    ['-1', `'-1`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['  =1', `'  =1`],
    ['\t=1', `'\t=1`],
    ['\r=1', `"'\r=1"`],
    ['＝1', `'＝1`],
    ['a "b", c', '"a ""b"", c"'],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['plain', 'plain'],
    ['', ''],
  ])('%j is written %j', (value, expected) => {
    expect(csvCell(value)).toBe(expected)
  })

  test('numbers stay numbers, also negative ones; what is no number is empty', () => {
    expect([-1.5, 0, -0, 1e21, NaN, Infinity, -Infinity, null, undefined].map(csvCell)).toEqual(
      ['-1.5', '0', '0', '1e+21', '', '', '', '', ''], // prettier-ignore
    )
    expect(csv([['a', 1], ['=b', null]])).toBe(`a,1\r\n'=b,\r\n`) // prettier-ignore
  })

  test('a table of runs has one line each, stable columns, and no formula from any field', () => {
    const record = made({ change: { algorithm: '=cmd', paper: '@x', seed: '-1', package: '+2' } })
    const [head, line] = runsCsv(namedRecords([at(record)]))
      .trimEnd()
      .split('\r\n')
    expect(head).toBe(RUN_COLUMNS.join(','))
    expect(line).not.toMatch(/(^|,)"?[=+@]/)
    expect(line).toContain(`,'=cmd,'=cmd,'-1,finished,`)
    const failed = runsCsv(namedRecords([at(made({ change: { status: 'diverged', absolute: null } }))]))
    expect(failed).toContain(',diverged,sample,sum over agents,32,,,,,,')
  })

  test('Markdown and LaTeX write their own signs out', () => {
    const report = buildReport([at(made({ algorithm: 'a_b|c*$%&#{}~^\\' }))], quick)
    expect(reportMarkdown(report)).toContain('a\\_b\\|c\\*$%\\&\\#{}\\~^\\\\')
    expect(reportLatex(report)).toContain(
      'a\\_b|c*\\$\\%\\&\\#\\{\\}\\textasciitilde{}\\textasciicircum{}\\textbackslash{}',
    )
    expect(tex('−1 × 2')).toBe('$-$1 $\\times$ 2')
  })

  test.each([[0.5222222, '0.522'], [12.345, '12.3'], [-19.7777, '−19.8'], [1234.5, '1,235'], [0, '0.000'], [-0.00001, '0.000'], [-0.03, '−0.030'], [-Infinity, 'failed'], [NaN, '–'], [2.5e7, '2.50e7']])('%d is shown as %s', (value, text) => { expect(figure(value)).toBe(text) }) // prettier-ignore
})

// --- marl-eval ---------------------------------------------------------------------------------------------------------

/** marl-eval's processing as it documents and records it, for checking what it would make of an export. */
function processed(input: MarlEval, metric: string) {
  const out: Record<string, Record<string, { absolute: number[][]; steps: number[][][] }>> = {}
  for (const [env, tasks] of Object.entries(input)) {
    out[env] = {}
    const names = Object.keys(tasks)
    names.forEach((task, column) => {
      const algorithms = tasks[task]
      let low: number | undefined
      let high = NaN
      for (const runs of Object.values(algorithms)) for (const run of Object.values(runs)) for (const step of Object.values(run)) {
        const values = step[metric] as number[]
        const [least, most] = [Math.min(...values), Math.max(...values)]
        if (low === undefined) [low, high] = [least, most]
        else if (low > least) low = least // its maximum is then not looked at: a recorded slip
        else if (high < most) high = most
      } // prettier-ignore
      const norm = (values: number[]) => {
        const scaled = values.map((value) => (value - low!) / (high - low! + 1e-6))
        return scaled.reduce((sum, value) => sum + value, 0) / scaled.length
      }
      for (const [algorithm, runs] of Object.entries(algorithms)) {
        const cell = (out[env][algorithm] ??= { absolute: [], steps: [] })
        Object.values(runs).forEach((run, r) => {
          const steps = Object.entries(run)
          ;(cell.absolute[r] ??= [])[column] = norm(steps.at(-1)![1][metric] as number[])
          ;(cell.steps[r] ??= [])[column] = steps.slice(0, -1).map(([, step]) => norm(step[metric] as number[]))
        })
      }
    })
  }
  return out
}

/** What its loader takes for granted, said aloud. */
function requireLoadable(data: MarlEval) {
  for (const tasks of Object.values(data)) {
    const shape = (task: string) => Object.keys(tasks[task])
    const [first] = Object.keys(tasks)
    const metrics = new Set<string>()
    for (const task of Object.keys(tasks)) {
      expect(shape(task)).toEqual(shape(first))
      for (const [algorithm, runs] of Object.entries(tasks[task])) {
        expect(algorithm).toBe(algorithm.toLowerCase())
        expect(algorithm).not.toContain(',')
        const [one] = Object.values(tasks[first])
        expect(Object.keys(runs)).toEqual(Object.keys(one))
        for (const run of Object.values(runs)) {
          const keys = Object.keys(run)
          expect(keys.at(-1)).toBe('absolute_metrics')
          expect(keys.slice(0, -1)).toEqual(keys.slice(0, -1).map((_, k) => `step_${k}`))
          expect(keys).toHaveLength(Object.keys(Object.values(one)[0]).length)
          for (const [key, step] of Object.entries(run)) {
            const { step_count: count, ...values } = step as Record<string, number | number[]>
            expect(typeof count).toBe(key === 'absolute_metrics' ? 'undefined' : 'number')
            metrics.add(Object.keys(values).join())
            for (const list of Object.values(values)) {
              expect(Array.isArray(list) && list.length > 0 && list.every(Number.isFinite)).toBe(true)
            }
          }
        }
      }
    }
    expect(metrics.size).toBe(1) // every step has every metric
  }
}

describe('export for marl-eval', () => {
  const vectors = fixtureJson('algorithms/vectors.json')?.marl_eval

  test.runIf(vectors)(
    'three metrics of one step are one entry, and the recorded file comes out of records like it went in',
    () => {
      const { input } = vectors as { input: { Env: Record<string, Record<string, Record<string, Record<string, Record<string, number[]> & { step_count: number }>>>> } } // prettier-ignore
      const records: RecordAt[] = []
      for (const [task, algorithms] of Object.entries(input.Env)) {
        for (const [algorithm, runs] of Object.entries(algorithms)) {
          for (const [run, { absolute_metrics: absolute, ...steps }] of Object.entries(runs)) {
            const curve = Object.values(steps).map(({ step_count: step, return: values }) => [step, values] as [number, number[]]) // prettier-ignore
            const scenario = { ...hunt, id: `env/${task.toLowerCase()}`, env: 'env' }
            records.push(at(made({ scenario, algorithm, seed: run.slice(5), returns: absolute.return, curve })))
          }
        }
      }
      const named = namedRecords(records)
      // The recorded file begins at step 0; ours leaves that point out, so that the interval is printed right.
      const { data, notes } = marlEval(named)
      requireLoadable(data)
      expect(notes).toEqual([])
      expect(Object.keys(data)).toEqual(['env'])
      expect(Object.keys(data.env)).toEqual(vectors.extra.environment_list.env)
      expect(Object.keys(data.env.task_a)).toEqual([...vectors.extra.algorithm_list].sort())
      const step = data.env.task_a.algox.seed_0.step_0 as Record<string, unknown>
      expect(Object.keys(step)).toEqual(['step_count', 'return', 'win_rate', 'rare'])
      for (const [task, algorithms] of Object.entries(input.Env)) {
        for (const [algorithm, runs] of Object.entries(algorithms)) {
          for (const [run, steps] of Object.entries(runs)) {
            const ours = data.env[task.toLowerCase()][algorithm.toLowerCase()][run]
            expect((ours.absolute_metrics as { return: number[] }).return).toEqual(steps.absolute_metrics.return)
            const kept = Object.values(steps).filter((one) => one.step_count > 0)
            expect(Object.values(ours).slice(0, -1).map((one) => one.return)).toEqual(kept.map((one) => one.return)) // prettier-ignore
          }
        }
      }
    },
  )

  test.runIf(vectors)('our reading of its processing gives its recorded matrices, its slip included', () => {
    const lower = (value: unknown): unknown => value !== null && typeof value === 'object' && !Array.isArray(value) ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), lower(inner)])) : value // prettier-ignore
    const { env } = processed(lower(vectors.input) as MarlEval, 'return')
    const absolute = vectors.absolute_metric_matrices_runs_x_tasks.mean_norm_return
    const curves = vectors.sample_efficiency_matrices_runs_x_tasks_x_steps.mean_norm_return
    for (const algorithm of ['algox', 'algoy']) {
      expect(env[algorithm].absolute.flat()).toEqual(absolute[algorithm].flat().map((value: number) => expect.closeTo(value, 12))) // prettier-ignore
      expect(env[algorithm].steps.flat(2)).toEqual(curves[algorithm].flat(2).map((value: number) => expect.closeTo(value, 12))) // prettier-ignore
    }
    const quirk = processed(vectors.elif_quirk.input, Object.keys(Object.values(Object.values(Object.values(Object.values(vectors.elif_quirk.input as MarlEval)[0])[0])[0])[0].absolute_metrics)[0]) // prettier-ignore
    const { normalised } = vectors.elif_quirk
    const means = ['step_0', 'step_1'].map((key) => normalised[key].reduce((sum: number, value: number) => sum + value, 0) / normalised[key].length) // prettier-ignore
    expect(quirk.e.x.steps[0][0]).toEqual(means.map((value) => expect.closeTo(value, 12)))
    expect(quirk.e.x.absolute[0][0]).toBeCloseTo(normalised.absolute_metrics[0], 12)
  })

  test('a policy that does not learn is repeated, gaps are left out, and both are said', () => {
    const random = made({
      algorithm: 'random',
      curve: [],
      change: { policy: { privileged: false }, weightsHash: null, best: null },
    })
    const records = [
      at(made()),
      at(random),
      at(made({ seed: '2' })),
      at(made({ algorithm: 'Other,one', scenario: climb })),
    ]
    const { data, notes } = marlEval(namedRecords(records))
    // stag-hunt alone has mappo and random; climbing has another: no algorithm is on both tasks
    expect(data).toEqual({})
    expect(notes).toEqual(['matrix: Other,one, mappo, random left out: not on all 2 tasks.'])
    const hunted = marlEval(namedRecords(records.slice(0, 3)))
    requireLoadable(hunted.data)
    expect(Object.keys(hunted.data.matrix['stag-hunt'].mappo)).toEqual(['seed_1'])
    expect(Object.values(hunted.data.matrix['stag-hunt'].random.seed_1).slice(0, -1)).toMatchObject(
      [{ step_count: 500, return: [6.5] }, { step_count: 1000, return: [6.5] }], // prettier-ignore
    )
    expect(hunted.notes).toEqual([
      'matrix: only the 1 of 2 seeds that every algorithm has on every task.',
      'matrix: random did not learn; the score is repeated at every step.',
    ])
  })

  test('names that differ in case only are refused', () => {
    const records = namedRecords([at(made()), at(made({ algorithm: 'MAPPO' }))])
    expect(() => marlEval(records)).toThrow('differ by more than upper and lower case')
  })
})
