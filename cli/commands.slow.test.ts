import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { MAIN, start, troupe } from './spawned.ts'

const folder = mkdtempSync(join(tmpdir(), 'troupe-cli-'))
const at = { cwd: folder }

/** URL of the library, as a script without a package would import it. */
const LIBRARY = new URL('../index.js', pathToFileURL(MAIN)).href
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function json(words: string[], code = 0) {
  const said = await troupe([...words, '--json'], at)
  expect(said.code, said.stderr).toBe(code)
  return JSON.parse(said.stdout)
}

describe('help', () => {
  test('names every command, and each command explains itself', async () => {
    const { stdout, code } = await troupe(['--help'], at)
    expect(code).toBe(0)
    const names = stdout
      .split('Commands\n')[1]
      .split('\n\n')[0]
      .match(/^ {2}\S+/gm)!
      .map((name) => name.trim())
    expect(names).toEqual(expect.arrayContaining(['list', 'run', 'train', 'verify', 'watch', 'speed', 'demo']))
    const all = await troupe(['help', 'all'], at)
    expect(all.code).toBe(0)
    const pages = all.stdout.split(/^(?=Usage: )/m)
    expect(pages).toHaveLength(names.length)
    names.forEach((name, i) => {
      expect(pages[i]).toContain(`Usage: troupe ${name} `)
      expect(pages[i]).toContain('--json')
    })
    const one = await troupe(['help', 'watch'], at)
    expect([one.code, one.stdout.trim()]).toEqual([0, pages[names.indexOf('watch')].trim()])
  })

  test('lists the exit codes', async () => {
    const { stdout } = await troupe(['help', 'exit-codes'], at)
    for (const code of ['0 ', '1 ', '2 ', '3 ', '130']) expect(stdout).toMatch(new RegExp(`^ +${code}`, 'm'))
  })
})

describe('lists', () => {
  test('list --json has every field of the contract, and --env filters', async () => {
    const rows = await json(['list'])
    for (const row of rows) {
      expect(row).toMatchObject({ id: expect.any(String), env: expect.any(String), version: expect.any(String) })
      for (const field of ['agents', 'actions', 'observationSize', 'stateSize'])
        expect(row[field]).toEqual(expect.any(Number))
      expect(row).toHaveProperty('horizon')
    }
    const games = await json(['list', '--env', 'matrix'])
    expect(games.length).toBeGreaterThan(0)
    expect(games.every((row: { env: string }) => row.env === 'matrix')).toBe(true)
    expect(rows.length).toBeGreaterThan(games.length)
    // rware-tiny-2ag-v2: 2 agents, 5 actions, 71 features
    expect(rows).toContainEqual(
      expect.objectContaining({ id: 'warehouse/tiny-2ag', agents: 2, actions: 5, observationSize: 71 }),
    )
  })

  test('a reader that goes away ends the list quietly', () => {
    const { status, stderr } = spawnSync('sh', ['-c', `"${process.execPath}" "${MAIN}" list | head -1`], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([0, ''])
  })

  test('algorithms --json tells learners from policies', async () => {
    const rows = await json(['algorithms'])
    expect(rows).toContainEqual(expect.objectContaining({ name: 'mappo', kind: 'learner', paper: expect.any(String) }))
    expect(rows).toContainEqual(expect.objectContaining({ name: 'random', kind: 'scripted' }))
    expect(rows.every((row: object) => 'paper' in row)).toBe(true)
  })
})

describe('run', () => {
  test('--json has every field of the contract, and numbers do not depend on lanes', async () => {
    const words = [
      'run',
      'warehouse/tiny-2ag',
      '--policy',
      'random',
      '--episodes',
      '5',
      '--seed',
      '3',
      '--option',
      'horizon=40',
    ]
    const one = await json([...words, '--lanes', '1'])
    expect(one).toMatchObject({
      scenario: 'warehouse/tiny-2ag',
      policy: 'random',
      episodes: 5,
      seed: '3',
      return: { mean: expect.any(Number), std: expect.any(Number), min: expect.any(Number), max: expect.any(Number) },
      metrics: { deliveries: expect.any(Number), episodeLength: 40 },
      stepsPerSecond: expect.any(Number),
      replays: [],
    })
    const many = await json([...words, '--lanes', '4'])
    expect({ ...many, stepsPerSecond: 0 }).toEqual({ ...one, stepsPerSecond: 0 })
  })

  test('two processes with the same seed record the same bytes, another seed others', async () => {
    const words = (seed: string, out: string) => [
      'run',
      'warehouse/tiny-4ag',
      '--policy',
      'random',
      '--episodes',
      '2',
      '--seed',
      seed,
      '--record',
      out,
    ]
    await Promise.all([
      troupe(words('1', 'once'), at),
      troupe(words('1', 'twice'), at),
      troupe(words('2', 'other'), at),
    ])
    const bytes = (name: string) =>
      readdirSync(join(folder, name)).map((file) => readFileSync(join(folder, name, file)).toString('base64'))
    expect(bytes('once')).toHaveLength(2)
    expect(bytes('once')).toEqual(bytes('twice'))
    expect(bytes('once')).not.toEqual(bytes('other'))
  })

  test('a horizon of 7 truncates at exactly 7 in every family', async () => {
    for (const scenario of ['warehouse/tiny-2ag', 'matrix/pd-repeated']) {
      const words = ['run', scenario, '--policy', 'random', '--episodes', '4', '--option', 'horizon=7']
      expect((await json(words)).metrics.episodeLength).toBe(7)
    }
  })

  test('--print-config says where every setting came from, and plays nothing', async () => {
    writeFileSync(join(folder, 'run.json'), '{ "episodes": 4, "seed": 9 }')
    const words = [
      'run',
      'matrix/pd',
      '--policy',
      'random',
      '--config',
      'run.json',
      '--seed',
      '5',
      '--print-config',
      '--json',
    ]
    const { stdout, code } = await troupe(words, { ...at, env: { TROUPE_LANES: '3' } })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).settings).toMatchObject({
      policy: { value: 'random', source: 'flag' },
      seed: { value: '5', source: 'flag' },
      lanes: { value: 3, source: 'environment' },
      episodes: { value: 4, source: 'config' },
      data: { value: 'troupe-data', source: 'default' },
    })
  })
})

