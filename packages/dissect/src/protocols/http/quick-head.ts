import { type Side, shadow } from '@tapdeck/wire'
import code from './quick-head.wasm.ts'

interface QuickHeadCode {
  request(start: number, end: number, room: number): number
  response(start: number, end: number, room: number): number
}

const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE'] as const
/** Words that the code leaves. */
const METHOD = 1
const METHOD_END = 2
const PATH_END = 3
const STATUS = 4
const LENGTH = 5
const TYPE_START = 6
const TYPE_END = 7
/** A line needs a closer look: another coding or protocol, a length that is no plain number, or a second one. */
const ODD = 8
/** There are more lines than there was room to note. */
const MORE = 9
const GRAPH = 10

const { base, words } = shadow
// Functions of their own: to look one up among the exports costs as much as to call it.
const { request, response } = shadow.load<QuickHeadCode>(code)

/** Length of the plain head at `start`, where all of it stands in the shadow; 0: it does not, or must be read with care. */
export function readQuickly(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (!shadow.shows(bytes, start, end)) return 0
  const length =
    side === 0 ? request(base + start, base + end, base) : response(base + start, base + end, base)
  return length > 0 && words[ODD] === 0 && words[MORE] === 0 ? length : 0
}

/** What that head says; places are from its start. */
class QuickHead {
  get method(): string {
    return METHODS[words[METHOD]]
  }

  get methodEnd(): number {
    return words[METHOD_END]
  }

  get pathEnd(): number {
    return words[PATH_END]
  }

  get status(): number {
    return words[STATUS]
  }

  /** -1: not given. */
  get contentLength(): number {
    return words[LENGTH]
  }

  /** Where the value of the content type stands; -1: it has none. */
  get typeStart(): number {
    return words[TYPE_START]
  }

  get typeEnd(): number {
    return words[TYPE_END]
  }

  /** A segment of the path may begin with g. */
  get mayNameGraphql(): boolean {
    return words[GRAPH] === 1
  }
}

export const quickHead = new QuickHead()
