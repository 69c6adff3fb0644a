/** One scenario: what agents see, do and get, an episode of it played in this page, and the way to play it oneself. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { type ActionSpace, type AgentSpec, type EnvSpec, type Feature } from '../../envs/core/types.ts'
import { type Scenario } from '../../scenarios/open.ts'
import { previewOf } from '../fork/link.ts'
import { PlayerSelect, usePolicies } from '../fork/players.tsx'
import { wantFork } from '../fork/wanted.ts'
import { openFile } from '../opened-file.ts'
import { Command } from '../panels/copy.tsx'
import { EpisodeBox } from '../panels/episode-box.tsx'
import { spaced } from '../panels/inspector.tsx'
import { PageFrame } from '../panels/page-frame.tsx'
import { boardPath } from '../route.ts'
import { type OptionRow, type Preview } from '../scenarios/preview.ts'
import { scenarioOf } from '../scenarios/shipped.ts'
import { Session } from '../session.ts'
import { figure, strings } from '../strings.ts'
import { reducedMotion } from '../theme.ts'

const words = strings.scenarioPage

export function ScenarioPage({ id }: { id: string }): JSX.Element {
  const scenario = useMemo(() => scenarioOf(id), [id])
  if (scenario === null) {
    return (
      <PageFrame title={words.unknown(id)}>
        <p>
          <a href="/scenarios">{strings.scenarios.title}</a>
        </p>
      </PageFrame>
    )
  }
  return (
    <PageFrame title={scenario.title}>
      <Facts scenario={scenario} />
    </PageFrame>
  )
}

function Facts({ scenario }: { scenario: Scenario }): JSX.Element {
  const session = useMemo(() => new Session(), [])
  const shown = useSignal<Preview | null>(null)
  const failure = useSignal<string | null>(null)
  const policy = useSignal<string | null>(null)
  const seed = useSignal(1)
  const policies = usePolicies(scenario.env)
  useEffect(() => () => session.close(), [session])

  const [chosen, root] = [policy.value, String(seed.value)]
  useEffect(() => {
    let here = true
    previewOf(scenario, chosen, root).then(
      (made) => {
        if (!here) return
        shown.value = made
        session.player.setSpeed(2)
        session.player.setLoop(true)
        void session.open({ kind: 'file', file: fileOf(scenario, made) }, { playing: !reducedMotion() })
      },
      (error: unknown) => {
        if (here) failure.value = error instanceof Error ? error.message : String(error)
      },
    )
    return () => {
      here = false
    }
  }, [scenario, session, chosen, root, shown, failure])

  const made = shown.value
  const play = () => {
    if (made === null) return
    wantFork.value = true
    openFile(fileOf(scenario, made))
  }
  const open = () => made !== null && openFile(fileOf(scenario, made))
  return (
    <>
      <p class="mono muted">{scenario.id}</p>
      {made !== null && <p>{made.summary}</p>}
      <div class="scenario-top">
        <div>
          {failure.value !== null && (
            <p class="failure" role="alert">
              {failure.value}
            </p>
          )}
          <EpisodeBox session={session} caption={words.preview} onOpen={open} />
          <div class="row">
            <label>
              {words.plays}{' '}
              <PlayerSelect
                label={words.plays}
                value={`policy:${made?.policy ?? ''}`}
                policies={policies}
                besides={[]}
                onChange={(key) => (policy.value = key.replace(/^policy:/, ''))}
              />
            </label>
            <button type="button" class="quiet-button" onClick={() => seed.value++}>
              {words.another}
            </button>
            <button type="button" class="button primary" disabled={made === null} onClick={play}>
              {words.play}
            </button>
          </div>
        </div>
        <div>
          <SpecTable scenario={scenario} spec={made?.spec ?? null} />
          <Command title={words.train} command={`troupe train mappo ${scenario.id} --seed 1`} />
          <p>
            <a href={boardPath('scenario', scenario.id)}>{words.board}</a>
          </p>
        </div>
      </div>
      {scenario.notes !== undefined && (
        <section>
          <h2>{words.notes}</h2>
          <p class="prose">{scenario.notes}</p>
        </section>
      )}
      {made !== null && <Spec spec={made.spec} options={made.options} />}
    </>
  )
}

function fileOf({ id }: Scenario, { policy, bytes }: Preview): File {
  return new File([bytes as Uint8Array<ArrayBuffer>], `${id.replaceAll('/', '-')}-${policy}.replay`)
}

/** The numbers one asks for first. */
function SpecTable({ scenario, spec }: { scenario: Scenario; spec: EnvSpec | null }): JSX.Element {
  const { reference, evaluation } = scenario
  const rows: [string, string][] = [
    [words.env, `${scenario.env}, ${words.version(scenario.version)}`],
    ...(spec === null
      ? []
      : ([
          [words.agents, words.agentCount(spec.agents.length, spec.world.agents.length)],
          [words.actions, words.actionCount(spec.actionKind, spec.actionSize, spec.actionDims)],
          [words.observation, words.features(spec.observationSize)],
          [words.state, spec.stateSize === 0 ? strings.none : words.features(spec.stateSize)],
          [words.horizon, spec.horizon === null ? words.noHorizon : words.steps(spec.horizon, spec.horizonEnds)],
          [words.metrics, spec.metrics.map(spaced).join(', ')],
        ] as [string, string][])),
    [words.return, strings.bar.returnOver[scenario.teamReward]],
    [words.evaluation, words.protocol(evaluation.points, evaluation.episodes, evaluation.policy)],
    ...(reference?.random === undefined ? [] : ([[words.random, figure(reference.random)]] as [string, string][])),
    ...(reference?.best === undefined ? [] : ([[words.best, figure(reference.best)]] as [string, string][])),
  ]
  return (
    <table class="list spec">
      <caption class="hidden">{words.spec}</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
        {reference?.source !== undefined && (
          <tr>
            <th scope="row">{words.source}</th>
            <td>{reference.source}</td>
          </tr>
        )}
      </tbody>
    </table>
  )
}

