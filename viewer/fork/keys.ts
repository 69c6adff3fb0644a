/** Which keys and gamepad buttons mean which action, told by what the actions are called. */

/** By what an action's name says; the first that fits and is free counts. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/\b(up|north|forward)\b/i, 'w'],
  [/\b(left|west)\b/i, 'a'],
  [/\b(down|south|back)\b/i, 's'],
  [/\b(right|east)\b/i, 'd'],
  [/^(noop|no-op|none|stay|idle|silent|wait)$/i, 'q'],
  [/\b(toggle|load|interact|attack|pick|use|cooperate)\b/i, 'e'],
]

/** Other keys for the same: arrows where a hand lies on them. */
const ALIASES: Readonly<Record<string, string>> = {
  ArrowUp: 'w',
  ArrowLeft: 'a',
  ArrowDown: 's',
  ArrowRight: 'd',
}

/** Standard gamepads (W3C Gamepad, "standard" mapping): cross of directions, then the two nearest buttons. */
export const PAD_BUTTONS: Readonly<Record<number, string>> = { 12: 'w', 13: 's', 14: 'a', 15: 'd', 0: 'e', 1: 'q' }

/** One key for each action: by its meaning, else the digits 1 to 9 in order; '' when keys run out. */
export function actionKeys(names: readonly string[]): string[] {
  const taken = new Set<string>()
  const keys = names.map((name) => {
    const key = MEANINGS.find(([meaning, wanted]) => meaning.test(name) && !taken.has(wanted))?.[1] ?? ''
    if (key !== '') taken.add(key)
    return key
  })
  let digit = 1
  return keys.map((key) => (key !== '' ? key : digit <= 9 ? String(digit++) : ''))
}

/** The action that a key means, or −1. */
export function actionOfKey(key: string, keys: readonly string[]): number {
  const plain = ALIASES[key] ?? key.toLowerCase()
  return plain === '' ? -1 : keys.indexOf(plain)
}
