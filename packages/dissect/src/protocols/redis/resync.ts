import { probeCommand, probeInline, probeReply } from './probe.ts'

const LF = 0x0a

/** Commands begin after a line break, and unlike anything in a value; inline ones only by their verb. */
export function resyncCommands(bytes: Uint8Array, start: number, end: number, inline: boolean): number {
  for (let at = start; at >= 0; at = nextLine(bytes, at, end))
    if (bytes[at] === 0x2a) {
      if (probeCommand(bytes, at, end) === 'yes') return at
    } else if (inline && probeInline(bytes, at, end) !== 'no' && hasLine(bytes, at, end)) return at
  return -1
}

/** Whether this is a reply or an element of one nothing can tell. */
export function resyncReplies(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at >= 0; at = nextLine(bytes, at, end)) {
    const verdict = probeReply(bytes, at, end)
    if (verdict === 'yes') return at
    if (verdict === 'more' && (bytes[at] === 0x2b || bytes[at] === 0x2d) && hasLine(bytes, at, end)) return at
  }
  return -1
}

function nextLine(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at + 1 < end; at++) if (bytes[at] === LF) return at + 1
  return -1
}

function hasLine(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] === LF) return true
  return false
}
