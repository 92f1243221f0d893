import type { shapes } from '@tapdeck/api'
import { formatDuration } from '@tapdeck/units'
import type { z } from 'zod'
import { requireCapability } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { databaseOf, isOver } from '../recordings/database-of.ts'
import type { RecordingRecord } from '../recordings/recording-record.ts'
import { totalBytes } from '../recordings/recording-run.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'

export const startRecording: Handler<'start_recording'> = async (input, services, { caller }) => {
  services.redactions.requireUnredacted(caller)
  if (input.resume_indexing) requireCapability(caller, ['dissection:control'])
  return shown(await services.recordings.start(input, caller.name), services, caller)
}

export const listRecordings: Handler<'list_recordings'> = (_input, services, { caller }) => ({
  recordings: services.recordings.list().map((record) => shown(record, services, caller)),
})

export const getRecording: Handler<'get_recording'> = ({ name }, services, { caller }) =>
  shown(services.recordings.get(name), services, caller)

export const stopRecording: Handler<'stop_recording'> = async ({ name }, services, { caller }) =>
  shown(await services.recordings.stop(name, 'request'), services, caller)

export const deleteRecording: Handler<'delete_recording'> = async ({ name }, { recordings }) => {
  await recordings.remove(name)
  return { success: true, name }
}

function shown(
  record: RecordingRecord,
  { dissections, redactions }: HubServices,
  caller: Caller,
): z.input<typeof shapes.recording> {
  const redactor = redactions.of(caller)
  const { starts_ts, ended_ts, duration_ms, resume_indexing, kept, holder, nodes, ...rest } = record
  return {
    ...rest,
    starts_at: new Date(starts_ts).toISOString(),
    ended_at: ended_ts === null ? null : new Date(ended_ts).toISOString(),
    duration: formatDuration(duration_ms),
    size_bytes: totalBytes(record),
    packet_count: nodes.reduce((sum, node) => sum + node.packet_count, 0),
    // A note of an agent has the path of a call.
    ...(redactor && { notes: record.notes.map((note) => ({ ...note, text: redactor.loneText(note.text) })) }),
    nodes: nodes.map(({ slices, dropped_packets, taken_again, ...node }) => node),
    ...databaseState(record, dissections),
  }
}

function databaseState(record: RecordingRecord, dissections: HubServices['dissections']) {
  if (!isOver(record)) return {}
  const { snapshot, dissection } = databaseOf(record.name)
  const db = `${snapshot}/${dissection}`
  if (!record.kept) return { db, db_status: 'pending' }
  const found = dissections.list(snapshot).find((one) => one.dissection_name === dissection)
  return found ? { db, db_status: found.status } : {}
}
