/** The whole protocol: every message of both directions, and the two doors that read them. */
import {
  ClientHello,
  ErrorMessage,
  Ping,
  Pong,
  ServerHello,
  Unsubscribe,
  Unsubscribed,
  WIRE_LIMITS,
  readMessage,
} from './hello.ts'
import {
  REPLAY_CLIENT_MESSAGES,
  REPLAY_SERVER_MESSAGES,
  type ReplayClose,
  type ReplayClosed,
  type ReplayDone,
  type ReplayOpen,
  type ReplayOpened,
  type ReplaySeek,
} from './replays.ts'
import {
  RUN_CLIENT_MESSAGES,
  RUN_SERVER_MESSAGES,
  type RunGone,
  type RunOpened,
  type RunProgress,
  type RunReplay,
  type RunSubscribe,
  type RunsChanged,
  type RunsListed,
  type RunsSubscribe,
} from './runs.ts'

export * from './hello.ts'
export * from './replays.ts'
export * from './runs.ts'

export const CLIENT_MESSAGES = {
  hello: ClientHello,
  ping: Ping,
  unsubscribe: Unsubscribe,
  ...REPLAY_CLIENT_MESSAGES,
  ...RUN_CLIENT_MESSAGES,
}
export const SERVER_MESSAGES = {
  hello: ServerHello,
  pong: Pong,
  error: ErrorMessage,
  unsubscribed: Unsubscribed,
  ...REPLAY_SERVER_MESSAGES,
  ...RUN_SERVER_MESSAGES,
}

export type ClientMessage =
  ClientHello | Ping | Unsubscribe | ReplayOpen | ReplaySeek | ReplayClose | RunsSubscribe | RunSubscribe

export type ServerMessage =
  | ServerHello
  | Pong
  | ErrorMessage
  | Unsubscribed
  | ReplayOpened
  | ReplayDone
  | ReplayClosed
  | RunsListed
  | RunsChanged
  | RunOpened
  | RunProgress
  | RunReplay
  | RunGone

/** Reads a client's text message. @throws TroupeError bad-message */
export function readClientMessage(text: string): ClientMessage {
  return readMessage(text, CLIENT_MESSAGES, 'message', WIRE_LIMITS.clientMessageBytes) as ClientMessage
}

/** Reads a server's text message; fields it does not know are left alone. @throws TroupeError bad-message */
export function readServerMessage(text: string): ServerMessage {
  return readMessage(text, SERVER_MESSAGES, 'message from the server', WIRE_LIMITS.serverMessageBytes) as ServerMessage
}
