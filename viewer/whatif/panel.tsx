/** What each action of the selected agent would have led to, beside what the critic thought. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { runCheckpoint, runOf } from '../fork/checkpoints.ts'
import { ForkWorker } from '../fork/link.ts'
import { PlayerSelect, planOf, Trained, usePolicies, type Mode } from '../fork/players.tsx'
import { actionName } from '../panels/inspector.tsx'
import { nameOf, type Session } from '../session.ts'
import { bytesOf } from '../sources/bytes.ts'
import { figure, strings } from '../strings.ts'
import { teamRewardOf } from '../survey.ts'
import { type Estimate, type Outcome } from './whatif.ts'
import './whatif.css'

const words = strings.whatIf
const DEPTHS = [10, 25, 50, 100, 200, 500] as const
const DISCOUNTS = [1, 0.99, 0.95, 0.9] as const

export function WhatIfPanel({ session }: { session: Session }): JSX.Element {
  const info = session.info.value
  const agent = session.agent.value
  if (info?.mode !== 'resimulate') return <p class="muted">{strings.fork.onlySimulated}</p>
  if (session.source.value?.kind === 'fork') return <p class="muted">{words.saveFirst}</p>
  if (agent === null) return <p class="muted">{words.choose}</p>
  return <Asked key={info.header.seed} session={session} agent={agent} />
}

function Asked({ session, agent }: { session: Session; agent: string }): JSX.Element {
  const info = session.info.value!
  const { step } = session.clock.value
  const policies = usePolicies(info.header.env)
  const recorded = info.header.policies.map(({ name }) => name)
  const known = policies.find(({ name }) => recorded.length === 1 && name === recorded[0])
  const chosen = useSignal<string | null>(null)
  const mode = useSignal<Mode>('sample')
  const depth = useSignal<number>(50)
  const discount = useSignal<number>(info.value === null ? 1 : 0.99)
  const estimate = useSignal<Estimate | null>(null)
  const failure = useSignal<string | null>(null)
  const running = useSignal(false)
  const worker = useMemo(() => ({ made: null as ForkWorker | null }), [])
  const player = chosen.value ?? (known === undefined ? 'policy:random' : `policy:${known.name}`)

  const stop = () => {
    const { made } = worker
    worker.made = null // first: what it still says on closing is for nobody
    made?.close()
    running.value = false
  }
  useEffect(() => stop, [])
  // An answer is about one step and one agent.
  useEffect(() => {
    const asked = estimate.peek()
    if (asked !== null && (asked.step !== step || info.agents[asked.agent] !== agent)) {
      stop()
      estimate.value = null
    }
    failure.value = null
  }, [step, agent])
  useEffect(() => {
    const source = session.source.peek()
    const run = source?.kind === 'server' ? runOf(source.id) : null
    if (run === null) return
    runCheckpoint(run).then(
      (found) => found !== undefined && (chosen.value ??= `checkpoint:${found.name}`),
      () => undefined,
    )
  }, [session, chosen])

  const ask = async () => {
    const source = session.source.peek()
    if (source === null || source.kind === 'fork') return
    stop()
    session.player.pause()
    running.value = true
    failure.value = null
    const made = new ForkWorker()
    worker.made = made
    try {
      const question = {
        kind: 'whatIf' as const,
        name: nameOf(source),
        bytes: await bytesOf(source),
        step: session.clock.peek().step,
        agent: info.agents.indexOf(agent),
        plans: info.agents.map(() => planOf(player, mode.value)),
        discount: discount.value,
        depth: depth.value,
      }
      if (worker.made !== made) return
      made.follow(
        question,
        (answer) => {
          if (worker.made === made && answer.kind === 'whatIf') estimate.value = answer.estimate
        },
        (error) => {
          if (worker.made !== made) return
          stop()
          failure.value = error.message
        },
      )
    } catch (error) {
      stop()
      failure.value = error instanceof Error ? error.message : String(error)
    }
  }
  const found = estimate.value
  const kind = teamRewardOf(info.header.scenario)
  return (
    <section class="block what-if" aria-label={words.title}>
      <h2>{words.ask(agent, step)}</h2>
      <p class="muted">{words.explain(words.returns[kind], depth.value)}</p>
      <div class="what-if-settings">
        <label>
          <span>{words.playedBy}</span>
          <PlayerSelect
            label={words.playedBy}
            value={player}
            policies={policies}
            besides={[]}
            onChange={(key) => (chosen.value = key)}
          />
        </label>
        <label>
          <span>{words.depth}</span>
          <select value={String(depth.value)} onChange={(event) => (depth.value = Number(event.currentTarget.value))}>
            {DEPTHS.map((steps) => (
              <option key={steps} value={String(steps)}>
                {steps}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span>{words.discount}</span>
          <select
            value={String(discount.value)}
            onChange={(event) => (discount.value = Number(event.currentTarget.value))}
          >
            {DISCOUNTS.map((factor) => (
              <option key={factor} value={String(factor)}>
                {factor}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Trained mode={mode} onAdd={(key) => (chosen.value = key)} />
      {known === undefined && policies.length > 0 && chosen.value === null && (
        <p class="muted">{words.unknownPolicy(recorded.join(', ') || strings.unknown)}</p>
      )}
      <div class="row">
        {running.value ? (
          <button type="button" class="button" onClick={stop}>
            {words.stop}
          </button>
        ) : (
          <button type="button" class="button primary" onClick={() => void ask()}>
            {words.start}
          </button>
        )}
        {found !== null && (
          <span class="muted tabular" data-futures={found.futures}>
            {words.futures(found.futures)}
          </span>
        )}
      </div>
      {failure.value !== null && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
      {found !== null && found.futures > 0 && <Outcomes estimate={found} session={session} />}
    </section>
  )
}

const BAR = 132

/** Means and intervals on one scale, the critic's estimate as a line through all of them. */
function Outcomes({ estimate, session }: { estimate: Estimate; session: Session }): JSX.Element {
  const space = session.info.value?.spec?.agents[estimate.agent].action
  const { outcomes, critic } = estimate
  const ends = outcomes.flatMap(({ mean, interval }) => [
    mean ?? 0,
    interval?.[0] ?? mean ?? 0,
    interval?.[1] ?? mean ?? 0,
  ])
  const low = Math.min(...ends, critic ?? Infinity)
  const high = Math.max(...ends, critic ?? -Infinity)
  const x = (value: number) => 6 + ((value - low) / Math.max(1e-9, high - low)) * (BAR - 12)
  const best = Math.max(...outcomes.map(({ mean }) => mean ?? -Infinity))
  return (
    <>
      <table class="list outcomes">
        <tbody>
          {outcomes.map((outcome) => (
            <tr
              key={outcome.action.join()}
              class={outcome.mean === best ? 'best' : ''}
              data-action={outcome.action.join()}
            >
              <th scope="row">
                {actionName(space, outcome.action)}
                {outcome.taken && <span class="muted"> {words.taken}</span>}
              </th>
              <td>
                <Whisker outcome={outcome} critic={critic} x={x} />
              </td>
              <td class="number" title={describe(outcome)}>
                {figure(round(outcome.mean))}
                {outcome.interval !== null && (
                  <span class="muted"> ± {figure(round((outcome.interval[1] - outcome.interval[0]) / 2))}</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="muted">{critic === null ? words.noCritic : words.criticAt(figure(round(critic)))}</p>
    </>
  )
}

function Whisker(props: { outcome: Outcome; critic: number | null; x: (value: number) => number }): JSX.Element | null {
  const { outcome, critic, x } = props
  const { mean, interval } = outcome
  if (mean === null) return null
  return (
    <svg class="whisker" width={BAR} height="18" role="img" aria-label={describe(outcome)}>
      {critic !== null && <line class="critic" x1={x(critic)} x2={x(critic)} y1="0" y2="18" />}
      {interval !== null && (
        <path d={`M${x(interval[0])} 5v8M${x(interval[0])} 9H${x(interval[1])}M${x(interval[1])} 5v8`} />
      )}
      <circle cx={x(mean)} cy="9" r="4" />
    </svg>
  )
}

function describe({ action, mean, interval }: Outcome): string {
  const [low, high] = interval ?? [mean, mean]
  return words.outcome(action.join(', '), figure(round(mean)), figure(round(low)), figure(round(high)))
}

function round(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(3))
}
