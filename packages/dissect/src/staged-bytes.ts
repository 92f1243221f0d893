/** What may be read beyond the last byte. */
const SPARE = 8

/** A copy of bytes that come from anywhere, to be looked at by four at a time: a view of their own costs more than a copy. */
export class StagedBytes {
  bytes: Uint8Array
  view: DataView

  constructor(room: number) {
    this.bytes = new Uint8Array(room + SPARE)
    this.view = new DataView(this.bytes.buffer)
  }

  /** Puts all of `from` to the beginning. A zero comes after it, and then anything. */
  put(from: Uint8Array): void {
    if (from.length + SPARE > this.bytes.length) {
      this.bytes = new Uint8Array(from.length * 2 + SPARE)
      this.view = new DataView(this.bytes.buffer)
    }
    this.bytes.set(from)
    this.bytes[from.length] = 0
  }
}
