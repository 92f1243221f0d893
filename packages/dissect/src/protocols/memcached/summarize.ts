import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import { word } from '../../text/text.ts'
import { asksForValue, HEADER, isFailure, opcodeName, statusName } from './opcodes.ts'
import { type Span, token, tokenText } from './text-line.ts'

const MAX_ERROR_LENGTH = 256

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

const span: Span = { start: 0, end: 0 }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  const head = request?.head
  if (head !== undefined && head.length > 0) {
    if (head[0] >= 0x80) readBinary(head, summary)
    else readText(head, summary)
  }
  const answer = response?.head
  if (response?.fields?.silent === true) summary.status = silentStatus(head)
  else if (answer !== undefined && answer.length > 0) {
    if (answer[0] >= 0x80) readBinaryStatus(answer, response?.body, summary)
    else readTextStatus(answer, summary)
  }
  return summary
}

function readText(head: Uint8Array, into: Draft): void {
  const verb = tokenText(head, 0, head.length, 0)
  into.method = verb.startsWith('ts=') ? 'watch' : verb
  if (!takesKey(verb)) return
  if (token(head, 0, head.length, verb === 'gat' || verb === 'gats' ? 2 : 1, span))
    into.path = word(head, span.start, span.end)
}

const KEYED = new Set(
  'get gets gat gats set add replace append prepend cas delete incr decr touch mg ms md ma me'.split(' '),
)

function takesKey(verb: string): boolean {
  return KEYED.has(verb)
}

function readBinary(head: Uint8Array, into: Draft): void {
  if (head.length < HEADER) return
  into.method = opcodeName(head[1])
  const from = HEADER + head[4]
  const to = Math.min(head.length, from + ((head[2] << 8) | head[3]))
  if (to > from) into.path = word(head, from, to)
}

function readTextStatus(line: Uint8Array, into: Draft): void {
  const code = tokenText(line, 0, line.length, 0)
  into.status = line[0] >= 0x30 && line[0] <= 0x39 ? 'OK' : code
  if (!code.endsWith('ERROR')) return
  let end = Math.min(line.length, MAX_ERROR_LENGTH)
  for (let i = 0; i < end; i++) if (line[i] < 0x20) end = i
  into.failure = word(line, 0, end)
}

function readBinaryStatus(head: Uint8Array, text: Uint8Array | undefined, into: Draft): void {
  if (head.length < HEADER) return
  const status = (head[6] << 8) | head[7]
  into.status = statusName(status)
  if (!isFailure(status)) return
  into.failure =
    text === undefined || text.length === 0 || text.length > MAX_ERROR_LENGTH
      ? into.status
      : `${into.status}: ${word(text, 0, text.length)}`
}

/** No news is good news of what was to be stored, and a miss of what was to be read. */
function silentStatus(head: Uint8Array | undefined): string {
  if (head === undefined || head.length < 2) return 'OK'
  if (head[0] >= 0x80) return asksForValue(head[1]) ? 'KEY_NOT_FOUND' : 'OK'
  return tokenText(head, 0, head.length, 0) === 'mg' ? 'EN' : 'HD'
}
