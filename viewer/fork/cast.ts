/**
 * Who plays which agents of a batch: policies with what they remember. Runs in the simulation worker.
 *
 * Policies that carry memory are made to watch an episode from its first step (they choose, and the choice is not
 * played), so that someone who takes over at step 42 knows what he would know had he played from the start.
 */
import { type DigestibleBatch } from '../../envs/core/batch.ts'
import { Generator } from '../../envs/core/random.ts'
import { namedSeed } from '../../envs/core/seeds.ts'
import { type ActionBatch, type AnyPolicy } from '../../agents/core/policy.ts'

/** One policy and the agents it plays. */
export interface Part {
  readonly policy: AnyPolicy
  /** Indices among the controlled agents of the batch. */
  readonly agents: readonly number[]
}

interface Playing {
  readonly policy: AnyPolicy
  readonly agents: Int32Array
  memory: unknown
  readonly rng: Generator
  readonly out: ActionBatch
  readonly view: { observation: Float32Array; mask: Uint8Array; alive: Uint8Array }
}

export class Cast {
  readonly #batch: DigestibleBatch
  readonly #parts: Playing[]

  /** @param root of the policies' draws: the same root and history give the same choices */
  constructor(batch: DigestibleBatch, parts: readonly Part[], root: string) {
    this.#batch = batch
    const { spec, lanes } = batch
    this.#parts = parts.map(({ policy, agents }, index) => {
      const n = agents.length
      const numbers = lanes * n * spec.actionDims
      return {
        policy,
        agents: Int32Array.from(agents),
        memory: policy.memory(lanes, n),
        rng: new Generator(namedSeed(root, `part ${index}: ${policy.name}`)),
        out: { action: spec.actionKind === 'box' ? new Float32Array(numbers) : new Int32Array(numbers) },
        view: {
          observation: new Float32Array(lanes * n * spec.observationSize),
          mask: new Uint8Array(lanes * n * spec.actionSize),
          alive: new Uint8Array(lanes * n),
        },
      }
    })
  }

  /** Whether a policy plays the agent. */
  plays(agent: number): boolean {
    return this.#parts.some(({ agents }) => agents.includes(agent))
  }

  /** Lets every policy choose in the present state and writes its agents' rows. @param action [B, N, D] */
  act(action: Int32Array | Float32Array): void {
    const { spec, lanes } = this.#batch
    const N = spec.agents.length
    const D = spec.actionDims
    for (const part of this.#parts) {
      const n = part.agents.length
      if (part.policy.privileged === true) {
        part.policy.act(this.#batch, part.agents, part.memory, part.out, part.rng)
      } else {
        this.#look(part)
        const { observation, mask, alive } = part.view
        const episodeStart = this.#batch.episodeStart
        const view = { spec, lanes, agents: part.agents, observation, mask, alive, episodeStart }
        part.policy.act(view, part.memory, part.out, part.rng)
      }
      for (let lane = 0; lane < lanes; lane++) {
        for (let k = 0; k < n; k++) {
          const from = (lane * n + k) * D
          const to = (lane * N + part.agents[k]) * D
          for (let d = 0; d < D; d++) action[to + d] = part.out.action[from + d]
        }
      }
    }
  }

  /** What everybody remembers now, to come back to. */
  save(): unknown {
    return this.#parts.map(({ memory, rng }) => ({ memory: structuredClone(memory), rng: rng.state.slice() }))
  }

  /** @param saved by `save` of a cast of the same parts and lanes */
  load(saved: unknown): void {
    ;(saved as { memory: unknown; rng: Uint32Array }[]).forEach(({ memory, rng }, index) => {
      this.#parts[index].memory = structuredClone(memory)
      this.#parts[index].rng.state.set(rng)
    })
  }

  /** Other draws from now on. */
  reseed(root: string): void {
    this.#parts.forEach(({ policy, rng }, index) => {
      rng.state.set(new Generator(namedSeed(root, `part ${index}: ${policy.name}`)).state)
    })
  }

  /** Copies what the part's agents may see. */
  #look({ agents, view }: Playing): void {
    const { spec, lanes, observation, mask, alive } = this.#batch
    const N = spec.agents.length
    const F = spec.observationSize
    const A = spec.actionSize
    const n = agents.length
    for (let lane = 0; lane < lanes; lane++) {
      for (let k = 0; k < n; k++) {
        const from = lane * N + agents[k]
        const to = lane * n + k
        view.observation.set(observation.subarray(from * F, (from + 1) * F), to * F)
        view.mask.set(mask.subarray(from * A, (from + 1) * A), to * A)
        view.alive[to] = alive[from]
      }
    }
  }
}
