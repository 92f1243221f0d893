import { readFile } from 'node:fs/promises'
import { type EventQuery, findEvents, type RecordedEvent, type SnapshotEvents } from '@tapdeck/recording'
import type { NamespaceScope } from '../access/scope.ts'
import type { Worker } from '../cluster/worker.ts'
import type { Parts } from '../operations/parts.ts'

/** Something that holds events: a node, the hub, or a file of a snapshot. */
export interface EventSource {
  readonly node: string
  /** Why it holds not all that it could. */
  readonly reason?: string | undefined
  find(query: EventQuery): Promise<{
    readonly events: readonly RecordedEvent[]
    readonly total: number
    readonly more: boolean
    readonly reason?: string
  }>
}

const HUB = 'hub'
const ASK_WITHIN = 10_000
/** More than any log holds: what is left out afterwards must not shorten the page. */
const ALL = 10_000_000

/** Where events are asked for, as far as a caller may see them: processes belong to no namespace. */
export function eventSources(
  db: string | undefined,
  parts: Parts,
  kind: 'cluster' | 'os' | undefined,
  scope: NamespaceScope | undefined,
): EventSource[] {
  const all = db === undefined || db === 'recording' ? recorded(parts, kind) : kept(db, parts, kind)
  if (!scope) return all.map(({ source }) => source)
  return all.filter((one) => one.kind === 'cluster').map(({ source }) => within(source, scope))
}

interface Known {
  readonly kind: 'cluster' | 'os'
  readonly source: EventSource
}

function recorded({ workers, clusterEvents }: Parts, kind: 'cluster' | 'os' | undefined): Known[] {
  const hub: EventSource = {
    node: HUB,
    reason: clusterEvents.reason,
    find: (query) => clusterEvents.find(query),
  }
  const nodes = workers.connected.map((worker): Known => ({ kind: 'os', source: ofWorker(worker) }))
  return [{ kind: 'cluster' as const, source: hub }, ...nodes].filter((one) => !kind || one.kind === kind)
}

function ofWorker(worker: Worker): EventSource {
  return {
    node: worker.node,
    async find(query) {
      const answer = await worker.ask('events', query, { patience: ASK_WITHIN })
      const { events = [], total = 0, more = false, reason } = answer
      return { events: events as RecordedEvent[], total, more, ...(reason !== undefined && { reason }) }
    },
  }
}

function kept(db: string, { snapshots, dissections }: Parts, kind: 'cluster' | 'os' | undefined): Known[] {
  const [name = '', dissection] = db.split('/')
  snapshots.get(name)
  if (dissection !== undefined) dissections.get(name, dissection)
  return snapshots
    .eventFiles(name)
    .filter((file) => !kind || file.kind === kind)
    .map((file) => ({ kind: file.kind, source: ofFile(file) }))
}

function ofFile({ node = HUB, path }: SnapshotEvents): EventSource {
  return { node, find: async (query) => findEvents([await readFile(path)], query) }
}

/** Only events of things in namespaces that a caller sees, counted and listed as if there were no others. */
function within(source: EventSource, scope: NamespaceScope): EventSource {
  return {
    node: source.node,
    async find(query) {
      const { from: _, ...whole } = query
      const all = await source.find({ ...whole, limit: ALL })
      const seen = all.events.filter(({ namespace }) => scope.holds(namespace as string | undefined))
      const { from = query.order === 'newest' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY } = query
      const listed = seen.filter(({ ts }) => (query.order === 'newest' ? ts <= from : ts >= from))
      const events = listed.slice(0, query.limit)
      return { events, total: seen.length, more: listed.length > events.length }
    },
  }
}
