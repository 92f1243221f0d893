import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { Problem } from '@tapdeck/api'

/** How far a merged list has got in each source: a source's own cursor, or '' where none of its calls were shown. */
export type Progress = Readonly<Record<string, string>>

/** What a cursor may unpack to; more nodes than any cluster has. */
const MAX_UNPACKED = 256 * 1024

/** Packed, for it travels in an address and has a part for each node. Good only for the database it came from. */
export function toCursor(progress: Progress, db: string): string {
  return deflateRawSync(JSON.stringify({ db, progress })).toString('base64url')
}

export function fromCursor(cursor: string, db: string): Progress {
  const made = unpacked(cursor)
  if (made === undefined)
    throw new Problem(400, 'bad_cursor', 'Invalid cursor: use next_cursor of an earlier response')
  if (made.db !== db)
    throw new Problem(400, 'bad_cursor', 'The cursor belongs to another db', {
      hint: 'Query the db of the page that returned this cursor.',
    })
  return made.progress
}

function unpacked(cursor: string): { readonly db: string; readonly progress: Progress } | undefined {
  let made: unknown
  try {
    const packed = Buffer.from(cursor, 'base64url')
    made = JSON.parse(inflateRawSync(packed, { maxOutputLength: MAX_UNPACKED }).toString())
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
