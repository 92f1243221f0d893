import { Malformed, type Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { BerReader } from './ber.ts'
import { ENUMERATED, INTEGER, OCTETS, SEQUENCE } from './envelope.ts'
import { isRequest, OP, operationName } from './operation.ts'

/** So many bytes hold all that is looked at, but for a long DN before a search's scope. */
const ENOUGH = 64
const CONTROLS = 0xa0

/** A message whose lengths agree with one another, with an operation that this side says, that begins as it must. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (end > start && bytes[start] !== SEQUENCE) return 'no'
  try {
    return look(bytes, start, end, side)
  } catch (error) {
    if (error instanceof Malformed) return 'no'
    throw error
  }
}

function look(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const outer = new BerReader(bytes, start, Number.MAX_SAFE_INTEGER, end)
  if (!outer.take(SEQUENCE)) return 'more'
  if (outer.to - outer.from < 5) return 'no'
  const op = outer.inside()
  if (op.held === op.at) return 'more'
  if (bytes[op.at] !== INTEGER) return 'no'
  if (!op.next() || op.to > op.held) return 'more'
  const id = op.number()
  if (id < 0) return 'no'
  if (op.held === op.at) return op.at < op.end ? 'more' : 'no'
  const tag = bytes[op.at]
  if (operationName(tag) === undefined || isRequest(tag) !== (side === 0)) return 'no'
  // Only a notice of the server bears the number 0: RFC 4511 §4.4.
  if (id === 0 && side === 0) return 'no'
  if (!op.next()) return op.at + 6 <= op.held ? 'no' : 'more'
  if (op.to < op.end && op.to < op.held && bytes[op.to] !== CONTROLS) return 'no'
  return begins(op.inside(), tag)
}

function begins(inside: BerReader, tag: number): Verdict {
  switch (tag) {
    case OP.unbindRequest:
      return inside.end === inside.at ? 'yes' : 'no'
    case OP.abandonRequest:
      return inside.end - inside.at >= 1 && inside.end - inside.at <= 4 ? 'yes' : 'no'
    case OP.delRequest:
      return printable(inside)
    case OP.bindRequest:
      if (!inside.take(INTEGER)) return doubt(inside, INTEGER)
      if (inside.to - inside.from !== 1) return 'no'
      if (inside.to > inside.held) return 'more'
      return inside.number() >= 1 && inside.number() <= 3 ? follow(inside, OCTETS) : 'no'
    case OP.searchRequest:
      if (!inside.take(OCTETS)) return doubt(inside, OCTETS)
      return follow(inside, ENUMERATED)
    case OP.searchResRef:
    case OP.modDNRequest:
      return follow(inside, OCTETS)
    case OP.searchResEntry:
    case OP.modifyRequest:
    case OP.addRequest:
    case OP.compareRequest:
      if (!inside.take(OCTETS)) return doubt(inside, OCTETS)
      return follow(inside, SEQUENCE)
    case OP.extendedReq:
      return follow(inside, 0x80)
    case OP.intermediateResponse:
      return inside.end === inside.at ? 'no' : follow(inside, inside.bytes[inside.at] === 0x81 ? 0x81 : 0x80)
    default:
      if (!inside.take(ENUMERATED)) return doubt(inside, ENUMERATED)
      return inside.to - inside.from > 2 ? 'no' : follow(inside, OCTETS)
  }
}

/** Why an element was not there: for want of bytes, or because there is another. */
function doubt(inside: BerReader, tag: number): Verdict {
  if (inside.at >= inside.end) return 'no'
  if (inside.at < inside.held && inside.bytes[inside.at] !== tag) return 'no'
  return inside.held - inside.at >= ENOUGH ? 'no' : 'more'
}

/** The next element has that tag and fits. */
function follow(inside: BerReader, tag: number): Verdict {
  return inside.take(tag) ? 'yes' : doubt(inside, tag)
}

/** A DN has no control characters. */
function printable({ bytes, at, held, end }: BerReader): Verdict {
  if (end === at) return 'no'
  const stop = Math.min(held, at + ENOUGH)
  for (let i = at; i < stop; i++) if (bytes[i] < 0x20) return 'no'
  return held > at ? 'yes' : 'more'
}
