import type { CompactCall } from '../../client/call-details.ts'
import { outcomeOf } from '../../columns/outcome.ts'

/** A row of the list: a call, or the head of a group of calls. */
export type ListRow =
  | { readonly kind: 'call'; readonly key: string; readonly call: CompactCall; readonly isMember: boolean }
  | GroupHead

export interface GroupHead {
  readonly kind: 'group'
  readonly key: string
  readonly name: string
  /** The first call of the group in time, which shows what it is about. */
  readonly first: CompactCall
  readonly calls: number
  readonly failed: number
  /** From the begin of the first call to the end of the last, as far as they are loaded. */
  readonly tookMs: number
  readonly isOpen: boolean
}

/** The rows of the list in their order. */
export interface ListRows {
  readonly length: number
  at(row: number): ListRow | undefined
  /** The row of a key, or -1. */
  rowOf(key: string): number
}

interface Calls {
  readonly length: number
  at(row: number): CompactCall | undefined
  rowOf(id: string): number
}

/** Every call is a row. */
export function flatRows(calls: Calls): ListRows {
  return {
    get length() {
      return calls.length
    },
    at: (row) => {
      const call = calls.at(row)
      return call && { kind: 'call', key: call.id, call, isMember: false }
    },
    rowOf: (key) => calls.rowOf(key),
  }
}

/**
 * Calls that share a name below one head, the group with the newest call first. Calls without a name, and groups of one
 * call, are rows of their own.
 */
export function groupedRows(
  calls: Calls,
  nameOf: (call: CompactCall) => string | undefined,
  open: ReadonlySet<string>,
): ListRows {
  const groups = new Map<string, CompactCall[]>()
  for (let row = 0; row < calls.length; row++) {
    const call = calls.at(row)
    if (!call) continue
    const name = nameOf(call)
    const key = name === undefined ? call.id : `group ${name}`
    const members = groups.get(key)
    if (members) members.push(call)
    else groups.set(key, [call])
  }
  const rows: ListRow[] = []
  for (const [key, members] of groups) {
    const first = members.at(-1)
    if (!first) continue
    if (members.length === 1) {
      rows.push({ kind: 'call', key: first.id, call: first, isMember: false })
      continue
    }
    const isOpen = open.has(key)
    rows.push({ ...headOf(members, first), key, name: key.slice('group '.length), isOpen })
    if (isOpen) for (const call of members) rows.push({ kind: 'call', key: call.id, call, isMember: true })
  }
  const places = new Map(rows.map(({ key }, row) => [key, row]))
  return { length: rows.length, at: (row) => rows[row], rowOf: (key) => places.get(key) ?? -1 }
}

function headOf(members: readonly CompactCall[], first: CompactCall) {
  const end = Math.max(...members.slice(0, MAX_SPREAD).map(({ ts, latency_ms = 0 }) => ts + latency_ms))
  return {
    kind: 'group' as const,
    first,
    calls: members.length,
    failed: members.reduce((sum, call) => sum + (outcomeOf(call).kind === 'bad' ? 1 : 0), 0),
    tookMs: end - first.ts,
  }
}

/** The last call to end is among the newest; a list of more arguments would not fit the stack. */
const MAX_SPREAD = 10_000
