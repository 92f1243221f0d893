import { z } from 'zod'
import { agentAction } from '../agent-action.ts'
import { instant } from '../instant.ts'
import { thingName } from '../notation.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none, text } from './inputs.ts'

const agentPath = z.object({ name: thingName })
const keptAction = z
  .object({ kind: z.literal('keep'), action: z.number().int().min(0).max(7) })
  .strict()
  .describe('The action of now with this number; the first is 0')

/** Saved watchers of live calls. */
export const agents = {
  create_agent: operation({
    title: 'Create a network agent',
    description:
      'Saves a filter and actions for live calls that match it: a signed webhook, a Prometheus metric, a log line, a recording that is started, stopped or annotated, or a script in a sandbox. It sees calls only while indexing is on, and keeps it on while it is enabled.',
    method: 'POST',
    path: '/agents',
    capability: 'settings:write',
    changes: true,
    status: 201,
    scope: 'refused',
    input: z
      .object({
        name: thingName,
        kfl: text.default('').describe('Only calls that match; empty: all'),
        enabled: z.boolean().default(true),
        actions: z.array(agentAction).min(1).max(8),
      })
      .strict(),
    output: shapes.agent,
  }),
  list_agents: operation({
    title: 'List network agents',
    description: 'All network agents with their state and counters. Secrets are never returned.',
    method: 'GET',
    path: '/agents',
    capability: 'dissection:live',
    scope: 'refused',
    input: none,
    output: z.object({ agents: z.array(shapes.agent) }),
  }),
  get_agent: operation({
    title: 'One network agent',
    description: 'State and counters of a network agent: matched and lost calls, deliveries, failures.',
    method: 'GET',
    path: '/agents/{name}',
    capability: 'dissection:live',
    scope: 'refused',
    input: agentPath,
    output: shapes.agent,
  }),
  update_agent: operation({
    title: 'Edit a network agent',
    description:
      'Replaces the filter or the actions of an agent. `keep` takes over an action of now, with its secret. Counters begin anew.',
    method: 'PATCH',
    path: '/agents/{name}',
    interfaces: ['api'],
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: agentPath
      .extend({
        kfl: text.optional().describe('Only calls that match; empty: all'),
        actions: z
          .array(z.union([agentAction, keptAction]))
          .min(1)
          .max(8)
          .optional(),
      })
      .strict(),
    output: shapes.agent,
  }),
  test_agent: operation({
    title: 'Test a network agent',
    description:
      'Gives a sample call to each action: webhooks and log lines are sent, scripts run and show what they emit, metrics and recordings stay as they are.',
    method: 'POST',
    path: '/agents/{name}/test',
    interfaces: ['api'],
    capability: 'settings:write',
    changes: true,
    additive: true,
    waits: true,
    scope: 'refused',
    input: agentPath,
    output: z.object({
      call: z.looseObject({ id: z.string() }).describe('What was sent'),
      actions: z.array(
        z.object({
          kind: z.string(),
          result: z.enum(['done', 'checked', 'failed']).describe('checked: it would act, and was not let to'),
          detail: z.string(),
        }),
      ),
    }),
  }),
  list_agent_history: operation({
    title: 'What a network agent did',
    description:
      'Starts, edits, tests, failures and matches of an agent since the hub started, newest first. Matches of one minute are one entry.',
    method: 'GET',
    path: '/agents/{name}/history',
    interfaces: ['api'],
    capability: 'dissection:live',
    scope: 'refused',
    input: agentPath,
    output: z.object({
      history: z.array(
        z.object({
          at: instant,
          kind: z.enum([
            'created',
            'started',
            'stopped',
            'edited',
            'tested',
            'matched',
            'restarted',
            'failed',
          ]),
          detail: z.string().optional(),
          matched: z.number().optional(),
          lost: z.number().optional(),
          done: z.number().optional(),
          failed: z.number().optional(),
        }),
      ),
    }),
  }),
  enable_agent: operation({
    title: 'Enable a network agent',
    description: 'Enables an agent; a failed one starts again.',
    method: 'POST',
    path: '/agents/{name}/enable',
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: agentPath,
    output: shapes.agent,
  }),
  disable_agent: operation({
    title: 'Disable a network agent',
    description: 'Stops an agent and keeps it for later.',
    method: 'POST',
    path: '/agents/{name}/disable',
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: agentPath,
    output: shapes.agent,
  }),
  delete_agent: operation({
    title: 'Delete a network agent',
    description: 'Stops and deletes a network agent and its metrics.',
    method: 'DELETE',
    path: '/agents/{name}',
    capability: 'settings:write',
    changes: true,
    scope: 'refused',
    input: agentPath,
    output: shapes.success,
  }),
} as const
