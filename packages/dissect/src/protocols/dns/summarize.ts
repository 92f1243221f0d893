import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { DatagramMessage } from '../../message/datagram-message.ts'
import { HEADER } from './frame.ts'
import { skipName } from './name.ts'
import { NameSummary } from './name-summary.ts'
import { rcodeName, TYPE, typeName } from './names.ts'

export function summarize({ request, response }: Exchange): Summary {
  const summary = new NameSummary()
  if (!readSubject(request, summary)) readSubject(response, summary)
  if (!readOutcome(response, summary) && request?.kind === 'event') readOutcome(request, summary)
  return summary
}

/** Name and type of the first question; of the first answer where nothing was asked. False where there is no message. */
function readSubject(message: Message | undefined, into: NameSummary): boolean {
  if (message === undefined) return false
  if (message instanceof DatagramMessage) {
    readSubjectAt(message.headIn, message.headAt, message.headEnd, into)
    return true
  }
  const { head } = message
  if (head === undefined) return false
  readSubjectAt(head, 0, head.length, into)
  return true
}

function readSubjectAt(bytes: Uint8Array, start: number, end: number, into: NameSummary): void {
  try {
    const at = skipName(bytes, start + HEADER, end)
    into.placeName(bytes, start, start + HEADER, at, end)
    if (at + 2 <= end) into.method = typeName((bytes[at] << 8) | bytes[at + 1])
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

/** How it went. False where there is no message. */
function readOutcome(message: Message | undefined, into: NameSummary): boolean {
  if (message === undefined) return false
  if (message instanceof DatagramMessage) {
    readOutcomeAt(message.headIn, message.headAt, message.headEnd, into)
    return true
  }
  const { head } = message
  if (head === undefined) return false
  readOutcomeAt(head, 0, head.length, into)
  return true
}

function readOutcomeAt(bytes: Uint8Array, start: number, end: number, into: NameSummary): void {
  if (bytes[start + 2] < 0x80) return
  const rcode = rcodeOf(bytes, start, end)
  const status = rcodeName(rcode)
  into.status = status
  if (rcode !== 0) into.failure = status
}

/** Four bits are in the header; the rest, if any, in an OPT record at the end: RFC 6891 §6.1.3. */
function rcodeOf(bytes: Uint8Array, start: number, end: number): number {
  const low = bytes[start + 3] & 15
  const additionals = wordAt(bytes, start + 10)
  if (additionals === 0) return low
  try {
    let at = start + HEADER
    for (let i = wordAt(bytes, start + 4); i > 0; i--) at = skipName(bytes, at, end) + 4
    for (let i = wordAt(bytes, start + 6) + wordAt(bytes, start + 8) + additionals; i > 0; i--) {
      at = skipName(bytes, at, end)
      if (at + 10 > end) return low
      if (wordAt(bytes, at) === TYPE.OPT) return (bytes[at + 4] << 4) | low
      at += 10 + wordAt(bytes, at + 8)
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return low
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1]
}
