import { readFile } from 'node:fs/promises'
import { Problem } from '@tapdeck/api'
import { type EventQuery, findEvents, type RecordedEvent, type SnapshotEvents } from '@tapdeck/recording'
import { scrubCommandLine } from '@tapdeck/redact/command-line'
import type { NamespaceScope } from '../access/scope.ts'
import type { Worker } from '../cluster/worker.ts'
import type { HubServices } from './hub-services.ts'

/** Something that holds events: a node, the hub, or a file of a snapshot. */
export interface EventSource {
  readonly node: string
  /** Why it holds not all that it could. */
  readonly reason?: string | undefined
  find(
    query: EventQuery,
    signal?: AbortSignal,
  ): Promise<{
    readonly events: readonly RecordedEvent[]
    readonly total: number
    readonly more: boolean
    readonly reason?: string
  }>
}

const HUB = 'hub'
const TOO_OLD =
  'This worker is older than the hub and cannot search by name without reading command lines. Update it, or query without `name`.'
const ASK_WITHIN = 10_000
/** More than any log holds: what is left out afterwards must not shorten the page. */
const ALL = 10_000_000

/** Where events are asked for, as far as a caller may see them: processes belong to no namespace. */
export function eventSources(
  db: string | undefined,
  services: HubServices,
  kind: 'cluster' | 'os' | undefined,
  scope: NamespaceScope | undefined,
): EventSource[] {
  const all =
    db === undefined || db === 'recording' ? recorded(services, kind) : kept(db, services, kind, scope)
  if (!scope) return all.map(({ source }) => source)
  return all.filter((one) => one.kind === 'cluster').map(({ source }) => within(source, scope))
}

interface Known {
  readonly kind: 'cluster' | 'os'
  readonly source: EventSource
}

function recorded({ workers, clusterEvents }: HubServices, kind: 'cluster' | 'os' | undefined): Known[] {
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
    async find(query, signal) {
      const answer = await worker.ask('events', query, { patience: ASK_WITHIN, ...(signal && { signal }) })
      const { total, more, reason } = answer
      // It found by name what the caller may not read: even the number of such events would say something.
      if (query.hide_cmdline && query.name !== undefined && !answer.cmdline_hidden)
        return { events: [], total: 0, more: false, reason: TOO_OLD }
      return {
        events: (answer.events as RecordedEvent[]).map((event) =>
          ofNode(shownEvent(event, query), worker.node),
        ),
        total,
        more,
        ...(reason !== undefined && { reason }),
      }
    },
  }
}

/** Workers of earlier versions send command lines as they are. */
function shownEvent(event: RecordedEvent, { hide_cmdline }: EventQuery): RecordedEvent {
  const { cmdline, ...rest } = event
  if (cmdline === undefined) return event
  return hide_cmdline || typeof cmdline !== 'string' ? rest : { ...event, cmdline: scrubCommandLine(cmdline) }
}

/** A node reports events of itself, also those that it recorded under an earlier name. */
function ofNode(event: RecordedEvent, node: string): RecordedEvent {
  return event.node === undefined || event.node === node ? event : { ...event, node }
}

function kept(
  db: string,
  { snapshots, dissections }: HubServices,
  kind: 'cluster' | 'os' | undefined,
  scope: NamespaceScope | undefined,
): Known[] {
  const [name = '', dissection] = db.split('/')
  // A caller who may not list snapshots does not learn their names from a hint.
  if (scope && !snapshots.list().some((one) => one.name === name))
    throw new Problem(404, 'unknown_snapshot', `No snapshot named "${name}"`)
  snapshots.get(name)
  if (dissection !== undefined) dissections.get(name, dissection)
  return snapshots
    .eventFiles(name)
    .filter((file) => !kind || file.kind === kind)
    .map((file) => ({ kind: file.kind, source: ofFile(file) }))
}

function ofFile({ node = HUB, path }: SnapshotEvents): EventSource {
  return { node, find: async (query) => findEvents([await readFile(path)], query, scrubCommandLine) }
}

/** Only events of things in namespaces that a caller sees, counted and listed as if there were no others. */
function within(source: EventSource, scope: NamespaceScope): EventSource {
  return {
    node: source.node,
    async find(query, signal) {
      const { from: _, ...whole } = query
      const all = await source.find({ ...whole, limit: ALL }, signal)
      const seen = all.events.filter(({ namespace }) => scope.holds(namespace as string | undefined))
      const { from = query.order === 'newest' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY } = query
      const listed = seen.filter(({ ts }) => (query.order === 'newest' ? ts <= from : ts >= from))
      const events = listed.slice(0, query.limit)
      return { events, total: seen.length, more: listed.length > events.length }
    },
  }
}
