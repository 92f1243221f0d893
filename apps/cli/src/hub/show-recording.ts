import type { OperationOutput } from '@tapdeck/api'
import { formatBytes } from '@tapdeck/units'
import { gapLine } from '../output/gap-line.ts'
import { showFacts, showJson } from '../output/show.ts'
import type { Terminal } from '../output/terminal.ts'

export async function showRecording(
  recording: OperationOutput<'get_recording'>,
  asTable: boolean,
  terminal: Terminal,
): Promise<void> {
  if (!asTable) return showJson(terminal, recording)
  const { gaps, notes } = recording
  return showFacts(terminal, {
    name: recording.name,
    status: recording.ended_by ? `${recording.status}, by ${recording.ended_by}` : recording.status,
    error: recording.error,
    filter: recording.kfl_withheld ?? (recording.kfl || undefined),
    started: recording.starts_at,
    ended: recording.ended_at,
    limits: `${recording.duration}, ${formatBytes(recording.max_bytes)}`,
    size: formatBytes(recording.size_bytes),
    packets: recording.packet_count,
    'live matches': recording.live_matches,
    nodes: recording.nodes.map(({ name }) => name).join(', ') || undefined,
    'not recorded': gaps.length > 0 ? gaps.map(gapLine).join('; ') : undefined,
    notes: notes.length > 0 ? notes.map(({ at, text }) => `${at} ${text}`).join('; ') : undefined,
    database: recording.db && `${recording.db} (${recording.db_status})`,
  })
}