describe('verify', () => {
  let replay: string
  beforeAll(async () => {
    const report = await json([
      'run',
      'warehouse/tiny-2ag',
      '--policy',
      'random',
      '--episodes',
      '1',
      '--seed',
      '8',
      '--record',
      'replays',
    ])
    replay = report.replays[0]
  })

  test('a fresh replay is genuine', async () => {
    expect(await json(['verify', replay])).toMatchObject({ ok: true, steps: 500, complete: true })
  })

  test('a changed claim is not, and says which', async () => {
    const { readReplay, writeReplay } = await import('../envs/core/replay.ts')
    const real = readReplay(readFileSync(join(folder, replay)))
    const actions = real.actions.slice()
    actions[100] = (actions[100] + 1) % 5
    writeFileSync(join(folder, 'forged.replay'), writeReplay({ ...real, actions }))
    const verdict = await json(['verify', 'forged.replay'], 1)
    // 2 agents: number 100 is agent 0 at step 50
    expect(verdict).toMatchObject({ ok: false, step: 50, expected: expect.any(String), actual: expect.any(String) })
    const { stdout } = await troupe(['verify', 'forged.replay'], at)
    expect(stdout).toMatch(/^NOT GENUINE .*at step 50/)
  })

  test('a truncated, an oversized and a foreign file are unreadable: exit 2, one sentence', async () => {
    writeFileSync(join(folder, 'cut.replay'), readFileSync(join(folder, replay)).subarray(0, 900))
    writeFileSync(join(folder, 'picture.replay'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
    writeFileSync(join(folder, 'huge.replay'), '')
    truncateSync(join(folder, 'huge.replay'), 2 ** 29)
    for (const file of ['cut.replay', 'picture.replay', 'huge.replay', 'gone.replay', '.']) {
      const { code, stderr, stdout } = await troupe(['verify', file], at)
      expect([file, code, stdout]).toEqual([file, 2, ''])
      expect(stderr.trim().split('\n')).toHaveLength(1)
      expect(stderr).toMatch(/expected/)
    }
  })

  test('an unknown version of the environment is refused by name', async () => {
    const { readReplay, writeReplay } = await import('../envs/core/replay.ts')
    const real = readReplay(readFileSync(join(folder, replay)))
    writeFileSync(join(folder, 'future.replay'), writeReplay({ ...real, header: { ...real.header, version: '99' } }))
    const { code, stderr } = await troupe(['verify', 'future.replay'], at)
    expect(code).toBe(2)
    expect(stderr).toMatch(/version 99/)
  })

  test('with several files the exit code is the worst of them', async () => {
    const { code, stdout } = await troupe(['verify', replay, 'forged.replay', replay], at)
    expect(code).toBe(1)
    expect(stdout.match(/^genuine/gm)).toHaveLength(2)
  })
})

describe('bad input', () => {
  beforeAll(() => {
    writeFileSync(join(folder, 'broken-scenario.json'), '{ "id": "a/b", ')
    writeFileSync(join(folder, 'misspelt-scenario.json'), JSON.stringify({ ...SCENARIO, options: { gmae: 'pd' } }))
    writeFileSync(join(folder, 'foreign-scenario.json'), JSON.stringify({ ...SCENARIO, env: 'matrx' }))
    writeFileSync(join(folder, 'old-scenario.json'), JSON.stringify({ ...SCENARIO, version: '0' }))
    writeFileSync(join(folder, 'masked.mjs'), policy('out.action.fill(1)'))
    writeFileSync(join(folder, 'wrong.mjs'), policy('out.action.fill(99)'))
    writeFileSync(join(folder, 'crash.mjs'), policy('\n\nnull.boom'))
  })

  const cases: [what: string, words: string[], code: number, message: RegExp][] = [
    ['an unknown command', ['lst'], 2, /did you mean "list"/],
    ['a command named like a part of every object', ['constructor'], 2, /command is "constructor"/],
    ['a topic named like a part of every object', ['help', 'toString'], 2, /topic is "toString"/],
    ['an unknown option', ['run', 'matrix/pd', '--polcy', 'random'], 2, /did you mean "--policy"/],
    ['an option without its value', ['run', 'matrix/pd', '--policy'], 2, /without its value/],
    ['a missing argument', ['verify'], 2, /missing/],
    ['too many arguments', ['list', 'a', 'b'], 2, /too many/],
    [
      'an unknown scenario',
      ['run', 'warehouse/tiny-2agg', '--policy', 'random'],
      2,
      /did you mean "warehouse\/tiny-2ag"/,
    ],
    ['an unknown policy', ['run', 'matrix/pd', '--policy', 'randm'], 2, /did you mean "random"/],
    [
      'a policy for another environment',
      ['run', 'matrix/pd', '--policy', 'warehouse-greedy'],
      2,
      /warehouse-greedy.*plays matrix/,
    ],
    ['no policy', ['run', 'matrix/pd'], 2, /--policy is missing/],
    ['an unknown algorithm', ['train', 'mapo', 'matrix/pd'], 2, /did you mean "mappo"/],
    ['an unknown setting', ['train', 'mappo', 'matrix/pd', '--set', 'lrr=1'], 2, /lrr.*did you mean "lr"/],
    ['a setting out of range', ['train', 'mappo', 'matrix/pd', '--set', 'lr=-1'], 2, /lr is -1/],
    ['steps that are no number', ['train', 'mappo', 'matrix/pd', '--steps', 'many'], 2, /--steps is "many"/],
    [
      'an unknown environment option',
      ['run', 'matrix/pd', '--policy', 'random', '--option', 'horzon=7'],
      2,
      /did you mean "horizon"/,
    ],
    [
      'an option of the wrong kind',
      ['run', 'matrix/pd', '--policy', 'random', '--option', 'horizon=soon'],
      2,
      /horizon is "soon"/,
    ],
    [
      'a scenario that is no JSON',
      ['run', 'broken-scenario.json', '--policy', 'random'],
      2,
      /broken-scenario\.json.*not JSON/,
    ],
    [
      'a scenario with an unknown option',
      ['run', 'misspelt-scenario.json', '--policy', 'random'],
      2,
      /gmae.*did you mean "game"/,
    ],
    [
      'a scenario of an unknown environment',
      ['run', 'foreign-scenario.json', '--policy', 'random'],
      2,
      /did you mean "matrix"/,
    ],
    ['a scenario of an unknown version', ['run', 'old-scenario.json', '--policy', 'random'], 2, /version.*"0"/],
    ['a missing scenario file', ['run', 'none.json', '--policy', 'random'], 2, /none\.json is missing/],
    [
      'a masked action',
      ['run', '--env', 'walls.mjs', '--policy', './masked.mjs'],
      2,
      /1 left, which is masked; expected a legal action/,
    ],
    [
      'an action out of range',
      ['run', 'matrix/pd', '--policy', './wrong.mjs'],
      2,
      /action \[lane 0, agent_0\] at step 0 is 99; expected 0 /,
    ],
    ['a policy that crashes', ['run', 'matrix/pd', '--policy', './crash.mjs'], 2, /crash\.mjs:4 threw TypeError/],
    [
      'an unwritable folder',
      ['run', 'matrix/pd', '--policy', 'random', '--record', '/proc/nowhere'],
      3,
      /\/proc\/nowhere/,
    ],
    ['a run that is not there', ['resume', 'no-run'], 2, /no-run is not there/],
    ['a folder that is no run', ['evaluate', '.'], 2, /./],
    ['something to measure that is unknown', ['speed', 'warehuse'], 2, /did you mean "warehouse"/],
    ['a replay to watch that is not there', ['watch', 'none.replay', '--no-open'], 2, /none\.replay is not there/],
  ]

  test.each(cases)('%s: one clear sentence and the right exit code', async (_what, words, code, message) => {
    writeFileSync(join(folder, 'walls.mjs'), WALLS)
    const before = readdirSync(folder).sort()
    const [said, asJson] = await Promise.all([troupe(words, at), troupe(['--json', ...words], at)])
    expect(said.stderr).toMatch(message)
    expect([said.code, asJson.code]).toEqual([code, code])
    expect(said.stdout).toBe('')
    expect(said.stderr.trim().split('\n')).toHaveLength(1)
    expect(JSON.parse(asJson.stdout).error.message).toMatch(message)
    expect(readdirSync(folder).sort()).toEqual(before) // nothing half-written
  })

  test('a folder that may not be written is told before anything is played', async () => {
    if (process.getuid?.() === 0) return // root may write everywhere; /proc above stands in
    mkdirSync(join(folder, 'locked'))
    chmodSync(join(folder, 'locked'), 0o500)
    const { code, stderr } = await troupe(['run', 'matrix/pd', '--policy', 'random', '--record', 'locked'], at)
    expect([code, stderr]).toEqual([3, expect.stringMatching(/locked: permission denied/)])
  })
})

const SCENARIO = {
  id: 'my/game',
  title: 'A game',
  env: 'matrix',
  version: '1',
  options: { game: 'pd' },
  teamReward: 'none',
  evaluation: { points: 10, episodes: 4, absoluteEpisodes: 8, policy: 'greedy' },
}

function policy(body: string): string {
  return `export default { name: 'odd', kind: 'scripted', summary: 'Odd.', privileged: false,
  create: () => ({ name: 'odd', memory: () => null, act(view, memory, out) { ${body} } }) }\n`
}

/** One walker at the left wall: action 1, left, is masked. */
const WALLS = `export default ({ Type }) => ({
  id: 'walls', version: '1', summary: 'A wall.', options: Type.Object({}), horizon: 3,
  spec: () => ({ agents: [{ id: 'agent_0', team: 'a', kind: 'w', observation: [{ name: 'one', low: 0, high: 1 }],
    action: { kind: 'discrete', names: ['stay', 'left'] } }], state: [], metrics: [], streams: [] }),
  create: (options, port) => ({ arrays: { t: new Int32Array(port.lanes) }, world: {}, reset() {},
    step() { port.reward.fill(0); port.terminated.fill(0) }, observe() { port.observation.fill(1) },
    legal() { for (let i = 0; i < port.mask.length; i += 2) { port.mask[i] = 1; port.mask[i + 1] = 0 } },
    metrics() {}, frame: () => ({ step: 0, entities: [], events: [], counters: {} }) }),
})\n`

describe('plug-ins', () => {
  test('new env: keeps the contract, passes its own tests, runs, records, and verifies only with the same code', async () => {
    const made = await json(['new', 'env', 'lamp-walk'])
    expect(made.files).toContain('lamp-walk.js')
    const checked = await json(['check', './lamp-walk/lamp-walk.js'])
    expect(checked).toMatchObject({ ok: true, kind: 'environment' })
    const own = spawnSync(process.execPath, ['--test'], { cwd: join(folder, 'lamp-walk'), encoding: 'utf8' })
    expect(own.status, own.stdout).toBe(0)
    expect(await json(['list', '--env', './lamp-walk/lamp-walk.js'])).toMatchObject([
      { env: 'lamp-walk', agents: 2, actions: 3 },
    ])
    const words = [
      'run',
      './lamp-walk/scenario.json',
      '--env',
      './lamp-walk/lamp-walk.js',
      '--policy',
      'random',
      '--episodes',
      '1',
      '--record',
      'plugged',
    ]
    const report = await json(words)
    expect(report.plugin).toEqual({ name: 'lamp-walk.js', sha256: checked.sha256 })
    const [replay] = report.replays
    expect((await troupe(['verify', replay], at)).code).toBe(2) // its rules are not here
    expect(await json(['verify', replay, '--env', './lamp-walk/lamp-walk.js'])).toMatchObject({ ok: true, steps: 100 })
    const { readReplay } = await import('../envs/core/replay.ts')
    const { header, keyframes } = readReplay(readFileSync(join(folder, replay)))
    expect(header.plugin).toEqual(report.plugin)
    expect(keyframes.filter(({ frame }) => frame !== null)).toHaveLength(101) // the page never runs foreign code
    const code = join(folder, 'lamp-walk/lamp-walk.js')
    writeFileSync(code, readFileSync(code, 'utf8').replace('reward[i] = 1', 'reward[i] = 2'))
    const { code: exit, stderr } = await troupe(['verify', replay, '--env', './lamp-walk/lamp-walk.js'], at)
    expect([exit, stderr]).toEqual([2, expect.stringMatching(/recorded with SHA-256/)])
  })

  test('new policy: keeps the contract, passes its own tests, plays two families', async () => {
    await json(['new', 'policy', 'steady'])
    expect(await json(['check', './steady/steady.js'])).toMatchObject({ ok: true, kind: 'policy' })
    const own = spawnSync(process.execPath, ['--test'], { cwd: join(folder, 'steady'), encoding: 'utf8' })
    expect(own.status, own.stdout).toBe(0)
    for (const scenario of ['matrix/pd-repeated', 'warehouse/tiny-2ag']) {
      const report = await json(['run', scenario, '--policy', './steady/steady.js', '--episodes', '2'])
      expect(report).toMatchObject({ policy: 'steady', policyHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    }
  })

  test('check names a broken promise and exits 1', async () => {
    writeFileSync(
      join(folder, 'chancy.mjs'),
      policy('for (let i = 0; i < out.action.length; i++) out.action[i] = Math.random() < 0.5 ? 0 : 1'),
    )
    const report = await json(['check', './chancy.mjs', '--scenario', 'matrix/pd-repeated'], 1)
    const broken = report.findings.filter((finding: { ok: boolean }) => !finding.ok)
    expect(broken.map((finding: { name: string }) => finding.name)).toEqual([
      'matrix/pd-repeated: the same seed gives the same actions',
    ])
  })

  test('new never overwrites', async () => {
    mkdirSync(join(folder, 'mine'))
    const { code, stderr } = await troupe(['new', 'env', 'mine'], at)
    expect([code, stderr]).toEqual([2, expect.stringMatching(/mine is there already/)])
    expect(readdirSync(join(folder, 'mine'))).toEqual([])
    expect((await troupe(['new', 'env', 'warehouse'], at)).code).toBe(2)
    expect(existsSync(join(folder, 'warehouse'))).toBe(false)
  })
})

describe('speed', () => {
  test('--json has machine and rows that begin with the scenario and carry a known unit', async () => {
    const report = await json(['speed', 'warehouse/tiny-4ag', '--runs', '2', '--seconds', '0.05', '--workers', '2'])
    expect(report.machine).toMatchObject({ cpu: expect.any(String), cores: expect.any(Number), node: process.version })
    for (const row of report.results) {
      expect(row.name).toMatch(/^warehouse\/tiny-4ag, /)
      expect(['env-steps/s', 'agent-steps/s', 'ms', 'GFLOP/s']).toContain(row.unit)
      expect(row.runs).toHaveLength(2)
      expect(row.best).toBe(row.unit === 'ms' ? Math.min(...row.runs) : Math.max(...row.runs))
    }
    const rate = (unit: string) => report.results.find((row: { unit: string }) => row.unit === unit).median
    expect(rate('agent-steps/s') / rate('env-steps/s')).toBeCloseTo(4, 6) // four robots
    expect(report.heap[0].allocatedPerStep).toBeLessThan(8) // nothing is made per step; what is left are episode starts
  })
})

/** Listens on a port of this machine, as soon as whoever has it lets go. */
async function hold(port: number): Promise<Server> {
  const server = createServer()
  while (!server.listening) {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening').catch(() => pause(200))
  }
  return server
}

describe('servers', () => {
  test('serve answers until Ctrl-C, exit 0', async () => {
    const running = start(['serve', '--json'], at)
    const text = await running.says(/"url": "([^"]+)"/)
    const url = /"(http[^"]+)"/.exec(text)![1]
    expect((await fetch(`${url}/api/health`)).status).toBe(200)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(0)
  })

  test('a port that was asked for and is in use is an error, exit 3; the default one moves on and says so', async () => {
    const taken = await hold(0)
    const { port } = taken.address() as AddressInfo
    const { code, stderr } = await troupe(['serve', '--port', String(port)], at)
    expect([code, stderr]).toEqual([3, expect.stringMatching(new RegExp(`port ${port} is in use`))])
    taken.close()

    // Held by the test itself: a server that another test started could end between two looks.
    const usual = await hold(7340)
    const next = start(['watch', '--no-open'], at)
    await next.says(/Port 7340 is in use; the viewer is on port 73\d\d/)
    await next.says(/Viewer: http/) // from here on Ctrl-C is an end, before it an abort
    next.child.kill('SIGINT')
    expect((await next.ended).code).toBe(0)
    usual.close()
  })

  test('watch shows a replay from elsewhere by copying it into the data folder', async () => {
    const [replay] = (
      await json(['run', 'matrix/pd', '--policy', 'random', '--episodes', '1', '--record', 'elsewhere'])
    ).replays
    const running = start(['watch', replay, '--no-open', '--json', '--data', 'watched'], at)
    const url = /"(http[^"]+)"/.exec(await running.says(/"url": "([^"]+)"/))![1]
    const id = /\/replay\/(.*)$/.exec(url)![1]
    const bytes = Buffer.from(await (await fetch(`${new URL(url).origin}/api/replays/${id}`)).arrayBuffer())
    expect(bytes.equals(readFileSync(join(folder, replay)))).toBe(true)
    running.child.kill('SIGINT')
    expect((await running.ended).code).toBe(0)
  })
})

