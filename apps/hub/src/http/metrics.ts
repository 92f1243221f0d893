import { anyReader } from '@tapdeck/api'
import type { AuditLog } from '../access/audit-log.ts'
import type { Worker } from '../cluster/worker.ts'
import type { ClusterWatch } from '../kubernetes/cluster-watch.ts'
import type { StreamServer } from '../live/stream-server.ts'
import type { HubServices } from '../operations/hub-services.ts'
import { totalBytes } from '../recordings/recording-run.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { version } from '../version.ts'
import { addAgentSamples } from './add-agent-samples.ts'
import { addKeySamples } from './add-key-samples.ts'
import { addTelemetrySamples } from './add-telemetry-samples.ts'
import type { Page } from './page.ts'
import type { QueryGate } from './query-gate.ts'
import { Samples } from './samples.ts'

/** `/metrics` in Prometheus' text format. */
export function metrics(services: HubServices, streams: StreamServer, guards: Guards): Page {
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }
  return {
    method: 'GET',
    path: '/metrics',
    guard: { needs: [anyReader] },
    answer: () => new Response(collect(services, streams, guards), { headers }),
  }
}

/** What guards the operations, and how much it refused. */
export interface Guards {
  readonly audit: AuditLog
  readonly gate: QueryGate
}

function collect(services: HubServices, streams: StreamServer, { audit, gate }: Guards) {
  const { access, switchboard, workers, snapshots, dissections, recordings, agents, telemetry, startedAt } =
    services
  const page = new Samples()
  const cpu = process.cpuUsage()
  const { activity } = switchboard.state
  page.add('tapdeck_build_info', 'gauge', 'Version of the hub.', 1, { version })
  page.add('process_start_time_seconds', 'gauge', 'Start of the process.', startedAt / 1000)
  page.add('process_cpu_seconds_total', 'counter', 'CPU time of the hub.', (cpu.user + cpu.system) / 1e6)
  page.add('process_resident_memory_bytes', 'gauge', 'Memory of the hub.', process.memoryUsage.rss())
  page.add('process_heap_bytes', 'gauge', 'Heap of the hub in use.', process.memoryUsage().heapUsed)
  page.add('tapdeck_indexing_enabled', 'gauge', '1 if live indexing is on.', switchboard.enabled ? 1 : 0)
  for (const [kind, count] of Object.entries(activity))
    page.add('tapdeck_activity', 'gauge', 'Clients that keep indexing on, by kind.', count, { kind })
  page.add(
    'tapdeck_dashboard_streams',
    'gauge',
    'Open dashboard streams, including paused ones.',
    streams.sessions,
  )
  page.add('tapdeck_workers_connected', 'gauge', 'Connected workers.', workers.connected.length)
  for (const worker of workers.connected) addNode(page, worker)
  page.add('tapdeck_snapshots', 'gauge', 'Snapshots.', snapshots.list().length)
  page.add(
    'tapdeck_snapshot_bytes_used',
    'gauge',
    'Disk space used by snapshots and dissections.',
    snapshots.room.used,
  )
  page.add(
    'tapdeck_snapshot_bytes_max',
    'gauge',
    'Maximum disk space for snapshots and dissections.',
    snapshots.room.maxBytes,
  )
  if (snapshots.bucket) {
    const { waiting, failed } = snapshots.bucket.counts
    page.add(
      'tapdeck_bucket_reachable',
      'gauge',
      '1 if the last comparison with the bucket, once a minute, could read it.',
      snapshots.bucket.isReachable ? 1 : 0,
    )
    page.add('tapdeck_uploads_waiting', 'gauge', 'Snapshots that are not in the bucket yet.', waiting)
    page.add('tapdeck_uploads_failing', 'gauge', 'Those whose last upload failed.', failed)
    for (const [by, bytes] of Object.entries(snapshots.bucket.sentBytes))
      page.add('tapdeck_uploaded_bytes_total', 'counter', 'Bytes of captures sent to the bucket.', bytes, {
        by,
      })
  }
  const byStatus = new Map<string, number>()
  for (const { status } of dissections.list()) byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  for (const [status, count] of byStatus)
    page.add('tapdeck_dissections', 'gauge', 'Dissections by status.', count, { status })
  addRecordings(page, recordings)
  addAgentSamples(page, agents.list())
  addTelemetrySamples(page, telemetry)
  const { refused } = access.failures
  page.add('tapdeck_sessions', 'gauge', 'Browser sessions.', access.sessions.size)
  page.add(
    'tapdeck_credentials_refused_total',
    'counter',
    'Requests rejected unchecked after too many failed logins.',
    refused,
  )
  page.add(
    'tapdeck_queries_refused_total',
    'counter',
    'Queries rejected because the queue was full.',
    gate.refused,
  )
  page.add(
    'tapdeck_stream_messages_refused_total',
    'counter',
    'Dashboard messages rejected by the rate limit.',
    streams.refusedMessages,
  )
  page.add('tapdeck_queries_running', 'gauge', 'Queries running.', gate.running)
  page.add('tapdeck_queries_waiting', 'gauge', 'Queries queued.', gate.waiting)
  if (services.kubernetes) addKubernetes(page, services.kubernetes)
  page.add('tapdeck_audit_lost_total', 'counter', 'Audit entries that could not be written.', audit.lost)
  return page.text()
}

