/** Every English word the pages say, in one place. User text (names, labels) never comes from here and is never markup. */

const steps = (n: number) => (n === 1 ? '1 step' : `${count(n)} steps`)

/** Whole numbers with thin groups of three: 12 345. */
function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** A number short enough for a table: up to three decimals, true minus sign. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined || Number.isNaN(value)) return 'unknown'
  if (!Number.isFinite(value)) return value > 0 ? '∞' : '−∞'
  const size = Math.abs(value)
  const text =
    Number.isInteger(value) && size < 1e6
      ? String(size)
      : size >= 1e6 || size < 1e-3
        ? size.toPrecision(3)
        : String(Number(size.toFixed(3)))
  return value < 0 ? `−${text}` : text
}

export const strings = {
  name: 'troupe',
  unknown: 'unknown',
  count,
  steps,

  home: {
    what: 'Watch, measure and check teams of learning agents. Every number here leads to episodes you can run again.',
    newest: 'Newest episode',
    shipped: 'An episode that comes with troupe',
    open: 'Open this episode',
    openFile: 'Open a replay file',
    dropHere: 'or drop a .replay file anywhere on the page',
    runs: 'Runs',
    replays: 'Replays',
    noRuns: 'No runs yet. Start one:',
    noRunsCommand: 'troupe train mappo warehouse/nano-2ag',
    noReplays: 'No replays yet. Record one:',
    noReplaysCommand:
      'troupe run warehouse/tiny-4ag --policy warehouse-greedy --episodes 1 --record troupe-data/replays',
    noServer: 'The server does not answer, so there are no lists. Replay files can still be opened here.',
    retry: 'Try again',
    cards: [
      {
        title: 'Benchmark',
        text: 'Train a learner on a scenario, evaluated by a fixed protocol.',
        command: 'troupe train mappo warehouse/nano-2ag --seed 1',
      },
      {
        title: 'Verify',
        text: 'Simulate a replay or a record again and compare every step.',
        command: 'troupe verify troupe-data/replays/episode.replay',
      },
      {
        title: 'Watch',
        text: 'Record a scripted policy and open the episode here.',
        command: 'troupe run warehouse/tiny-4ag --policy warehouse-greedy --record troupe-data/replays',
      },
    ],
    copy: 'Copy',
    copied: 'Copied',
    copyCommand: (title: string) => `Copy the command: ${title}`,
    more: (n: number) => `${count(n)} more are in the data folder`,
    runColumns: { run: 'Run', scenario: 'Scenario', status: 'Status', progress: 'Steps', result: 'Return' },
    replayColumns: { replay: 'Replay', policy: 'Policy', steps: 'Steps', result: 'Return', origin: 'From' },
    origins: { run: 'a run', file: 'data folder', shipped: 'shipped' } as Record<string, string>,
    progress: (step: number, of: number) => `${count(step)} of ${count(of)}`,
  },

  run: {
    title: (algorithm: string, scenario: string) => `${algorithm} on ${scenario}`,
    curve: 'Return by environment step',
    curveDetail: (episodes: number | null) =>
      `return per evaluation episode, mean${episodes === null ? '' : ` of ${count(episodes)} episodes`} with 95 % interval`,
    noEvaluations: 'No evaluation yet. The first one comes soon after the start; this page follows by itself.',
    table: 'The same as a table',
    step: 'Step',
    mean: 'Mean return',
    interval: '95 % interval',
    range: 'Least to most',
    episodes: 'Evaluation episodes, newest first',
    noEpisodes: 'No episode has been recorded yet.',
    progress: (step: number, of: number) => `step ${count(step)} of ${count(of)}`,
    rate: (rate: number) => `${count(Math.round(rate))} steps/s`,
    time: 'time',
    left: (seconds: number) => `${duration(seconds)} left`,
    status: {
      running: 'running',
      finished: 'finished',
      interrupted: 'interrupted',
      diverged: 'stopped: a number was not finite',
      failed: 'failed: an error ended it',
      lost: 'lost: the process is gone',
    } as Record<string, string>,
    problems: 'What could not be read',
    settings: 'Settings',
    updates: 'Last update',
    point: (step: number, mean: string) => `step ${count(step)}: ${mean}`,
    gone: 'This run is no longer in the data folder.',
    loading: 'Asking the server for the run …',
    live: 'Follow the newest episode',
  },

  bar: {
    scenario: 'scenario',
    policy: 'policy',
    seed: 'seed',
    return: 'return',
    returnOver: {
      none: 'sum over agents',
      sum: 'sum over agents',
      mean: 'mean over agents',
    } as Record<string, string>,
    back: 'All runs and replays',
    theme: { light: 'Light', dark: 'Dark', label: 'Switch between light and dark' },
    copyLink: (step: number) => `Copy link to step ${step}`,
    copied: 'Link copied',
    copyFailed: 'The browser did not allow copying. The address bar holds the link.',
    localFile: 'This replay is a file on your computer: send the file and name the step.',
    help: 'Keys',
    helpLabel: 'Show the keys',
    downloads: 'Download the replay',
  },

  verify: {
    button: 'Verify in this page',
    checking: 'Verifying …',
    unverified: 'Unverified',
    genuine: (n: number) => `Verified: ${steps(n)} agree`,
    genuineDetail: 'Simulated again in this page; every digest and the result agree with the file.',
    differs: (step: number) => `Differs at step ${step}`,
    differsWhat: (what: string) => `Differs: ${what}`,
    differsDetail: (what: string, expected: string, actual: string) =>
      `${what}: the file says ${expected}, the simulation gives ${actual}.`,
    goTo: (step: number) => `Go to step ${step}`,
    cannot: 'an environment that this page can simulate',
    cannotShort: 'Cannot be verified here',
    dismiss: 'Close',
  },

  files: {
    file: 'the file',
    environment: 'the environment of this replay',
    plugin: (name: string) => `from the plug-in ${name}`,
    expectedVersion: (known: string[]) =>
      `one this page can simulate (${known.join(', ')}), or stored frames in the file`,
    megabytes: (bytes: number) => `${count(Math.round(bytes / 1e6))} MB`,
    atMost: (bytes: number) => `at most ${count(Math.round(bytes / 1e6))} MB`,
    unreadable: (name: string) => `${name} could not be read as a replay.`,
    workerStopped: 'The simulation stopped unexpectedly. Reload the page to try again.',
    closed: 'The replay was closed.',
    drop: 'Drop the replay to open it',
    one: 'Several files were dropped; the first one was opened.',
    notSameOrigin: 'Links open replays of this server only. Download the file and drop it on the page.',
    notFound: (name: string) => `${name}: the server has no such replay.`,
    httpStatus: (name: string, status: number) => `${name}: the server answered ${status}.`,
    unreachable: (name: string) => `${name}: the server does not answer.`,
    lost: 'No file is open here any more. Drop the replay again, or choose it:',
    loading: (name: string) => `Opening ${name} …`,
    received: (percent: number) => `${percent} % received`,
    tryAnother: 'Open another file',
    home: 'Go to all replays',
  },

  notice: {
    title: 'Stored pictures only.',
    plugin: (env: string, plugin: string) =>
      `${env} comes from the plug-in ${plugin}. This page loads no foreign code, so it shows the frames stored in the file.`,
    unknownEnvironment: (env: string) =>
      `This page does not know the environment ${env}, so it shows the frames stored in the file.`,
    otherVersion: (env: string, theirs: string, ours: string) =>
      `This replay was made by ${env} version ${theirs}; this page simulates version ${ours}. It shows the frames stored in the file and reinterprets nothing.`,
    otherGenerator: (theirs: string, ours: string) =>
      `This replay drew its chance from ${theirs}; this page has ${ours}. It shows the frames stored in the file.`,
    nearest: (step: number) => `picture of step ${step}`,
  },

  stage: {
    label: (scenario: string) => `Picture of ${scenario}`,
    describe: (scenario: string, step: number, last: number) => `${scenario}, step ${step} of ${last}`,
    fit: 'Fit',
    fitLabel: 'Fit the world to the window',
    zoomIn: 'Zoom in',
    zoomOut: 'Zoom out',
    legend: 'Legend',
    lost: 'The graphics context was lost. Restoring the picture …',
    none: 'This browser offers neither WebGL nor a 2D canvas, so there is no picture. Steps, actions and observations still work. Turn on hardware acceleration in the browser settings to see the world.',
    plain: 'WebGL is not available: drawing with the slower plain canvas.',
    starting: 'Starting the picture …',
  },

  transport: {
    label: 'Playback',
    first: 'First',
    firstTip: 'Go to the first step (Home)',
    back: 'Back',
    backTip: 'One step back (←)',
    play: 'Play',
    playTip: 'Play (Space)',
    pause: 'Pause',
    pauseTip: 'Pause (Space)',
    forward: 'Forward',
    forwardTip: 'One step forward (→)',
    last: 'Last',
    lastTip: 'Go to the last step (End)',
    step: 'step',
    of: (last: number) => `/ ${count(last)}`,
    stepInput: 'Step to show',
    speed: 'speed',
    speedLabel: 'Playback speed, times 4 steps per second',
    times: (speed: number) => `${speed < 0 ? '−' : ''}${Math.abs(speed)}×`,
    loop: 'Loop',
    loopTip: 'Start again at the end',
    reverse: 'Reverse',
    reverseTip: 'Play backwards (r)',
    live: 'Live',
    liveTip: 'Follow the newest episode of this run; moving the clock ends it',
    waiting: 'simulating …',
  },

  timeline: {
    label: 'Timeline',
    slider: 'Step',
    sliderText: (step: number, last: number) => `step ${step} of ${last}`,
    previous: 'Previous event',
    next: 'Next event',
    returns: (over: string) => `return so far, ${over}`,
    returnOf: (agent: string) => `of ${agent}`,
    values: 'value estimate, mean over agents',
    valueOf: (agent: string) => `value estimate of ${agent}`,
    surveyed: (steps: number) => `events and returns cover the first ${count(steps)} steps`,
    scanning: (percent: number) => `surveying ${percent} %`,
    noEvents: 'no events',
    more: (n: number, what: string) => `${n} × ${what}`,
    partial: (n: number) => `the timeline covers the first ${count(n)} steps`,
  },

  inspector: {
    label: 'Inspector',
    agents: 'Agents',
    agent: (id: string) => `Agent ${id}`,
    none: 'Choose an agent above or in the picture to read what it saw, did and got.',
    hide: 'Hide the inspector',
    show: 'Show the inspector',
    clear: 'Clear',
    action: 'Action',
    actionTaken: 'Takes at this step',
    actionBefore: 'Took to get here',
    over: 'The episode is over: no action.',
    ended: { terminated: 'ended by the rules', truncated: 'ended by the step limit' } as Record<string, string>,
    choices: 'Choices',
    noProbabilities: 'This replay holds no action probabilities.',
    legal: 'legal',
    masked: 'not legal',
    chosen: 'chosen',
    reward: 'Reward',
    rewardHere: 'reward on arriving',
    returnSoFar: 'return so far',
    value: 'value estimate',
    notes: 'Notes',
    observation: 'Observation',
    observationCount: (shown: number, all: number, changed: number) =>
      `${shown === all ? all : `${shown} of ${all}`} numbers, ${changed} changed`,
    filter: 'Filter by name',
    changedOnly: 'Changed only',
    noMatch: 'No name matches.',
    changed: 'changed',
    notStored: 'Not in the file: only pictures are stored.',
    dead: 'out of the episode',
    counters: 'Totals so far',
  },

  tabs: { agents: 'Agents', events: 'Events', charts: 'Charts', label: 'Details' },

  events: {
    label: 'Events',
    none: 'Nothing has been reported yet.',
    row: (step: number) => `step ${step}`,
    capped: (n: number) => `The first ${count(n)} are listed.`,
    kinds: {
      delivery: 'delivery',
      pickup: 'shelf picked up',
      putdown: 'shelf put down',
      blocked: 'blocked',
      taken: 'food taken',
      tooHeavy: 'food too heavy',
      payoff: 'payoff',
      success: 'success',
      collision: 'collision',
      interference: 'sent on a busy channel',
      jammed: 'jammed',
    } as Record<string, string>,
  },

  help: {
    title: 'Keys',
    close: 'Close',
    ignored: 'Keys are ignored while you type in a field.',
    rows: [
      ['Space or k', 'play and pause'],
      ['← →', 'one step back or forward'],
      ['Shift ← →', 'previous or next event'],
      ['j l', 'ten steps back or forward'],
      ['Home End', 'first or last step'],
      ['digits, then Enter', 'go to that step'],
      ['< >', 'slower or faster'],
      ['r', 'play backwards or forwards'],
      ['Tab', 'move between controls'],
      ['[ ]', 'previous or next agent'],
      ['Esc', 'clear the selected agent, or close this panel'],
      ['?', 'this panel'],
    ] as readonly (readonly [string, string])[],
    mouse: 'Wheel or pinch zooms at the pointer, dragging moves the picture, a click selects an agent.',
  },

  typed: (digits: string) => `Go to step ${digits} …`,

  announce: (step: number, last: number, parts: readonly string[]) =>
    `Step ${step} of ${last}.${parts.length === 0 ? '' : ` ${parts.join('. ')}.`}`,
  announceReturn: (value: string) => `Return so far ${value}`,

  scenes: {
    warehouse: {
      robot: 'robot, nose forward',
      loaded: 'robot carrying a shelf',
      shelf: 'shelf',
      requested: 'requested shelf',
      goal: 'goal',
      corridor: 'corridor',
      storage: 'storage',
      delivery: 'delivery',
      blocked: 'blocked',
      standstill: 'standstill',
      sensor: 'what the selected robot senses',
    },
    foraging: {
      player: 'player: its level, its number in the corner',
      food: 'food: the level it takes',
      reach: 'loading',
      tooHeavy: 'too heavy: level brought / needed',
      taken: 'taken in this step',
      blocked: 'blocked: the cell was wanted by others',
      shared: 'two players in one cell',
      sight: 'where the selected player sees food',
    },
    coin: {
      player: (n: number) => `agent_${n}`,
      own: (n: number) => `coin of agent_${n}`,
      taken: 'coin taken from the other',
      ownCoins: 'own',
      otherCoins: 'taken',
    },
    storm: {
      coinA: 'coin A',
      coinB: 'coin B',
      beam: 'beam',
      frozen: 'frozen after a meeting',
      holds: 'holds',
    },
    matrix: {
      chosen: 'chosen now',
      recent: 'chosen lately',
      equilibrium: 'pure equilibrium',
      best: 'best joint payoff',
      payoffs: (row: string, column: string) => `payoffs: ${row}, ${column}`,
      total: 'total',
      rounds: 'round',
      history: 'last rounds, newest right',
      times: 'times played',
      after: (action: string) => `how often ${action} after own and other’s last choice`,
      mixed: 'share of each choice so far',
      firstTables: (shown: number, all: number) => `${shown} of ${all} tables`,
      row: 'row',
      column: 'column',
    },
    spectrum: {
      channel: (k: number) => `channel ${k}`,
      success: 'success, number of the user',
      several: 'several successes at once, how many',
      collision: 'collision',
      primary: 'primary user',
      interference: 'sent on a busy channel',
      jammed: 'jammer',
      idle: 'nobody',
      waited: 'held back: heard others, or nothing to send',
      newest: 'newest slot ▸',
      lately: (slots: number) => `last ${slots} slots`,
      soFar: 'so far',
      perChannel: 'successes per slot and channel',
      fairness: 'Jain fairness',
      collisionRate: 'collided sends',
    },
    plain: { entity: (kind: string) => kind, link: 'link' },
  },

  notFound: 'There is no page at this address.',
} as const

/** 95 s is '1 min 35 s'. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}
