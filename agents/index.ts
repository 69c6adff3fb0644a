/** The tables of what acts and what learns. Adding a policy or an algorithm adds a line here. */
import { type LearnerDefinition } from './core/learner.ts'
import { type PolicyDefinition } from './core/policy.ts'
import { ippo } from './ippo.ts'
import { mappo } from './mappo.ts'
import { matrixFictitious, matrixRegret } from './scripted/matrix-learning.ts'
import { matrixMemoryOne } from './scripted/matrix-memory-one.ts'
import { particlesGreedy } from './scripted/particles-greedy.ts'
import { foragingCaptain } from './scripted/foraging-captain.ts'
import { foragingAble, foragingJoint, foragingMiddle, foragingNearest } from './scripted/foraging-heuristics.ts'
import { random } from './scripted/random.ts'
import { skirmishFocus } from './scripted/skirmish-focus.ts'
import { skirmishKite } from './scripted/skirmish-kite.ts'
import { skirmishNearest } from './scripted/skirmish-nearest.ts'
import { spectrumAloha, spectrumHopping } from './scripted/spectrum-aloha.ts'
import { spectrumCsma } from './scripted/spectrum-csma.ts'
import { spectrumGenie } from './scripted/spectrum-genie.ts'
import { spectrumIndependentSet } from './scripted/spectrum-independent-set.ts'
import { spectrumMyopic } from './scripted/spectrum-myopic.ts'
import { spectrumSticky } from './scripted/spectrum-sticky.ts'
import { spectrumTdma } from './scripted/spectrum-tdma.ts'
import { spectrumTwoColour } from './scripted/spectrum-two-colour.ts'
import { spectrumWhittle } from './scripted/spectrum-whittle.ts'
import { warehouseGreedy } from './scripted/warehouse-greedy.ts'

/** Policies that are not learned, by name. */
export const POLICIES: Record<string, PolicyDefinition> = {
  random,
  'particles-greedy': particlesGreedy,
  'foraging-nearest': foragingNearest,
  'foraging-middle': foragingMiddle,
  'foraging-able': foragingAble,
  'foraging-joint': foragingJoint,
  'foraging-captain': foragingCaptain,
  'warehouse-greedy': warehouseGreedy,
  ...matrixMemoryOne,
  'matrix-regret': matrixRegret,
  'matrix-fictitious': matrixFictitious,
  'skirmish-nearest': skirmishNearest,
  'skirmish-focus': skirmishFocus,
  'skirmish-kite': skirmishKite,
  'spectrum-aloha': spectrumAloha,
  'spectrum-hopping': spectrumHopping,
  'spectrum-csma': spectrumCsma,
  'spectrum-genie': spectrumGenie,
  'spectrum-independent-set': spectrumIndependentSet,
  'spectrum-myopic': spectrumMyopic,
  'spectrum-sticky': spectrumSticky,
  'spectrum-tdma': spectrumTdma,
  'spectrum-two-colour': spectrumTwoColour,
  'spectrum-whittle': spectrumWhittle,
}

/** Algorithms, by name. */
export const LEARNERS: Record<string, LearnerDefinition> = { mappo, ippo }

export * from './core/policy.ts'
export * from './core/learner.ts'
export * from './core/checkpoint.ts'
export * from './core/evaluate.ts'
export * from './core/play.ts'
export * from './core/teams.ts'
