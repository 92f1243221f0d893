import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { latin1, word } from '../../text/text.ts'
import { type Span, token } from './line.ts'
import { operationOf, unknownOperation } from './operations.ts'

const MAX_ERROR_LENGTH = 256
/** The subject of a request has no subscriber. */
const NO_RESPONDERS = 503

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

const span: Span = { start: 0, end: 0 }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  if (request?.head !== undefined) readRequest(request, request.head, summary)
  if (response === undefined) return summary
  const error = response.head === undefined ? undefined : errorOf(response.head)
  summary.status = error === undefined ? 'OK' : 'ERR'
  if (error !== undefined) summary.failure = error
  return summary
}

function readRequest({ body }: Message, head: Uint8Array, into: Draft): void {
  const name = nameOf(head)
  if (name === undefined) return
  into.method = name
  const place = subjectPlace(name)
  if (place > 0 && token(head, 0, head.length, place, span)) into.path = word(head, span.start, span.end)
  const error = errorOf(head)
  if (error !== undefined) {
    into.status = 'ERR'
    into.failure = error
  }
  if (name !== 'HMSG' || body === undefined) return
  const status = statusOf(body)
  if (status > 0) into.status = status
  if (status === NO_RESPONDERS) into.failure = '503 No Responders'
}

export function nameOf(head: Uint8Array): string | undefined {
  return (operationOf(head, 0, head.length) ?? unknownOperation(head, 0, head.length))?.name
}

/** The place of the subject; between servers the account goes before it. */
export function subjectPlace(name: string): number {
  if (/^(H?PUB|H?MSG|SUB|LS[+-]|H?LMSG)$/.test(name)) return 1
  return /^(RS[+-]|H?RMSG)$/.test(name) ? 2 : 0
}

/** The code in the first line of a message's headers: `NATS/1.0 503`. */
function statusOf(body: Uint8Array): number {
  if (body[0] !== 0x4e || body[8] !== 0x20) return 0
  let status = 0
  for (let at = 9; at < 12; at++) {
    const digit = body[at] - 0x30
    if (!(digit >= 0 && digit <= 9)) return 0
    status = status * 10 + digit
  }
  return status
}

function errorOf(head: Uint8Array): string | undefined {
  if (head[0] !== 0x2d) return undefined
  return latin1(head, 0, Math.min(head.length, MAX_ERROR_LENGTH))
    .replace(/^-ERR\s*/i, '')
    .replace(/^'|'?\s*$/g, '')
}
