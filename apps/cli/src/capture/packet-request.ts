import type { OperationRequest } from '@tapdeck/api'
import { flag, type OptionValues, text, texts } from '../arguments/option.ts'
import { windowOf, windowOptions } from '../hub/window-options.ts'

/** Options that choose packets of a running hub. */
export const packetOptions = {
  kfl: text('EXPR', 'Only the connections of matching calls, around the time of these calls.'),
  bpf: text('EXPR', 'Only packets that match, such as "tcp port 80 and host 10.0.0.1".'),
  node: texts('NAME', 'Only what this node captures.'),
  namespace: texts('NAME', 'Only packets of pods and services of this namespace.'),
  workload: texts('NAME', 'Only packets of pods of this Deployment, StatefulSet, DaemonSet or Job.'),
  pod: texts('NAME', 'Only packets of this pod.'),
  since: {
    ...windowOptions.since,
    doc: 'The most recent time, such as 90s, 5m or 1h, instead of live packets.',
  },
  start: { ...windowOptions.start, doc: 'A past window from this time on: RFC 3339 or Unix milliseconds.' },
  end: { ...windowOptions.end, doc: 'A past window up to this time. Default: now.' },
  'tls-keys': flag('With the TLS secrets, so that Wireshark shows what was encrypted. Needs tls:read.'),
}

/** What the hub is asked for. Throws `UsageError`. */
export function packetRequest(
  options: OptionValues<typeof packetOptions>,
): OperationRequest<'stream_packets'> {
  const { start, end } = windowOf(options)
  const list = (names: readonly string[]) => (names.length === 0 ? undefined : names.join(','))
  return {
    nodes: list(options.node),
    namespaces: list(options.namespace),
    workloads: list(options.workload),
    pods: list(options.pod),
    bpf_filter: options.bpf,
    kfl: options.kfl,
    start_time: start,
    end_time: end,
    tls_keys: options['tls-keys'] ? 'true' : undefined,
  }
}
