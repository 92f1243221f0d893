import type { Side } from '@tapdeck/wire'
import type { Connection } from '../../contract/dissector.ts'
import { Body } from '../../message/body.ts'
import { bodyLength, HEADER, isHeader } from './envelope.ts'

/** A message that is too long for one segment: its parts are put together as far as a body is kept. */
export class SplitMessage {
  /** What its header says; 0: none is under way. */
  length = 0
  readonly #body: Body
  #left = 0

  constructor(connection: Connection) {
    this.#body = new Body(connection)
  }

  get complete(): boolean {
    return this.length > 0 && this.#left <= 0
  }

  /** `bytes[start, end)` is what there is of a part of `length` bytes. Parts whose beginning was lost are passed by. */
  append(bytes: Uint8Array, start: number, end: number, length: number, side: Side): void {
    if (this.length === 0) {
      if (end - start < HEADER || !isHeader(bytes, start, end, side)) return
      const whole = HEADER + bodyLength(bytes, start)
      if (whole <= length) return
      this.length = whole
      this.#left = whole
    }
    this.#body.append(bytes, start, end, length)
    this.#left -= length
  }

  /** What was kept; the next part begins another message. */
  take(): Uint8Array | undefined {
    this.length = 0
    this.#left = 0
    return this.#body.take()
  }
}
