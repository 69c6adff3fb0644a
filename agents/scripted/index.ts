/**
 * The table of policies that are not learned. Adding one adds a line here. Apart from the learners, so that a page that
 * plays one loads no tensors.
 */
import { type PolicyDefinition } from '../core/policy.ts'
import { matrixFictitious, matrixRegret } from './matrix-learning.ts'
import { matrixMemoryOne } from './matrix-memory-one.ts'
import { particlesGreedy } from './particles-greedy.ts'
import { foragingCaptain } from './foraging-captain.ts'
import { foragingAble, foragingJoint, foragingMiddle, foragingNearest } from './foraging-heuristics.ts'
import { random } from './random.ts'
import { skirmishFocus } from './skirmish-focus.ts'
import { skirmishKite } from './skirmish-kite.ts'
import { skirmishNearest } from './skirmish-nearest.ts'
import { spectrumAloha, spectrumHopping } from './spectrum-aloha.ts'
import { spectrumCsma } from './spectrum-csma.ts'
import { spectrumGenie } from './spectrum-genie.ts'
import { spectrumIndependentSet } from './spectrum-independent-set.ts'
import { spectrumMyopic } from './spectrum-myopic.ts'
import { spectrumSticky } from './spectrum-sticky.ts'
import { spectrumTdma } from './spectrum-tdma.ts'
import { spectrumTwoColour } from './spectrum-two-colour.ts'
import { spectrumWhittle } from './spectrum-whittle.ts'
import { warehouseGreedy } from './warehouse-greedy.ts'

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
