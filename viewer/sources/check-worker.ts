/** The worker behind "Verify in this page" of an entry: the page stays free while episodes are simulated. */
import { ENVS } from '../../envs/index.ts'
import { checkEntry, type EntryClaim, type EntryVerdict } from '../../server/protocol/check-entry.ts'

export type CheckAnswer =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'verdict'; readonly verdict: EntryVerdict }
  | { readonly kind: 'failed'; readonly message: string }

const answer = (message: CheckAnswer) => self.postMessage(message)

self.onmessage = ({ data }: MessageEvent<EntryClaim>) => {
  try {
    const verdict = checkEntry(data, ENVS, (done, of) => answer({ kind: 'progress', done, of }))
    answer({ kind: 'verdict', verdict })
  } catch (error) {
    answer({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}
