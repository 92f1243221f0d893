import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import { demand } from '../access/access.ts'
import { formatDuration } from '../jobs/format-duration.ts'
import { databaseOf, isOver } from '../recordings/database-of.ts'
import type { RecordingRecord } from '../recordings/recording-record.ts'
import { totalBytes } from '../recordings/recording-run.ts'
import type { Handler } from './handler.ts'
import type { Parts } from './parts.ts'

export const startRecording: Handler<'start_recording'> = async (input, parts, { caller }) => {
  parts.redactions.demandWhole(caller)
  if (input.resume_indexing) demand(caller, ['dissection:control'])
  return shown(await parts.recordings.start(input, caller.name), parts)
}

export const listRecordings: Handler<'list_recordings'> = (_input, parts) => ({
  recordings: parts.recordings.list().map((record) => shown(record, parts)),
})

export const getRecording: Handler<'get_recording'> = ({ name }, parts) =>
  shown(parts.recordings.get(name), parts)

export const stopRecording: Handler<'stop_recording'> = async ({ name }, parts) =>
  shown(await parts.recordings.stop(name, 'request'), parts)

export const deleteRecording: Handler<'delete_recording'> = async ({ name }, { recordings }) => {
  await recordings.remove(name)
  return { success: true, name }
}

function shown(record: RecordingRecord, { dissections }: Parts): z.input<typeof shapes.recording> {
  const { starts_ts, ended_ts, duration_ms, resume_indexing, kept, nodes, ...rest } = record
  return {
    ...rest,
    starts_at: new Date(starts_ts).toISOString(),
    ended_at: ended_ts === null ? null : new Date(ended_ts).toISOString(),
    duration: formatDuration(duration_ms),
    size_bytes: totalBytes(record),
    packet_count: nodes.reduce((sum, node) => sum + node.packet_count, 0),
    nodes: nodes.map(({ slices, dropped_packets, ...node }) => node),
    ...databaseState(record, dissections),
  }
}

function databaseState(record: RecordingRecord, dissections: Parts['dissections']) {
  if (!isOver(record)) return {}
  const { snapshot, dissection } = databaseOf(record.name)
  const db = `${snapshot}/${dissection}`
  if (!record.kept) return { db, db_status: 'pending' }
  const found = dissections.list(snapshot).find((one) => one.dissection_name === dissection)
  return found ? { db, db_status: found.status } : {}
}
