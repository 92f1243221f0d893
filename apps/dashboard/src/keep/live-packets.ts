import type { CallDetails } from '../client/call-details.ts'
import { addressOf } from '../client/call-operation.ts'
import { connectionFilter } from './connection-filter.ts'
import type { KeptWindows } from './kept-windows.ts'
import { windowName } from './window-name.ts'

/** The packets before and after a call that belong to its connection. */
const MARGIN_MS = 5000

/**
 * The packets of a live call are in the recording ring: a short snapshot takes them out. Where to fetch those of its
 * connection; nothing where the snapshot failed, which is shown.
 */
export async function livePackets(
  call: Pick<CallDetails, 'ts' | 'latency_ms' | 'src' | 'dst'>,
  kept: KeptWindows,
): Promise<string | undefined> {
  const start = Math.floor(call.ts - MARGIN_MS)
  const end = Math.ceil(call.ts + (call.latency_ms ?? 0) + MARGIN_MS)
  const name = await kept.keep({ start, end }, windowName('packets', call.ts), false)
  return name && addressOf('export_snapshot_pcap', { name, bpf_filter: connectionFilter(call) })
}
