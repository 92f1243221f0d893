let lastBytes: Uint8Array = new Uint8Array(0)
let lastView: DataView = new DataView(lastBytes.buffer)

/** A `DataView` of `bytes`. Remembers the last one, because many reads of one chunk follow each other. */
export function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== lastBytes) {
    lastBytes = bytes
    lastView = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  return lastView
}
