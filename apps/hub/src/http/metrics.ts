import type { AuditLog } from '../access/audit-log.ts'
import { addAgentSamples } from '../agents/add-agent-samples.ts'
import type { Worker } from '../cluster/worker.ts'
import type { StreamServer } from '../live/stream-server.ts'
import type { Parts } from '../operations/parts.ts'
import { totalBytes } from '../recordings/recording-run.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { version } from '../version.ts'
import type { Page } from './page.ts'
import type { QueryGate } from './query-gate.ts'
import { Samples } from './samples.ts'

/** `/metrics` in Prometheus' text format. */
export function metrics(parts: Parts, streams: StreamServer, guards: Guards): Page {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }
  return {
    method: 'GET',
    path: '/metrics',
    guard: { needs: [] },
    answer: () => new Response(collect(parts, streams, guards), { headers }),
  }
}

/** What stands before the operations, and how much it turned away. */
export interface Guards {
  readonly audit: AuditLog
  readonly gate: QueryGate
}

function collect(parts: Parts, streams: StreamServer, { audit, gate }: Guards) {
  const { access, switchboard, workers, snapshots, dissections, recordings, agents, startedAt } = parts
  const page = new Samples()
  const cpu = process.cpuUsage()
  const { activity } = switchboard.state
  page.add('tapdeck_build_info', 'gauge', 'Version of the hub.', 1, { version })
  page.add('process_start_time_seconds', 'gauge', 'Start of the process.', startedAt / 1000)
  page.add('process_cpu_seconds_total', 'counter', 'CPU time of the hub.', (cpu.user + cpu.system) / 1e6)
  page.add('process_resident_memory_bytes', 'gauge', 'Memory of the hub.', process.memoryUsage.rss())
  page.add('process_heap_bytes', 'gauge', 'Heap of the hub in use.', process.memoryUsage().heapUsed)
  page.add('tapdeck_indexing_enabled', 'gauge', 'Whether indexing is on.', switchboard.enabled ? 1 : 0)
  for (const [kind, count] of Object.entries(activity))
    page.add('tapdeck_activity', 'gauge', 'What keeps indexing on.', count, { kind })
  page.add('tapdeck_dashboard_streams', 'gauge', 'Open dashboard streams, paused ones too.', streams.sessions)
  page.add('tapdeck_workers_connected', 'gauge', 'Connected workers.', workers.connected.length)
  for (const worker of workers.connected) addNode(page, worker)
  page.add('tapdeck_snapshots', 'gauge', 'Snapshots.', snapshots.list().length)
  page.add('tapdeck_snapshot_bytes_used', 'gauge', 'Bytes of snapshots and dissections.', snapshots.room.used)
  page.add('tapdeck_snapshot_bytes_max', 'gauge', 'Room for them.', snapshots.room.maxBytes)
  const byStatus = new Map<string, number>()
  for (const { status } of dissections.list()) byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  for (const [status, count] of byStatus)
    page.add('tapdeck_dissections', 'gauge', 'Dissections by status.', count, { status })
  addRecordings(page, recordings)
  addAgentSamples(page, agents.list())
  const { refused } = access.failures
  page.add('tapdeck_sessions', 'gauge', 'Browser sessions.', access.sessions.size)
  page.add(
    'tapdeck_credentials_refused_total',
    'counter',
    'Credentials not looked at after too many bad ones.',
    refused,
  )
  page.add(
    'tapdeck_queries_refused_total',
    'counter',
    'Questions refused because too many waited.',
    gate.refused,
  )
  page.add('tapdeck_queries_running', 'gauge', 'Questions under way.', gate.running)
  page.add('tapdeck_queries_waiting', 'gauge', 'Questions that wait for their turn.', gate.waiting)
  page.add('tapdeck_audit_lost_total', 'counter', 'Audit entries that could not be written.', audit.lost)
  return page.text()
}

function addNode(page: Samples, { node, report, pending }: Worker): void {
  const { capture, recording, loss, process: own, live } = report
  const labels = { node }
  const gauge = (name: string, help: string, value: number) => page.add(name, 'gauge', help, value, labels)
  const counter = (name: string, help: string, value: number) =>
    page.add(name, 'counter', help, value, labels)
  gauge('tapdeck_link_pending', 'Questions to a worker under way.', pending)
  gauge('tapdeck_capture_active', 'Whether a node captures.', capture.active ? 1 : 0)
  counter('tapdeck_packets_captured_total', 'Packets captured.', report.packets_captured)
  counter('tapdeck_packets_dissected_total', 'Packets indexed.', report.packets_dissected)
  counter('tapdeck_calls_total', 'Calls indexed.', report.calls)
  gauge('tapdeck_recording_bytes', 'Size of the recording.', recording.size_bytes)
  gauge('tapdeck_recording_packets', 'Packets in the recording.', recording.packet_count)
  if (recording.oldest_ts !== null && recording.newest_ts !== null)
    gauge(
      'tapdeck_recording_seconds',
      'Time that the recording spans.',
      (recording.newest_ts - recording.oldest_ts) / 1000,
    )
  for (const stage of ['kernel', 'queue', 'disk'])
    page.add(
      'tapdeck_packets_dropped_total',
      'counter',
      'Packets that are in no recording: the kernel had no room, we had none, or the disk had none.',
      loss[`${stage}_drops`] ?? 0,
      { node, stage },
    )
  for (const [kind, count] of Object.entries(loss))
    page.add('tapdeck_loss_total', 'counter', 'What was lost, by kind.', count, { node, kind })
  if (own) {
    gauge('tapdeck_worker_resident_memory_bytes', 'Memory of a worker.', own.memory_bytes)
    counter('tapdeck_worker_cpu_seconds_total', 'CPU time of a worker.', own.cpu_seconds)
  }
  if (live) {
    gauge('tapdeck_live_lag_seconds', 'From a packet to its call, at most, lately.', live.lag_ms / 1000)
    gauge('tapdeck_live_waiting_blocks', 'Blocks of packets that wait for indexing.', live.waiting_blocks)
  }
}

function addRecordings(page: Samples, recordings: Recordings): void {
  const byStatus = new Map<string, number>()
  let bytes = 0
  for (const record of recordings.list()) {
    byStatus.set(record.status, (byStatus.get(record.status) ?? 0) + 1)
    if (!record.kept) bytes += totalBytes(record)
  }
  for (const [status, count] of byStatus)
    page.add('tapdeck_recordings', 'gauge', 'Traffic recordings by status.', count, { status })
  page.add(
    'tapdeck_recordings_taken_bytes',
    'gauge',
    'Packets of recordings that are no snapshot yet.',
    bytes,
  )
  page.add('tapdeck_recordings_failed_total', 'counter', 'Recordings that failed.', recordings.failures)
}
