import type { Message } from '../contract/message.ts'
import { part } from './placed-message.ts'

/** A message in one datagram: only a head and one time. Like `PlainMessage` it has no other parts. */
export class DatagramMessage implements Message {
  readonly kind: Message['kind']
  readonly key: number
  truncated: boolean | undefined
  readonly time: number
  size: number | undefined
  /** The head is `headIn[headAt, headEnd)`. */
  readonly headIn: Uint8Array
  readonly headAt: number
  readonly headEnd: number

  constructor(
    kind: Message['kind'],
    key: number,
    time: number,
    headIn: Uint8Array,
    headAt: number,
    headEnd: number,
  ) {
    this.kind = kind
    this.key = key
    this.truncated = undefined
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
