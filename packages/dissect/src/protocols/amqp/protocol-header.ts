/** `AMQP`, protocol id, major, minor, revision: AMQP 0-9-1 §4.2.2, AMQP 1.0 part 2 §2.2. */
export const PROTOCOL_HEADER = 8
const NAME = [0x41, 0x4d, 0x51, 0x50] as const
const LAYERS: readonly (string | undefined)[] = ['', undefined, ' TLS', ' SASL']

/** As far as there are bytes, they are those of a protocol header. */
export function startsHeader(bytes: Uint8Array, at: number, end: number): boolean {
  for (let i = 0; i < 4 && at + i < end; i++) if (bytes[at + i] !== NAME[i]) return false
  return at >= end || end - at <= 4 || bytes[at + 4] <= 3
}

export function isModernHeader(bytes: Uint8Array, at = 0): boolean {
  return bytes[at + 5] === 1 && bytes[at + 6] === 0 && bytes[at + 7] === 0
}

/** `0-9-1`, `1.0`, `1.0 SASL`. */
export function headerVersion(head: Uint8Array): string {
  if (isModernHeader(head)) return `1.0${LAYERS[head[4]] ?? ''}`
  // 0-8 and 0-9 wrote instances of the protocol before the version.
  return head[4] === 1 ? `${head[6]}-${head[7]}` : `${head[5]}-${head[6]}-${head[7]}`
}
