import type { DissectionRecord } from '../jobs/dissection-record.ts'
import type { Dissections } from '../jobs/dissections.ts'
import type { Handler } from './handler.ts'

export const listDatabases: Handler<'list_databases'> = async (_input, { workers, dissections }) => {
  const live = workers.connected.map(async (worker) => {
    const summary = await worker.ask('summary', {}).catch(() => undefined)
    return {
      type: 'realtime' as const,
      node: worker.node,
      ...(summary === undefined && { status: 'unreachable' }),
      entry_count: summary?.calls ?? 0,
      first_ts: summary?.oldest_ts ?? null,
      last_ts: summary?.newest_ts ?? null,
    }
  })
  const dissected = dissections.list().map(async (record) => {
    const { snapshot_name, dissection_name, status, call_count } = record
    const times = await timesOf(record, dissections)
    return {
      type: 'dissection' as const,
      snapshot: snapshot_name,
      name: dissection_name,
      status,
      entry_count: call_count,
      first_ts: times.length > 0 ? Math.min(...times) : null,
      last_ts: times.length > 0 ? Math.max(...times) : null,
    }
  })
  return { databases: await Promise.all([...live, ...dissected]) }
}

/** The oldest and newest calls of its nodes, as far as they can be asked. */
async function timesOf(record: DissectionRecord, dissections: Dissections): Promise<number[]> {
  if (record.status !== 'completed') return []
  const sources = dissections.sources(`${record.snapshot_name}/${record.dissection_name}`)
  const summaries = await Promise.all(
    sources.map((source) => source.ask('summary', {}).catch(() => undefined)),
  )
  return summaries.flatMap((summary) => [summary?.oldest_ts ?? [], summary?.newest_ts ?? []].flat())
}