function addKubernetes(page: Samples, { status, sizes, rejected }: ClusterWatch): void {
  for (const { resource, state, objects, lists } of status) {
    page.add(
      'tapdeck_kubernetes_watching',
      'gauge',
      '1 if all objects of the kind are known and changes arrive; the state says why not.',
      state === 'watching' ? 1 : 0,
      { resource, state },
    )
    page.add('tapdeck_kubernetes_objects', 'gauge', 'Objects that exist, by kind.', objects, { resource })
    page.add('tapdeck_kubernetes_lists_total', 'counter', 'Complete lists, by kind.', lists, { resource })
  }
  for (const [kind, count] of Object.entries(sizes))
    page.add('tapdeck_kubernetes_kept', 'gauge', 'Records kept of the cluster, by kind.', count, { kind })
  page.add('tapdeck_kubernetes_rejected_total', 'counter', 'Objects that could not be read.', rejected)
}

function addNode(page: Samples, { node, report, pending, invalidAnswers }: Worker): void {
  const { capture, recording, loss, process: own, live } = report
  const labels = { node }
  const gauge = (name: string, help: string, value: number) => page.add(name, 'gauge', help, value, labels)
  const counter = (name: string, help: string, value: number) =>
    page.add(name, 'counter', help, value, labels)
  gauge('tapdeck_link_pending', 'Pending requests to a worker.', pending)
  counter('tapdeck_invalid_answers_total', 'Worker responses rejected as invalid.', invalidAnswers)
  gauge('tapdeck_capture_active', '1 if the node captures packets.', capture.active ? 1 : 0)
  counter('tapdeck_packets_captured_total', 'Packets captured.', report.packets_captured)
  counter('tapdeck_packets_dissected_total', 'Packets indexed.', report.packets_dissected)
  counter('tapdeck_calls_total', 'Calls indexed.', report.calls)
  const { packets = 0, calls: views = 0 } = report.duplicates ?? {}
  counter(
    'tapdeck_duplicate_packets_total',
    'Packets seen again on another interface, not recorded.',
    packets,
  )
  counter(
    'tapdeck_duplicate_captures_total',
    'Packets captured more than once (several devices, inside and outside of a tunnel), counted once.',
    report.duplicate_captures ?? 0,
  )
  counter('tapdeck_duplicate_calls_total', 'Other views of an indexed call, not indexed.', views)
  const { unnamed_calls = 0, undecided_ownership = 0 } = report
  counter('tapdeck_unnamed_calls_total', 'Calls indexed without the name of a pod.', unnamed_calls)
  counter('tapdeck_undecided_calls_total', 'Calls that another node may report as well.', undecided_ownership)
  gauge('tapdeck_recording_bytes', 'Size of the recording.', recording.size_bytes)
  gauge('tapdeck_recording_packets', 'Packets in the recording.', recording.packet_count)
  if (recording.oldest_ts !== null && recording.newest_ts !== null)
    gauge(
      'tapdeck_recording_seconds',
      'Time span of the recording.',
      (recording.newest_ts - recording.oldest_ts) / 1000,
    )
  for (const stage of ['kernel', 'queue', 'disk'])
    page.add(
      'tapdeck_packets_dropped_total',
      'counter',
      'Packets missing from the recording: dropped by the kernel, by the worker, or because the disk was full.',
      loss[`${stage}_drops`] ?? 0,
      { node, stage },
    )
  for (const [kind, count] of Object.entries(loss))
    page.add('tapdeck_loss_total', 'counter', 'Losses by kind.', count, { node, kind })
  if (own) {
    gauge('tapdeck_worker_resident_memory_bytes', 'Memory of a worker.', own.memory_bytes)
    counter('tapdeck_worker_cpu_seconds_total', 'CPU time of a worker.', own.cpu_seconds)
  }
  if (live) {
    gauge('tapdeck_live_lag_seconds', 'Recent maximum delay from a packet to its call.', live.lag_ms / 1000)
    gauge('tapdeck_live_waiting_blocks', 'Packet blocks queued for indexing.', live.waiting_blocks)
  }
  if (report.index_queue) {
    const { queued_bytes, max_bytes, reason } = report.index_queue
    gauge('tapdeck_index_queue_bytes', 'Calls that wait to be inserted into ClickHouse.', queued_bytes)
    gauge('tapdeck_index_queue_max_bytes', 'Above this, calls are not stored.', max_bytes)
    gauge(
      'tapdeck_index_failing',
      '1 if the last insert into ClickHouse failed.',
      reason === undefined ? 0 : 1,
    )
  }
  if (report.tls_keys) addKeySamples(page, node, report.tls_keys)
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
    'Packet bytes of recordings that are not snapshots yet.',
    bytes,
  )
  page.add('tapdeck_recordings_failed_total', 'counter', 'Recordings that failed.', recordings.failures)
}
