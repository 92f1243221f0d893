import { createHash } from 'node:crypto'
import { Problem, type WorkerRequests } from '@tapdeck/api'

type Checkpoint = NonNullable<WorkerRequests['window']['input']['from']>

/** The bytes of a stream after a checkpoint, and the checksum of all. */
export class ResumedBytes {
  readonly #from: Checkpoint | undefined
  readonly #hash = createHash('sha256')
  #skip: number

  constructor(from?: Checkpoint) {
    this.#from = from
    this.#skip = from?.offset ?? 0
  }

  /** What of a chunk is to be sent. Throws 409 if the bytes before the checkpoint are others than the hub has. */
  next(chunk: Uint8Array): Uint8Array {
    const known = chunk.subarray(0, this.#skip)
    if (known.length > 0) {
      this.#hash.update(known)
      this.#skip -= known.length
      if (this.#skip === 0 && this.#hash.copy().digest('hex') !== this.#from?.sha256) throw changed()
    }
    const rest = chunk.subarray(known.length)
    this.#hash.update(rest)
    return rest
  }

  /** The checksum of all bytes. Throws 409 if there are fewer than the hub has. */
  end(): string {
    if (this.#skip > 0) throw changed()
    return this.#hash.digest('hex')
  }
}

function changed(): Problem {
  return new Problem(
    409,
    'changed',
    'The recording changed since the transfer was interrupted; start it from the beginning',
  )
}
