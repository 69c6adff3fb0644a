/**
 * What every on-policy update is made of, whatever it learns: lanes opened in shards and played, estimates turned into
 * advantages, minibatches over all shards, one step of every network along the gradients of all. A learner puts these in
 * order and brings its loss (ppo.ts does; agents/README.md shows another).
 */
import { Generator, TroupeError, namedSeed } from '../../envs/core/index.ts'
import { type FusedOptimiser } from '../kernels/index.ts'
import { slotsOf, type Actors } from './actor.ts'
import { gae, nextValues } from './advantages.ts'
import { type Critics } from './critic.ts'
import { requireFinite, type LearnerRequest, type Metrics } from './learner.ts'
import { type Network } from './networks.ts'
import { Collector, type Rollout } from './rollout.ts'
import { Shard, shardBatches, sumNumbers, type Carried, type Grain, type Part, type ShardGroup } from './shards.ts'

/** Longest chunk of back-propagation through time, unless the settings say otherwise; the MAPPO reference has 10. */
const CHUNK = 16

/** Steps of back-propagation through time: as given, else the largest divisor of the rollout that is not above 16. */
export function chunkSteps(who: string, given: number | null, rolloutSteps: number): number {
  let chunk = given ?? Math.min(CHUNK, rolloutSteps)
  if (given === null) while (rolloutSteps % chunk !== 0) chunk--
  if (rolloutSteps % chunk === 0) return chunk
  let nearest = chunk
  while (rolloutSteps % nearest !== 0) nearest--
  throw new TroupeError('bad-option', {
    where: `${who} settings: chunk`,
    got: `${chunk} for rollouts of ${rolloutSteps} steps`,
    expected: `a divisor of rolloutSteps, ${nearest} for instance`,
  })
}

/**
 * The own shards of a request, each with its lanes and its generators.
 * @param memories what recurrent networks carry, as `Shard` takes it
 */
export function openShards(
  who: string,
  request: LearnerRequest,
  group: ShardGroup,
  settings: { readonly lanes: number; readonly shards: number; readonly rolloutSteps: number },
  grain: Grain,
  memories: ConstructorParameters<typeof Shard>[4],
): readonly Shard[] {
  const { seed, teamReward, agents, others } = request
  return shardBatches(who, request.batch, group, settings).map((batch, k) => {
    const part = group.own[k] === 0 ? '' : ` of shard ${group.own[k]}`
    const collector = new Collector(batch, who, teamReward, agents, others)
    const generators = {
      sampling: new Generator(namedSeed(seed, `${who}: actions${part}`)),
      shuffling: new Generator(namedSeed(seed, `${who}: shuffles${part}`)),
    }
    return new Shard(collector, settings.rolloutSteps, generators, grain, memories)
  })
}

/**
 * Fills a shard's rollout with what the actors do.
 * @param slots [n] 0, 1, 2 …
 * @param watch is called before every choice, and once more after the last step with t = T
 */
export function play(
  shard: Shard,
  actors: Pick<Actors, 'members' | 'choose'>,
  slots: Int32Array,
  watch?: (t: number) => void,
): void {
  const { sampling } = shard.generators
  const { chunk } = shard.grain
  const carried = actors.members.map(({ net }) => (shard.carried[net.shape.name] as Carried | undefined) ?? null)
  shard.collector.collect(
    shard.rollout,
    (view, out, t) => {
      watch?.(t)
      if (t % chunk === 0) for (const memory of carried) memory?.mark(t / chunk)
      actors.choose(view, slots, carried, out, () => sampling)
    },
    sampling,
  )
  watch?.(shard.rollout.steps)
}

/** What critics foresee of a rollout. */
export interface Foreseen {
  /** [T + 1, B, n] Values in the units of the rewards that are learned from. */
  readonly value: Float32Array
  /** [T, B, n] Of the state that followed each step: the last one where a clock cut the episode. */
  readonly next: Float32Array
}

