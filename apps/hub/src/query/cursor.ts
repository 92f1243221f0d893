import { Problem } from '@tapdeck/api'

/** How far a merged list has got in each source: a source's own cursor, or '' where none of its calls were shown. */
export type Progress = Readonly<Record<string, string>>

export function toCursor(progress: Progress): string {
  return Buffer.from(JSON.stringify(progress)).toString('base64url')
}

export function fromCursor(cursor: string): Progress {
  try {
    const progress: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (typeof progress === 'object' && progress !== null && !Array.isArray(progress)) {
      const entries = Object.entries(progress)
      if (entries.length > 0 && entries.every(([, value]) => typeof value === 'string'))
        return progress as Progress
    }
  } catch {}
  throw new Problem(400, 'bad_cursor', 'this is no cursor that an earlier answer gave as next_cursor')
}
