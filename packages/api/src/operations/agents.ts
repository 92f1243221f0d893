import { z } from 'zod'
import { agentAction } from '../agent-action.ts'
import { thingName } from '../notation.ts'
import { operation } from '../operation.ts'
import * as shapes from '../shapes.ts'
import { none, text } from './inputs.ts'

const agentPath = z.object({ name: thingName })

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
