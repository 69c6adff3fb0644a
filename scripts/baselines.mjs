/**
 * Makes server/baselines/data: the baselines that a new server puts on its boards. Needs a build.
 *
 *   node scripts/baselines.mjs <folder of a bench with checkpoints>...
 *
 * Policies with rules come from results/records/core and are played by every server itself. Learners come from the given
 * folders (`troupe bench … --keep all`): the best checkpoint of each run plays the seeds, and its actions are kept.
 */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants } from 'node:zlib'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const load = (path) => import(new URL(`../dist/${path}`, import.meta.url).href)
const { LEARNERS, POLICIES } = await load('agents/index.js')
const { weightsHash } = await load('agents/core/checkpoint.js')
const { playEpisodes } = await load('agents/core/play.js')
const { readReplay } = await load('envs/core/replay.js')
const { useBackend } = await load('results/backend.js')
const { readCheckpoint } = await load('results/files.js')
const { readRecord } = await load('results/record.js')
const { loadSuite } = await load('scenarios/load.js')
const { openScenario, scenarioHash, scenarioSpec, teamReturn } = await load('scenarios/open.js')
const { playBaseline } = await load('server/baselines/play.js')
const { logFile, packActionLogs, shippedId } = await load('server/baselines/shipped.js')
const { readBundle } = await load('server/protocol/bundle.js')
const { panelSeeds } = await load('server/seeds.js')

const data = join(root, 'server/baselines/data')
const benches = process.argv.slice(2)
const key = createHash('sha256').update('troupe baselines 1').digest('hex')
const { scenarios } = loadSuite('core')

/** Runs of a folder: [algorithm, seed, folder], by name. */
function runsOf(folder) {
  if (!existsSync(folder)) return []
  const folders = (path) => readdirSync(path).filter((name) => statSync(join(path, name)).isDirectory())
  return folders(folder).flatMap((algorithm) =>
    folders(join(folder, algorithm))
      .map((name) => ({ algorithm, seed: name.replace('seed-', ''), folder: join(folder, algorithm, name) }))
      .filter((run) => existsSync(join(run.folder, 'record.json')))
      .sort((a, b) => Number(a.seed) - Number(b.seed)),
  )
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

/** A learner's actions and returns on these seeds. */
function played(scenario, folder, algorithm, seed, seeds) {
  const { weights, state } = readCheckpoint(join(folder, 'checkpoints/best'))
  const { run: _run, ...own } = state
  const policy = LEARNERS[algorithm].policy(scenarioSpec(scenario), { weights, state: own }, scenario.evaluation.policy)
  const { episodes } = playEpisodes({
    batch: openScenario(scenario, { lanes: 32, autoreset: 'disabled' }),
    policy,
    seeds,
    rng: seed,
    teamReward: scenario.teamReward,
    channels: false,
    record: () => ({ scenario: { ...scenario }, policies: [{ name: algorithm }], package: '0' }),
  })
  policy.dispose?.()
  const actions = episodes.map(({ replay }) => Uint8Array.from(readReplay(replay).actions))
  const lengths = Uint16Array.from(episodes, ({ length }) => length)
  return {
    log: { lengths, actions: Buffer.concat(actions) },
    mean: meanOf(episodes.map((one) => one.return)) + 0,
    hash: weightsHash({ weights }),
  }
}

await useBackend('auto')
rmSync(data, { recursive: true, force: true })
mkdirSync(data, { recursive: true })
const runs = []
const settings = {}
for (const scenario of scenarios) {
  const hash = scenarioHash(scenario)
  const logs = []
  const found = [join(root, 'results/records/core'), ...benches].flatMap((bench) => runsOf(join(bench, scenario.id)))
  for (const { algorithm, seed, folder } of found) {
    const learner = Object.hasOwn(LEARNERS, algorithm)
    if (learner && !existsSync(join(folder, 'checkpoints/best'))) continue
    const record = readRecord(join(folder, 'record.json'))
    if (record.status !== 'finished' || record.scenarioHash !== hash) continue
    const base = { scenario: scenario.id, scenarioHash: hash, algorithm, seed }
    const seeds = panelSeeds(key, hash, 'replayed', shippedId(base), scenario.evaluation.absoluteEpisodes)
    const recordMean = record.absolute.return.mean
    if (learner) {
      const { log, mean, hash: policyHash } = played(scenario, folder, algorithm, seed, seeds)
      const device = `${record.hardware.cpu}, ${record.hardware.cores} cores, ${record.hardware.backend}`.slice(0, 200)
      const compute = { steps: record.steps.total, seconds: record.seconds, device }
      settings[`${scenario.id} ${algorithm}`] = record.settings
      const { paper } = record
      runs.push({
        ...base,
        mode: scenario.evaluation.policy,
        mean,
        recordMean,
        policyHash,
        paper,
        compute,
        log: logs.length,
      })
      logs.push(log)
    } else {
      const { kind } = POLICIES[algorithm]
      const privileged = POLICIES[algorithm].create(scenarioSpec(scenario)).privileged === true
      const mode = kind === 'planner' ? 'planner' : 'scripted'
      const run = { ...base, mode, ...(privileged ? { privileged } : {}), mean: 0, recordMean }
      const replays = readBundle(playBaseline({ scenario, seeds, run, version: '0' }))
      const returns = replays.map((bytes) => teamReturn(scenario.teamReward, readReplay(bytes).header.result.returns))
      runs.push({ ...run, mean: meanOf(returns) + 0 })
    }
  }
  if (logs.length === 0) continue
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 }
  writeFileSync(join(data, logFile(scenario.id)), brotliCompressSync(packActionLogs(logs), { params }))
}
// What a newcomer looks at first comes first; then one run of everything, so that early tables are whole.
const first = ({ scenario, seed }) => (Number(seed) - 1) * 2 + (scenario === 'warehouse/nano-2ag' ? 0 : 1)
runs.sort((a, b) => first(a) - first(b))
const text = runs.map((run) => `    ${JSON.stringify(run)}`).join(',\n')
const kept = Object.entries(settings).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
writeFileSync(
  join(data, 'baselines.json'),
  `{\n  "format": 1,\n  "key": "${key}",\n  "settings": {\n${kept.join(',\n')}\n  },\n  "runs": [\n${text}\n  ]\n}\n`,
)
const bytes = readdirSync(data).reduce((sum, name) => sum + statSync(join(data, name)).size, 0)
process.stderr.write(`${runs.length} runs of ${scenarios.length} scenarios, ${bytes} bytes\n`)
