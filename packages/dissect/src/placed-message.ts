import type { Message } from './message.ts'
import type { SteadyBytes } from './steady-bytes.ts'

/**
 * A half that knows where its head and body stand. A view of either costs about as much as reading a short message does,
 * and mostly nobody looks: views are made for whoever asks, and whoever only copies goes by the places. It has none of the
 * parts that only other protocols need: there is one of these for each half of a call.
 */
export class PlacedMessage implements Message {
  readonly kind: Message['kind']
  key: number | string | undefined
  bodySize: number | undefined
  truncated: boolean | undefined
  marks: number | undefined
  fields: Message['fields']
  /** The fields as JSON, where they are shared and that is at hand. */
  packed: SteadyBytes | undefined
  /** What its protocol knows of it already, for its summary; not stored. */
  note: object | string | undefined
  more: boolean | undefined
  start: number | undefined
  end: number | undefined
  size: number | undefined
  /** The head is `headIn[headAt, headEnd)`; there is none where `headIn` is undefined. The body likewise. */
  headIn: Uint8Array | undefined
  headAt: number
  headEnd: number
  bodyIn: Uint8Array | undefined
  bodyAt: number
  bodyEnd: number

  constructor(kind: Message['kind']) {
    this.kind = kind
    this.key = undefined
    this.bodySize = undefined
    this.truncated = undefined
    this.marks = undefined
    this.fields = undefined
    this.packed = undefined
    this.note = undefined
    this.more = undefined
    this.start = undefined
    this.end = undefined
    this.size = undefined
    this.headIn = undefined
    this.headAt = 0
    this.headEnd = 0
    this.bodyIn = undefined
    this.bodyAt = 0
    this.bodyEnd = 0
  }

  get head(): Uint8Array | undefined {
    return this.headIn === undefined ? undefined : part(this.headIn, this.headAt, this.headEnd)
  }

  get body(): Uint8Array | undefined {
    return this.bodyIn === undefined ? undefined : part(this.bodyIn, this.bodyAt, this.bodyEnd)
  }

  placeHead(memory: Uint8Array, at: number, end: number): void {
    this.headIn = memory
    this.headAt = at
    this.headEnd = end
  }

  placeBody(memory: Uint8Array, at: number, end: number): void {
    this.bodyIn = memory
    this.bodyAt = at
    this.bodyEnd = end
  }

  /** Bytes of head and body. */
  get weight(): number {
    return this.headEnd - this.headAt + this.bodyEnd - this.bodyAt
  }
}

/** The bytes themselves where that is all of them. */
export function part(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end)
}
