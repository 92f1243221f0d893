/** Bytes that may be read after the end. */
const SPARE = 8

/** Scratch space to read bytes by words. Copying is cheaper than creating a view of them. */
export class ScratchBytes {
  bytes: Uint8Array
  view: DataView

  constructor(room: number) {
    this.bytes = new Uint8Array(room + SPARE)
    this.view = new DataView(this.bytes.buffer)
  }

  /** Copies `from` to the beginning. A zero follows, then unspecified bytes. */
  put(from: Uint8Array): void {
    if (from.length + SPARE > this.bytes.length) {
      this.bytes = new Uint8Array(from.length * 2 + SPARE)
      this.view = new DataView(this.bytes.buffer)
    }
    this.bytes.set(from)
    this.bytes[from.length] = 0
  }
}
