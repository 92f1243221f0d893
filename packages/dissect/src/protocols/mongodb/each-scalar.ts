import { Malformed } from '@tapdeck/wire'
import { utf8Lossy } from '../../text/text.ts'
import { Elements, TYPE } from './bson.ts'
import { int32 } from './frame.ts'
import { layoutOf, sectionsOf } from './layout.ts'
import { OPCODE } from './opcode.ts'

/** MongoDB nests documents up to 100 levels. */
const MAX_DEPTH = 100
const SYMBOL = 0x0e
const CODE = 0x0d

/** A value of a document: the names that lead to it, as in what is shown of the documents, and its bytes `[start, end)`. */
export type ScalarTaker = (keys: readonly string[], start: number, end: number) => void

/** All values of the documents in a payload that are no documents themselves, as far as they were kept. */
export function eachScalar(opcode: number, body: Uint8Array, take: ScalarTaker): void {
  if (opcode === OPCODE.MSG) {
    for (const { name, start, end } of sectionsOf(body, (from, to) => utf8Lossy(body.subarray(from, to))))
      if (name === undefined) visit(body, start, end, [], take)
      else visitList(body, start, end, [name], true, take)
    return
  }
  const { document } = layoutOf(opcode, body, 0, body.length)
  if (document >= 0) visitList(body, document, body.length, [], false, take)
}

/** A list of one document is shown as that document, unless it has a name. */
function visitList(
  bytes: Uint8Array,
  start: number,
  end: number,
  keys: readonly string[],
  isNamed: boolean,
  take: ScalarTaker,
): void {
  const starts: number[] = []
  for (let at = start; at + 5 <= end; at += int32(bytes, at)) {
    if (int32(bytes, at) < 5) break
    starts.push(at)
  }
  for (const [index, at] of starts.entries()) {
    const inList = isNamed || starts.length > 1 ? [...keys, String(index)] : keys
    visit(bytes, at, Math.min(end, at + int32(bytes, at)), inList, take)
  }
}

function visit(
  bytes: Uint8Array,
  start: number,
  end: number,
  keys: readonly string[],
  take: ScalarTaker,
): void {
  if (keys.length > MAX_DEPTH) {
    take(keys, start, end)
    return
  }
  try {
    const elements = new Elements(bytes, start, end)
    while (elements.next()) {
      const { type, value, stop } = elements
      const inner = [...keys, utf8Lossy(bytes.subarray(elements.nameStart, elements.nameEnd))]
      if (type === TYPE.DOCUMENT || type === TYPE.ARRAY) visit(bytes, value, stop, inner, take)
      else if (type === TYPE.STRING || type === SYMBOL || type === CODE)
        // Its length goes ahead, and a zero ends it, where it was not cut off.
        take(inner, value + 4, bytes[stop - 1] === 0 ? stop - 1 : stop)
      else take(inner, type === TYPE.BINARY ? value + 5 : value, stop)
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}
