import { z } from 'zod'
import { count, time } from './message-values.ts'
import { ownership } from './ownership.ts'

/** An answer may hold at most so many rows. */
export const MAX_ROWS = 10_000
export const KIB = 1024

export const MIB = 1024 * KIB

export const kfl = z.string().max(1_000_000)
/** Unix milliseconds, inclusive. */
export const times = { start: time.exactOptional(), end: time.exactOptional() }
export type TimeWindow = Readonly<z.output<z.ZodObject<typeof times>>>
export const limit = z.number().int().min(0)
export const order = z.enum(['newest', 'oldest'])
/** A bound was reached: a row with few calls at each of many sources may be missing. */
export const approximate = z.literal(true).exactOptional()

/** Only calls that this node reports, of those that several nodes have seen. */
export const owners = ownership.exactOptional()

export const byProtocol = z
  .record(z.string().max(64), count)
  .refine((kinds) => Object.keys(kinds).length <= 1000, 'there are too many protocols')
