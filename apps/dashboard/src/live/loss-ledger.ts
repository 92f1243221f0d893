export type Loss = Readonly<Record<string, number>>

export interface LossEntry {
  readonly kind: string
  readonly count: number
  readonly text: string
  /** Traffic is missing from what is shown; the others are damage that captures always have a little of. */
  readonly grave: boolean
}

const texts: Readonly<Record<string, string>> = {
  kernel_drops: 'packets dropped by the kernel',
  queue_drops: 'packets dropped by a full queue',
  disk_drops: 'packets that the disk did not take',
  skipped_packets: 'packets recorded but not dissected',
  cut_packets: 'packets cut by the snap length',
  malformed_packets: 'packets with broken headers',
  unknown_packets: 'packets of protocols that are not followed',
  damaged_blocks: 'damaged blocks of the capture',
  truncated_file: 'captures cut at the end',
  gaps: 'holes in TCP streams',
  gap_bytes: 'bytes missing in TCP streams',
  reassembly_overflow: 'segments beyond the reassembly buffer',
  fragments_expired: 'IP fragments without their rest',
  evicted_flows: 'flows closed early, table full',
  malformed_messages: 'messages that could not be read',
  resync_bytes: 'bytes skipped after holes',
  truncated_bodies: 'bytes of long bodies not kept',
  unwritten_calls: 'calls that the index could not write',
  unwritten_flows: 'states of flows that the index could not write',
  unwritten_payloads: 'calls kept without their payloads',
  undelivered_calls: 'live calls that did not reach the hub in time',
  refused_events: 'events of processes not recorded',
}
const grave = new Set(['kernel_drops', 'queue_drops', 'disk_drops', 'skipped_packets', 'unwritten_calls'])

export function addLosses(losses: readonly Loss[]): Loss {
  const sum: Record<string, number> = {}
  for (const loss of losses)
    for (const [kind, count] of Object.entries(loss)) sum[kind] = (sum[kind] ?? 0) + count
  return sum
}

/** What was lost, in words, the grave first. Nothing lost: nothing listed. */
export function lossEntries(loss: Loss): readonly LossEntry[] {
  return Object.entries(loss)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => ({
      kind,
      count,
      text: texts[kind] ?? kind.replaceAll('_', ' '),
      grave: grave.has(kind),
    }))
    .sort((a, b) => Number(b.grave) - Number(a.grave) || b.count - a.count)
}
