import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import type { Caller } from '../access/caller.ts'
import { scopeOf } from '../access/scope.ts'
import type { Parts } from './parts.ts'

interface Window {
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** What an answer out of the live index says of it: whether it goes on, and what it misses of this window. */
export function liveNotes(
  { switchboard, liveLosses }: Parts,
  caller: Caller,
  { start, end }: Window,
): { indexing: z.input<typeof shapes.indexing>; incomplete?: z.input<typeof shapes.incomplete> } {
  const incomplete = liveLosses.within(start, end).map((span) => {
    const times = { start: instant(span.start), end: instant(span.end) }
    // The counts are of all traffic.
    return scopeOf(caller) ? times : { ...span, ...times }
  })
  return { indexing: switchboard.indexing, ...(incomplete.length > 0 && { incomplete }) }
}

function instant(at: number): string {
  return new Date(at).toISOString()
}
