import { z } from 'zod'

/** Names of callers come from an identity provider and can be long. */
export const maxMakerName = 300

/** What is kept of an API token. */
export const apiToken = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{12}$/),
  name: z.string().min(1).max(120),
  role: z.string().min(1).max(120),
  /** SHA-256 of the whole token, in hex. 256 random bits need no slow hash. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.iso.datetime(),
  /** Null: never. */
  expires_at: z.iso.datetime().nullable(),
  /** The caller who made it through the hub. The command line runs without a caller. */
  created_by: z.string().max(maxMakerName).optional(),
})

export type ApiToken = z.output<typeof apiToken>
