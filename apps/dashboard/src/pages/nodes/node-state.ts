import type { NodeReport } from '../../live/session.ts'

export interface NodeCondition {
  readonly tone: 'good' | 'warn' | 'bad'
  readonly text: string
  /** Why it is so, and what it means. */
  readonly reason?: string
}

export interface MissingNode {
  readonly name: string
  readonly reason: string
}

/** Nodes of the cluster that never reported anything: those that did have a card of their own. */
export function withoutWorker(
  nodes: readonly NodeReport[],
  missing: readonly MissingNode[] = [],
): readonly MissingNode[] {
  return missing.filter(({ name }) => !nodes.some((node) => node.name === name))
}

/**
 * What a node does and what it does not, with the reason. `enabled`: the Traffic Indexing switch. `absence`: why its worker is
 * not connected, where the cluster says it.
 */
export function nodeConditions(
  node: NodeReport,
  enabled: boolean | undefined,
  absence = 'Its traffic is missing until it is back.',
): readonly NodeCondition[] {
  if (!node.connected) return [{ tone: 'bad', text: 'not connected', reason: absence }]
  const reason = node.tls_keys?.reason
  const keys: NodeCondition[] =
    reason === undefined ? [] : [{ tone: 'warn', text: 'misses TLS keys', reason }]
  return [captures(node), records(node), indexes(node, enabled), ...keys]
}

function captures({ capture: { active, reason, interfaces } }: NodeReport): NodeCondition {
  if (!active) return { tone: 'bad', text: 'does not capture', reason: reason ?? 'No reason was given.' }
  return { tone: 'good', text: 'captures', reason: `On ${interfaces.join(', ')}.` }
}

function records({ recorder }: NodeReport): NodeCondition {
  if (recorder?.recording === false)
    return { tone: 'bad', text: 'does not record', reason: recorder.reason ?? 'No reason was given.' }
  return { tone: 'good', text: 'records' }
}

function indexes({ indexing, indexer }: NodeReport, enabled: boolean | undefined): NodeCondition {
  if (indexer) return { tone: 'warn', text: 'does not index', reason: indexer.reason }
  if (indexing) return { tone: 'good', text: 'indexes' }
  const reason = enabled === false ? 'Traffic indexing is paused.' : 'It has not followed the switch yet.'
  return { tone: 'warn', text: 'does not index', reason }
}