/** Values of a shard's rollout. @param raw [T + 1, B, n] overwritten: in the critics' own units */
export function foresee({ rollout, carried, grain }: Shard, critics: Critics, raw: Float32Array): Foreseen {
  const { steps, lanes, agents, cuts } = rollout
  const cutValue = new Float32Array(cuts.length * agents)
  critics.estimate(rollout, raw, cutValue, carried, grain.chunk)
  const value = raw.slice()
  critics.denormalise(value)
  critics.denormalise(cutValue)
  const next = new Float32Array(steps * lanes * agents)
  nextValues(value, steps, lanes, agents, cuts, cutValue, next)
  return { value, next }
}

/** What returns are made of, but for values. @param bootstrapTruncated false: a clock ends an episode like anything else */
export function played({ rollout }: Shard, gamma: number, bootstrapTruncated: boolean) {
  const { steps, lanes, agents, reward, truncated } = rollout
  const terminated = bootstrapTruncated ? rollout.terminated : ended(rollout)
  return { steps, lanes, agents, gamma, reward, terminated, truncated }
}

/** Fills a shard's `value`, `advantage` and `returns`: values in reward units go into GAE, `value` keeps the critic's own. */
export function estimate(
  shard: Shard,
  critics: Critics,
  settings: { readonly gamma: number; readonly lambda: number; readonly bootstrapTruncated: boolean },
): void {
  const { gamma, lambda, bootstrapTruncated } = settings
  const { value, next } = foresee(shard, critics, shard.value)
  gae({ ...played(shard, gamma, bootstrapTruncated), lambda, value, nextValue: next }, shard.advantage, shard.returns)
}

/** [T, B] 1 where an episode ended, for whatever reason. */
function ended({ terminated, truncated }: Rollout): Uint8Array {
  return terminated.map((end, i) => end | truncated[i])
}

/** Rows that one network learns from at once. */
export interface Rows {
  /** Of each own shard. */
  readonly parts: readonly Part[]
  /** Rows of the living, over all shards. */
  readonly living: number
  /** Rows that count in the value loss, over all shards. */
  readonly counted: number
  /** The returns in it, over all shards: how many, their sum, the sum of their squares. */
  readonly returns: readonly [count: number, sum: number, squares: number]
}

/** What is learned from at once. */
export interface Minibatch extends Rows {
  /** The same rows by group of agents, each with its own totals; with one group all of them. */
  readonly groups: readonly Rows[]
}

/**
 * Passes over the rollouts of all shards, each cut into minibatches of shuffled units. Every shard has its part in every
 * minibatch. What is known over all shards is exchanged once per pass, so that a minibatch needs one exchange more.
 * @param passes `valueOfDead`: whether rows of the dead count in the value loss
 * @param groupOf [n] group of each agent; default one
 */
export function* minibatches(
  shards: readonly Shard[],
  group: ShardGroup,
  passes: { readonly epochs: number; readonly minibatches: number; readonly valueOfDead: boolean },
  groupOf?: Int32Array,
): Generator_<Minibatch> {
  const units = shards[0].order.length
  const size = Math.ceil(units / passes.minibatches)
  const count = Math.ceil(units / size)
  const groups = groupOf === undefined ? [] : slotsOf(groupOf)
  for (const shard of shards) shard.sortUnits()
  for (let epoch = 0; epoch < passes.epochs; epoch++) {
    if (count > 1) for (const shard of shards) shard.shuffleUnits()
    // [shards][minibatches], then the same for every group.
    const whole = shards.map((shard) =>
      Array.from({ length: count }, (_, k) =>
        shard.part(shard.order.subarray(k * size, Math.min((k + 1) * size, units))),
      ),
    )
    const split = groups.length < 2 ? [] : groups.map((own) => shards.map((shard, s) => whole[s].map((part) => shard.partOf(part, own)))) // prettier-ignore
    const looks = [whole, ...split]
    const totals = new Float64Array(5 * count * looks.length)
    group.sum(
      shards.map((shard, own) => tally(shard, looks.flatMap((look) => look[own]), passes.valueOfDead)), // prettier-ignore
      totals,
    )
    for (let k = 0; k < count; k++) {
      const [all, ...parts] = looks.map((look, at): Rows => {
        const [living, counted, returns, sum, squares] = totals.subarray(5 * (at * count + k))
        return { parts: look.map((own) => own[k]), living, counted, returns: [returns, sum, squares] }
      })
      yield { ...all, groups: parts.length === 0 ? [all] : parts }
    }
  }
}

