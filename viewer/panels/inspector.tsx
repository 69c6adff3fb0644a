/** What one agent saw, could do, did and got at the step shown. */
import { useSignal } from '@preact/signals'
import { type JSX } from 'preact'
import { memo } from 'preact/compat'
import { type ActionSpace, type AgentSpec } from '../../envs/core/types.ts'
import { findAgents, numberOf } from '../agents.ts'
import { GAMMA, LAMBDA } from '../estimates.ts'
import { Icon } from '../icons.tsx'
import { isMemory, memoryOf, notesAt } from '../said.ts'
import { type EpisodeInfo, type StepRecord } from '../sources/messages.ts'
import { type Session } from '../session.ts'
import { seriesOf, type StripId } from '../strip-data.ts'
import { figure, strings } from '../strings.ts'
import { agentColour, hex, PALETTES, textOn, theme } from '../theme.ts'
import { queueOf, waits, type Queue } from '../waiting.ts'
import { entityOf } from '../tween.ts'
import { useThrottled } from './throttle.ts'

const words = strings.inspector

/** The field that finds an agent, for the key that goes there. */
export const FIND_AGENT = 'find-agent'
/** Chips of agents at most, from how many on there is a field to find one, and how many it suggests. */
const CHIPS = 60
const FIND_FROM = 12
const FOUND = 20
/** Steps that a wait is followed back. */
const LONGEST_WAIT = 50

/** How often the numbers change while the clock runs, in milliseconds. */
const READABLE_MS = 120

export function Inspector({ session }: { session: Session }): JSX.Element | null {
  const record = useThrottled(session.record, READABLE_MS).value
  const info = session.info.value
  if (info === null || record === null) return null
  const agent = session.agent.value === null ? -1 : info.agents.indexOf(session.agent.value)
  return (
    <div class="inspector-body" data-step={record.step}>
      <AgentChips session={session} info={info} />
      {agent < 0 ? (
        <>
          <p class="muted">{words.none}</p>
          <Counters record={record} />
        </>
      ) : (
        <>
          <Why session={session} info={info} record={record} agent={agent} />
          <Actions info={info} record={record} agent={agent} />
          <Rewards session={session} info={info} record={record} agent={agent} />
          <World info={info} record={record} agent={agent} />
          <Notes info={info} record={record} agent={agent} />
          <Observation info={info} record={record} before={session.at(record.step - 1) ?? null} agent={agent} />
          <Counters record={record} />
        </>
      )}
    </div>
  )
}

function AgentChips({ session, info }: { session: Session; info: EpisodeInfo }): JSX.Element {
  const palette = PALETTES[theme.value]
  const chosen = session.agent.value
  const all = info.agents.map((id, index) => ({ id, index }))
  // A crowd gets its first agents and whoever is selected; the others are found by name.
  const shown = all.filter(({ id, index }) => index < CHIPS || id === chosen)
  return (
    <>
      {info.agents.length > FIND_FROM && <FindAgent session={session} info={info} />}
      <div class="chips" role="group" aria-label={words.agents}>
        {shown.map(({ id, index }) => {
          const number = numberOf(id, index)
          const colour = agentColour(palette, number)
          return (
            <button
              key={id}
              type="button"
              class="chip"
              aria-pressed={chosen === id}
              aria-label={words.agent(id)}
              title={id}
              onClick={() => session.select(chosen === id ? null : id)}
            >
              <span class="chip-disc" style={{ background: hex(colour), color: hex(textOn(colour)) }}>
                {number}
              </span>
              {info.agents.length <= 6 && <span>{id}</span>}
            </button>
          )
        })}
      </div>
      {shown.length < all.length && <p class="muted">{words.moreAgents(all.length - shown.length)}</p>}
      {chosen !== null && <AgentTools session={session} agent={chosen} />}
    </>
  )
}

