import { z } from 'zod'
import { thingName } from '../notation.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none, text } from './inputs.ts'

const dissectionPath = z.object({ snapshot: thingName, name: thingName })
const startInput = z.object({
  snapshot_name: thingName,
  dissection_name: thingName,
  kfl: text.optional(),
  protocols: z.array(z.string().max(32)).max(64).optional(),
})
const delayed = '/delayed_dissection.DelayedDissection'

/** Snapshots turned into databases of calls. */
export const dissections = {
  start_snapshot_dissection: operation({
    title: 'Dissect a snapshot',
    description: 'Starts delayed L7 dissection of a completed snapshot into a named, queryable database.',
    method: 'POST',
    path: '/dissections',
    aliases: [{ method: 'POST', path: `${delayed}/Start` }],
    capability: 'snapshot:dissection',
    changes: true,
    additive: true,
    scope: 'refused',
    input: startInput,
    output: z.object({
      success: z.boolean(),
      snapshot_name: z.string(),
      dissection_name: z.string(),
      status: shapes.dissectionStatus,
    }),
  }),
  get_snapshot_dissection_status: operation({
    title: 'Status of a dissection',
    description: 'Progress and, when complete, the number of calls. Without names: the latest job.',
    method: 'GET',
    path: '/dissection-status',
    aliases: [
      { method: 'GET', path: `${delayed}/GetStatus` },
      { method: 'POST', path: `${delayed}/GetStatus` },
    ],
    capability: 'snapshot:read',
    scope: 'refused',
    input: z.object({ snapshot_name: thingName.optional(), dissection_name: thingName.optional() }),
    output: shapes.dissection,
  }),
  list_snapshot_dissections: operation({
    title: 'List dissections',
    description: 'All dissections, or those of one snapshot, newest first.',
    method: 'GET',
    path: '/dissections',
    capability: 'snapshot:read',
    scope: 'refused',
    input: z.object({ snapshot: thingName.optional() }),
    output: z.object({ dissections: z.array(shapes.dissection) }),
  }),
  get_snapshot_dissection: operation({
    title: 'One dissection',
    description: 'Status, counts and losses of one dissection.',
    method: 'GET',
    path: '/dissections/{snapshot}/{name}',
    capability: 'snapshot:read',
    scope: 'refused',
    input: dissectionPath,
    output: shapes.dissection,
  }),
  stop_snapshot_dissection: operation({
    title: 'Stop a dissection',
    description: 'Cancels a pending or running dissection. What it found so far is dropped.',
    method: 'POST',
    path: '/dissections/{snapshot}/{name}/stop',
    capability: 'snapshot:dissection',
    changes: true,
    scope: 'refused',
    input: dissectionPath,
    output: z.object({
      success: z.boolean(),
      snapshot_name: z.string(),
      dissection_name: z.string(),
      status: shapes.dissectionStatus,
    }),
  }),
  delete_snapshot_dissection: operation({
    title: 'Delete a dissection',
    description: 'Deletes a dissection and its database. The snapshot stays.',
    method: 'DELETE',
    path: '/dissections/{snapshot}/{name}',
    capability: 'snapshot:dissection',
    changes: true,
    scope: 'refused',
    input: dissectionPath,
    output: z.object({ success: z.boolean(), snapshot_name: z.string(), dissection_name: z.string() }),
  }),
  list_databases: operation({
    title: 'What can be queried?',
    description:
      'The live database of each node, what it has recorded (db=recording), and every dissection, with counts and time ranges.',
    method: 'GET',
    path: '/databases',
    capability: 'snapshot:read',
    scope: 'kfl',
    input: none,
    output: z.object({
      databases: z.array(
        z.object({
          type: z.enum(['realtime', 'recording', 'dissection']),
          node: z.string().optional(),
          snapshot: z.string().optional(),
          name: z.string().optional(),
          status: z.string().optional(),
          entry_count: z.number().describe('Calls; of a recording, packets'),
          first_ts: z.number().nullable(),
          last_ts: z.number().nullable(),
        }),
      ),
    }),
  }),
} as const
