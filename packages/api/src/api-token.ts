import { z } from 'zod'

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
})

export type ApiToken = z.output<typeof apiToken>
