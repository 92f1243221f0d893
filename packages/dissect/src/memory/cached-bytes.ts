/** Bytes that are written repeatedly, with a view to read them by words. */
export class CachedBytes {
  readonly bytes: Uint8Array
  readonly view: DataView

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
}
