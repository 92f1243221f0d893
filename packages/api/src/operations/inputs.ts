import { z } from 'zod'
import { MAX_FILTER } from '../max-filter.ts'
import { time } from '../notation.ts'

/** Parameters that several operations take. */

export const none = z.object({})

/** A filter. Longer ones are refused before they are read: what a filter costs grows with its length. */
export const text = z.string().max(MAX_FILTER)

export const limit = (most: number, otherwise: number) =>
  z.coerce.number().int().min(1).max(most).default(otherwise)

export const db = z
  .string()
  .regex(/^[^/]+\/[^/]+$/, 'db is <snapshot_name>/<dissection_name>')
  .optional()
  .describe('A dissection, as <snapshot>/<name>; default: live calls')

/** Calls can also be had straight out of the recording. */
export const callsDb = z
  .string()
  .regex(/^(recording|[^/]+\/[^/]+)$/, 'db is <snapshot_name>/<dissection_name>, or recording')
  .optional()
  .describe(
    'A dissection, as <snapshot>/<name>; `recording`: the packets on the nodes, dissected on request; default: live calls',
  )

export const window = {
  start: time.optional().describe('From this time on: RFC 3339 or Unix milliseconds'),
  end: time.optional().describe('Up to this time'),
}

const v4 = z.ipv4()
const v6 = z.ipv6()

/** One address, of either kind: anything else would match nothing and look like a quiet network. */
export const address = z
  .string()
  .max(64)
  .refine(
    (text) => v4.safeParse(text).success || v6.safeParse(text).success,
    'expected an IP address such as 10.0.0.1 or fd00::1',
  )

export const liveOrSnapshot = (input: { db?: string | undefined }) =>
  input.db ? 'snapshot:read' : 'dissection:live'
