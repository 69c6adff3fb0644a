/** Every limit of the leaderboard in one table, with units in the names. README.md shows the same numbers. */
export const BOARD_LIMITS = {
  /** One upload, and one replay in it, packed and unpacked. */
  uploadBytes: 67_108_864,
  replayBytes: 1_048_576,
  replayMemoryBytes: 16_777_216,
  /** Body of any other request. */
  bodyBytes: 65_536,
  /** A connection that uploads nothing for this long is cut. */
  uploadIdleMs: 15_000,
  /** Episodes of one entry at most; scenarios that ask for more get this many. */
  episodes: 1_000,
  /** Fewest episodes behind a ranked score. */
  leastEpisodes: 32,
  /** Where a world has no horizon of its own. */
  stepsPerEpisode: 100_000,
  stepsPerSubmission: 50_000_000,
  agents: 1_024,
  /** Submissions of one key that are not at their end, and submissions of a day. */
  openPerKey: 4,
  perDay: 50,
  perDayPerAddress: 200,
  /** Of one key on one board (scenario and level) while an epoch lasts: nobody may learn its shared panel by trying. */
  perEpoch: 100,
  /** Requests of one address in a minute: all, and those that change something. */
  requestsPerMinute: 3_000,
  writesPerMinute: 120,
  /** Clocks of the states. */
  openMs: 86_400_000,
  receivedMs: 600_000,
  queuedMs: 21_600_000,
  runningMs: 1_800_000,
  sweepMs: 15_000,
  /** One job of a worker: so many episodes, so long, so much memory. */
  jobEpisodes: 32,
  jobMs: 120_000,
  workerBytes: 536_870_912,
  /** Times the machine may fail a submission before it is given back. */
  tries: 3,
  retryMs: 1_000,
  /** A new epoch opens after this. */
  epochMs: 2_592_000_000,
}
export type BoardLimits = typeof BOARD_LIMITS
