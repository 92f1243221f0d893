const PREFIX = 'application/grpc'

/** `application/grpc`, `application/grpc+proto`, `application/grpc-web-text` and their kin. */
export function isGrpc(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < PREFIX.length) return false
  for (let i = 0; i < PREFIX.length; i++)
    if ((bytes[start + i] | 0x20) !== (PREFIX.charCodeAt(i) | 0x20)) return false
  if (end - start === PREFIX.length) return true
  const next = bytes[start + PREFIX.length]
  return next === 0x2b || next === 0x2d || next === 0x3b || next === 0x20
}
