import type { Column } from './table.ts'
import { formatClock, formatMs } from './units.ts'

/** What the table of calls needs to know of one; live and dissected calls have it alike. */
export interface ShownCall {
  readonly ts: number
  readonly src: ShownEnd
  readonly dst: ShownEnd
  readonly proto: string
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly status?: string | number | undefined
  readonly latency_ms?: number | undefined
  readonly error?: string | undefined
}

interface ShownEnd {
  readonly ip: string
  readonly port: number
  readonly pod?: string | undefined
  readonly svc?: string | undefined
}

export const callColumns: readonly Column<ShownCall>[] = [
  { title: 'TIME', cell: (call) => formatClock(call.ts) },
  { title: 'SOURCE', cell: ({ src }) => src.pod ?? src.svc ?? src.ip, shrinks: true },
  { title: 'DESTINATION', cell: ({ dst }) => `${dst.svc ?? dst.pod ?? dst.ip}:${dst.port}`, shrinks: true },
  { title: 'PROTO', cell: (call) => call.proto },
  { title: 'METHOD', cell: (call) => call.method },
  { title: 'PATH', cell: (call) => call.path, shrinks: true },
  { title: 'STATUS', cell: (call) => call.status },
  { title: 'LATENCY', cell: (call) => formatMs(call.latency_ms), align: 'right' },
  { title: 'ERROR', cell: (call) => call.error, shrinks: true },
]
