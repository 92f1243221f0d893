import { Malformed } from '@tapdeck/wire'
import { Cursor } from '../../text/cursor.ts'

/** Reads MQTT's data types: MQTT 5.0 §1.5. */
export class MqttCursor extends Cursor {
  varint(): number {
    let value = 0
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
    throw new Malformed('number too long')
  }

  /** A view. */
  binary(): Uint8Array {
    return this.take(this.short())
  }

  string(): string {
    return this.text(this.short())
  }
}
