import type { OperationOutput } from '@tapdeck/api'
import { showFacts, showJson } from '../output/show.ts'
import type { Terminal } from '../output/terminal.ts'

export async function showAgent(
  agent: OperationOutput<'get_agent'>,
  asTable: boolean,
  terminal: Terminal,
): Promise<void> {
  if (!asTable) return showJson(terminal, agent)
  const actions = agent.actions.map(({ kind, done, failed, dropped, waiting, last_error }) => [
    kind,
    `${done} done, ${failed} failed, ${dropped} dropped, ${waiting} waiting${last_error ? `: ${last_error}` : ''}`,
  ])
  return showFacts(terminal, {
    name: agent.name,
    status: agent.status,
    reason: agent.reason,
    filter: agent.kfl_withheld ?? (agent.kfl || undefined),
    matched: agent.matched,
    lost: agent.lost,
    'last match': agent.last_match_at,
    restarts: agent.restarts || undefined,
    ...Object.fromEntries(actions),
  })
}
