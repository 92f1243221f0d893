import type { Message } from '../contract/message.ts'
import { part } from './placed-message.ts'

/**
 * A message with only a head, given by its position. It has no other parts, because memory dominates the cost of a
 * call.
 */
export class PlainMessage implements Message {
  readonly kind: Message['kind']
  /** What the dissector knows about these bytes already, for its summary, and where that ends; not stored. */
  note: object | undefined
  noteEnd: number
  start: number | undefined
  end: number | undefined
  size: number | undefined
  /** The head is `headIn[headAt, headEnd)`. */
  readonly headIn: Uint8Array
  readonly headAt: number
  readonly headEnd: number

  constructor(kind: Message['kind'], headIn: Uint8Array, headAt: number, headEnd: number) {
    this.kind = kind
    this.note = undefined
    this.noteEnd = 0
    this.start = undefined
    this.end = undefined
    this.size = undefined
    this.headIn = headIn
    this.headAt = headAt
    this.headEnd = headEnd
  }

  get head(): Uint8Array {
    return part(this.headIn, this.headAt, this.headEnd)
  }
}
