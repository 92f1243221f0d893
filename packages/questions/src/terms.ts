import { z } from 'zod'
import { count, list, nodeName, time } from './message-values.ts'

/** An answer may hold at most so many rows. */
export const MAX_ROWS = 10_000
const MAX_NODES = 10_000
export const KIB = 1024

export const MIB = 1024 * KIB

/** What a node has in memory, or in its index, is found within these milliseconds. */
export const TIMEOUT = 10_000

export const kfl = z.string().max(1_000_000)
export const times = { start: time.exactOptional(), end: time.exactOptional() }
export const limit = z.number().int().min(0)
export const order = z.enum(['newest', 'oldest'])
/** A bound was reached: a row with few calls at each of many sources may be missing. */
export const approximate = z.literal(true).exactOptional()

/** Only calls that this node reports, of those that several nodes have seen. */
export const owners = z
  .object({
    /** Absent: the index has the calls of all nodes. */
    node: nodeName.exactOptional(),
    nodes: list(nodeName, MAX_NODES),
    gaps: list(z.object({ node: nodeName, from: time, to: time }), MAX_NODES).exactOptional(),
    settled: z.boolean().exactOptional(),
  })
  .exactOptional()

export const byProtocol = z
  .record(z.string().max(64), count)
  .refine((kinds) => Object.keys(kinds).length <= 1000, 'there are too many protocols')

export interface TimeWindow {
  /** Unix milliseconds, inclusive. */
  readonly start?: number
  readonly end?: number
}
