import type { OperationOutput } from '@tapdeck/api'
import type { Column, Tone } from '../output/table.ts'

export type NodeStatus = OperationOutput<'get_status'>['nodes'][number]

/** Kinds of loss that count packets. Others count bytes, messages or bodies and cannot be added to them. */
const PACKET_LOSS = ['kernel_drops', 'queue_drops', 'disk_drops', 'skipped_packets'] as const

export const nodeColumns: readonly Column<NodeStatus>[] = [
  { title: 'NODE', cell: ({ name }) => name, shrinks: true },
  {
    title: 'CONNECTED',
    cell: ({ connected }) => yesNo(connected),
    tone: ({ connected }) => badIf(!connected),
  },
  {
    title: 'CAPTURES',
    cell: ({ capture }) => yesNo(capture.active),
    tone: ({ capture }) => badIf(!capture.active),
  },
  {
    title: 'RECORDS',
    cell: ({ recorder }) => (recorder ? yesNo(recorder.recording) : undefined),
    tone: ({ recorder }) => badIf(recorder?.recording === false),
  },
  { title: 'INDEXES', cell: ({ indexing }) => yesNo(indexing) },
  { title: 'PACKETS', cell: ({ packets_captured }) => packets_captured, align: 'right' },
  { title: 'CALLS', cell: ({ calls }) => calls, align: 'right' },
  {
    title: 'LOST',
    cell: ({ loss }) => PACKET_LOSS.reduce((sum, kind) => sum + (loss[kind] ?? 0), 0),
    align: 'right',
  },
]

function yesNo(value: boolean): string {
  return value ? 'yes' : 'NO'
}

function badIf(condition: boolean): Tone | undefined {
  return condition ? 'bad' : undefined
}
