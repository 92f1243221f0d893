import { type GraphqlHead, isGraphqlBody, readGraphqlHead } from '../graphql/recognise.ts'
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
  return protocolOf(readHead(head, 0, start, rangeEnd, 0), body, 0, body === undefined ? 0 : body.length)
}

/** What the head of a request says of its protocol. */
export type HeadProtocol = 'grpc' | GraphqlHead

/** The protocol of a request with that head and the body `body[start, end)`. */
export function protocolOf(
  head: HeadProtocol,
  body: Uint8Array | undefined,
  start: number,
  end: number,
): 'grpc' | 'graphql' | undefined {
  if (head !== 'graphql-path' && head !== 'json') return head
  return isGraphqlBody(head, body, start, end) ? 'graphql' : undefined
}

/** Reads the head at `at`, whose content type is from `start` to `end` of it (-1: there is none), with its marks. */
export function readHead(
  head: Uint8Array,
  at: number,
  start: number,
  end: number,
  marks: number,
): HeadProtocol {
  const isGet = head[at] === GET
  if (!isGet && (head[at] !== POST || head[at + 1] !== O || start < 0)) return undefined
  if (!isGet && isGrpc(head, at + start, at + end)) return 'grpc'
  const from = marks > 0 ? at + markedMethodEnd(marks) + 1 : after(head, SPACE, at)
  const stop = marks > 0 ? at + markedPathEnd(marks) : after(head, QUERY, from) - 1
  const type = isGet ? -1 : at + start
  return readGraphqlHead(head, type, at + end, from, stop)
}

/** Where it goes on behind that byte, or behind the word. */
function after(head: Uint8Array, byte: number, start: number): number {
  let at = start
  while (at < head.length && head[at] > SPACE && head[at] !== byte) at++
  return at + 1
}
