import type { Side, Transport } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { latin1 } from '../../text/text.ts'
import { fitsExtras, HEADER, isKnownOpcode, isKnownStatus, REQUEST, RESPONSE } from './opcodes.ts'

const UDP_HEADER = 8
const MAX_LINE_LENGTH = 2048
const MAX_UNCERTAIN = 16
const MAX_BODY_SIZE = 2 ** 30
const MAX_KEY_LENGTH = 250

export function probe(
  bytes: Uint8Array,
  start: number,
  end: number,
  side: Side,
  transport: Transport,
): Verdict {
  if (transport !== 'udp') return probePayload(bytes, start, end, side)
  // Request id, number and count of datagrams, and two bytes that are reserved: not all clients bother to clear them.
  if (end - start < UDP_HEADER + 4) return 'no'
  const number = (bytes[start + 2] << 8) | bytes[start + 3]
  const count = (bytes[start + 4] << 8) | bytes[start + 5]
  if (number !== 0 || count === 0 || (side === 0 && count !== 1)) return 'no'
  const at = start + UDP_HEADER
  const verdict = probePayload(bytes, at, end, side)
  if (verdict !== 'more') return verdict
  const reserved = bytes[start + 6] | bytes[start + 7]
  return reserved === 0 && bytes[at] < 0x80 && bytes[end - 1] === 0x0a ? 'yes' : 'no'
}

function probePayload(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (start === end) return 'more'
  if (bytes[start] >= 0x80) return probeBinary(bytes, start, end, side)
  let at = start
  for (let i = 0; i < MAX_UNCERTAIN; i++) {
    const verdict = probeText(bytes, at, end, side)
    if (verdict !== 'more') return verdict
    while (at < end && bytes[at] !== 0x0a) at++
    if (++at >= end) return 'more'
  }
  return 'no'
}

export function probeBinary(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (bytes[start] !== (side === 0 ? REQUEST : RESPONSE)) return 'no'
  if (end - start < HEADER) return 'more'
  const opcode = bytes[start + 1]
  const key = (bytes[start + 2] << 8) | bytes[start + 3]
  const extras = bytes[start + 4]
  const total =
    bytes[start + 8] * 2 ** 24 + ((bytes[start + 9] << 16) | (bytes[start + 10] << 8) | bytes[start + 11])
  if (!isKnownOpcode(opcode) || key > MAX_KEY_LENGTH || bytes[start + 5] !== 0 || total > MAX_BODY_SIZE)
    return 'no'
  if (key + extras > total) return 'no'
  if (side === 0) return fitsExtras(opcode, extras) ? 'yes' : 'no'
  const status = (bytes[start + 6] << 8) | bytes[start + 7]
  return isKnownStatus(status) && (extras === 0 || extras === 4) ? 'yes' : 'no'
}

/** Commands of text. `get key` and a few bare words are also those of others. */
const COMMAND = [
  /^(set|add|replace|append|prepend) [^ ]+ \d+ -?\d+ \d+( noreply)?$/,
  /^cas [^ ]+ \d+ -?\d+ \d+ \d+( noreply)?$/,
  /^(get [^ ]+ [^ ]|gets [^ ])/,
  /^gats? -?\d+ [^ ]/,
  /^delete [^ ]+( 0)?( noreply)?$/,
  /^(incr|decr) [^ ]+ \d+( noreply)?$/,
  /^touch [^ ]+ -?\d+( noreply)?$/,
  /^m[gda] [^ ]+( [A-Za-z][^ ]*)*$/,
  /^ms [^ ]+ \d+( [A-Za-z][^ ]*)*$/,
  /^me [^ ]+/,
  /^stats( (items|slabs|sizes|settings|conns|reset|detail|cachedump|extstore|threads|proxy)\b.*)?$/,
  /^(mn|version|flush_all( -?\d+)?( noreply)?|verbosity \d+( noreply)?|cache_memlimit \d+|lru_crawler .*|slabs .*|lru .*|watch( .*)?)$/,
]
const DOUBTFUL_COMMAND = /^(get [^ ]+|quit)$/
const ANSWER = [
  /^VALUE [^ ]+ \d+ \d+( \d+)?$/,
  /^(STORED|NOT_STORED|EXISTS|NOT_FOUND|DELETED|TOUCHED|END|HD|EN|MN|NS|EX|NF)$/,
  /^(HD|NS|EX|NF)( [A-Za-z][^ ]*)+$/,
  /^VA \d+( [A-Za-z][^ ]*)*$/,
  /^ME [^ ]+ /,
  /^STAT [^ ]+ /,
  /^(CLIENT_ERROR|SERVER_ERROR) /,
]
const DOUBTFUL_ANSWER = /^(OK|ERROR|\d{1,20}|VERSION [\w.-]+|RESET)$/

export function probeText(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const text = latin1(bytes, start, Math.min(end, start + MAX_LINE_LENGTH))
  const lf = text.indexOf('\n')
  const line = lf < 0 ? text : text.slice(0, lf).replace(/\r$/, '')
  if (!/^[\x21-\x7e][\x20-\x7e\x80-\xff]*\r?$/.test(line)) return 'no'
  if (lf < 0) return couldBegin(line, side) && text.length < MAX_LINE_LENGTH ? 'more' : 'no'
  const sure = side === 0 ? COMMAND : ANSWER
  if (sure.some((pattern) => pattern.test(line))) return 'yes'
  return (side === 0 ? DOUBTFUL_COMMAND : DOUBTFUL_ANSWER).test(line) ? 'more' : 'no'
}

const VERBS =
  'set add replace append prepend cas get gets gat gats delete incr decr touch mg md ma ms mn me stats version flush_all verbosity quit cache_memlimit lru_crawler lru slabs watch'.split(
    ' ',
  )
const WORDS =
  'VALUE STORED NOT_STORED EXISTS NOT_FOUND DELETED TOUCHED END HD EN MN NS EX NF VA ME STAT CLIENT_ERROR SERVER_ERROR OK ERROR VERSION RESET'.split(
    ' ',
  )

function couldBegin(line: string, side: Side): boolean {
  const [first] = line.trimEnd().split(' ', 1)
  if (side === 1 && /^\d{1,20}$/.test(first)) return true
  const words = side === 0 ? VERBS : WORDS
  return line.includes(' ') ? words.includes(first) : words.some((word) => word.startsWith(first))
}