/** Keeps the camera on the agent, and goes from one of its events to the next. */
function AgentTools({ session, agent }: { session: Session; agent: string }): JSX.Element {
  const own = session.overview.value.events.some(({ agents }) => agents.includes(agent))
  return (
    <div class="agent-tools">
      <button
        type="button"
        class="toggle follow"
        aria-pressed={session.following.value}
        title={words.followTip}
        onClick={() => (session.following.value = !session.following.value)}
      >
        <Icon name="target" size={16} />
        {words.follow}
      </button>
      {own && (
        <>
          <button type="button" class="quiet-button" title={words.previousTip} onClick={() => session.jumpOwn(-1)}>
            <Icon name="back" size={12} />
            {words.previous}
          </button>
          <button type="button" class="quiet-button" title={words.nextTip} onClick={() => session.jumpOwn(1)}>
            {words.next}
            <Icon name="forward" size={12} />
          </button>
        </>
      )}
    </div>
  )
}

/** Goes to an agent by its name or number: selects it and takes the camera there. */
function FindAgent({ session, info }: { session: Session; info: EpisodeInfo }): JSX.Element {
  const typed = useSignal('')
  const missing = useSignal(false)
  const found = findAgents(info.agents, typed.value, FOUND)
  const go = (id: string | undefined) => {
    missing.value = id === undefined
    if (id === undefined) return
    session.select(id)
    session.following.value = true
    typed.value = ''
    // The keys are the page's again, and the agent that was found has the focus.
    requestAnimationFrame(() => document.querySelector<HTMLElement>('.chip[aria-pressed="true"]')?.focus())
  }
  return (
    <form
      class="find"
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed.value.trim() !== '') go(found[0])
      }}
    >
      <input
        id={FIND_AGENT}
        type="search"
        autocomplete="off"
        placeholder={words.findShort}
        aria-label={words.find}
        list="found-agents"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
          missing.value = false
          // Choosing from the list goes there at once.
          if (info.agents.includes(typed.value) && found.length === 1) go(typed.value)
        }}
      />
      <datalist id="found-agents">
        {found.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <span role="status" class={missing.value ? 'muted' : 'hidden'}>
        {missing.value ? words.notFound(typed.value) : ''}
      </span>
    </form>
  )
}

/** What was in the way of an agent that did not get on, and where the queue begins. */
function Why(props: { session: Session; info: EpisodeInfo; record: StepRecord; agent: number }): JSX.Element | null {
  const { session, info, record, agent } = props
  const id = info.agents[agent]
  const frameAt = (step: number) => session.at(step)?.frame ?? null
  const all = waits(record.frame, frameAt(record.step - 1))
  const queue = queueOf(all, id)
  if (queue === null) return null
  let since = 1
  const isBlocked = (step: number) => {
    const frame = frameAt(step)
    return frame !== null && entityOf(frame, id)?.state?.blocked === true
  }
  while (since < LONGEST_WAIT && isBlocked(record.step - since)) since++
  return (
    <section class="block why" aria-label={words.why}>
      <h2>{words.why}</h2>
      <p data-fact="why">{reasonOf(queue, info, record.step)}</p>
      {queue.chain.length > 2 && <p class="muted">{words.whyQueue(queue.chain)}</p>}
      {since > 1 && <p class="muted">{words.whyFor(since, since >= LONGEST_WAIT)}</p>}
    </section>
  )
}

function reasonOf({ root }: Queue, info: EpisodeInfo, step: number): string {
  if (root.kind === 'thing') return words.whyShelf(root.agent, root.id)
  if (root.kind === 'faceToFace') return words.whyFace(...root.agents)
  if (root.kind === 'came') return words.whyCame(root.id)
  if (root.kind === 'unknown') return words.whyUnknown
  const n = info.agents.indexOf(root.id)
  if (n < 0 || info.spec === null || step === 0) return words.whyStandsUnknown(root.id)
  const { dims } = info.header.action
  const from = ((step - 1) * info.agents.length + n) * dims
  return words.whyStands(
    root.id,
    actionName(info.spec.agents[n].action, Array.from(info.actions.subarray(from, from + dims))),
  )
}

