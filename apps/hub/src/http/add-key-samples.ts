import type { WorkerReport } from '@tapdeck/api'
import type { Samples } from './samples.ts'

/** How a node collects the keys of TLS connections (`tapdeck_tls_*`). Counts only: the reason may name processes. */
export function addKeySamples(
  page: Samples,
  node: string,
  keys: NonNullable<WorkerReport['tls_keys']>,
): void {
  const gauge = (name: string, help: string, value: number) => page.add(name, 'gauge', help, value, { node })
  const counter = (name: string, help: string, value: number) =>
    page.add(name, 'counter', help, value, { node })
  gauge('tapdeck_tls_probes', 'Probes attached to TLS libraries.', keys.probes)
  gauge('tapdeck_tls_key_log_files', 'Key log files followed.', keys.files)
  gauge('tapdeck_tls_key_log_bytes', 'Size of the sealed log of TLS secrets.', keys.log.bytes)
  counter('tapdeck_tls_probe_hits_total', 'Times that a probe was hit.', keys.hits)
  counter('tapdeck_tls_secrets_total', 'TLS secrets taken.', keys.secrets)
  counter('tapdeck_tls_secrets_missed_total', 'TLS secrets lost or unreadable in the process.', keys.missed)
  counter('tapdeck_tls_secrets_refused_total', 'TLS secrets that could not be stored.', keys.log.refused)
  counter('tapdeck_tls_bad_lines_total', 'Unreadable lines of key log files.', keys.bad_lines)
  counter(
    'tapdeck_tls_learning_failures_total',
    'Files of TLS libraries whose secrets could not be located.',
    keys.learning_failures,
  )
  counter(
    'tapdeck_tls_over_budget_total',
    'Times that probes were removed because a process exceeded its budget of hits.',
    keys.over_budget,
  )
}
