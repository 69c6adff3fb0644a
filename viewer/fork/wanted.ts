/** The replay page that opens next asks at once who plays: set by pages that offer to play a world oneself. */
import { signal } from '@preact/signals'

export const wantFork = signal(false)
