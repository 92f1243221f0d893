import { afterEach, expect, it } from 'vitest'
import { keysReport } from '../testing/keys-report.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

it('reports drops by where they happened, how late indexing is, and what workers and the hub use', async () => {
  hub = await startHub()
  await hub.worker(
    'n1',
    {},
    {
      loss: { kernel_drops: 1, queue_drops: 2, disk_drops: 3, gaps: 4 },
      process: { memory_bytes: 5000, cpu_seconds: 1.5 },
      live: { lag_ms: 250, waiting_blocks: 7 },
      duplicates: { packets: 8, calls: 9 },
      duplicate_captures: 10,
      unnamed_calls: 11,
      undecided_ownership: 12,
      tls_keys: keysReport,
    },
  )
  await hub.worker('older', {}, {})
  await hub.send('POST', '/api/recordings', { name: 'one' })
  const { text } = await hub.get('/metrics')
  for (const line of [
    'tapdeck_packets_dropped_total{node="n1",stage="kernel"} 1',
    'tapdeck_packets_dropped_total{node="n1",stage="queue"} 2',
    'tapdeck_packets_dropped_total{node="n1",stage="disk"} 3',
    'tapdeck_packets_dropped_total{node="older",stage="kernel"} 0',
    'tapdeck_loss_total{node="n1",kind="gaps"} 4',
    'tapdeck_worker_resident_memory_bytes{node="n1"} 5000',
    'tapdeck_worker_cpu_seconds_total{node="n1"} 1.5',
    'tapdeck_live_lag_seconds{node="n1"} 0.25',
    'tapdeck_live_waiting_blocks{node="n1"} 7',
    'tapdeck_recording_seconds{node="n1"} 60',
    'tapdeck_duplicate_packets_total{node="n1"} 8',
    'tapdeck_duplicate_calls_total{node="n1"} 9',
    'tapdeck_duplicate_calls_total{node="older"} 0',
    'tapdeck_duplicate_captures_total{node="n1"} 10',
    'tapdeck_unnamed_calls_total{node="n1"} 11',
    'tapdeck_undecided_calls_total{node="n1"} 12',
    'tapdeck_undecided_calls_total{node="older"} 0',
    'tapdeck_tls_probes{node="n1"} 2',
    'tapdeck_tls_probe_hits_total{node="n1"} 30',
    'tapdeck_tls_secrets_total{node="n1"} 28',
    'tapdeck_tls_secrets_missed_total{node="n1"} 3',
    'tapdeck_tls_learning_failures_total{node="n1"} 4',
    'tapdeck_tls_over_budget_total{node="n1"} 5',
    'tapdeck_tls_key_log_bytes{node="n1"} 6',
    'tapdeck_recordings{status="running"} 1',
    'tapdeck_activity{kind="recordings"} 1',
    'tapdeck_queries_waiting 0',
  ])
    expect(text.split('\n')).toContain(line)
  expect(text).not.toContain('tapdeck_worker_resident_memory_bytes{node="older"}')
  expect(text).not.toContain('tapdeck_tls_probes{node="older"}')
  expect(text).not.toContain('nginx')
  // Each name has one header, and all its samples stand below it.
  const headers = text.match(/^# TYPE \S+/gm)!
  expect(new Set(headers).size).toBe(headers.length)
})
