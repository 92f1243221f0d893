import type { Clock } from './clock.ts'
import type { Column, Tone } from './table.ts'
import { formatMs } from './units.ts'

/** The fields that the table of calls shows; live and dissected calls have them. */
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

export const callColumns = (clock: Clock): readonly Column<ShownCall>[] => [
  { title: clock.title, cell: (call) => clock.format(call.ts) },
  { title: 'SOURCE', cell: ({ src }) => src.pod ?? src.svc ?? src.ip, shrinks: true },
  { title: 'DESTINATION', cell: ({ dst }) => `${dst.svc ?? dst.pod ?? dst.ip}:${dst.port}`, shrinks: true },
  { title: 'PROTO', cell: (call) => call.proto },
  { title: 'METHOD', cell: (call) => call.method },
  { title: 'PATH', cell: (call) => call.path, shrinks: true },
  { title: 'STATUS', cell: (call) => call.status, tone: toneOf },
  { title: 'LATENCY', cell: (call) => formatMs(call.latency_ms), align: 'right', isOptional: true },
  {
    title: 'ERROR',
    cell: (call) => call.error,
    shrinks: true,
    isRare: true,
    tone: (call) => (call.error === 'unfinished' ? undefined : 'bad'),
  },
]

function toneOf({ status, error }: ShownCall): Tone | undefined {
  if (error !== undefined || (typeof status === 'number' && status >= 500)) return 'bad'
  return typeof status === 'number' && status >= 400 ? 'warn' : undefined
}
