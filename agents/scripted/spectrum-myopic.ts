/** The channel that is most probably idle. Optimal for one user on equal channels with p11 >= p01 (Ahmad et al. 2009, as we recall it). */
import { type PolicyDefinition } from '../core/policy.ts'
import { believers } from './spectrum-beliefs.ts'

export const spectrumMyopic: PolicyDefinition = {
  name: 'spectrum-myopic',
  kind: 'scripted',
  summary: 'Knows how primary users behave and takes the channel that is most probably idle.',
  paper: 'Ahmad, Liu, Javidi, Zhao, Krishnamachari 2009',
  envs: ['spectrum'],
  privileged: true,
  create: (spec) => believers('spectrum-myopic', spec, (_plan, _channel, idle) => idle),
}