/** What the picture knows of the agent: its place, and what its state says. */
function World({ info, record, agent }: { info: EpisodeInfo; record: StepRecord; agent: number }): JSX.Element | null {
  const entity = entityOf(record.frame, info.agents[agent])
  if (entity === undefined) return null
  const facts = Object.entries(entity.state ?? {}).filter(([name]) => name !== 'number')
  return (
    <section class="block" aria-label={words.world}>
      <h2>{words.world}</h2>
      <dl class="facts">
        <div>
          <dt>{words.place}</dt>
          <dd data-fact="place">{`${strings.short(entity.x)}, ${strings.short(entity.y)}`}</dd>
        </div>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{spaced(name)}</dt>
            <dd>{plainly(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function plainly(value: string | number | boolean | null): string {
  if (value === null) return strings.none
  if (typeof value === 'boolean') return value ? strings.yes : strings.no
  return typeof value === 'number' ? figure(value) : value
}

/** The dimensions of an action space, each with the names of its choices; none for real numbers. */
function choicesOf(space: ActionSpace): { name: string | null; values: readonly string[] }[] {
  if (space.kind === 'discrete') return [{ name: null, values: space.names }]
  if (space.kind === 'multi-discrete') return space.dimensions.map(({ name, values }) => ({ name, values }))
  return []
}

function Actions(props: { info: EpisodeInfo; record: StepRecord; agent: number }): JSX.Element {
  const { info, record, agent } = props
  const { step } = record
  const D = info.header.action.dims
  const N = info.agents.length
  const over = step >= info.steps
  const row = (t: number) => Array.from(info.actions.subarray((t * N + agent) * D, (t * N + agent + 1) * D))
  const space = info.spec?.agents[agent].action
  const name = (action: number[]) => actionName(space, action)
  return (
    <section class="block" aria-label={words.action}>
      <h2>{words.action}</h2>
      <dl class="facts">
        <div>
          <dt>{words.actionTaken}</dt>
          <dd class="strong" data-fact="action">
            {over ? (record.ended === 'no' ? words.open : words.over) : name(row(step))}
          </dd>
        </div>
        {step > 0 && (
          <div>
            <dt>{words.actionBefore}</dt>
            <dd>{name(row(step - 1))}</dd>
          </div>
        )}
        {record.ended !== 'no' && (
          <div>
            <dt>{strings.transport.step}</dt>
            <dd>{words.ended[record.ended]}</dd>
          </div>
        )}
        {record.alive?.[agent] === 0 && (
          <div>
            <dt>{info.agents[agent]}</dt>
            <dd>{words.dead}</dd>
          </div>
        )}
      </dl>
      {space !== undefined && !over && (
        <Choices info={info} record={record} agent={agent} space={space} taken={row(step)} />
      )}
    </section>
  )
}

export function actionName(space: ActionSpace | undefined, action: readonly number[]): string {
  if (space === undefined) return action.map(String).join(', ')
  if (space.kind === 'discrete') return space.names[action[0]] ?? String(action[0])
  if (space.kind === 'multi-discrete') {
    return space.dimensions.map(({ name, values }, d) => `${name} ${values[action[d]] ?? action[d]}`).join(', ')
  }
  return space.dimensions.map(({ name }, d) => `${name} ${figure(action[d])}`).join(', ')
}

/** Every choice with whether it was legal, its probability, and which was taken. */
function Choices(props: {
  info: EpisodeInfo
  record: StepRecord
  agent: number
  space: ActionSpace
  taken: readonly number[]
}): JSX.Element | null {
  const { info, record, agent, space, taken } = props
  const groups = choicesOf(space)
  if (groups.length === 0) return null
  const A = info.spec?.actionSize ?? 0
  const sizes = info.spec?.actionSizes ?? []
  const N = info.agents.length
  const { probability } = info
  let offset = 0
  return (
    <table class="choices">
      <caption class="hidden">{words.choices}</caption>
      <tbody>
        {groups.map(({ name, values }, d) => {
          const from = offset
          offset += sizes[d] ?? values.length
          return values.map((value, choice) => {
            const legal = record.mask === null || record.mask[agent * A + from + choice] === 1
            const p = probability === null ? null : probability[(record.step * N + agent) * A + from + choice]
            const chosen = taken[d] === choice
            return (
              <tr key={`${d}-${choice}`} class={chosen ? 'chosen' : legal ? '' : 'masked'}>
                <th scope="row">
                  {chosen ? <Icon name="play" size={10} /> : <span class="no-icon" />}
                  {name === null ? value : `${name} ${value}`}
                </th>
                {p !== null && (
                  <td class="meter-cell">
                    <span class="meter" style={{ width: `${Math.round(100 * Math.min(1, Math.max(0, p)))}%` }} />
                  </td>
                )}
                {p !== null && <td class="number">{p.toFixed(2)}</td>}
                <td class="tag">{chosen ? words.chosen : legal ? words.legal : words.masked}</td>
              </tr>
            )
          })
        })}
      </tbody>
    </table>
  )
}

function Rewards(props: { session: Session; info: EpisodeInfo; record: StepRecord; agent: number }): JSX.Element {
  const { session, info, record, agent } = props
  const series = seriesOf(info, session.overview.value)
  const estimate = (id: StripId) => {
    const found = series.get(id)
    return found === undefined || step < found.from || step > found.to ? null : found.own(step, agent)
  }
  const { reward, terms, returns, step } = record
  const memory = memoryOf(info.notes, step, info.agents[agent])
  const value = info.value !== null && step < info.steps ? info.value[step * info.agents.length + agent] : null
  if (reward === null || returns === null) {
    return (
      <section class="block" aria-label={words.reward}>
        <h2>{words.reward}</h2>
        <p class="muted">{words.notStored}</p>
      </section>
    )
  }
  return (
    <section class="block" aria-label={words.reward}>
      <h2>{words.reward}</h2>
      <dl class="facts numbers">
        <div>
          <dt>{words.rewardHere}</dt>
          <dd data-fact="reward">{figure(reward[agent])}</dd>
        </div>
        {terms !== null &&
          Object.entries(terms).map(([term, values]) => (
            <div key={term} class="term">
              <dt>{spaced(term)}</dt>
              <dd>{figure(values[agent])}</dd>
            </div>
          ))}
        <div>
          <dt>{words.returnSoFar}</dt>
          <dd data-fact="return">{figure(returns[agent])}</dd>
        </div>
        {value !== null && (
          <div>
            <dt>{words.value}</dt>
            <dd data-fact="value">{figure(Math.round(value * 1000) / 1000)}</dd>
          </div>
        )}
        {memory !== null && (
          <div>
            <dt title={words.memoryTip}>{words.memory}</dt>
            <dd data-fact="memory">{figure(memory)}</dd>
          </div>
        )}
        {estimate('advantage') !== null && (
          <div>
            <dt title={words.advantageTip(GAMMA, LAMBDA)}>{words.advantage}</dt>
            <dd data-fact="advantage">{figure(Math.round(estimate('advantage')! * 1000) / 1000)}</dd>
          </div>
        )}
        {estimate('entropy') !== null && (
          <div>
            <dt>{words.entropy}</dt>
            <dd data-fact="entropy">{figure(Math.round(estimate('entropy')! * 1000) / 1000)}</dd>
          </div>
        )}
      </dl>
    </section>
  )
}

function Notes(props: { info: EpisodeInfo; record: StepRecord; agent: number }): JSX.Element | null {
  const { info, record, agent } = props
  const notes = notesAt(info.notes, record.step).filter(
    (note) => (note.agent === undefined || note.agent === info.agents[agent]) && !note.text.split('\n').every(isMemory),
  )
  if (notes.length === 0) return null
  return (
    <section class="block" aria-label={words.notes}>
      <h2>{words.notes}</h2>
      {notes.map(({ text }, index) => (
        <p key={index} class="note">
          {text}
        </p>
      ))}
    </section>
  )
}

function Observation(props: {
  info: EpisodeInfo
  record: StepRecord
  before: StepRecord | null
  agent: number
}): JSX.Element {
  const { info, record, before, agent } = props
  const filter = useSignal('')
  const changedOnly = useSignal(false)
  const spec: AgentSpec | undefined = info.spec?.agents[agent]
  if (spec === undefined || record.observation === null) {
    return (
      <section class="block" aria-label={words.observation}>
        <h2>{words.observation}</h2>
        <p class="muted">{words.notStored}</p>
      </section>
    )
  }
  const F = info.spec!.observationSize
  const now = record.observation.subarray(agent * F, (agent + 1) * F)
  const past = before?.observation?.subarray(agent * F, (agent + 1) * F)
  const wanted = filter.value.trim().toLowerCase()
  let changes = 0
  const rows = spec.observation.map((feature, index) => {
    const changed = past !== undefined && past[index] !== now[index]
    if (changed) changes++
    return { feature, index, changed }
  })
  const shown = rows.filter(
    ({ feature, changed }) =>
      (wanted === '' || feature.name.toLowerCase().includes(wanted)) && (!changedOnly.value || changed),
  )
  return (
    <section class="block" aria-label={words.observation}>
      <h2>
        {words.observation} <span class="muted">{words.observationCount(shown.length, rows.length, changes)}</span>
      </h2>
      <div class="filter">
        <input
          type="search"
          placeholder={words.filter}
          aria-label={words.filter}
          value={filter.value}
          onInput={(event) => (filter.value = event.currentTarget.value)}
        />
        <label>
          <input
            type="checkbox"
            checked={changedOnly.value}
            onChange={(event) => (changedOnly.value = event.currentTarget.checked)}
          />
          {words.changedOnly}
        </label>
      </div>
      <table class="observation">
        <caption class="hidden">{words.observation}</caption>
        <tbody>
          {shown.map(({ feature, index, changed }) => (
            <FeatureRow
              key={index}
              name={feature.name}
              title={`${feature.meaning ?? feature.name}, ${figure(feature.low)} to ${figure(feature.high)}`}
              value={now[index]}
              share={shareOf(now[index], feature.low, feature.high)}
              changed={changed}
            />
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <p class="muted">{words.noMatch}</p>}
    </section>
  )
}

/** How far a value is on its way from low to high, in percent. */
function shareOf(value: number, low: number, high: number): number {
  const share = (value - low) / (high - low)
  return Number.isFinite(share) ? Math.round(100 * Math.min(1, Math.max(0, share))) : 0
}

const FeatureRow = memo(function FeatureRow(props: {
  name: string
  title: string
  value: number
  share: number
  changed: boolean
}): JSX.Element {
  const { name, title, value, share, changed } = props
  return (
    <tr class={changed ? 'changed' : ''} title={title}>
      <th scope="row">
        <span class="change-mark">
          {changed && (
            <>
              <span aria-hidden="true">●</span>
              <span class="hidden">{words.changed}</span>
            </>
          )}
        </span>
        {name}
      </th>
      <td class="meter-cell">
        <span class="meter" style={{ width: `${share}%` }} />
      </td>
      <td class="number">{figure(value)}</td>
    </tr>
  )
})

function Counters({ record }: { record: StepRecord }): JSX.Element | null {
  const counters = Object.entries(record.frame.counters)
  if (counters.length === 0) return null
  return (
    <section class="block" aria-label={words.counters}>
      <h2>{words.counters}</h2>
      <dl class="facts numbers">
        {counters.map(([name, value]) => (
          <div key={name}>
            <dt>{spaced(name)}</dt>
            <dd data-counter={name}>{figure(value)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** 'blockedMoves' is 'blocked moves'. */
export function spaced(name: string): string {
  return name
    .replace(/([a-z])([A-Z0-9])/g, '$1 $2')
    .replace(/_/g, ' ')
    .toLowerCase()
}
