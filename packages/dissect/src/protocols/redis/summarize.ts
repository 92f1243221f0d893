import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import { PlacedSummary } from '../../message/placed-summary.ts'
import { PlainMessage } from '../../message/plain-message.ts'
import { latin1 } from '../../text/text.ts'
import { isWord, locate, locateNext, locateVerb, type Span } from './arguments.ts'
import { ValueCutter } from './frame.ts'
import { ValueReader } from './value.ts'
import { AFTER_STREAMS, MAX_VERB_LENGTH, Verb, verbAt } from './verbs.ts'
import { wholeOf } from './whole-of.ts'

const MAX_PATH_LENGTH = 512
const MAX_ERROR_LENGTH = 256

const ARRAY = 0x2a
const LF = 0x0a
const MONITOR: Verb = new Verb('MONITOR', 0)
const SNAPSHOT: Verb = new Verb('RDB', 0)
const NAMELESS: Verb = new Verb('', 0)
const span: Span = { start: 0, end: 0 }

export function summarize({ request, response }: Exchange): Summary {
  const summary = new PlacedSummary()
  if (request instanceof PlainMessage) {
    const { headIn, headAt, headEnd, note } = request
    const verb = note instanceof Verb ? note : verbOf(headIn, headAt, headEnd)
    if (note === verb) span.end = request.noteEnd
    summarizeCommand(headIn, headAt, headEnd, verb, summary)
  } else if (request?.head !== undefined) {
    const { head } = request
    summarizeCommand(head, 0, head.length, verbOf(head, 0, head.length), summary)
  }
  if (response instanceof PlainMessage)
    summarizeReply(response.headIn, response.headAt, response.headEnd, summary)
  else if (response?.head !== undefined) summarizeReply(response.head, 0, response.head.length, summary)
  if (response !== undefined && summary.method === 'EXEC' && summary.failure === undefined)
    fail(summary, failedCommand(wholeOf(response)))
  return summary
}

/** `span` says where the verb stands. */
function summarizeCommand(
  bytes: Uint8Array,
  from: number,
  to: number,
  verb: Verb,
  summary: PlacedSummary,
): void {
  if (verb.name !== '') summary.method = verb.name
  if (locateKey(bytes, from, to, verb, span))
    summary.placePath(bytes, span.start, Math.min(span.end, span.start + MAX_PATH_LENGTH))
}

function summarizeReply(bytes: Uint8Array, from: number, to: number, summary: PlacedSummary): void {
  if (from === to) return
  summary.status = 'OK'
  fail(summary, errorOf(bytes, from, to))
}

function fail(summary: PlacedSummary, error: string | undefined): void {
  if (error === undefined) return
  summary.status = error.split(' ', 1)[0]
  summary.failure = error
}

/** A line that MONITOR shows and a snapshot for a replica are no commands, but calls all the same. */
function verbOf(bytes: Uint8Array, from: number, to: number): Verb {
  if (from < to && bytes[from] === 0x2b) return MONITOR
  if (from < to && bytes[from] === 0x24) return SNAPSHOT
  if (!locateVerb(bytes, from, to, span)) return NAMELESS
  return verbAt(bytes, span.start, Math.min(span.end, span.start + MAX_VERB_LENGTH))
}

/** The key, where `into` says where the verb stands. */
function locateKey(
  bytes: Uint8Array,
  from: number,
  to: number,
  { key, countsItsKeys }: Verb,
  into: Span,
): boolean {
  if (key === 0) return false
  if (key === AFTER_STREAMS) {
    for (let i = 1; i < 32 && locate(bytes, from, to, i, into); i++)
      if (isWord(bytes, into.start, into.end, 'streams')) return locate(bytes, from, to, i + 1, into)
    return false
  }
  if (countsItsKeys && locate(bytes, from, to, 2, into) && bytes[into.start] === 0x30) return false
  // Mostly it is the next one.
  const found =
    key === 1 && bytes[from] === ARRAY
      ? locateNext(bytes, into.end, to, into)
      : locate(bytes, from, to, key, into)
  return found && into.end > into.start
}

/** Where the key of a command is; valid until the next call. */
export function keyPlace(head: Uint8Array): Readonly<Span> | undefined {
  return locateKey(head, 0, head.length, verbOf(head, 0, head.length), span) ? span : undefined
}

/** The text of an error; `-` before a line, `!` before a counted one, maybe with attributes before either. */
function errorOf(bytes: Uint8Array, from: number, to: number): string | undefined {
  if (bytes[from] === 0x2d) {
    let end = from + 1
    while (end < to && bytes[end] !== 0x0d && end - from <= MAX_ERROR_LENGTH) end++
    return latin1(bytes, from + 1, end)
  }
  if (bytes[from] !== 0x21 && bytes[from] !== 0x7c) return undefined
  return new ValueReader(bytes.subarray(from, to)).read().error?.slice(0, MAX_ERROR_LENGTH)
}

/**
 * The error of the first command of a transaction that failed while it ran. The reply is a list of what each command returned,
 * and it is shown nowhere else: when they were sent, they were only queued.
 */
function failedCommand(replies: Uint8Array): string | undefined {
  if (replies[0] !== ARRAY) return undefined
  const cutter = new ValueCutter()
  try {
    for (let at = replies.indexOf(LF) + 1; at > 0 && at < replies.length; ) {
      const error = errorOf(replies, at, replies.length)
      if (error !== undefined) return error
      const length = cutter.measure(replies, at, replies.length)
      // What was not kept, or was lost, is unknown.
      if (length === 0 || !cutter.ends) return undefined
      at += length
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return undefined
}
