import { z } from 'zod'
import { time } from '../notation.ts'
import { operation } from '../operation.ts'
import { address, liveOrSnapshot, none, snapshotDb } from './inputs.ts'

const ofSnapshot = snapshotDb.describe('As known in a snapshot, or a dissection of it; default: now')

/** Who had which address, at which time. */
export const names = {
  list_workloads: operation({
    title: 'Which pods and services are known?',
    description: 'Pods and services with their addresses, now, at a time or in a snapshot (`db`).',
    method: 'GET',
    path: '/resolve/workloads',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({
      name: z.string().max(253).optional().describe('Only with this name'),
      namespace: z.string().max(253).optional().describe('Only of this namespace'),
      db: ofSnapshot,
      type: z.enum(['pod', 'service']).optional().describe('Only of this type'),
      timestamp: time.optional().describe('As known at this time; default: now'),
    }),
    output: z.object({
      workloads: z.array(
        z.object({
          name: z.string(),
          namespace: z.string(),
          kind: z.string(),
          labels: z.record(z.string(), z.string()),
          ips: z.array(z.object({ ip: z.string(), timestamp: z.number().nullable() })),
        }),
      ),
      total: z.number(),
    }),
  }),
  list_ips: operation({
    title: 'Who had this address?',
    description: 'The workloads behind an address, now, at a time or in a snapshot (`db`).',
    method: 'GET',
    path: '/resolve/ips',
    capability: liveOrSnapshot,
    scope: 'kfl',
    input: z.object({
      ip: address.optional().describe('Only this address'),
      db: ofSnapshot,
      timestamp: time.optional().describe('As known at this time; default: now'),
    }),
    output: z.object({
      ips: z.array(
        z.object({
          ip: z.string(),
          records: z.array(
            z.object({ name: z.string(), namespace: z.string(), timestamp: z.number().nullable() }),
          ),
        }),
      ),
      total: z.number(),
    }),
  }),
  get_inventory: operation({
    title: 'The inventory',
    description: 'The pods and services that give addresses their names.',
    method: 'GET',
    path: '/inventory',
    interfaces: ['api'],
    capability: 'dissection:live',
    scope: 'kfl',
    input: none,
    output: z.unknown(),
  }),
  set_inventory: operation({
    title: 'Replace the static inventory',
    description:
      'Gives addresses the names of pods and services, if no cluster does. A `source` replaces only its own earlier entries; empty lists remove it. Sources are stored on disk, separate from the file of `tap.inventory`. Entries of that file count too, except if a source has the same kind, namespace and name.',
    method: 'PUT',
    path: '/inventory',
    interfaces: ['api'],
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: z.looseObject({
      source: z.string().max(64).default('file'),
      pods: z.array(z.unknown()),
      services: z.array(z.unknown()),
    }),
    output: z.object({ success: z.boolean(), pods: z.number(), services: z.number() }),
  }),
} as const
