import { z } from 'zod'
import { instant } from './instant.ts'
import { liveNotes } from './live-shapes.ts'

const inferred = z
  .literal(true)
  .optional()
  .describe('Concluded from times and addresses; absent where a trace header says so')

const decrypted = z.boolean().optional().describe('The call was sent encrypted')

const related = z.object({
  id: z.string(),
  at: instant,
  offset_ms: z.number().describe('From the first byte of the request'),
  what: z.string().describe('Protocol, method, path and status'),
  src: z.string(),
  dst: z.string(),
  latency_ms: z.number().optional(),
  error: z.string().optional(),
  decrypted,
  inferred,
})

export const explanation = z.object({
  id: z.string(),
  decrypted,
  summary: z.string(),
  timeline: z
    .array(
      z.object({
        at: instant,
        offset_ms: z.number().describe('From the first byte of the request'),
        what: z.string(),
        detail: z.string().optional(),
        by: z.enum(['src', 'dst']).optional().describe('The end of the call that sent it'),
        took_ms: z.number().optional(),
        name: z.string().optional().describe('That was looked up'),
        id: z.string().optional().describe('Of another call'),
        inferred,
      }),
    )
    .describe('Oldest first'),
  connection: z.object({
    conn_id: z.union([z.number(), z.string()]).optional(),
    idle_before_ms: z
      .number()
      .optional()
      .describe('Time without a call on the connection before this one; absent for the first call'),
    previous_call: z.string().optional(),
    tcp: z.record(z.string(), z.unknown()).optional().describe('Counters of the whole connection'),
    state: z.string().optional(),
  }),
  caused_by: related.optional().describe('The call that its client was answering'),
  caused: z.array(related).describe('Calls that its server made to answer it'),
  same_trace: z.string().optional().describe('The trace or request id by which calls were related'),
  both_ends: z.unknown().optional().describe('Network time and server time, where both nodes saw it'),
  notes: z.array(z.string()).describe('What is not known'),
  ...liveNotes,
})