describe('workers', () => {
  test('eight start from a script without a main guard', () => {
    const script = `import { loadScenario, workerSpeed } from '${LIBRARY}'
const rows = await workerSpeed(loadScenario('matrix/pd-repeated'), { lanes: 4, workers: 8, runs: 1, seconds: 0.02 })
console.log(rows[0].name)
`
    writeFileSync(join(folder, 'eight.mjs'), script)
    const { stdout, status } = spawnSync(process.execPath, ['eight.mjs'], { ...at, encoding: 'utf8', timeout: 60_000 })
    expect([status, stdout.trim()]).toEqual([0, 'matrix/pd-repeated, 8 workers × 4 lanes, observations and state'])
  })

  test('one that throws at start ends all within seconds, in one sentence, and the process with them', () => {
    const throws = `import { isMainThread } from 'node:worker_threads'\nif (!isMainThread) throw new Error('not in a thread')\n`
    writeFileSync(join(folder, 'thread.mjs'), `${throws}${WALLS}`)
    writeFileSync(
      join(folder, 'failing.mjs'),
      `import { loadScenario, workerSpeed } from '${LIBRARY}'
const began = performance.now()
try {
  await workerSpeed(loadScenario('matrix/pd-repeated'), { lanes: 4, workers: 8, runs: 1, seconds: 0.02, module: './thread.mjs' })
} catch (error) {
  console.log(JSON.stringify({ message: error.message, code: error.code, seconds: (performance.now() - began) / 1000 }))
}
`,
    )
    const { stdout, status } = spawnSync(process.execPath, ['failing.mjs'], {
      ...at,
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect(status).toBe(0) // nothing keeps the process alive
    const { message, code, seconds } = JSON.parse(stdout)
    expect([message, code]).toEqual([
      expect.stringMatching(/thread\.mjs is not loadable: Error: not in a thread/),
      'bad-file',
    ])
    expect(seconds).toBeLessThan(20) // under a second on a quiet machine
  })
})