type Generator_<Value> = globalThis.Generator<Value, void, void>

/** [parts, 5] of one shard, in the order in which `Rows` lists them. */
function tally({ alive, returns }: Shard, parts: readonly Part[], valueOfDead: boolean): Float64Array {
  const out = new Float64Array(5 * parts.length)
  parts.forEach(({ rows }, part) => {
    const at = 5 * part
    for (let k = 0; k < rows.length; k++) {
      const row = rows[k]
      const target = returns[row]
      out[at] += alive[row]
      out[at + 1] += valueOfDead ? 1 : alive[row]
      out[at + 2]++
      out[at + 3] += target
      out[at + 4] += target * target
    }
  })
  return out
}

/** What a step says of a network. */
export interface Stepped {
  readonly loss: number
  /** Of the whole gradient, before clipping. */
  readonly norm: number
}

/** Networks that step together, each along the sum of all shards' gradients. */
export class Descent {
  private readonly who: string
  private readonly group: ShardGroup
  private readonly networks: readonly { readonly net: Network; readonly optimiser: FusedOptimiser }[]
  // Gradients of the networks side by side, then their losses: of each own shard, and of all.
  private readonly own: readonly Float32Array[]
  private readonly all: Float32Array
  private readonly from: readonly number[]

  /** @param shards how many are own */
  constructor(who: string, group: ShardGroup, shards: number, networks: Descent['networks']) {
    let size = 0
    this.from = networks.map(({ net }) => (size += net.size) - net.size)
    this.who = who
    this.group = group
    this.networks = networks
    this.own = Array.from({ length: shards }, () => new Float32Array(size + networks.length))
    this.all = new Float32Array(size + networks.length)
  }

  /** Where an own shard's gradient of a network is written, [P]. */
  gradient(shard: number, network: number): Float32Array {
    return this.part(this.own[shard], network)
  }

  /** Takes down an own shard's share of a network's loss. */
  loss(shard: number, network: number, value: number): void {
    this.own[shard][this.own[shard].length - this.networks.length + network] = value
  }

  /**
   * Sums over all shards and steps every network.
   * @param rates learning rate of each
   * @param step environment step, for messages
   * @throws TroupeError diverged; then no network has changed whose gradient was not finite
   */
  step(rates: readonly number[], step: number): readonly Stepped[] {
    const { group, networks, own, all, who } = this
    group.sum(own, all)
    const losses = all.subarray(all.length - networks.length)
    networks.forEach(({ net }, k) => {
      if (!Number.isFinite(losses[k])) requireFinite(who, 'gradient', net, this.part(all, k), step, losses[k])
    })
    return networks.map(({ net, optimiser }, k) => {
      optimiser.lr = rates[k]
      const norm = optimiser.stepFlat(this.part(all, k))
      if (!Number.isFinite(norm)) requireFinite(who, 'gradient', net, this.part(all, k), step, norm)
      net.changed()
      return { loss: losses[k], norm }
    })
  }

  private part(vector: Float32Array, network: number): Float32Array {
    const from = this.from[network]
    return vector.subarray(from, from + this.networks[network].net.size)
  }
}

/** How far a linear schedule has come down, from 1 to 0. */
export function scheduled(
  { lrSchedule, scheduleSteps }: { readonly lrSchedule: 'constant' | 'linear'; readonly scheduleSteps: number | null },
  steps: number,
): number {
  return lrSchedule === 'linear' && scheduleSteps !== null ? Math.max(0, 1 - steps / scheduleSteps) : 1
}

/** What the episodes say that ended in these rollouts, over all shards. */
export function episodesEnded(shards: readonly Shard[], group: ShardGroup): Metrics {
  const [episodes, returned, lasted] = sumNumbers(
    group,
    shards.map(({ rollout }) => [
      rollout.episodeReturns.length,
      total(rollout.episodeReturns),
      total(rollout.episodeLengths),
    ]),
  )
  return {
    episodes,
    ...(episodes === 0 ? {} : { sampledReturn: returned / episodes, episodeLength: lasted / episodes }),
  }
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
