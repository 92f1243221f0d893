import type { CompactCall } from '@tapdeck/dissect'
import type { Action, ActionState } from './action.ts'
import { AgentMetric, type MetricDefinition } from './agent-metric.ts'

/** Counts matching calls for `/metrics`. */
export class MetricAction implements Action {
  readonly metric: AgentMetric

  constructor(definition: MetricDefinition) {
    this.metric = new AgentMetric(definition)
  }

  get state(): ActionState {
    const { samples, folded } = this.metric
    return { done: samples, failed: 0, dropped: folded, waiting: 0 }
  }

  take(calls: readonly CompactCall[]): void {
    for (const call of calls) this.metric.add(call)
  }

  close(): void {}
}
