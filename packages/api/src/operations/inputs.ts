import { statsDimensions } from '@tapdeck/questions/stats-dimensions'
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

/** Columns of an answer. */
export const fields = z
  .string()
  .max(2000)
  .optional()
  .describe('Only these fields, comma-separated, such as src.pod,path,status')

/** A snapshot is enough where names or events are asked for. */
export const snapshotDb = z
  .string()
  .regex(/^[^/]+(\/[^/]+)?$/, 'db is <snapshot_name> or <snapshot_name>/<dissection_name>')
  .optional()

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

const MAX_DIMENSIONS = 3

const dimensionNames: readonly string[] = statsDimensions
/** A field of calls, with the key of a map. Whether it exists is known to the catalog of fields. */
const fieldName = /^[A-Za-z][\w.]*(\[("[^"]{1,80}"|'[^']{1,80}')\])?$/

/** Whether it names a field of calls, and no dimensions. */
export function isGroupField(text: string): boolean {
  return !dimensionNames.includes(text) && /[._]/.test(text) && fieldName.test(text)
}

/** One name, or up to three separated by commas; or one field of calls. */
export const groupBy = z
  .string()
  .max(100)
  .refine(
    (text) => {
      if (isGroupField(text)) return true
      const names = text.split(',')
      return (
        names.length <= MAX_DIMENSIONS &&
        new Set(names).size === names.length &&
        names.every((name) => dimensionNames.includes(name))
      )
    },
    `group_by is up to ${MAX_DIMENSIONS} different names of: ${statsDimensions.join(', ')}; separated by commas. Or one field, such as response.headers["x-release"] or tls_issuer`,
  )
  .describe(
    `One of ${statsDimensions.join(', ')}; or up to ${MAX_DIMENSIONS} of them separated by commas, such as src_service,service or time,service; or one field of calls, such as response.headers["x-release"] or tls_issuer`,
  )
