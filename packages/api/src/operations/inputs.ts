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

export const liveOrSnapshot = (input: { db?: string | undefined }) =>
  input.db ? 'snapshot:read' : 'dissection:live'
