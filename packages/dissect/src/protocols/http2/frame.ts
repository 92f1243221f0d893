import { Malformed } from '@tapdeck/wire'

/** RFC 9113 §4.1: length (3), type, flags, stream (4). */
export const HEADER = 9
/** RFC 9113 §6.5.2: the default and the absolute maximum of a payload. */
export const INITIAL_MAX_FRAME = 16384
export const MAX_FRAME_SIZE = 0xffffff

export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 0x20 } as const

export const SETTING = { headerTableSize: 1, maxFrameSize: 5 } as const

/** RFC 9113 §3.4. */
export const PREFACE = new TextEncoder().encode('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

export function payloadLength(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2]
}

/** The 31 bits of a stream identifier, or of anything that has its form. */
export function streamAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] & 0x7f) << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
}

/** Four bytes, unsigned. */
export function numberAt(bytes: Uint8Array, at: number): number {
  return bytes[at] * 0x1000000 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3])
}

/** Whether a frame of that type may have that length and stream: RFC 9113 §6. */
export function isPossible(bytes: Uint8Array, at: number, length: number): boolean {
  const flags = bytes[at + 4]
  const onStream = streamAt(bytes, at + 5) !== 0
  switch (bytes[at + 3]) {
    case TYPE.data:
    case TYPE.headers:
      return onStream && ((flags & FLAG.padded) === 0 || length > 0)
    case TYPE.priority:
      return onStream && length === 5
    case TYPE.resetStream:
      return onStream && length === 4
    case TYPE.settings:
      return !onStream && length % 6 === 0 && ((flags & FLAG.ack) === 0 || length === 0)
    case TYPE.pushPromise:
      return onStream && length >= 4
    case TYPE.ping:
      return !onStream && length === 8
    case TYPE.goAway:
      return !onStream && length >= 8
    case TYPE.windowUpdate:
      return length === 4
    case TYPE.continuation:
      return onStream
    default:
      // RFC 9113 §5.5: extensions are let pass.
      return length <= INITIAL_MAX_FRAME
  }
}

/**
 * Length of the frames that stand whole at `start`, all of them together; where not even the first does, its own
 * length; 0: there are too few bytes to tell.
 */
export function framesLength(bytes: Uint8Array, start: number, end: number, largest: number): number {
  let at = start
  while (end - at >= HEADER) {
    const length = payloadLength(bytes, at)
    if (length > largest || !isPossible(bytes, at, length)) {
      if (at > start) break
      throw new Malformed('no HTTP/2 frame')
    }
    const next = at + HEADER + length
    if (next > end) return at > start ? at - start : next - start
    at = next
  }
  return at - start
}
