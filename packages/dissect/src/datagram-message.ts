import type { Message } from './message.ts'
import { part } from './placed-message.ts'

/**
 * A half that came in a datagram of its own: all of it is a head, which knows where it stands, and it came at one moment. Like
 * `PlainMessage` it has no room for other parts.
 */
export class DatagramMessage implements Message {
  readonly kind: Message['kind']
  readonly key: number
  readonly truncated: boolean | undefined
  readonly time: number
  size: number | undefined
  /** The head is `headIn[headAt, headEnd)`. */
  readonly headIn: Uint8Array
  readonly headAt: number
  readonly headEnd: number

  constructor(
    kind: Message['kind'],
    key: number,
    truncated: boolean | undefined,
    time: number,
    headIn: Uint8Array,
    headAt: number,
    headEnd: number,
  ) {
    this.kind = kind
    this.key = key
    this.truncated = truncated
    this.time = time
    this.size = undefined
    this.headIn = headIn
    this.headAt = headAt
    this.headEnd = headEnd
  }

  get start(): number {
    return this.time
  }

  get end(): number {
    return this.time
  }

  get head(): Uint8Array {
    return part(this.headIn, this.headAt, this.headEnd)
  }
}
