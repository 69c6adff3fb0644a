/** What critics are moved towards and advantages are made of: GAE, or returns of n steps; by the critics or slow followers of theirs. */
import { Type, type Static, type TObject, type TProperties } from '#typebox'
import { gae, nStepReturns } from './advantages.ts'
import { type Critics } from './critic.ts'
import { foresee, played } from './onpolicy.ts'
import { real, whole } from './settings.ts'
import { type Shard } from './shards.ts'

/** Settings of targets made with the critic. */
export const RETURN_SETTINGS = {
  nSteps: Type.Union([Type.Integer({ minimum: 1, maximum: 1 << 16 }), Type.Null()], {
    default: null,
    description: 'Returns of so many steps, then the critic’s estimate (EPyMARL 5); null = GAE.',
  }),
  target: Type.Union([Type.Literal('none'), Type.Literal('soft'), Type.Literal('hard')], {
    default: 'none',
    description: 'Which critic returns end in: the critic itself, or one that follows it slowly (EPyMARL).',
  }),
  targetTau: real(0.01, 0, 1, 'soft: part of the way that the target goes after every update.'),
  targetEvery: whole(200, 1, 1e9, 'hard: updates (not episodes, not steps) between two copies.'),
} satisfies TProperties

export type ReturnSettings = Static<TObject<typeof RETURN_SETTINGS>>

/**
 * Fills a shard's `value`, `advantage` and `returns`. Values in reward units go into returns, `value` keeps the critics' own; an
 * advantage is always a return less what the critics themselves foresaw.
 * @param targets critics that follow slowly; undefined = the critics judge themselves
 */
export function estimateReturns(
  shard: Shard,
  critics: Critics,
  targets: Critics | undefined,
  settings: {
    readonly gamma: number
    readonly lambda: number
    readonly nSteps: number | null
    readonly bootstrapTruncated: boolean
  },
): void {
  const { gamma, lambda, nSteps, bootstrapTruncated } = settings
  const { advantage, returns } = shard
  const seen = played(shard, gamma, bootstrapTruncated)
  const own = foresee(shard, critics, shard.value)
  const judge = targets === undefined ? own : foresee(shard, targets, new Float32Array(shard.value.length))
  if (nSteps === null) {
    gae({ ...seen, lambda, value: judge.value, nextValue: judge.next }, advantage, returns)
    if (targets === undefined) return
  } else nStepReturns({ ...seen, nextValue: judge.next }, nSteps, returns)
  for (let i = 0; i < advantage.length; i++) advantage[i] = returns[i] - own.value[i]
}

/** Whether targets move after this update. @param updates made, this one among them */
export function targetsMove(
  { target, targetEvery }: Pick<ReturnSettings, 'target' | 'targetEvery'>,
  updates: number,
): boolean {
  return target === 'soft' || (target === 'hard' && updates % targetEvery === 0)
}
