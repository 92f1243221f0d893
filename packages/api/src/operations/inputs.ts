import { z } from 'zod'
import { time } from '../notation.ts'

/** Parameters that several operations take. */

export const none = z.object({})

export const text = z.string().max(65_536)

export const limit = (most: number, otherwise: number) =>
  z.coerce.number().int().min(1).max(most).default(otherwise)

export const db = z
  .string()
  .regex(/^[^/]+\/[^/]+$/, 'db is <snapshot_name>/<dissection_name>')
  .optional()
  .describe('A dissection, as <snapshot>/<name>; without it: live calls')

/** Calls can also be had straight out of the recording. */
export const callsDb = z
  .string()
  .regex(/^(recording|[^/]+\/[^/]+)$/, 'db is <snapshot_name>/<dissection_name>, or recording')
  .optional()
  .describe(
    'A dissection, as <snapshot>/<name>; `recording`: what the nodes have recorded, dissected as it is asked for; without it: live calls',
  )

export const window = { start: time.optional(), end: time.optional() }

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
