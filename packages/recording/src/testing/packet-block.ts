/** An enhanced packet block for tests: `size` bytes that tell `time` (microseconds) again. */
export function packetBlock(time: number, size: number, interfaceId = 0): Uint8Array {
  const length = 32 + size + (-size & 3)
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, 6, true)
  view.setUint32(4, length, true)
  view.setUint32(8, interfaceId, true)
  view.setUint32(12, Math.floor(time / 2 ** 32), true)
  view.setUint32(16, time % 2 ** 32, true)
  view.setUint32(20, size, true)
  view.setUint32(24, size, true)
  bytes.fill(time % 251, 28, 28 + size)
  view.setUint32(length - 4, length, true)
  return bytes
}