function Spec({ spec, options }: { spec: EnvSpec; options: readonly OptionRow[] }): JSX.Element {
  return (
    <>
      {groups(spec.agents).map(({ first, ids }) => (
        <section key={first.id}>
          <h2>{words.group(ids)}</h2>
          <div class="spec-pair">
            <Scroll of={words.group(ids)} title={words.actions}>
              <ActionRows space={first.action} />
            </Scroll>
            <Scroll of={words.group(ids)} title={words.observation}>
              <FeatureRows features={first.observation} />
            </Scroll>
          </div>
        </section>
      ))}
      {spec.world.state.length > 0 && (
        <details>
          <summary>{words.stateOf(spec.world.state.length)}</summary>
          <Scroll of={spec.env} title={words.state}>
            <FeatureRows features={spec.world.state} />
          </Scroll>
        </details>
      )}
      <section>
        <h2 id="options">{words.options}</h2>
        <div class="table-scroll" tabIndex={0} role="region" aria-labelledby="options">
          <table class="list">
            <thead>
              <tr>
                <th scope="col">{words.name}</th>
                <th scope="col">{words.value}</th>
                <th scope="col">{words.meaning}</th>
              </tr>
            </thead>
            <tbody>
              {options.map(({ name, value, given, meaning }) => (
                <tr key={name}>
                  <th scope="row" class="mono">
                    {name}
                  </th>
                  <td>
                    <span class="mono">{shorten(value)}</span>{' '}
                    <span class="muted">{given ? words.given : words.usual}</span>
                  </td>
                  <td>{meaning}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  )
}

/** Agents that see and do the same share their tables. */
function groups(agents: readonly AgentSpec[]): { first: AgentSpec; ids: string[] }[] {
  const found = new Map<string, { first: AgentSpec; ids: string[] }>()
  for (const agent of agents) {
    const key = JSON.stringify([agent.kind, agent.team, agent.action, agent.observation.map(({ name }) => name)])
    const group = found.get(key)
    if (group === undefined) found.set(key, { first: agent, ids: [agent.id] })
    else group.ids.push(agent.id)
  }
  return [...found.values()]
}

function Scroll(props: { of: string; title: string; children: JSX.Element }): JSX.Element {
  return (
    <div>
      <h3>{props.title}</h3>
      <div class="table-scroll tall" tabIndex={0} role="region" aria-label={`${props.title}: ${props.of}`}>
        {props.children}
      </div>
    </div>
  )
}

function ActionRows({ space }: { space: ActionSpace }): JSX.Element {
  const rows: [string, string][] =
    space.kind === 'discrete'
      ? space.names.map((name, k) => [String(k), name])
      : space.kind === 'multi-discrete'
        ? space.dimensions.map(({ name, values }) => [name, values.map((value, k) => `${k} ${value}`).join(', ')])
        : space.dimensions.map(({ name, low, high }) => [name, words.between(figure(low), figure(high))])
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col">{space.kind === 'discrete' ? words.number : words.name}</th>
          <th scope="col">{space.kind === 'box' ? words.range : words.does}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function FeatureRows({ features }: { features: readonly Feature[] }): JSX.Element {
  return (
    <table class="list">
      <thead>
        <tr>
          <th scope="col" class="number">
            {words.number}
          </th>
          <th scope="col">{words.name}</th>
          <th scope="col">{words.range}</th>
          <th scope="col">{words.meaning}</th>
        </tr>
      </thead>
      <tbody>
        {features.map(({ name, low, high, meaning }, k) => (
          <tr key={k}>
            <td class="number">{k}</td>
            <th scope="row" class="mono">
              {name}
            </th>
            <td>{words.between(figure(low), figure(high))}</td>
            <td>{meaning ?? ''}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Floor plans and unit lists are long. */
function shorten(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
