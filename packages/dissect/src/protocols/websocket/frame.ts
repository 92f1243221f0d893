import type { Side } from '@tapdeck/wire'

/** RFC 6455 §11.8. */
export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const

const NAMES: Readonly<Record<number, string | undefined>> = {
  0: 'continuation',
  1: 'text',
  2: 'binary',
  8: 'close',
  9: 'ping',
  10: 'pong',
}

const MAX_CONTROL_LENGTH = 125
const MAX_LENGTH = Number.MAX_SAFE_INTEGER / 2
/** Frames in a row that make a find certain. */
const CERTAIN = 4

/** The header of a frame: RFC 6455 §5.2. */
export class FrameHeader {
  final = false
  /** The first reserved bit: compressed, where that was agreed on (RFC 7692 §6). */
  reserved = false
  opcode = 0
  masked = false
  /** Bytes of the header, its mask included, and of what follows; a `size` of 0: the header is not there yet. */
  size = 0
  payload = 0

  /**
   * What is wrong with it; undefined where a frame of that side may begin like this. `extended`: reserved bits may
   * have a meaning. It does not throw, since after lost bytes it is asked of every byte.
   */
  read(bytes: Uint8Array, start: number, end: number, side: Side, extended: boolean): string | undefined {
    this.size = 0
    if (end - start < 2) return undefined
    const first = bytes[start]
    const second = bytes[start + 1]
    this.final = first >= 0x80
    this.reserved = (first & 0x40) !== 0
    this.opcode = first & 0x0f
    this.masked = second >= 0x80
    if (NAMES[this.opcode] === undefined) return 'unknown opcode'
    if ((first & 0x70) !== 0 && !extended) return 'reserved bits'
    // RFC 6455 §5.1: clients mask, servers do not.
    if (this.masked !== (side === 0)) return 'mask of the wrong side'
    const short = second & 0x7f
    if (this.opcode >= OPCODE.close && (short > MAX_CONTROL_LENGTH || !this.final))
      return 'control frame too long'
    const lengths = short < 126 ? 0 : short === 126 ? 2 : 8
    if (end - start < 2 + lengths) return undefined
    this.payload = short
    if (lengths > 0) this.payload = readLength(bytes, start + 2, lengths)
    if (this.payload > MAX_LENGTH) return 'length out of range'
    this.size = 2 + lengths + (this.masked ? 4 : 0)
    return undefined
  }
}

export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? 'unknown'
}

function readLength(bytes: Uint8Array, start: number, count: number): number {
  let length = 0
  for (let i = 0; i < count; i++) length = length * 256 + bytes[start + i]
  return length
}

const tried = new FrameHeader()

/** After lost bytes: a place from which frame leads to frame up to the last byte, or for long enough. */
export function resync(bytes: Uint8Array, start: number, end: number, side: Side, extended: boolean): number {
  for (let at = start; at + 2 <= end; at++) if (leadsOn(bytes, at, end, side, extended)) return at
  return -1
}

function leadsOn(bytes: Uint8Array, start: number, end: number, side: Side, extended: boolean): boolean {
  let at = start
  for (let count = 0; count < CERTAIN && at < end; count++) {
    if (tried.read(bytes, at, end, side, extended) !== undefined || tried.size === 0) return false
    at += tried.size + tried.payload
  }
  return at <= end
}
