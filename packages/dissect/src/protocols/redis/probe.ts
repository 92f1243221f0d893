import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { latin1 } from '../../text/text.ts'
import { locate, type Span } from './arguments.ts'
import { isKnownVerb, isSharedVerb } from './verbs.ts'

const CR = 0x0d
const LF = 0x0a
const MAX_VERB_LENGTH = 32
const MAX_LINE_LENGTH = 512
const span: Span = { start: 0, end: 0 }
/** Replies that prove nothing by themselves and are looked past. */
const MAX_UNCERTAIN = 16

export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (start === end) return 'more'
  return side === 1 ? probeReplies(bytes, start, end) : probeCommands(bytes, start, end)
}

/** `*n CR LF $n CR LF` and a verb. One that is not known may be a reply of bulk strings: the other side will tell. */
export function probeCommand(bytes: Uint8Array, start: number, end: number): Verdict {
  let at = afterNumber(bytes, start, end, 7)
  if (at <= 0) return at === 0 ? 'more' : 'no'
  if (bytes[start + 1] === 0x30) return 'no'
  if (at === end) return 'more'
  if (bytes[at] !== 0x24) return 'no'
  const count = at
  at = afterNumber(bytes, count, end, 2)
  if (at <= 0) return at === 0 ? 'more' : 'no'
  let length = 0
  for (let i = count + 1; i < at - 2; i++) length = length * 10 + bytes[i] - 0x30
  if (length === 0 || length > MAX_VERB_LENGTH) return 'no'
  for (let i = at; i < Math.min(end, at + length); i++) if (!isVerbByte(bytes[i], i === at)) return 'no'
  if (end - at < length + 2) return 'more'
  if (bytes[at + length] !== CR || bytes[at + length + 1] !== LF) return 'no'
  return isKnownVerb(latin1(bytes, at, at + length).toLowerCase()) ? 'yes' : 'more'
}

/** Commands; some of them lines that begin with verbs. Many protocols have such lines: only those that no other has are taken at once. */
function probeCommands(bytes: Uint8Array, start: number, end: number): Verdict {
  let at = start
  for (let i = 0; i < MAX_UNCERTAIN; i++) {
    const command = bytes[at] === 0x2a
    const verdict = command ? probeCommand(bytes, at, end) : probeInline(bytes, at, end)
    if (verdict !== 'more' || command) return verdict
    while (at < end && bytes[at] !== LF) at++
    if (++at >= end) return 'more'
  }
  return 'no'
}

export function probeInline(bytes: Uint8Array, start: number, end: number): Verdict {
  let at = start
  while (at < end && isVerbByte(bytes[at], at === start)) if (++at - start > MAX_VERB_LENGTH) return 'no'
  const verbEnd = at
  while (at < end && at - start < MAX_LINE_LENGTH && bytes[at] !== LF) {
    if (bytes[at] < 0x20 && bytes[at] !== CR) return 'no'
    at++
  }
  if (at === end) return verbEnd > start ? 'more' : 'no'
  if (bytes[at] !== LF || at === start || bytes[at - 1] !== CR) return 'no'
  // Empty lines are let pass.
  if (at === start + 1) return 'more'
  if (verbEnd < at - 1 && bytes[verbEnd] !== 0x20) return 'no'
  const verb = latin1(bytes, start, verbEnd).toLowerCase()
  if (!isKnownVerb(verb)) return 'no'
  if (isSharedVerb(verb)) return 'more'
  // memcached has these, too, with other arguments.
  if (verb === 'set') return [2, 3, 4].every((index) => isNumber(bytes, start, at + 1, index)) ? 'no' : 'yes'
  if (verb === 'incr' || verb === 'decr')
    return locate(bytes, start, at + 1, 1, span) && !locate(bytes, start, at + 1, 2, span) ? 'yes' : 'no'
  return 'yes'
}

function isNumber(bytes: Uint8Array, start: number, end: number, index: number): boolean {
  if (!locate(bytes, start, end, index, span)) return false
  for (let at = span.start; at < span.end; at++) if (bytes[at] < 0x30 || bytes[at] > 0x39) return false
  return true
}

function isVerbByte(byte: number, first: boolean): boolean {
  const lower = byte | 0x20
  if (lower >= 0x61 && lower <= 0x7a) return true
  return !first && ((byte >= 0x30 && byte <= 0x39) || byte === 0x2e || byte === 0x5f || byte === 0x2d)
}

function probeReplies(bytes: Uint8Array, start: number, end: number): Verdict {
  let at = start
  for (let i = 0; i < MAX_UNCERTAIN; i++) {
    const verdict = probeReply(bytes, at, end)
    if (verdict !== 'more') return verdict
    // Only lines are doubtful: the next may tell more.
    if (bytes[at] !== 0x2b && bytes[at] !== 0x2d) return 'more'
    while (at < end && bytes[at] !== LF) at++
    if (++at >= end) return 'more'
  }
  return 'no'
}

