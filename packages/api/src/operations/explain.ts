import { z } from 'zod'
import { explanation } from '../explain-shapes.ts'
import { operation } from '../operation.ts'
import { db, liveOrSnapshot } from './inputs.ts'

/** Listed before the call itself, whose route takes all that follows. */
export const explaining = {
  explain_call: operation({
    title: 'What happened in one call',
    description:
      'One timeline for a call: lookups of its client just before, connection set-up, request, wait, response, what its server called meanwhile, the call that caused it, events of both ends; and how long the connection was idle before. Use it on the evidence ids of find_suspects.',
    method: 'GET',
    path: '/calls/{id}/explain',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({ id: z.string().max(512), db }),
    output: explanation,
  }),
} as const
