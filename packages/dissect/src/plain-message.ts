import type { Message } from './message.ts'
import { part } from './placed-message.ts'

/**
 * A half that is a head and nothing else, and knows where that stands. It has no room for other parts: what a call takes is
 * mostly the memory that is written for it.
 */
export class PlainMessage implements Message {
  readonly kind: Message['kind']
  /** What its protocol knows of these very bytes already, for its summary, and up to where that stands; not stored. */
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
