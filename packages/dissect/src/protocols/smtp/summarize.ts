import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { latin1, utf8Lossy, word } from '../../text/text.ts'
import { addressOf, argumentOf, verbOf } from './command.ts'

const MAX_FAILURE_LENGTH = 256
const GREETINGS = new Set([220, 554])

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  const head = request?.head
  if (request?.kind === 'event' && head !== undefined) {
    summary.method = GREETINGS.has(codeOf(head)) ? 'GREETING' : 'REPLY'
    const [, domain] = /^\d{3}[ -](\S+)/.exec(latin1(head)) ?? []
    if (domain !== undefined && summary.method === 'GREETING') summary.path = domain
    readStatus(head, summary)
  } else if (head !== undefined) {
    summary.method = verbOf(head, 0, head.length)
    const path = pathOf(summary.method, head)
    if (path !== undefined && path !== '') summary.path = path
  }
  if (response?.head !== undefined) readStatus(response.head, summary)
  // LMTP: of the replies for each recipient the first that is none of success counts.
  if (response?.body !== undefined && summary.failure === undefined) {
    const [failed] = replyLines(response).filter((line) => line >= '4')
    if (failed !== undefined) readStatus(new TextEncoder().encode(failed), summary)
  }
  return summary
}

function pathOf(verb: string, head: Uint8Array): string | undefined {
  switch (verb) {
    case 'MAIL':
    case 'RCPT':
      return addressOf(argumentOf(head))
    case 'AUTH':
    case 'EHLO':
    case 'HELO':
    case 'LHLO':
      return argumentOf(head).split(' ', 1)[0]
    case 'VRFY':
    case 'EXPN':
    case 'ETRN':
      return argumentOf(head)
    default:
      return undefined
  }
}

export function codeOf(head: Uint8Array): number {
  return (head[0] - 0x30) * 100 + (head[1] - 0x30) * 10 + head[2] - 0x30
}

function readStatus(head: Uint8Array, into: Draft): void {
  const code = codeOf(head)
  if (!(code >= 0)) return
  into.status = code
  if (code < 400) return
  let end = 0
  while (end < head.length && end < MAX_FAILURE_LENGTH && head[end] >= 0x20) end++
  into.failure = `${code}${end > 3 ? ' ' : ''}${word(head, Math.min(4, end), end)}`
}

/** Of all replies, where there is one a recipient. */
export function replyLines({ head, body }: Message): string[] {
  return [head, body].flatMap((part) => (part === undefined ? [] : utf8Lossy(part).trimEnd().split(/\r?\n/)))
}
