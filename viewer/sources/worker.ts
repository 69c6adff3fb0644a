/** The simulation worker. Keeps the page free while episodes are simulated. */
import { answering } from './answering.ts'
import { type Request } from './messages.ts'

const hear = answering((answer, transfer = []) => self.postMessage(answer, { transfer }))
self.onmessage = ({ data }: MessageEvent<Request>) => hear(data)
