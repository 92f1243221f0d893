import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Problem } from '@tapdeck/api'

/** How far a merged list has got in each source: a source's own cursor, or '' where none of its calls were shown. */
export type Progress = Readonly<Record<string, string>>

/** What a cursor may unpack to; more nodes than anybody has. */
const MOST_BYTES = 1024 * 1024

/** Packed, for it travels in an address and has a part for each node. Good only for the database it came from. */
export function toCursor(progress: Progress, db: string): string {
  return deflateRawSync(JSON.stringify({ db, progress })).toString('base64url')
}

export function fromCursor(cursor: string, db: string): Progress {
  const made = unpacked(cursor)
  if (made === undefined)
    throw new Problem(400, 'bad_cursor', 'this is no cursor that an earlier answer gave as next_cursor')
  if (made.db !== db)
    throw new Problem(400, 'bad_cursor', 'the cursor belongs to another db', {
      hint: 'Ask the same db as for the page that the cursor came with.',
    })
  return made.progress
}

function unpacked(cursor: string): { readonly db: string; readonly progress: Progress } | undefined {
  let made: unknown
  try {
    const packed = Buffer.from(cursor, 'base64url')
    made = JSON.parse(inflateRawSync(packed, { maxOutputLength: MOST_BYTES }).toString())
  } catch {
    return undefined
  }
  if (!isObject(made) || typeof made.db !== 'string' || !isObject(made.progress)) return undefined
  const entries = Object.values(made.progress)
  if (entries.length === 0 || entries.some((value) => typeof value !== 'string')) return undefined
  return { db: made.db, progress: made.progress as Progress }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
