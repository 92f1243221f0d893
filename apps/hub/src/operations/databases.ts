import { scopeOf } from '../access/scope.ts'
import { visibilityOf } from '../access/visibility.ts'
import type { DissectionRecord } from '../dissections/dissection-record.ts'
import type { CallSource } from '../query/call-source.ts'
import { scopedSource } from '../query/scoped-source.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import type { RequestContext } from './request-context.ts'
import { RECORDING } from './rewind.ts'

export const listDatabases: Handler<'list_databases'> = async (_input, services, context) => {
  const scope = scopeOf(context.caller)
  const visibility = visibilityOf(context.caller)
  const live = services.workers.connected.map(async (worker) => {
    const source: CallSource = visibility
      ? scopedSource(worker, visibility, services.catalog, services.now)
      : worker
    const summary = await source.ask('summary', {}).catch(() => undefined)
    return {
      type: 'realtime' as const,
      node: worker.node,
      ...(summary === undefined && { status: 'unreachable' }),
      entry_count: summary?.calls ?? 0,
      ...bounds([summary?.oldest_ts, summary?.newest_ts]),
    }
  })
  const recorded = services.workers.connected.map(({ node, report: { recording } }) => ({
    type: 'recording' as const,
    node,
    name: RECORDING,
    entry_count: scope ? 0 : recording.packet_count,
    first_ts: scope ? null : recording.oldest_ts,
    last_ts: scope ? null : recording.newest_ts,
  }))
  const dissected = services.dissections.list().map(async (record) => {
    const { snapshot_name, dissection_name, status, call_count } = record
    const { calls, times } = await contents(record, services, context)
    return {
      type: 'dissection' as const,
      snapshot: snapshot_name,
      name: dissection_name,
      status,
      entry_count: visibility ? calls : call_count,
      ...bounds(times),
    }
  })
  return { databases: await Promise.all([...live, ...recorded, ...dissected]) }
}

/** Whole milliseconds with everything in between: calls know their microseconds. */
function bounds(times: readonly (number | null | undefined)[]) {
  const known = times.flatMap((time) => time ?? [])
  return {
    first_ts: known.length > 0 ? Math.floor(Math.min(...known)) : null,
    last_ts: known.length > 0 ? Math.ceil(Math.max(...known)) : null,
  }
}

/** How much its nodes hold for this caller, and the oldest and newest of it, as far as they can be asked. */
async function contents(record: DissectionRecord, services: HubServices, { caller }: RequestContext) {
  if (record.status !== 'completed') return { calls: 0, times: [] }
  const sources = sourcesOf(`${record.snapshot_name}/${record.dissection_name}`, services, caller)
  const summaries = await Promise.all(
    sources.map((source) => source.ask('summary', {}).catch(() => undefined)),
  )
  return {
    calls: summaries.reduce((sum, summary) => sum + (summary?.calls ?? 0), 0),
    times: summaries.flatMap((summary) => [summary?.oldest_ts, summary?.newest_ts]),
  }
}
