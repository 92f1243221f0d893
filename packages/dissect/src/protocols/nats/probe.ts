import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { latin1 } from '../../text/text.ts'

const MAX_LINE_LENGTH = 4096
const MAX_UNCERTAIN = 16

const SUBJECT = String.raw`[^\s]+`
const CLIENT = new RegExp(
  String.raw`^(CONNECT\s+\{\s*"|H?PUB\s+${SUBJECT}(\s+${SUBJECT})?(\s+\d+)?\s+\d+$|SUB\s+${SUBJECT}(\s+[^\s]+)?\s+[\w.-]+$|UNSUB\s+[\w.-]+(\s+\d+)?$)`,
  'i',
)
const SERVER = new RegExp(
  String.raw`^(INFO\s+\{\s*"|MSG\s+${SUBJECT}\s+[^\s]+(\s+${SUBJECT})?\s+\d+$|HMSG\s+${SUBJECT}\s+[^\s]+(\s+${SUBJECT})?\s+\d+\s+\d+$|-ERR\s+')`,
  'i',
)
/** Others have these, too. */
const DOUBTFUL = [/^(PING|PONG)\s*$/i, /^(PING|PONG|\+OK)\s*$/i]
const BEGINNINGS = [
  ['CONNECT ', 'PUB ', 'HPUB ', 'SUB ', 'UNSUB ', 'PING\r', 'PONG\r'],
  ['INFO ', 'MSG ', 'HMSG ', '-ERR ', '+OK\r', 'PING\r', 'PONG\r'],
] as const

export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  let at = start
  for (let i = 0; i < MAX_UNCERTAIN; i++) {
    const verdict = probeLine(bytes, at, end, side)
    if (verdict !== 'more') return verdict
    while (at < end && bytes[at] !== 0x0a) at++
    if (++at >= end) return 'more'
  }
  return 'no'
}

export function probeLine(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const text = latin1(bytes, start, Math.min(end, start + MAX_LINE_LENGTH))
  const lf = text.indexOf('\n')
  const line = lf < 0 ? text : text.slice(0, lf).trimEnd()
  const pattern = side === 0 ? CLIENT : SERVER
  // These are known by their beginnings: what follows may be long.
  if (lf < 0) {
    if (/^(CONNECT|INFO)\s+\{\s*"/i.test(line) && pattern.test(line)) return 'yes'
    return text.length < MAX_LINE_LENGTH && couldBegin(line.toUpperCase(), side) ? 'more' : 'no'
  }
  if (text[lf - 1] !== '\r') return 'no'
  if (pattern.test(line)) return 'yes'
  return DOUBTFUL[side].test(line) ? 'more' : 'no'
}

function couldBegin(line: string, side: Side): boolean {
  return BEGINNINGS[side].some((word) => word.startsWith(line) || line.startsWith(word))
}
