import { agentAction } from '@tapdeck/api'
import { z } from 'zod'

const shape = z.object({
  name: z.string(),
  kfl: z.string(),
  enabled: z.boolean(),
  created_at: z.string(),
  created_by: z.string(),
  edited_at: z.string().optional(),
  edited_by: z.string().optional(),
  actions: z.array(agentAction),
})

/** What is saved of an agent, secrets included: only the hub may read it. */
export type AgentRecord = z.output<typeof shape>

/** Durations are kept as they are read, in milliseconds; the table takes them in writing. */
export function toStored(record: AgentRecord): unknown {
  return {
    ...record,
    actions: record.actions.map((action) =>
      action.kind === 'recording' && action.duration !== undefined
        ? { ...action, duration: `${action.duration}ms` }
        : action,
    ),
  }
}

export const storedAgents = z.object({ agents: z.array(shape) })