/** Beginnings of replies that only Redis gives. POP3 and NATS say `+OK` and `-ERR`, too. */
const STATUS =
  /^\+(PONG|QUEUED|RESET|FULLRESYNC [0-9a-f]{40} \d|CONTINUE|string|list|hash|zset|stream|none)\b/
const ERROR =
  /^-(WRONGTYPE|MOVED|ASK|NOAUTH|WRONGPASS|NOPERM|NOSCRIPT|LOADING|BUSY|BUSYKEY|READONLY|MASTERDOWN|MISCONF|EXECABORT|OOM|CLUSTERDOWN|CROSSSLOT|TRYAGAIN|NOREPLICAS|NOTBUSY|UNKILLABLE|BUSYGROUP|NOGROUP|UNBLOCKED|NOPROTO|INPROG|NOGOODSLAVE|DENIED|IOERR) /
const LINE = /^[-+][A-Za-z][\x20-\x7e]*\r?$/
const DOUBLE = /^,(-?\d+(\.\d+)?([eE][-+]?\d+)?|-?inf|nan)\r?$/

export function probeReply(bytes: Uint8Array, start: number, end: number): Verdict {
  switch (bytes[start]) {
    case 0x2b:
    case 0x2d:
      return probeLine(bytes, start, end)
    case 0x3a: {
      const at = afterNumber(bytes, start, end, 19)
      return at > 0 ? 'yes' : at === 0 ? 'more' : 'no'
    }
    case 0x24:
      return probeBulk(bytes, start, end)
    case 0x2a:
    case 0x7e:
    case 0x25:
    case 0x3e:
      return probeAggregate(bytes, start, end)
    case 0x5f:
      return exactly(bytes, start + 1, end, CR, LF)
    case 0x23:
      if (start + 1 < end && bytes[start + 1] !== 0x74 && bytes[start + 1] !== 0x66) return 'no'
      return exactly(bytes, start + 2, end, CR, LF)
    case 0x2c: {
      const text = latin1(bytes, start, Math.min(end, start + 32))
      const lf = text.indexOf('\n')
      if (lf >= 0) return DOUBLE.test(text.slice(0, lf)) ? 'yes' : 'no'
      return text.length < 32 && /^,[-\d.eE+infa]*\r?$/.test(text) ? 'more' : 'no'
    }
    default:
      return 'no'
  }
}

function probeLine(bytes: Uint8Array, start: number, end: number): Verdict {
  const text = latin1(bytes, start, Math.min(end, start + MAX_LINE_LENGTH))
  const lf = text.indexOf('\n')
  const line = lf < 0 ? text : text.slice(0, lf)
  if (line.length > 1 && !LINE.test(line)) return 'no'
  if (lf < 0) return text.length < MAX_LINE_LENGTH ? 'more' : 'no'
  if (STATUS.test(line) || ERROR.test(line)) return 'yes'
  // POP3 has more to say than that.
  if (line.startsWith('+OK')) return line === '+OK\r' ? 'more' : 'no'
  return line.startsWith("-ERR '") ? 'no' : 'more'
}

function probeBulk(bytes: Uint8Array, start: number, end: number): Verdict {
  const at = afterNumber(bytes, start, end, 10)
  if (at <= 0) return at === 0 ? 'more' : 'no'
  let length = 0
  if (bytes[start + 1] === 0x2d) return 'yes'
  for (let i = start + 1; i < at - 2; i++) length = length * 10 + bytes[i] - 0x30
  const stop = at + length
  if (stop + 2 <= end) return bytes[stop] === CR && bytes[stop + 1] === LF ? 'yes' : 'no'
  // A long one need not be waited for: nothing else begins like this.
  return end - at > 32 || length > 4096 ? 'yes' : 'more'
}

function probeAggregate(bytes: Uint8Array, start: number, end: number): Verdict {
  const at = afterNumber(bytes, start, end, 9)
  if (at <= 0) return at === 0 ? 'more' : 'no'
  if (bytes[start + 1] === 0x2d || bytes[start + 1] === 0x30) return 'yes'
  if (at >= end) return 'more'
  if (bytes[at] === 0x2b || bytes[at] === 0x2d) return 'yes'
  if (bytes[at] === 0x3e) return 'no'
  return probeReply(bytes, at, end)
}

function exactly(bytes: Uint8Array, at: number, end: number, one: number, two: number): Verdict {
  if (at < end && bytes[at] !== one) return 'no'
  if (at + 1 < end) return bytes[at + 1] === two ? 'yes' : 'no'
  return 'more'
}

/** Where `<type><digits>CR LF` ends; 0: not all there; -1: it is none. */
function afterNumber(bytes: Uint8Array, start: number, end: number, digits: number): number {
  let at = start + 1
  if (at < end && bytes[at] === 0x2d) at++
  const first = at
  while (at < end && bytes[at] >= 0x30 && bytes[at] <= 0x39) if (++at - first > digits) return -1
  if (at === end) return 0
  if (at === first || bytes[at] !== CR) return -1
  if (at + 1 === end) return 0
  return bytes[at + 1] === LF ? at + 2 : -1
}
