import { Malformed, type Side } from '@tapdeck/wire'
import { methodId, methodOf } from './methods.ts'

/** AMQP 0-9-1 §4.2.3: type, channel, size; the payload; one octet that ends it. */
export const HEADER = 7
export const FRAME_END = 0xce
export const FRAME = { METHOD: 1, HEADER: 2, BODY: 3, HEARTBEAT: 8 } as const

/** Brokers agree on frames of 128 KB or so. What names more than this is none. */
const MAX_SIZE = 0x4000000

function isFrameType(type: number): boolean {
  return (type >= 1 && type <= 3) || type === 8
}

export function sizeAt(bytes: Uint8Array, at: number): number {
  return bytes[at + 3] * 0x1000000 + ((bytes[at + 4] << 16) | (bytes[at + 5] << 8) | bytes[at + 6])
}

export function frameLength(bytes: Uint8Array, start: number, end: number): number {
  if (!isFrameType(bytes[start])) throw new Malformed('unknown type of frame')
  if (end - start < HEADER) return 0
  const size = sizeAt(bytes, start)
  if (size > MAX_SIZE) throw new Malformed('frame too large')
  return HEADER + size + 1
}

/** `sure`: nothing else looks like this; `likely`: a frame by its borders; `partly`: could become one. */
export type Likeness = 'sure' | 'likely' | 'partly' | 'none'

/** How much the bytes at `at` look like a frame of that side. */
export function likeness(bytes: Uint8Array, at: number, end: number, side: Side): Likeness {
  const type = bytes[at]
  if (!isFrameType(type)) return 'none'
  if (end - at < HEADER) return 'partly'
  const size = sizeAt(bytes, at)
  const channel = (bytes[at + 1] << 8) | bytes[at + 2]
  if (size > MAX_SIZE) return 'none'
  const last = at + HEADER + size
  if (last < end && bytes[last] !== FRAME_END) return 'none'
  if (type === FRAME.HEARTBEAT) return size !== 0 || channel !== 0 ? 'none' : last < end ? 'likely' : 'partly'
  if (type === FRAME.BODY) return channel === 0 || size === 0 ? 'none' : last < end ? 'likely' : 'partly'
  if (size < 4) return 'none'
  if (end - at < HEADER + 4) return 'partly'
  const first = (bytes[at + 7] << 8) | bytes[at + 8]
  const second = (bytes[at + 9] << 8) | bytes[at + 10]
  if (type === FRAME.HEADER) {
    // Of all classes only basic has contents; the weight is always zero.
    if (first !== 60 || second !== 0 || channel === 0 || size < 14) return 'none'
    return last < end ? 'sure' : 'partly'
  }
  const method = methodOf(methodId(first, second))
  if (method === undefined || (first === 10) !== (channel === 0)) return 'none'
  if (method.from !== undefined && method.from !== side) return 'none'
  return last < end ? 'sure' : 'partly'
}

/** After lost bytes: a frame that nothing else looks like, or one whose neighbour is a frame, too. */
export function findFrame(bytes: Uint8Array, start: number, end: number, side: Side): number {
  for (let at = start; at < end; at++) {
    if (!isFrameType(bytes[at])) continue
    const found = likeness(bytes, at, end, side)
    if (found === 'sure') return at
    if (found === 'partly' && at === start && end - at >= HEADER + 4) return at
    if (found !== 'likely') continue
    const next = at + HEADER + sizeAt(bytes, at) + 1
    if (next === end || likeness(bytes, next, end, side) !== 'none') return at
  }
  return -1
}
