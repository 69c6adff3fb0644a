/**
 * What every environment must keep, as a list of named checks; `troupe check ./mine.js` and the tests run it over
 * built-in worlds and other people's alike. A check throws an Error whose message says what is wrong and where.
 */
import {
  everyOutputIsWritten,
  valuesStayInBounds,
  masksAreRight,
  illegalActionsChangeNothing,
  theHorizonCuts,
  everyAutoresetShowsTheEnd,
  metricsAreNamed,
  someSeatsCanBeControlled,
  rewardTermsAddUp,
  stepsMakeNoGarbage,
  theParallelViewPlays,
} from './contract-play.ts'
import { specIsSane, unknownOptionsAreRefused } from './contract-spec.ts'
import {
  sameSeedsSameEpisodes,
  savedGamesGoOn,
  lanesDoNotTouch,
  seedsMatter,
  hashesTellStates,
  framesAreDrawable,
  replaysVerify,
} from './contract-state.ts'
import { type Check, type Options } from './contract-tools.ts'
import { type EnvDefinition } from './types.ts'

export interface ContractCheck {
  /** A promise in words, with the options it was made under. */
  readonly name: string
  /** @throws Error saying what is wrong */
  run(): void
}

const CHECKS: Readonly<Record<string, Check>> = {
  'the spec is complete and says the same at every call': specIsSane,
  'unknown options are refused': unknownOptionsAreRefused,
  'same seeds and actions give the same episodes in two instances': sameSeedsSameEpisodes,
  'every output element is written at every step': everyOutputIsWritten,
  'observations and states stay inside their declared bounds': valuesStayInBounds,
  'every agent has a legal action, a dead one exactly one, and nobody comes back': masksAreRight,
  'a refused action changes nothing': illegalActionsChangeNothing,
  'a saved game goes on the same in another instance, through JSON': savedGamesGoOn,
  'a lane among many is the lane alone': lanesDoNotTouch,
  'the horizon ends an episode at exactly that step': theHorizonCuts,
  'the final observation can be reached in every autoreset mode': everyAutoresetShowsTheEnd,
  'seeds matter where streams are declared, and only there': seedsMatter,
  'equal states have equal hashes, changed ones others': hashesTellStates,
  'frames are plain data with unique ids and survive save and load': framesAreDrawable,
  'metrics have their declared names and are numbers or null': metricsAreNamed,
  'some of the seats can be controlled': someSeatsCanBeControlled,
  'reward terms sum to the reward': rewardTermsAddUp,
  'a replay verifies, and one changed byte or action is found': replaysVerify,
  'steps leave no garbage': stepsMakeNoGarbage,
  'the Parallel view plays several episodes by its rules': theParallelViewPlays,
}

/**
 * The checks of an environment.
 * @param optionSets the choices of options to check under; default: the defaults
 */
export function contract(definition: EnvDefinition, optionSets: readonly Options[] = [{}]): ContractCheck[] {
  return optionSets.flatMap((options) => {
    const under = Object.keys(options).length === 0 ? '' : ` ${JSON.stringify(options)}`
    return Object.entries(CHECKS).map(([promise, check]) => ({
      name: `${definition.id}${under}: ${promise}`,
      run: () => check(definition, options),
    }))
  })
}
