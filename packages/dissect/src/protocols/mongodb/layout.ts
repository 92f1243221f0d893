import { cstringEnd } from './bson.ts'
import { int32 } from './frame.ts'
import { OPCODE } from './opcode.ts'

/** Bits of an OP_MSG's flags. */
export const FLAG = { CHECKSUM: 1, MORE_TO_COME: 2, EXHAUST_ALLOWED: 0x10000 } as const

/** Where in a message's payload (all after the header) things stand. -1: not there, or cut off. */
export interface Layout {
  /** The namespace of a legacy message, or the database of an OP_COMMAND: `[nameStart, nameEnd)`. */
  readonly nameStart: number
  readonly nameEnd: number
  /** The document that says most: command, query, selector, or reply. */
  readonly document: number
}

/** Sections of one OP_MSG that are looked at. */
const MAX_SECTIONS = 64

export function layoutOf(opcode: number, bytes: Uint8Array, start: number, end: number): Layout {
  switch (opcode) {
    case OPCODE.MSG:
      return found(-1, -1, bodySection(bytes, start, end), end)
    case OPCODE.REPLY:
      return found(-1, -1, end - start > 20 ? start + 20 : -1, end)
    case OPCODE.COMMAND_REPLY:
      return found(-1, -1, start, end)
    case OPCODE.COMMAND: {
      const database = cstringEnd(bytes, start, end)
      const command = database < 0 ? -1 : cstringEnd(bytes, database + 1, end)
      return found(start, database, command < 0 ? -1 : command + 1, end)
    }
    case OPCODE.KILL_CURSORS:
      return found(-1, -1, -1, end)
    default: {
      const stop = start + 4 > end ? -1 : cstringEnd(bytes, start + 4, end)
      const document = stop < 0 || opcode === OPCODE.GET_MORE ? -1 : stop + 1 + betweenOf(opcode)
      return found(start + 4, stop, document, end)
    }
  }
}

/** Numbers between the namespace and the document. */
function betweenOf(opcode: number): number {
  if (opcode === OPCODE.QUERY) return 8
  return opcode === OPCODE.INSERT ? 0 : 4
}

function found(nameStart: number, nameEnd: number, document: number, end: number): Layout {
  return { nameStart, nameEnd, document: document < 0 || document + 5 > end ? -1 : document }
}

/** Kind 0 is the body; kind 1, a sequence of documents, may precede it. */
function bodySection(bytes: Uint8Array, start: number, end: number): number {
  let at = start + 4
  for (let i = 0; i < MAX_SECTIONS && at + 5 <= end; i++) {
    const kind = bytes[at]
    if (kind === 0) return at + 1
    const length = int32(bytes, at + 1)
    if (kind !== 1 || length < 5) return -1
    at += 1 + length
  }
  return -1
}

/** A piece of an OP_MSG: the body has no name. */
export interface Section {
  readonly name?: string
  readonly start: number
  readonly end: number
}

/** All sections of an OP_MSG's payload. */
export function sectionsOf(bytes: Uint8Array, nameAt: (start: number, end: number) => string): Section[] {
  const sections: Section[] = []
  const end = bytes.length
  for (let at = 4; at + 5 <= end && sections.length < MAX_SECTIONS; ) {
    const kind = bytes[at]
    const length = int32(bytes, at + 1)
    if (kind > 1 || length < 5) break
    const stop = Math.min(end, at + 1 + length)
    const named = kind === 1 ? cstringEnd(bytes, at + 5, stop) : -1
    if (kind === 0) sections.push({ start: at + 1, end: stop })
    else if (named >= 0) sections.push({ name: nameAt(at + 5, named), start: named + 1, end: stop })
    at += 1 + length
  }
  return sections
}
