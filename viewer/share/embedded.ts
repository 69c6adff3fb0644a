/** Keeps the contract of an embedded player: obeys the page around it and tells it what changes. */
import { effect } from '@preact/signals'
import { type Session } from '../session.ts'
import { scenarioName } from '../stage/stage-view.tsx'
import { setTheme, theme } from '../theme.ts'
import { CAPABILITIES, CONTRACT, mayCommand, readCommand, type EmbedEvent, type EmbedState } from './embed-contract.ts'

/** Least time between two messages about the state while time runs, in milliseconds. */
const PAUSE_MS = 100

/**
 * @param named origin of the page around, where the address says it (`?parent=`): no other is heard or told
 * @returns the way to stop
 */
export function keepContract(session: Session, named: string | null): () => void {
  const parent: Window = globalThis.parent
  if (parent === globalThis.window) return () => undefined // not in a frame
  let origin = named
  const tell = (event: EmbedEvent) => {
    // Until somebody trusted has spoken nobody's origin is known; a state holds nothing but what the picture shows.
    parent.postMessage({ troupe: CONTRACT, ...event }, origin === null || origin === 'null' ? '*' : origin)
  }
  const listen = (event: MessageEvent) => {
    if (!mayCommand(event, parent, named)) return
    const command = readCommand(event.data)
    if (command === null) return
    origin ??= event.origin
    const { player } = session
    if (command.type === 'load') {
      const { replay, name = 'episode', step = 0, agent = null } = command
      const source =
        typeof replay === 'string'
          ? ({ kind: 'server', id: replay } as const)
          : ({ kind: 'file', file: new File([replay], name) } as const)
      void session.open(source, { step, agent }).then(() => {
        const message = session.failure.peek()
        if (message !== null) tell({ type: 'refused', message })
      })
    } else if (command.type === 'step') player.seek(command.step)
    else if (command.type === 'playing') {
      if (command.playing) player.play()
      else player.pause()
    } else if (command.type === 'speed') player.setSpeed(command.speed)
    else if (command.type === 'select') session.select(command.agent)
    else if (command.type === 'overlays') session.overlays.value = new Set(command.overlays)
    else setTheme(command.theme)
  }
  addEventListener('message', listen)
  tell({ type: 'ready', capabilities: CAPABILITIES })
  let last = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  const send = () => {
    timer = undefined
    const state = stateOf(session)
    const text = JSON.stringify(state)
    if (text === last) return
    last = text
    tell({ type: 'state', state })
  }
  const stop = effect(() => {
    void session.clock.value
    void session.agent.value
    void session.overlays.value
    void session.info.value
    void theme.value
    timer ??= setTimeout(send, PAUSE_MS)
  })
  return () => {
    stop()
    clearTimeout(timer)
    removeEventListener('message', listen)
  }
}

export function stateOf(session: Session): EmbedState {
  const { step, last, playing, speed } = session.clock.peek()
  const info = session.info.peek()
  return {
    step,
    last,
    playing,
    speed,
    agent: session.agent.peek(),
    overlays: [...session.overlays.peek()],
    theme: theme.peek(),
    replay:
      info === null
        ? null
        : {
            name: info.name,
            scenario: scenarioName(info.header.scenario),
            agents: info.agents,
            steps: info.steps,
            return: info.header.result?.return ?? null,
          },
  }
}
