import type { RewindCost, WorkerReport } from '@tapdeck/api'
import type { Filter } from '@tapdeck/kfl'
import type { RecordingWindow } from './recording-source.ts'
import type { WhyEmpty } from './why-empty.ts'

export interface EmptyRewind {
  readonly reports: readonly WorkerReport[]
  readonly costs: readonly RewindCost[]
  readonly filter: Filter
  readonly window: RecordingWindow
  /** The caller sees only some namespaces: nothing of others is reported. */
  readonly narrowed: boolean
  /** Set where no node recorded anything in the window. */
  readonly missing?: WhyEmpty | undefined
}

const SILENT: ReadonlySet<string> = new Set(['tls', 'quic', 'tcp', 'udp', 'sctp', 'icmp', 'dns'])
const ENCRYPTED = ['tls', 'quic']

/** Says what made an answer out of the recording empty, though all of the window was searched. */
export function whyNothingRecorded({
  reports,
  costs,
  filter,
  window,
  narrowed,
  missing,
}: EmptyRewind): WhyEmpty {
  if (narrowed) return { reason: 'no_match', detail: 'No call that your role may see matches.' }
  const times = reports.flatMap(({ recording: { oldest_ts, newest_ts } }) =>
    [oldest_ts ?? [], newest_ts ?? []].flat(),
  )
  const captures = reports.map(({ capture }) => capture)
  if (times.length === 0) {
    if (captures.every(({ active }) => !active))
      return {
        reason: 'not_captured',
        detail: `Nothing is recorded: ${captures.map(({ reason }) => reason ?? 'capture is off').join('; ')}`,
      }
    return { reason: 'no_data', detail: 'Nothing is recorded yet, or recording is turned off.' }
  }
  const [from, to] = [Math.min(...times), Math.max(...times)]
  const available = { available_from: instant(from), available_to: instant(to) }
  if (window.start > to || window.end < from)
    return {
      reason: 'window_outside_data',
      detail: 'The recording does not cover this window.',
      ...available,
    }
  if (missing) return { ...missing, ...available }
  const looked = costs.reduce((sum, { calls }) => sum + calls, 0)
  const restricted = costs.some((cost) => cost.restricted)
  if (filter.text.trim() === '')
    return { reason: 'window_outside_data', detail: 'No calls were made in this window.', ...available }
  if (looked === 0)
    return {
      reason: 'no_match',
      detail: restricted
        ? 'The peers in the filter made no calls in this window; other peers were not searched.'
        : 'No calls were made in this window.',
      ...available,
    }
  const encrypted = encryptedAlone(costs, filter)
  if (encrypted > 0)
    return {
      reason: 'encrypted',
      detail: `The calls read include ${encrypted} encrypted connections and no readable traffic. Filter by tls to see the peers.`,
      ...available,
    }
  const who = restricted ? ' of the peers in the filter' : ''
  return {
    reason: 'no_match',
    detail: `None of the ${looked} calls${who} in this window matches the filter.`,
    ...available,
  }
}

/** How many encrypted calls were seen, where there was nothing else to read and they were not what was asked for. */
function encryptedAlone(costs: readonly RewindCost[], { paths, text }: Filter): number {
  if (paths.some((path) => /^(tls|quic)\./.test(path)) || /\b(tls|quic)\b/.test(text)) return 0
  const seen = costs.flatMap(({ by_protocol }) => Object.entries(by_protocol))
  if (seen.some(([protocol]) => !SILENT.has(protocol))) return 0
  return seen.reduce((sum, [protocol, count]) => sum + (ENCRYPTED.includes(protocol) ? count : 0), 0)
}

function instant(time: number): string {
  return new Date(time).toISOString()
}
