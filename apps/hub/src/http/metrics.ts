import type { StreamServer } from '../live/stream-server.ts'
import type { Parts } from '../operations/parts.ts'
import { version } from '../version.ts'
import type { Page } from './app.ts'

type Labels = Readonly<Record<string, string>>

/** `/metrics` in Prometheus' text format. */
export function metrics(parts: Parts, streams: StreamServer): Page {
  return () =>
    new Response(collect(parts, streams), {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' },
    })
}

function collect({ switchboard, workers, snapshots, dissections, startedAt }: Parts, streams: StreamServer) {
  const page = new Samples()
  const cpu = process.cpuUsage()
  const { activity } = switchboard.state
  page.add('tapdeck_build_info', 'gauge', 'Version of the hub.', 1, { version })
  page.add('process_start_time_seconds', 'gauge', 'Start of the process.', startedAt / 1000)
  page.add('process_cpu_seconds_total', 'counter', 'CPU time of the hub.', (cpu.user + cpu.system) / 1e6)
  page.add('process_resident_memory_bytes', 'gauge', 'Memory of the hub.', process.memoryUsage.rss())
  page.add('tapdeck_indexing_enabled', 'gauge', 'Whether indexing is on.', switchboard.enabled ? 1 : 0)
  for (const [kind, count] of Object.entries(activity))
    page.add('tapdeck_activity', 'gauge', 'What keeps indexing on.', count, { kind })
  page.add('tapdeck_dashboard_streams', 'gauge', 'Open dashboard streams, paused ones too.', streams.sessions)
  page.add('tapdeck_workers_connected', 'gauge', 'Connected workers.', workers.connected.length)
  for (const { node, report, pending } of workers.connected) {
    page.add('tapdeck_link_pending', 'gauge', 'Questions to a worker under way.', pending, { node })
    page.add('tapdeck_capture_active', 'gauge', 'Whether a node captures.', report.capture.active ? 1 : 0, {
      node,
    })
    page.add('tapdeck_packets_captured_total', 'counter', 'Packets captured.', report.packets_captured, {
      node,
    })
    page.add('tapdeck_packets_dissected_total', 'counter', 'Packets indexed.', report.packets_dissected, {
      node,
    })
    page.add('tapdeck_calls_total', 'counter', 'Calls indexed.', report.calls, { node })
    page.add('tapdeck_recording_bytes', 'gauge', 'Size of the recording.', report.recording.size_bytes, {
      node,
    })
    for (const [kind, count] of Object.entries(report.loss))
      page.add('tapdeck_loss_total', 'counter', 'What was lost, by kind.', count, { node, kind })
  }
  page.add('tapdeck_snapshots', 'gauge', 'Snapshots.', snapshots.list().length)
  page.add('tapdeck_snapshot_bytes_used', 'gauge', 'Bytes of snapshots and dissections.', snapshots.room.used)
  page.add('tapdeck_snapshot_bytes_max', 'gauge', 'Room for them.', snapshots.room.maxBytes)
  const byStatus = new Map<string, number>()
  for (const { status } of dissections.list()) byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
  for (const [status, count] of byStatus)
    page.add('tapdeck_dissections', 'gauge', 'Dissections by status.', count, { status })
  return page.text()
}

/** Samples of one name stand together under one header, as the format wants it. */
class Samples {
  readonly #families = new Map<string, string[]>()

  add(name: string, type: 'gauge' | 'counter', help: string, value: number, labels: Labels = {}): void {
    let lines = this.#families.get(name)
    if (lines === undefined) {
      lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
      this.#families.set(name, lines)
    }
    const list = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
    lines.push(`${name}${list.length > 0 ? `{${list.join(',')}}` : ''} ${value}`)
  }

  text(): string {
    return `${[...this.#families.values()].flat().join('\n')}\n`
  }
}

function escaped(text: string): string {
  return text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
}
