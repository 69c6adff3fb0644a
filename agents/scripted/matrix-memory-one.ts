/**
 * The memory-1 strategies of the repeated prisoner's dilemma and its relatives: ALLC, ALLD, TFT, WSLS, GRIM, GTFT and the
 * extortionate zero-determinant strategy of Press and Dyson (2012). Action 0 cooperates. They need observation `last`
 * (ALLC and ALLD do not) and see nothing else; all cooperate in the first round but ALLD and the extortioner.
 */
import { STRATEGIES, type MemoryOne } from '../../envs/matrix/theory/index.ts'
import { type PolicyDefinition } from '../core/policy.ts'
import { byLane, chooseBetween, choiceAt, lastChoices } from './matrix-games.ts'

interface Player {
  readonly summary: string
  readonly paper: string
  readonly strategy: MemoryOne
  /** Chance to cooperate in the first round. */
  readonly first: number
}

/** GRIM as memory-1: having defected or been defected upon it never cooperates again, since DD leads to D. */
const PLAYERS: Readonly<Record<string, Player>> = {
  allc: { summary: 'Always cooperates.', paper: 'Axelrod 1984', strategy: STRATEGIES.ALLC, first: 1 },
  alld: { summary: 'Always defects.', paper: 'Axelrod 1984', strategy: STRATEGIES.ALLD, first: 0 },
  tft: {
    summary: 'Tit for tat: does what the other did last.',
    paper: 'Axelrod and Hamilton 1981',
    strategy: STRATEGIES.TFT,
    first: 1,
  },
  wsls: {
    summary: 'Win-stay, lose-shift: cooperates after both did the same.',
    paper: 'Nowak and Sigmund 1993',
    strategy: STRATEGIES.WSLS,
    first: 1,
  },
  grim: {
    summary: 'Cooperates until somebody defects, then never again.',
    paper: 'Friedman 1971',
    strategy: STRATEGIES.GRIM,
    first: 1,
  },
  gtft: {
    summary: 'Generous tit for tat: forgives one defection in three (payoffs 3, 0, 5, 1).',
    paper: 'Nowak and Sigmund 1992',
    strategy: STRATEGIES.GTFT,
    first: 1,
  },
  zd: {
    summary: 'Zero-determinant extortion: takes twice the other’s surplus (payoffs 3, 0, 5, 1).',
    paper: 'Press and Dyson 2012',
    strategy: STRATEGIES.EXT2,
    first: 0,
  },
}

function definition(id: string): PolicyDefinition {
  const { summary, paper, strategy, first } = PLAYERS[id]
  const name = `matrix-${id}`
  const blind = strategy.every((chance) => chance === first)
  return {
    name,
    kind: 'scripted',
    summary,
    paper,
    envs: ['matrix'],
    privileged: false,
    create(spec) {
      const seen = blind ? undefined : lastChoices(spec, name, 2)
      if (blind && spec.actionSizes[0] !== 2) lastChoices(spec, name, 2) // says what is wrong
      return byLane(
        name,
        () => null,
        (view, lane, _memory, out, rng) => {
          const n = view.agents.length
          for (let k = 0; k < n; k++) {
            const row = lane * n + k
            const own = seen === undefined ? -1 : choiceAt(view, row, seen.own, 2)
            const chance = own < 0 ? first : strategy[own * 2 + choiceAt(view, row, seen!.other, 2)]
            chooseBetween(out, row, chance, rng)
          }
        },
      )
    },
  }
}

/** One policy per strategy, by name. */
export const matrixMemoryOne: Readonly<Record<string, PolicyDefinition>> = Object.fromEntries(
  Object.keys(PLAYERS).map((id) => [`matrix-${id}`, definition(id)]),
)
