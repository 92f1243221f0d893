import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

type NodeReport = z.input<typeof shapes.nodeReport>

/**
 * Every node that is or was connected, with what it last said. What it counted is of all traffic: a caller who may see only
 * some of that gets no counts.
 */
export function nodeReports(workers: Workers, withCounts: boolean): NodeReport[] {
  const reports = [
    ...workers.connected.map((worker) => reportOf(worker, true)),
    ...workers.gone.map((worker) => reportOf(worker, false)),
  ]
  return withCounts
    ? reports
    : reports.map((report) => {
        const {
          backfill: _,
          duplicates: __,
          duplicate_captures: ________,
          tls_keys: ___,
          process: ____,
          index_queue: _____,
          unnamed_calls: ______,
          undecided_ownership: _______,
          ...shown
        } = report
        return { ...shown, ...uncounted }
      })
}

const notConnected = { recording: false, reason: 'the worker is not connected' }
const uncounted = { packets_captured: 0, packets_dissected: 0, calls: 0, loss: {} }

function reportOf({ node, version, report }: Worker, connected: boolean): NodeReport {
  const { indexing, capture, recorder, indexer, packets_captured, packets_dissected, calls, loss } = report
  const { duplicates, duplicate_captures, backfill, tls_keys, process, index_queue, not_saved } = report
  const { unnamed_calls, undecided_ownership } = report
  const { active, reason, interfaces, pod_loopback } = capture
  return {
    name: node,
    connected,
    version,
    indexing: connected && indexing,
    capture: {
      active: connected && active,
      interfaces: [...interfaces],
      ...(reason !== undefined && { reason }),
      ...(pod_loopback && { pod_loopback: { ...pod_loopback } }),
    },
    ...(recorder && { recorder: connected ? { ...recorder } : notConnected }),
    ...(connected && indexer && { indexer: { ...indexer } }),
    ...(connected && not_saved && { not_saved: [...not_saved] }),
    packets_captured,
    packets_dissected,
    calls,
    ...(duplicates && { duplicates: { ...duplicates } }),
    ...(duplicate_captures !== undefined && { duplicate_captures }),
    ...(unnamed_calls !== undefined && { unnamed_calls }),
    ...(undecided_ownership !== undefined && { undecided_ownership }),
    ...(connected && backfill && { backfill }),
    ...(connected && process && { process: { ...process } }),
    ...(connected && index_queue && { index_queue: { ...index_queue } }),
    loss: { ...loss },
    ...(tls_keys && { tls_keys: { ...tls_keys } }),
  }
}
