/** From records on disk to a report in every form: the folder `troupe report` writes. */
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { TroupeError } from '../envs/core/index.ts'
import { sha256, writeAtomic } from './files.ts'
import { runsCsv } from './report/csv.ts'
import { reportHtml } from './report/html.ts'
import { reportLatex } from './report/latex.ts'
import { marlEval } from './report/marl-eval.ts'
import { reportMarkdown } from './report/markdown.ts'
import { buildReport, namedRecords, type RecordAt, type Report, type ReportOptions } from './report/model.ts'
import { readRecord } from './record.ts'

/** Deepest folder that is looked into, and most records in one report. */
const DEPTH = 12
const MOST = 20_000
/** Replays carried inside the page, worst first, in bytes; the others are linked to. */
const EMBEDDED = 1 << 20

export interface WrittenReport {
  readonly report: Report
  /** Paths of what was written, by kind. */
  readonly files: Readonly<Record<'html' | 'markdown' | 'latex' | 'csv' | 'marlEval', string>>
  /** What the marl-eval file leaves out. */
  readonly exportNotes: readonly string[]
}

/**
 * Records under files and folders, in order of path.
 * @throws TroupeError when a path is not there or holds none
 */
export function findRecords(paths: readonly string[]): string[] {
  const found = new Set<string>()
  for (const path of paths) {
    if (!existsSync(path)) {
      throw new TroupeError('bad-file', {
        where: path,
        got: 'not there',
        expected: 'a record or a folder with records',
      })
    }
    const before = found.size
    if (statSync(path).isDirectory()) collect(path, 0, found)
    else found.add(path)
    if (found.size === before) {
      const expected = 'a folder with record.json files, such as `troupe bench` and `troupe train` write'
      throw new TroupeError('bad-file', { where: path, got: 'without records', expected })
    }
  }
  return [...found].sort()
}

function collect(folder: string, depth: number, found: Set<string>): void {
  if (depth > DEPTH || found.size > MOST) {
    const got = depth > DEPTH ? `more than ${DEPTH} folders deep` : `more than ${MOST} records`
    throw new TroupeError('bad-file', { where: folder, got, expected: 'a folder of runs' })
  }
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !['node_modules', 'checkpoints', 'replays'].includes(entry.name)) {
      collect(join(folder, entry.name), depth + 1, found)
    } else if (entry.isFile() && entry.name === 'record.json') found.add(join(folder, entry.name))
  }
}

/** Reads records; folders are named as seen from `out`. */
export function loadRecords(files: readonly string[], out: string): RecordAt[] {
  return files.map((file) => ({
    record: readRecord(file),
    folder: relative(resolve(out), resolve(dirname(file))).replaceAll('\\', '/'),
  }))
}

/** Builds the report of the records and writes it into `out` in every form. */
export function writeReport(files: readonly string[], out: string, options: ReportOptions = {}): WrittenReport {
  const found = loadRecords(files, out)
  const report = buildReport(found, options)
  const named = namedRecords(found.filter(({ record }) => record.status !== 'interrupted'))
  const { data, notes } = marlEval(named)
  mkdirSync(out, { recursive: true })
  let left = EMBEDDED
  const digests = new Map(report.worst.map(({ replay, sha256: digest }) => [replay, digest]))
  const embed = (path: string): Uint8Array | undefined => {
    const file = join(out, path)
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? Infinity
    // What a record names must be a replay beside it; nothing else is ever read into the page.
    if (size > left || !/\/replays\/[^/\\]+\.replay$/.test(`/${path}`)) return undefined
    const bytes = readFileSync(file)
    if (sha256(bytes) !== digests.get(path)) return undefined
    left -= size
    return bytes
  }
  const written = {
    html: [join(out, 'report.html'), reportHtml(report, { embed })],
    markdown: [join(out, 'report.md'), reportMarkdown(report)],
    latex: [join(out, 'report.tex'), reportLatex(report)],
    csv: [join(out, 'runs.csv'), runsCsv(named)],
    marlEval: [join(out, 'marl-eval.json'), `${JSON.stringify(data)}\n`],
  }
  for (const [path, text] of Object.values(written)) writeAtomic(path, text)
  const paths = Object.fromEntries(Object.entries(written).map(([kind, [path]]) => [kind, path]))
  return { report, files: paths as WrittenReport['files'], exportNotes: notes }
}

/** A title from where the records lie. */
export function titleOf(paths: readonly string[]): string {
  return paths.length === 1 ? `Results: ${basename(resolve(paths[0])).replace(/\.json$/, '')}` : 'Results'
}
