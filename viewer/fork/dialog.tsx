/** Who plays from a step on. */
import { useComputed, useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Dialog } from '../panels/dialog.tsx'
import { type Session } from '../session.ts'
import { bytesOf } from '../sources/bytes.ts'
import { nameOf } from '../session.ts'
import { strings } from '../strings.ts'
import { runCheckpoint, runOf } from './checkpoints.ts'
import { ForkLink } from './link.ts'
import { type Plan } from './messages.ts'
import { planKey, planOf, PlayerSelect, Trained, usePolicies, type Mode } from './players.tsx'
import './fork.css'

const words = strings.fork

interface Props {
  readonly session: Session
  /** The fork that is shown, when there is one: its players change. */
  readonly link: ForkLink | null
  readonly open: boolean
  onClose(): void
  onFork(link: ForkLink): void
}

export function ForkDialog({ session, link, open, onClose, onFork }: Props): JSX.Element {
  const info = session.info.value
  const step = session.clock.value.step
  return (
    <Dialog
      id="fork"
      title={link === null ? words.title(step) : words.change}
      open={open}
      onClose={onClose}
      class="fork-dialog"
    >
      {info !== null && info.spec !== null && (
        <Choice session={session} link={link} onClose={onClose} onFork={onFork} env={info.header.env} />
      )}
    </Dialog>
  )
}

function Choice({ session, link, onClose, onFork, env }: Omit<Props, 'open'> & { env: string }): JSX.Element {
  const agents = session.info.value!.agents
  const policies = usePolicies(env)
  const mode = useSignal<Mode>('greedy')
  const keys = useSignal<readonly string[]>(startingKeys(session, link))
  const busy = useSignal(false)
  const failure = useSignal<string | null>(null)
  const same = useComputed(() => (keys.value.every((key) => key === keys.value[0]) ? keys.value[0] : ''))

  // An episode of a run can be played on by the run's own policy.
  useEffect(() => {
    const source = session.source.peek()
    const run = source?.kind === 'server' ? runOf(source.id) : null
    if (run !== null) void runCheckpoint(run).catch(() => undefined)
  }, [session])

  const set = (agent: number, key: string) => {
    // A person has one pair of hands.
    keys.value = keys.value.map((old, n) =>
      n === agent ? key : key === 'person' && old === 'person' ? 'recorded' : old,
    )
  }
  const start = async () => {
    const plans: Plan[] = keys.value.map((key) => planOf(key, mode.value))
    busy.value = true
    failure.value = null
    try {
      if (link !== null) {
        await link.drive(plans)
        if (link.failure.peek() !== null) throw new Error(link.failure.peek()!)
      } else {
        const source = session.source.peek()
        if (source === null || source.kind === 'fork') return
        const bytes = await bytesOf(source)
        const { step } = session.clock.peek()
        session.player.pause()
        onFork(await ForkLink.open(session, nameOf(source), bytes, step, plans))
      }
      const mine = keys.value.indexOf('person')
      if (mine >= 0) session.select(agents[mine])
      onClose()
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error)
    } finally {
      busy.value = false
    }
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void start()
      }}
    >
      <p>{words.what}</p>
      <div class="players" role="group" aria-label={words.who}>
        {agents.length > 2 && (
          <label>
            <span class="muted">{words.all}</span>
            <PlayerSelect
              label={words.whoPlays(words.all)}
              value={same.value}
              policies={policies}
              besides={['recorded']}
              onChange={(key) => (keys.value = keys.value.map(() => key))}
            />
          </label>
        )}
        <div class="players-list">
          {agents.map((agent, n) => (
            <label key={agent}>
              <span>{agent}</span>
              <PlayerSelect
                label={words.whoPlays(agent)}
                value={keys.value[n]}
                policies={policies}
                besides={['recorded', 'person']}
                onChange={(key) => set(n, key)}
              />
            </label>
          ))}
        </div>
      </div>
      <Trained mode={mode} />
      {failure.value !== null && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      <div class="row dialog-foot">
        <button type="submit" class="button primary" disabled={busy.value}>
          {busy.value ? words.starting : link === null ? words.start : words.apply}
        </button>
        <button type="button" class="quiet-button" onClick={onClose}>
          {words.cancel}
        </button>
      </div>
    </form>
  )
}

/** The selected agent for the person, everybody else as before. */
function startingKeys(session: Session, link: ForkLink | null): string[] {
  const agents = session.info.peek()?.agents ?? []
  if (link !== null) return link.plans.peek().map(planKey)
  const mine = session.agent.peek() ?? agents[0]
  return agents.map((agent) => (agent === mine ? 'person' : 'recorded'))
}
