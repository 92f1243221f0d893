import { Cursor } from '../../text/cursor.ts'

/** Reads the types of both versions of AMQP. */
export class AmqpCursor extends Cursor {
  /** Exact up to 2^53. */
  longlong(): number {
    const high = this.long()
    return high * 0x100000000 + this.long()
  }

  signedLonglong(): number {
    const high = this.long() | 0
    return high * 0x100000000 + this.long()
  }

  view(length: number): DataView {
    const bytes = this.take(length)
    return new DataView(bytes.buffer, bytes.byteOffset, length)
  }
}
