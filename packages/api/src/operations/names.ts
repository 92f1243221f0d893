import { z } from 'zod'
import { time } from '../notation.ts'
import { operation } from '../operation.ts'
import { address, none } from './inputs.ts'

/** Who had which address, at which time. */
export const names = {
  list_workloads: operation({
    title: 'Which pods and services are known?',
    description: 'Pods and services with their addresses, now or at a time.',
    method: 'GET',
    path: '/resolve/workloads',
    capability: 'dissection:live',
    scope: 'kfl',
    input: z.object({
      name: z.string().max(253).optional(),
      namespace: z.string().max(253).optional(),
      type: z.enum(['pod', 'service']).optional(),
      timestamp: time.optional(),
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
    description: 'The workloads behind an address, now or at a time.',
    method: 'GET',
    path: '/resolve/ips',
    capability: 'dissection:live',
    scope: 'kfl',
    input: z.object({ ip: address.optional(), timestamp: time.optional() }),
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
    description: 'Pods and services that addresses are named by.',
    method: 'GET',
    path: '/inventory',
    doors: ['api'],
    capability: 'dissection:live',
    scope: 'kfl',
    input: none,
    output: z.unknown(),
  }),
  set_inventory: operation({
    title: 'Replace the static inventory',
    description:
      'Names addresses as pods and services where no cluster feeds them. A `source` replaces only what it gave before.',
    method: 'PUT',
    path: '/inventory',
    doors: ['api'],
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
