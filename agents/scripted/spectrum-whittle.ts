/** The channel with the largest Whittle index (Liu and Zhao 2010); on equal channels the same as myopic. */
import { whittleIndex } from '../../envs/spectrum/theory.ts'
import { type PolicyDefinition } from '../core/policy.ts'
import { believers } from './spectrum-beliefs.ts'

/** Discount of the index; ours. */
const DISCOUNT = 0.9

export const spectrumWhittle: PolicyDefinition = {
  name: 'spectrum-whittle',
  kind: 'scripted',
  summary: 'Knows how primary users behave and takes the channel with the largest Whittle index (discount 0.9).',
  paper: 'Liu and Zhao 2010',
  envs: ['spectrum'],
  privileged: true,
  create: (spec) => {
    // Beliefs come back: after a look they restart from p11 or p01.
    const indices: Map<number, number>[] = []
    return believers('spectrum-whittle', spec, ({ options, p01, p11 }, channel, idle) => {
      if (options.pu !== 'gilbertElliott') return idle
      const known = (indices[channel] ??= new Map())
      let index = known.get(idle)
      if (index === undefined) known.set(idle, (index = whittleIndex(idle, p01[channel], p11[channel], DISCOUNT)))
      return index
    })
  },
}
