import { word } from '../../text/text.ts'
import { type Span, token } from './line.ts'

/** What a line says: whether a payload follows it, and who may say it. */
export interface Operation {
  readonly name: string
  /** The last word of the line is the size of a payload. */
  readonly sized: boolean
}

const operations = new Map<string, Operation>()
for (const name of 'CONNECT SUB UNSUB PING PONG INFO +OK -ERR RS+ RS- LS+ LS- A+ A-'.split(' '))
  operations.set(name, { name, sized: false })
// RMSG and LMSG go between servers.
for (const name of 'PUB HPUB MSG HMSG RMSG HRMSG LMSG HLMSG'.split(' '))
  operations.set(name, { name, sized: true })

const MAX_LENGTH = 7
const MAX_UNKNOWN_LENGTH = 64
const span: Span = { start: 0, end: 0 }

/** The operation that a line begins with, whatever its case. */
export function operationOf(line: Uint8Array, start: number, end: number): Operation | undefined {
  if (!token(line, start, end, 0, span) || span.start !== start || span.end - span.start > MAX_LENGTH)
    return undefined
  const name = word(line, span.start, span.end)
  return operations.get(name) ?? operations.get(name.toUpperCase())
}

/** A line that is no operation, but could be one: the server will refuse it. */
export function unknownOperation(line: Uint8Array, start: number, end: number): Operation | undefined {
  if (end - start > MAX_UNKNOWN_LENGTH || !token(line, start, end, 0, span)) return undefined
  for (let at = start; at < end; at++)
    if ((line[at] < 0x20 && line[at] !== 0x0d && line[at] !== 0x0a) || line[at] > 0x7e) return undefined
  return { name: word(line, span.start, span.end).toUpperCase(), sized: false }
}

export function hasHeaders(name: string): boolean {
  return name.startsWith('H')
}
