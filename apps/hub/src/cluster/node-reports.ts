import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

type NodeReport = z.input<typeof shapes.nodeReport>

/** Every node that is or was connected, with what it last said. */
export function nodeReports(workers: Workers): NodeReport[] {
  return [
    ...workers.connected.map((worker) => reportOf(worker, true)),
    ...workers.gone.map((worker) => reportOf(worker, false)),
  ]
}

function reportOf({ node, version, report }: Worker, connected: boolean): NodeReport {
  const { indexing, capture, packets_captured, packets_dissected, calls, loss } = report
  const { active, reason, interfaces } = capture
  return {
    name: node,
    connected,
    version,
    indexing: connected && indexing,
    capture: {
      active: connected && active,
      interfaces: [...interfaces],
      ...(reason !== undefined && { reason }),
    },
    packets_captured,
    packets_dissected,
    calls,
    loss: { ...loss },
  }
}
