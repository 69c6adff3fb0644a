/** Every limit of the server in one table, with units in the names. README.md shows the same numbers. */
export const LIMITS = {
  /** Connected viewers, in all and from one address. */
  viewers: 1000,
  viewersPerAddress: 400,
  /** Open replay streams and subscriptions of one viewer. */
  streams: 16,
  subscriptions: 16,
  /** Messages of one viewer: a bucket of `messageBurst`, refilled at `messagesPerSecond`. */
  messagesPerSecond: 100,
  messageBurst: 400,
  /** Malformed messages before a viewer is shown the door. */
  badMessages: 20,
  /** A message over this many bytes closes the connection (up to it, one over the protocol's limit is answered). */
  socketPayloadBytes: 1_048_576,
  /** No `hello` within this time: closed. */
  helloMs: 10_000,
  /** Interval of heartbeats; a viewer that misses one whole interval is cut off. */
  heartbeatMs: 30_000,
  /** Nothing more is handed to a socket that holds this much. */
  highWaterBytes: 262_144,
  /** Answers a viewer may leave unread before it is cut off. */
  unreadBytes: 8_388_608,
  /** Target size of one replay chunk. */
  chunkBytes: 131_072,
  chunkSteps: 64,
  /** One replay as it is decoded; larger ones can be downloaded only. */
  decodedBytes: 67_108_864,
  /** Decoded replays kept for the next viewer, and all that open streams hold at a time. */
  cacheBytes: 67_108_864,
  openBytes: 536_870_912,
  /** Replays decoded at a time, and for how long one may keep the others waiting. */
  decoding: 2,
  decodingMs: 15,
  /** Files larger than this are skipped, with the reason shown. */
  replayBytes: 67_108_864,
  /** How much of a replay is read to list it. */
  headerBytes: 262_144,
  runBytes: 1_048_576,
  recordBytes: 16_777_216,
  /** Longest line of a log, and how much of a log is read in all. */
  logLineBytes: 262_144,
  logBytes: 268_435_456,
  /** Evaluations of one run kept in memory. */
  evaluations: 10_000,
  /** Runs and replays listed; older ones are left out. */
  runs: 2_000,
  replays: 20_000,
  /** Polling behind the file watch, and how long changes are collected. */
  pollMs: 1_000,
  settleMs: 40,
  /** A run that says it runs, whose process is gone and whose files are this old, is lost. */
  lostMs: 60_000,
  /** Longest request body read before the connection is refused. */
  bodyBytes: 65_536,
  /** Time from close() to the last socket being cut. */
  closeMs: 1_000,
}
export type Limits = typeof LIMITS
