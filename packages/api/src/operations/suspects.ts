import { z } from 'zod'
import { operation } from '../operation.ts'
import { suspects as suspectsShape } from '../suspect-shapes.ts'
import { db, limit, text, window } from './inputs.ts'
import { baseline, comparedCapability } from './topology.ts'

/** What may be the cause. */
export const suspects = {
  find_suspects: operation({
    title: 'Find the cause',
    description:
      'Start here when something is slow or fails. Compares a window with a baseline (default: the part of the window before the first change). Returns probable causes in order: what changed, since when, who, how much, calls that show it, and what speaks against it.',
    method: 'GET',
    path: '/suspects',
    capability: comparedCapability,
    scope: 'kfl',
    input: z.object({
      db,
      ...window,
      kfl: text.default(''),
      ...baseline,
      limit: limit(50, 10),
    }),
    output: suspectsShape,
  }),
} as const
