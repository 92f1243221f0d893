import type { Agent } from '../agents/agent.ts'
import type { Samples } from './samples.ts'

/** How agents fare (`tapdeck_agents_*`), and what they count (`tapdeck_agent_*`). */
export function addAgentSamples(page: Samples, agents: readonly Agent[]): void {
  const byStatus: Record<string, number> = { active: 0, disabled: 0, failed: 0 }
  for (const { shown } of agents) byStatus[shown.status]!++
  for (const [status, count] of Object.entries(byStatus))
    page.add('tapdeck_agents', 'gauge', 'Network agents by status.', count, { status })
  for (const agent of agents) {
    addState(page, agent)
    addMetrics(page, agent)
  }
}

function addState(page: Samples, { shown, counts }: Agent): void {
  const labels = { agent: shown.name }
  page.add('tapdeck_agents_matched_total', 'counter', 'Calls matched by an agent.', counts.matched, labels)
  page.add(
    'tapdeck_agents_lost_total',
    'counter',
    'Calls an agent dropped because they arrived too fast.',
    counts.lost,
    labels,
  )
  page.add(
    'tapdeck_agents_refused_total',
    'counter',
    'Script outputs rejected because of a limit.',
    counts.refused,
    labels,
  )
  page.add('tapdeck_agents_restarts', 'gauge', 'Recent restarts of a script.', counts.restarts, labels)
  for (const [at, { kind, done, failed, dropped, waiting }] of shown.actions.entries()) {
    const action = { ...labels, action: `${at}-${kind}` }
    page.add('tapdeck_agents_done_total', 'counter', 'Actions completed.', done, action)
    page.add('tapdeck_agents_failed_total', 'counter', 'Actions failed.', failed, action)
    page.add(
      'tapdeck_agents_dropped_total',
      'counter',
      'Calls dropped because the queue of an action was full.',
      dropped,
      action,
    )
    page.add('tapdeck_agents_waiting', 'gauge', 'Calls queued for an action.', waiting, action)
  }
}

function addMetrics(page: Samples, agent: Agent): void {
  const { name } = agent.record
  for (const { definition, bounds, series } of agent.metrics)
    for (const { labels, ...values } of series) {
      const own = { agent: name, ...labels }
      if (definition.type === 'counter')
        page.add(
          `tapdeck_agent_${definition.name}_total`,
          'counter',
          'Calls counted by agents.',
          values.count,
          own,
        )
      else {
        const help = 'Latencies measured by agents, in milliseconds.'
        page.histogram(`tapdeck_agent_${definition.name}_ms`, help, bounds, { ...values, labels: own })
      }
    }
  for (const [metric, value] of agent.scriptMetrics)
    page.add('tapdeck_agent_script_total', 'counter', 'Counted by scripts.', value, { agent: name, metric })
}
