import type { WorkerReport } from '@tapdeck/api'
import type { CaptureStatus } from './capture/capture-message.ts'
import { addCounts } from './live/add-counts.ts'
import type { LiveStatus } from './live/live-message.ts'

/** The status of a live thread that does not run. */
export const idleStatus: LiveStatus = {
  indexing: false,
  packets: 0,
  calls: 0,
  duplicates: 0,
  copies: 0,
  unnamed: 0,
  undecided: 0,
  loss: {},
  lag: 0,
  waiting: 0,
}

/** A message of ClickHouse can have a query in it. */
const MAX_REASON = 500

/** What the worker reports to the hub: the state of both threads as one. */
export function workerReport(capture: CaptureStatus, live: LiveStatus): WorkerReport {
  const { active, interfaces, podLoopback, recording } = capture
  const reason =
    capture.reason ??
    (recording.recording || recording.since === 0 ? undefined : `Recording stopped: ${recording.reason}`)
  const loss: Record<string, number> = { ...live.loss }
  addCounts(loss, capture.loss)
  const notSaved = [
    ...unsaved('times without recording', capture.coverageFailure),
    ...unsaved('times without indexing', live.coverageFailure),
  ]
  return {
    indexing: live.indexing,
    capture: {
      active,
      interfaces,
      ...(reason === undefined ? {} : { reason }),
      ...(podLoopback && { pod_loopback: podLoopback }),
    },
    recording: capture.boundaries,
    recorder: recorderOf(capture),
    ...(notSaved.length > 0 && { not_saved: notSaved }),
    packets_captured: capture.packets,
    packets_dissected: live.packets,
    calls: live.calls,
    duplicates: { packets: capture.duplicates, calls: live.duplicates },
    duplicate_captures: capture.duplicates + live.copies,
    unnamed_calls: live.unnamed,
    undecided_ownership: live.undecided,
    ...(live.backfill && { backfill: live.backfill }),
    loss: Object.fromEntries(Object.entries(loss).filter(([, count]) => count > 0)),
    process: { memory_bytes: process.memoryUsage.rss(), cpu_seconds: cpuSeconds() },
    live: { lag_ms: live.lag, waiting_blocks: live.waiting },
    ...(live.queue && {
      index_queue: {
        queued_bytes: live.queue.bytes,
        max_bytes: live.queue.maxBytes,
        ...(live.queue.failure !== undefined && { reason: live.queue.failure.slice(0, MAX_REASON) }),
      },
    }),
  }
}

function unsaved(what: string, failure: string | undefined): NonNullable<WorkerReport['not_saved']> {
  return failure === undefined ? [] : [{ what, reason: failure.slice(0, MAX_REASON) }]
}

function recorderOf({ active, reason, recording }: CaptureStatus): NonNullable<WorkerReport['recorder']> {
  if (!recording.recording) return { recording: false, reason: recording.reason }
  return active ? { recording: true } : { recording: false, reason: reason ?? 'no interface is up' }
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
