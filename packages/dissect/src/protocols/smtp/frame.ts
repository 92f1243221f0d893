import { Malformed } from '@tapdeck/wire'

const CR = 0x0d
const LF = 0x0a
const DOT = 0x2e
/** RFC 5321 §4.5.3.1 says 512; extensions add to it, and AUTH up to 12288. */
const MAX_LINE_LENGTH = 16 * 1024
const MAX_REPLY_LENGTH = 64 * 1024

/** Length of a command line; 0: its end is not there, nor in the first `scanned` bytes. */
export function lineLength(bytes: Uint8Array, start: number, end: number, scanned: number): number {
  for (let at = start + scanned; at < end; at++) {
    const byte = bytes[at]
    if (byte === LF) return at + 1 - start
    if (byte < 0x20 && byte !== CR && byte !== 0x09) throw new Malformed('no command')
  }
  if (end - start > MAX_LINE_LENGTH) throw new Malformed('line too long')
  return 0
}

/** Length of a reply with all its lines, of which only the last has no hyphen after the code; less than 1: how much of it, negated, holds whole lines. */
export function replyLength(bytes: Uint8Array, start: number, end: number, scanned: number): number {
  let line = start + scanned
  for (let at = line; at < end; at++) {
    if (bytes[at] !== LF) continue
    if (!isReplyLine(bytes, line, at)) throw new Malformed('no reply')
    if (bytes[line + 3] !== 0x2d) return at + 1 - start
    line = at + 1
  }
  if (end - start > MAX_REPLY_LENGTH) throw new Malformed('reply too long')
  if (end - line > 3 && !isReplyLine(bytes, line, end)) throw new Malformed('no reply')
  return start - line
}

function isReplyLine(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 3) return false
  for (let i = 0; i < 3; i++) if (bytes[start + i] < 0x30 || bytes[start + i] > 0x39) return false
  const after = bytes[start + 3]
  return end - start === 3 || after === 0x20 || after === 0x2d || after === CR
}

/** Cuts the text of a message, which ends with a dot on a line of its own, out of the commands: RFC 5321 §4.5.2. */
export class MessageCutter {
  /** What was measured last ends the message. */
  ends = false
  #atLineStart = true

  begin(): void {
    this.ends = false
    this.#atLineStart = true
  }

  /** Length of what there is of the message; 0: more is needed to tell. */
  measure(bytes: Uint8Array, start: number, end: number): number {
    let line = this.#atLineStart ? start : -1
    for (let at = start; at <= end; at++) {
      if (line === at) {
        const dots = dotLine(bytes, at, end)
        if (dots > 0) {
          this.ends = true
          return at + dots - start
        }
        if (dots < 0) {
          this.#atLineStart = true
          return at - start
        }
      }
      if (at < end && bytes[at] === LF) line = at + 1
    }
    this.#atLineStart = line === end
    return end - start
  }
}

/** 3: a line with only a dot; 0: another line; -1: not known yet. */
function dotLine(bytes: Uint8Array, at: number, end: number): number {
  if (at === end) return -1
  if (bytes[at] !== DOT) return 0
  if (at + 1 === end) return -1
  if (bytes[at + 1] === LF) return 2
  if (bytes[at + 1] !== CR) return 0
  if (at + 2 === end) return -1
  return bytes[at + 2] === LF ? 3 : 0
}
