import { open } from 'node:fs/promises'
import { type Operation, type OperationName, operations } from '@tapdeck/api'
import { EventLoopTurn } from '../event-loop-turn.ts'
import type { AuditEntry } from './audit-entry.ts'

export interface AuditQuery {
  readonly who?: string | undefined
  readonly what?: string | undefined
  readonly outcome: 'all' | 'done' | 'refused'
  readonly changes: boolean
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly limit: number
}

export interface AuditPage {
  readonly entries: AuditEntry[]
  readonly truncated: boolean
  readonly searched_bytes: number
}

const CHUNK = 256 * 1024
/** A search that finds little stops here: the log may hold 128 MB. */
const MAX_SEARCHED = 32 * 1024 * 1024

/** The newest matching lines of the files, given newest first, newest first. Reads each file backwards. */
export async function searchAudit(files: readonly string[], query: AuditQuery): Promise<AuditPage> {
  const turn = new EventLoopTurn()
  const entries: AuditEntry[] = []
  const isWanted = matcher(query)
  let searched = 0
  for (const file of files)
    for await (const { lines, bytes } of backwards(file)) {
      searched += bytes
      for (const line of lines) {
        await turn.yieldIfLong()
        const entry = parsed(line)
        if (!entry) continue
        // Lines are in order of time, within a few milliseconds.
        if (query.start !== undefined && Date.parse(entry.at) < query.start - 60_000)
          return { entries, truncated: false, searched_bytes: searched }
        if (!isWanted(entry)) continue
        if (entries.length === query.limit) return { entries, truncated: true, searched_bytes: searched }
        entries.push(entry)
      }
      if (searched >= MAX_SEARCHED) return { entries, truncated: true, searched_bytes: searched }
    }
  return { entries, truncated: false, searched_bytes: searched }
}

function matcher({ who, what, outcome, changes, start, end }: AuditQuery): (entry: AuditEntry) => boolean {
  const [name, operation] = [who?.toLowerCase(), what?.toLowerCase()]
  return (entry) => {
    const at = Date.parse(entry.at)
    const isRefused = entry.status >= 400
    return (
      (name === undefined || (entry.who ?? '').toLowerCase().includes(name)) &&
      (operation === undefined || (entry.what ?? '').toLowerCase().includes(operation)) &&
      (outcome === 'all' || isRefused === (outcome === 'refused')) &&
      (!changes || (operations[entry.what as OperationName] as Operation | undefined)?.changes === true) &&
      (start === undefined || at >= start) &&
      (end === undefined || at <= end)
    )
  }
}

/** The lines of a file, the last first, some at a time. A file that does not exist has none. */
async function* backwards(path: string): AsyncGenerator<{ lines: string[]; bytes: number }> {
  const file = await open(path).catch(() => undefined)
  if (file === undefined) return
  try {
    let { size: end } = await file.stat()
    let rest = Buffer.alloc(0)
    while (end > 0) {
      const length = Math.min(CHUNK, end)
      const chunk = Buffer.alloc(length)
      const { bytesRead } = await file.read(chunk, 0, length, end - length)
      // The file was renamed and begun anew: what is here is in the next one.
      if (bytesRead < length) return
      end -= length
      const text = Buffer.concat([chunk, rest])
      const first = end === 0 ? 0 : text.indexOf(10) + 1
      rest = end === 0 ? Buffer.alloc(0) : text.subarray(0, first)
      // A line longer than a chunk is no line of ours.
      if (rest.length > CHUNK * 2) rest = Buffer.alloc(0)
      yield { lines: text.toString('utf8', first).split('\n').reverse(), bytes: length }
    }
  } finally {
    await file.close()
  }
}

function parsed(line: string): AuditEntry | undefined {
  if (line === '') return undefined
  try {
    const entry: unknown = JSON.parse(line)
    return typeof (entry as AuditEntry | null)?.at === 'string' ? (entry as AuditEntry) : undefined
  } catch {
    return undefined
  }
}
