/** The list of who may play an agent, and the choice of one. */
import { useSignal, type Signal } from '@preact/signals'
import { type JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { strings } from '../strings.ts'
import { checkpoints, chosenCheckpoint } from './checkpoints.ts'
import { policiesOf } from './link.ts'
import { type Plan, type PolicyChoice } from './messages.ts'

const words = strings.fork

export type Mode = 'greedy' | 'sample'

/** Names of plans in a list of choices. */
export function planKey(plan: Plan): string {
  if (plan.kind === 'policy') return `policy:${plan.name}`
  if (plan.kind === 'checkpoint') return `checkpoint:${plan.checkpoint.name}`
  return plan.kind
}

export function planOf(key: string, mode: Mode): Plan {
  if (key.startsWith('policy:')) return { kind: 'policy', name: key.slice(7) }
  const checkpoint = checkpoints.peek().find(({ name }) => `checkpoint:${name}` === key)
  if (checkpoint !== undefined) return { kind: 'checkpoint', checkpoint, mode }
  return key === 'person' ? { kind: 'person' } : { kind: 'recorded' }
}

/** Scripted policies of an environment, asked once a page. */
const known = new Map<string, Promise<readonly PolicyChoice[]>>()

export function usePolicies(env: string): readonly PolicyChoice[] {
  const policies = useSignal<readonly PolicyChoice[]>([])
  useEffect(() => {
    let here = true
    const asked = known.get(env) ?? policiesOf(env)
    known.set(env, asked)
    asked.then((found) => here && (policies.value = found)).catch(() => known.delete(env))
    return () => {
      here = false
    }
  }, [env, policies])
  return policies.value
}

interface Props {
  readonly label: string
  readonly value: string
  readonly policies: readonly PolicyChoice[]
  /** Choices besides policies. */
  readonly besides: readonly ('recorded' | 'person')[]
  onChange(key: string): void
}

export function PlayerSelect({ label, value, policies, besides, onChange }: Props): JSX.Element {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {besides.map((kind) => (
        <option key={kind} value={kind}>
          {kind === 'person' ? words.you : words.recorded}
        </option>
      ))}
      <optgroup label={words.scripted}>
        {policies.map(({ name, privileged }) => (
          <option key={name} value={`policy:${name}`}>
            {privileged ? words.privileged(name) : name}
          </option>
        ))}
      </optgroup>
      {checkpoints.value.length > 0 && (
        <optgroup label={words.trained}>
          {checkpoints.value.map(({ name }) => (
            <option key={name} value={`checkpoint:${name}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  )
}

/** Adds a trained policy from the user's files, and says how trained ones choose. */
export function Trained({ mode, onAdd }: { mode: Signal<Mode>; onAdd?: (key: string) => void }): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const failure = useSignal<string | null>(null)
  const add = async (files: readonly File[]) => {
    failure.value = null
    try {
      const { name } = await chosenCheckpoint(files)
      onAdd?.(`checkpoint:${name}`)
    } catch (error) {
      failure.value = error instanceof Error ? error.message : String(error)
    }
  }
  return (
    <div class="trained">
      <button type="button" class="quiet-button" title={words.checkpointHelp} onClick={() => input.current?.click()}>
        {words.checkpoint}
      </button>
      <input
        ref={input}
        hidden
        multiple
        type="file"
        accept=".safetensors,.json"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])]
          event.currentTarget.value = ''
          if (files.length > 0) void add(files)
        }}
      />
      {checkpoints.value.length > 0 && (
        <label>
          {words.mode}{' '}
          <select value={mode.value} onChange={(event) => (mode.value = event.currentTarget.value as Mode)}>
            <option value="greedy">{words.modes.greedy}</option>
            <option value="sample">{words.modes.sample}</option>
          </select>
        </label>
      )}
      {failure.value !== null && (
        <p class="failure" role="alert">
          {failure.value}
        </p>
      )}
    </div>
  )
}
