import { utf8Lossy } from '../../text/text.ts'
import { readDocument } from './bson-value.ts'
import { int32 } from './frame.ts'
import { layoutOf, sectionsOf } from './layout.ts'
import { OPCODE } from './opcode.ts'

/** All documents of a payload: those of an OP_MSG as the one command that they are, else one or a list. */
export function documentsOf(opcode: number, body: Uint8Array): unknown {
  if (opcode === OPCODE.MSG) return commandOf(body)
  const { document } = layoutOf(opcode, body, 0, body.length)
  const all = document < 0 ? [] : listOf(body, document, body.length)
  if (all.length === 0) return undefined
  return all.length === 1 ? all[0] : all
}

/** Sequences of documents stand apart from the body for speed alone: each belongs under its name. */
function commandOf(body: Uint8Array): unknown {
  const sections = sectionsOf(body, (start, end) => utf8Lossy(body.subarray(start, end)))
  let command: Record<string, unknown> | undefined
  for (const { name, start, end } of sections.toSorted((a, b) => Number(!!a.name) - Number(!!b.name)))
    if (name === undefined) command = readDocument(body, start, end)
    else command = { ...command, [name]: listOf(body, start, end) }
  return command
}

function listOf(body: Uint8Array, start: number, end: number): unknown[] {
  const all: unknown[] = []
  for (let at = start; at + 5 <= end; ) {
    const length = int32(body, at)
    if (length < 5) break
    all.push(readDocument(body, at, Math.min(end, at + length)))
    at += length
  }
  return all
}
