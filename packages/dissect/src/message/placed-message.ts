import type { Message } from '../contract/message.ts'
import type { CachedBytes } from '../memory/cached-bytes.ts'

/**
 * A message that stores the positions of head and body. A view of either costs as much as reading a short message,
 * and is rarely needed: it is created on access. To save memory it lacks the parts that only some protocols need.
 */
export class PlacedMessage implements Message {
  readonly kind: Message['kind']
  key: number | string | undefined
  bodySize: number | undefined
  truncated: boolean | undefined
  marks: number | undefined
  fields: Message['fields']
  /** The JSON of shared fields, if available. */
  packed: CachedBytes | undefined
  /** What the dissector knows already, for its summary; not stored. */
  note: object | string | undefined
  more: boolean | undefined
  start: number | undefined
  end: number | undefined
  size: number | undefined
  /** The head is `headIn[headAt, headEnd)`; none if `headIn` is undefined. The body likewise. */
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

  /** Bytes of head and body together. */
  get byteLength(): number {
    return this.headEnd - this.headAt + this.bodyEnd - this.bodyAt
  }
}

/** Returns `bytes` itself if that is all of it. */
export function part(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end)
}
