import { BadCursor } from './bad-cursor.ts'

/** The position of a call in the order of calls: by time, flow, ordinal. It never changes. */
export interface Position {
  /** Microseconds since the epoch. */
  readonly ts: number
  readonly flow: number
  readonly ordinal: number
}

const LENGTH = 8 + 8 + 4 + 4

/** Negative where `a` is older than `b`. */
export function comparePositions(a: Position, b: Position): number {
  return a.ts - b.ts || a.flow - b.flow || a.ordinal - b.ordinal
}

/** A position as callers carry it about: opaque, and good only for the query that `query` describes. */
export function toCursor(position: Position, query: string): string {
  const bytes = Buffer.alloc(LENGTH)
  bytes.writeDoubleBE(position.ts, 0)
  bytes.writeDoubleBE(position.flow, 8)
  bytes.writeUInt32BE(position.ordinal, 16)
  bytes.writeUInt32BE(digest(query), 20)
  return bytes.toString('base64url')
}

export function fromCursor(cursor: string, query: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  if (bytes.length !== LENGTH || bytes.toString('base64url') !== cursor)
    throw new BadCursor('This is not a cursor of this service.')
  const position = positionIn(bytes)
  if (
    bytes.readUInt32BE(20) !== digest(query) ||
    !Number.isFinite(position.ts) ||
    !Number.isFinite(position.flow)
  )
    throw new BadCursor(
      'The cursor belongs to another query: the filter, the order and the time window must stay the same.',
    )
  return position
}

/** Negative where the position in `a`, a cursor that was given out, is older than that in `b`. */
export function compareCursors(a: string, b: string): number {
  return comparePositions(positionIn(Buffer.from(a, 'base64url')), positionIn(Buffer.from(b, 'base64url')))
}

function positionIn(bytes: Buffer): Position {
  return { ts: bytes.readDoubleBE(0), flow: bytes.readDoubleBE(8), ordinal: bytes.readUInt32BE(16) }
}

/** FNV-1a. It tells a slip from a continuation; it guards nothing. */
function digest(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
