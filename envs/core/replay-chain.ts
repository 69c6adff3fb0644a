/**
 * What makes a replay checkable: a running digest over every step, and a SHA-256 chain over actions and digests.
 *
 *   digest 0      digest of the first state
 *   digest t      digest started from digest t-1, over the joint action of step t, then the state after it
 *   entry -1      SHA-256 of "troupe-replay-1|" + canonical JSON of what the header says about the world and its seed
 *   entry k       SHA-256 of entry k-1, the steps so far (u32), the running digest (16 bytes), the joint actions since
 *                 entry k-1 as [steps, N, D] of the file's width (1, 2 or 4 bytes); everything little-endian
 */
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { type DigestibleBatch } from './batch.ts'
import { Digest, wordsToHex } from './digest.ts'
import { CHAIN_EVERY, actionBytes, type ReplayHeader } from './replay-format.ts'
import { canonicalJson } from './schema.ts'

/** What an episode depends on besides its seed and actions, as canonical JSON. */
export function worldKey(header: Pick<ReplayHeader, 'env' | 'version' | 'options' | 'control' | 'generator'>): string {
  const { env, version, options, control, generator } = header
  return canonicalJson({ control, env, generator, options, version })
}

/** The hash so far of the world whose episodes are followed: its text is long, its episodes are many. */
let begun = { world: '', hash: sha256.create() }

function firstEntry(world: string, seed: string): Uint8Array {
  if (begun.world !== world || world === '') {
    begun = { world, hash: sha256.create().update(utf8ToBytes(`troupe-replay-1|${world}|`)) }
  }
  return begun.hash.clone().update(utf8ToBytes(seed)).digest()
}

/** Follows one lane of a batch from its first state on. */
export class RunningDigest {
  /** The digest so far as four words. */
  readonly words = new Uint32Array(4)
  /** SHA-256 entries so far, in hex; `finish` adds the last. */
  readonly chain: string[] = []
  steps = 0
  private readonly batch: DigestibleBatch
  private readonly lane: number
  private readonly width: number
  private readonly digest = new Digest()
  private readonly unit: number
  private readonly message: Uint8Array
  private entry: Uint8Array

  /**
   * @param batch freshly reset in `lane`
   * @param world `worldKey` of the header
   */
  constructor(batch: DigestibleBatch, lane: number, world: string, header: ReplayHeader) {
    this.batch = batch
    this.lane = lane
    this.width = batch.spec.agents.length * batch.spec.actionDims
    this.entry = firstEntry(world, header.seed ?? '')
    this.unit = actionBytes(header)
    this.message = new Uint8Array(52 + CHAIN_EVERY * this.width * this.unit)
    batch.absorb(lane, this.digest)
    this.digest.finish(this.words)
  }

  /**
   * Mixes in a step that the batch has just made.
   * @param bits the joint actions [.., N, D] as words: the bytes of the int32 or float32 array
   * @param at index of this step's first word
   * @returns the low 16 bits of the running digest
   */
  step(bits: Int32Array, at: number): number {
    const { digest, words, width } = this
    digest.reset(words[0], words[1], words[2], words[3])
    for (let i = at; i < at + width; i++) digest.word(bits[i])
    this.batch.absorb(this.lane, digest)
    digest.finish(words)
    this.steps++
    return words[0] & 0xffff
  }

  /**
   * Adds a chain entry for the steps since the last one.
   * @param bits all joint actions so far
   */
  link(bits: Int32Array): string {
    const from = this.chain.length * CHAIN_EVERY * this.width
    const to = this.steps * this.width
    const { unit, message } = this
    message.set(this.entry)
    let at = 32
    for (let byte = 0; byte < 4; byte++) message[at++] = this.steps >>> (8 * byte)
    for (let i = 0; i < 4; i++) for (let byte = 0; byte < 4; byte++) message[at++] = this.words[i] >>> (8 * byte)
    if (unit === 1) for (let i = from; i < to; i++) message[at++] = bits[i]
    else for (let i = from; i < to; i++) for (let byte = 0; byte < unit; byte++) message[at++] = bits[i] >>> (8 * byte)
    this.entry = sha256(message.subarray(0, at))
    const hex = bytesToHex(this.entry)
    this.chain.push(hex)
    return hex
  }

  /** The running digest as 32 hex digits. */
  get hex(): string {
    return wordsToHex(this.words)
  }
}

/** The same memory as words. */
export function actionBits(actions: Int32Array | Float32Array): Int32Array {
  return new Int32Array(actions.buffer, actions.byteOffset, actions.length)
}
