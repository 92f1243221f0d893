import { z } from 'zod'
import { flowRow, flowViews } from './flow-row.ts'
import { mergeFlows } from './merge/merge-flows.ts'
import { count, list } from './message-values.ts'
import type { Question } from './question.ts'
import { approximate, limit, MAX_ROWS, MIB, owners, times } from './terms.ts'

const MAX_HASHES = 100_000
const text = z.string().exactOptional()

const input = z.object({
  ...times,
  aggregate: z.enum(flowViews).exactOptional(),
  l4proto: text,
  ip: text,
  ns: text,
  pod: text,
  svc: text,
  /** Only flows with an end in one of these namespaces count at all; for callers who may see no others. */
  within: z.array(z.string()).readonly().exactOptional(),
  owners,
  limit,
  order: z.enum(['bytes', 'packets', 'newest', 'key']),
  /** Only rows with at least so many bytes or packets, or so new (Unix milliseconds), by `order`. */
  at_least: z.number().exactOptional(),
  /** Only rows whose `keyOfFlow` is greater, compared by bytes: the next page in the order `key`. `total` counts these rows. */
  after: text,
  /** Only these rows, by `keyOfFlow`. */
  only: z.array(z.string()).readonly().exactOptional(),
  /** Each row carries its handshakes, so that percentiles of several indexes can be computed. */
  distributions: z.boolean().exactOptional(),
  /** Hashes of the keys of all rows, to count them over several indexes. */
  hashes: z.boolean().exactOptional(),
})
const output = z.object({
  flows: list(flowRow, MAX_ROWS),
  total: count,
  total_is: z.literal('at_most').exactOptional(),
  /** Only where requested, and where there are not too many. */
  hashes: list(count, MAX_HASHES).exactOptional(),
  approximate,
})

export type FlowQuery = z.output<typeof input>

export type FlowPage = Readonly<z.output<typeof output>>

declare module './question.ts' {
  interface Questions {
    flows: Asked<typeof input, typeof output>
  }
  interface CallReader {
    flows(query: FlowQuery): Promise<FlowPage>
  }
}

export const flows: Question<'flows'> = {
  input,
  output,
  largest: 32 * MIB,
  inTurn: true,
  isOwned: true,

  answer: (index, query) => index.flows(query),

  merge: mergeFlows,

  narrow: (input, { ask, namespaces }) =>
    ask('flows', { ...input, ...(namespaces && { within: namespaces }) }),

  redact: (input, { ask }) => ask('flows', input),
}
