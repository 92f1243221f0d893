import { latency } from '../format/duration.ts'
import type { Column } from './column.ts'

/** From here on a person notices. */
const slowMs = 1000

export const latencyColumn: Column = {
  id: 'latency',
  title: 'Latency',
  wide: { least: 76 },
  medium: { least: 62 },
  render: (call) =>
    call.latency_ms === undefined ? null : (
      <span className={call.latency_ms >= slowMs ? 'slow' : undefined}>{latency(call.latency_ms)}</span>
    ),
}
