let known: Uint8Array = new Uint8Array(0)
let view: DataView = new DataView(known.buffer)

/**
 * `bytes` to be read by words. What was asked for last is remembered, because one thing after another is read out of the same
 * chunk: not for small memory of its own, which would take the place of that.
 */
export function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== known) {
    known = bytes
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  return view
}
