import { z } from 'zod'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { fields, limit, liveOrSnapshot, snapshotDb, window } from './inputs.ts'

/** What happened beside the packets. */
export const events = {
  list_events: operation({
    title: 'Cluster and OS events',
    description:
      'What was recorded next to the packets, newest first: processes that started and ended and the connections that they own (`os`); pods, services and nodes that appeared, changed and left (`cluster`). From the recording, or from a snapshot (`db`). Command lines of processes (`cmdline`) are shown to callers with `events:cmdline`, with secrets masked.',
    method: 'GET',
    path: '/events',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({
      db: snapshotDb.describe(
        'A snapshot, or a dissection of it; default: what the nodes and the hub have recorded',
      ),
      kind: z.enum(['cluster', 'os']).optional(),
      ...window,
      type: z.string().max(64).optional().describe('Such as process_start, connection_open or pod_added'),
      pid: z.coerce
        .number()
        .int()
        .min(0)
        .max(0x7fff_ffff)
        .optional()
        .describe('Of this process or its children'),
      name: z
        .string()
        .max(253)
        .optional()
        .describe(
          'A part of the name of a process, its program, a pod, a service or a node; with `events:cmdline` also of a command line',
        ),
      limit: limit(1000, 100),
      order: z.enum(['newest', 'oldest']).default('newest'),
      cursor: z.string().max(4096).optional(),
      fields,
    }),
    output: shapes.eventPage,
  }),
} as const
