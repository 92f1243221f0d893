/** Record types: RFC 8446 §5.1. */
export const RECORD = {
  changeCipherSpec: 20,
  alert: 21,
  handshake: 22,
  applicationData: 23,
  heartbeat: 24,
} as const

export const RECORD_HEADER = 5
/** RFC 5246 §6.2.3: 2^14 and what encryption may add to it. */
const MAX_LENGTH = 16384 + 2048

/** Could a record begin with the bytes that are there of this header? */
export function mayBeRecord(bytes: Uint8Array, start: number, end: number): boolean {
  const type = bytes[start]
  if (type < RECORD.changeCipherSpec || type > RECORD.heartbeat) return false
  if (start + 1 < end && bytes[start + 1] !== 3) return false
  if (start + 2 < end && bytes[start + 2] > 4) return false
  return start + RECORD_HEADER > end || payloadLength(bytes, start) <= MAX_LENGTH
}

export function payloadLength(bytes: Uint8Array, start: number): number {
  return (bytes[start + 3] << 8) | bytes[start + 4]
}

/** After lost bytes: a record that leads to another, or beyond what is there. */
export function resync(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at + RECORD_HEADER <= end; at++) {
    if (!isRecord(bytes, at, end)) continue
    const next = at + RECORD_HEADER + payloadLength(bytes, at)
    if (next + RECORD_HEADER > end || isRecord(bytes, next, end)) return at
  }
  return -1
}

function isRecord(bytes: Uint8Array, at: number, end: number): boolean {
  if (!mayBeRecord(bytes, at, end)) return false
  const type = bytes[at]
  const length = payloadLength(bytes, at)
  if (type === RECORD.changeCipherSpec) return length === 1
  if (type === RECORD.alert) return length >= 2 && length < 64
  return length > 0
}
