import { z } from 'zod'
import { time } from '../notation.ts'
import { operation } from '../operation.ts'
import { topology as topologyShape } from '../topology-shapes.ts'
import { db, limit, text, window } from './inputs.ts'

/** Another window or database to compare with. Times alone are of the same database. */
export const baseline = {
  baseline_db: db.describe('A dissection to compare with; default: that of `db`'),
  baseline_start: time.optional().describe('From when on the baseline is'),
  baseline_end: time.optional(),
}

/** A database that is read needs `snapshot:read`; the handler checks the other of the two. */
export const comparedCapability = (input: {
  readonly db?: string | undefined
  readonly baseline_db?: string | undefined
}) => (input.db ? 'snapshot:read' : 'dissection:live')

/** Who talks to whom. */
export const topology = {
  get_topology: operation({
    title: 'Who calls whom',
    description:
      'Services (or workloads, pods, namespaces, nodes) and the calls between them: rate, errors, latency, bytes and protocols of each edge. With a baseline it marks edges that are new, gone, slower or fail more.',
    method: 'GET',
    path: '/topology',
    capability: comparedCapability,
    scope: 'kfl',
    input: z.object({
      db,
      ...window,
      kfl: text.default(''),
      by: z.enum(['service', 'workload', 'pod', 'namespace', 'node']).default('service'),
      ...baseline,
      limit: limit(1000, 200).describe('Maximum number of edges'),
    }),
    output: topologyShape,
  }),
} as const
