import { z } from 'zod'
import { anyReader } from '../capability.ts'
import { excludedNodes, missingNodes } from '../live-shapes.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none } from './inputs.ts'

/** Of the caller, and of all parts. */
export const state = {
  whoami: operation({
    title: 'Who am I?',
    description: 'The resolved caller: name, role, capabilities, namespaces.',
    method: 'GET',
    path: '/whoami',
    interfaces: ['api'],
    anyCaller: 'It says nothing but what the caller is.',
    scope: 'none',
    input: none,
    output: shapes.whoami,
  }),
  get_status: operation({
    title: 'State of all parts',
    description:
      'Version, and of each node: connection, capture, rates and losses. Configuration keys that need a restart. How the cluster is watched.',
    method: 'GET',
    path: '/status',
    interfaces: ['api'],
    capability: anyReader,
    scope: 'kfl',
    input: none,
    output: z.object({
      version: z.string(),
      started_at: z.string(),
      nodes: z.array(shapes.nodeReport),
      missing_nodes: missingNodes,
      excluded_nodes: excludedNodes,
      restart_needed: z
        .array(z.object({ key: z.string(), reason: z.string() }))
        .optional()
        .describe('Configuration keys that changed since the start and that need a restart.'),
      kubernetes: z
        .object({
          server: z.string(),
          kinds: z.array(
            z.object({
              resource: z.string(),
              state: z
                .enum(['starting', 'watching', 'refused', 'away'])
                .describe('refused: a right is missing; away: the API server does not answer'),
              reason: z.string().optional(),
              objects: z.number(),
            }),
          ),
        })
        .optional()
        .describe('The cluster that names and events come from, where one is watched'),
      telemetry: z
        .object({
          endpoint: z.string(),
          calls: z.number().describe('Calls that were counted'),
          skipped: z.number().describe('Matching calls that workers or the hub left out: too many at once'),
          untraced: z.number().describe('Calls without a trace in their headers, which are no spans'),
          unsampled: z.number().describe('Calls of traces that the caller does not record'),
          spans: z.object({
            sent: z.number(),
            over_budget: z.number(),
            queue_full: z.number(),
            rejected: z.number().describe('Spans that the receiver left out of requests that it took'),
            failed: z.number(),
            waiting: z.number(),
            last_error: z.string().optional(),
          }),
          metrics: z.object({ sent: z.number(), failed: z.number(), last_error: z.string().optional() }),
        })
        .optional()
        .describe('What is sent to an OpenTelemetry receiver, if that is on'),
    }),
  }),
} as const
