/** Replays: recorded episodes that can be checked. Reading order: format, write, read, digest, record, verify, resimulate. */
export {
  CHAIN_EVERY,
  REPLAY_FORMAT,
  REPLAY_LIMITS,
  ReplayHeaderSchema,
  ReplayResultSchema,
  worldText,
  type Keyframe,
  type Note,
  type Replay,
  type ReplayHeader,
  type ReplayLimits,
  type ReplayResult,
} from './replay-format.ts'
export { writeReplay } from './replay-write.ts'
export { ReplayReader, indexReplay, readReplay, readReplayHeader, type ReplayIndex } from './replay-read.ts'
export { checkFrame } from './replay-frames.ts'
export {
  ReplayRecorder,
  scalarReturn,
  type RecordingHeader,
  type RecordingOptions,
  type StepExtra,
  type TeamReward,
} from './replay-record.ts'
export { checkPlayable, definitionOf, verifyReplay, type Verdict } from './replay-verify.ts'
export { verifyReplays } from './replay-verify-lanes.ts'
export { Resimulation } from './resimulate.ts'
