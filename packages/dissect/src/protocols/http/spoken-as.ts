import { isGraphql } from '../graphql/recognise.ts'
import { isGrpc } from '../grpc/content-type.ts'
import { headerRange, rangeEnd } from './header-range.ts'
import { markedPathEnd } from './start-line.ts'

const GET = 0x47
const POST = 0x50
const O = 0x4f
const QUERY = 0x3f

/** The protocol that a request speaks on top of HTTP, be it version 1 or 2; undefined: none that is known. */
export function spokenAs(head: Uint8Array, body: Uint8Array | undefined): 'grpc' | 'graphql' | undefined {
  const start = head[0] === POST ? headerRange(head, 'content-type') : -1
  return spokenAsType(head, body, start, rangeEnd, 0)
}

/** The same where it is known that the value of the content type is `head[start, end)` (-1: there is none), with its marks. */
export function spokenAsType(
  head: Uint8Array,
  body: Uint8Array | undefined,
  start: number,
  end: number,
  marks: number,
): 'grpc' | 'graphql' | undefined {
  // A question that is asked by GET stands in the query.
  if (head[0] === GET && marks > 0 && head[markedPathEnd(marks)] !== QUERY) return undefined
  if (head[0] === GET) return isGraphql(head, body, -1, -1) ? 'graphql' : undefined
  if (head[0] !== POST || head[1] !== O || start < 0) return undefined
  if (isGrpc(head, start, end)) return 'grpc'
  return isGraphql(head, body, start, end) ? 'graphql' : undefined
}
