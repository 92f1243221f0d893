import type { OperationOutput } from '@tapdeck/api'
import type { Terminal } from './terminal.ts'

/** Says of which times the live index misses something. */
export function noteIncomplete(
  terminal: Terminal,
  incomplete: OperationOutput<'list_api_calls'>['incomplete'],
): void {
  for (const { start, end, node, ...counts } of incomplete ?? []) {
    const lost = Object.entries(counts).map(([kind, count]) => `${count} ${kind.replace('_', ' ')}`)
    const where = node === undefined ? '' : ` on ${node}`
    terminal.note(
      `Incomplete from ${start} to ${end}${where}${lost.length > 0 ? `: ${lost.join(', ')}` : ''}; --db recording has what was skipped`,
    )
  }
}
