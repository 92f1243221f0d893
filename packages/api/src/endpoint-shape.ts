import { z } from 'zod'

/** A peer of a call or a flow. */
export const endpoint = z.object({
  ip: z.string(),
  port: z.number(),
  pod: z.string().optional(),
  ns: z.string().optional(),
  svc: z.string().optional(),
  node: z.string().optional(),
})
