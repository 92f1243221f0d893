import type { OperationOutput } from '@tapdeck/api'
import { formatBytes } from '@tapdeck/units'
import { gapLine } from '../output/gap-line.ts'
import { showFacts, showJson } from '../output/show.ts'
import type { Terminal } from '../output/terminal.ts'

export async function showSnapshot(
  snapshot: OperationOutput<'get_snapshot'>,
  asTable: boolean,
  terminal: Terminal,
): Promise<void> {
  if (!asTable) return showJson(terminal, snapshot)
  const at = (ms: number | null) => (ms === null ? undefined : new Date(ms).toISOString())
  return showFacts(terminal, {
    name: snapshot.name,
    status: snapshot.status === 'in_progress' ? `in_progress, ${snapshot.progress} %` : snapshot.status,
    error: snapshot.error,
    created: snapshot.created_at,
    from: at(snapshot.start_ts),
    to: at(snapshot.end_ts),
    duration: snapshot.duration,
    verified:
      snapshot.verified || snapshot.status !== 'completed' ? undefined : 'not yet: checksums are being taken',
    partial: snapshot.partial ? 'yes: less was recorded than was asked for' : undefined,
    'not recorded': snapshot.gaps
      ?.map(({ detail: reason, ...gap }) => gapLine({ ...gap, reason }))
      .join('; '),
    size: formatBytes(snapshot.size_bytes),
    packets: snapshot.packet_count,
    nodes: snapshot.nodes.map(({ name }) => name).join(', '),
    tags: snapshot.tags.length > 0 ? snapshot.tags.join(', ') : undefined,
    notes: snapshot.notes || undefined,
  })
}
