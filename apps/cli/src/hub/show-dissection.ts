import type { OperationOutput } from '@tapdeck/api'
import { formatBytes } from '@tapdeck/units'
import { showFacts, showJson } from '../output/show.ts'
import type { Terminal } from '../output/terminal.ts'

export async function showDissection(
  dissection: OperationOutput<'get_snapshot_dissection'>,
  asTable: boolean,
  terminal: Terminal,
): Promise<void> {
  if (!asTable) return showJson(terminal, dissection)
  const list = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts)
      .map(([key, count]) => `${key} ${count}`)
      .join(', ') || undefined
  return showFacts(terminal, {
    database: `${dissection.snapshot_name}/${dissection.dissection_name}`,
    status: dissection.status === 'running' ? `running, ${dissection.progress} %` : dissection.status,
    waits: dissection.waiting_for,
    errors: dissection.errors.join('; ') || undefined,
    calls: dissection.call_count,
    protocols: list(dissection.protocol_counts),
    flows: dissection.flow_count,
    packets: dissection.packet_count,
    bytes: formatBytes(dissection.bytes),
    lost: list(dissection.loss),
    started: dissection.started_at,
    finished: dissection.finished_at,
  })
}
