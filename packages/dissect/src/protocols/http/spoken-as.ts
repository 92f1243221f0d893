import { isGraphql } from '../graphql/recognise.ts'
import { isGrpc } from '../grpc/content-type.ts'
import { headerRange, rangeEnd } from './header-range.ts'
import { markedMethodEnd, markedPathEnd } from './start-line.ts'

const GET = 0x47
const POST = 0x50
const O = 0x4f
const QUERY = 0x3f
const SPACE = 0x20

/** The protocol that a request speaks on top of HTTP, be it version 1 or 2; undefined: none that is known. */
export function spokenAs(head: Uint8Array, body: Uint8Array | undefined): 'grpc' | 'graphql' | undefined {
  const start = head[0] === POST ? headerRange(head, 'content-type') : -1
  return spokenAsType(head, 0, start, rangeEnd, 0, body, 0, body === undefined ? 0 : body.length)
}

/**
 * The same of a head at `at` and a body at `body[bodyAt, bodyEnd)`, where it is known that the value of the content type stands
 * from `start` to `end` of the head (-1: there is none), with its marks.
 */
export function spokenAsType(
  head: Uint8Array,
  at: number,
  start: number,
  end: number,
  marks: number,
  body: Uint8Array | undefined,
  bodyAt: number,
  bodyEnd: number,
): 'grpc' | 'graphql' | undefined {
  const isGet = head[at] === GET
  if (!isGet && (head[at] !== POST || head[at + 1] !== O || start < 0)) return undefined
  if (!isGet && isGrpc(head, at + start, at + end)) return 'grpc'
  const from = marks > 0 ? at + markedMethodEnd(marks) + 1 : after(head, SPACE, at)
  const stop = marks > 0 ? at + markedPathEnd(marks) : after(head, QUERY, from) - 1
  const type = isGet ? -1 : at + start
  return isGraphql(head, type, at + end, from, stop, body, bodyAt, bodyEnd) ? 'graphql' : undefined
}

/** Where it goes on behind that byte, or behind the word. */
function after(head: Uint8Array, byte: number, start: number): number {
  let at = start
  while (at < head.length && head[at] > SPACE && head[at] !== byte) at++
  return at + 1
}
