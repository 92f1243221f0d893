import { type Ownership, questions } from '@tapdeck/questions'
import type { NodeGap } from '../cluster/coverage.ts'
import type { CallSource } from './call-source.ts'

/** More gaps than this are not sent: the longest count. */
const MAX_GAPS = 100

/**
 * Sources that between them report each exchange once: both the node of the client and that of the server see it.
 * One source alone reports all it has.
 */
export function ownedSources(
  sources: readonly CallSource[],
  gaps: readonly NodeGap[],
  isSettled: (nodes: readonly string[]) => boolean,
): CallSource[] {
  if (sources.length < 2) return [...sources]
  const nodes = sources.map(({ node }) => node)
  const common = commonOwnership(nodes, gaps, isSettled)
  return sources.map((source) => ownedSource(source, { node: source.node, ...common }))
}

/** What all of these nodes are to know. Gaps: as far as they are sent. */
export function commonOwnership(
  nodes: readonly string[],
  gaps: readonly NodeGap[],
  isSettled: (nodes: readonly string[]) => boolean,
): Ownership {
  const known = gaps
    .filter(({ node }) => nodes.includes(node))
    .toSorted((a, b) => b.to - b.from - (a.to - a.from))
    .slice(0, MAX_GAPS)
    .map(({ node, from, to }) => ({ node, from, to }))
  return { nodes, ...(known.length > 0 && { gaps: known }), ...(isSettled(nodes) && { settled: true }) }
}

function ownedSource(source: CallSource, owners: Ownership): CallSource {
  return {
    node: source.node,
    ask: (question, input, options) =>
      source.ask(question, questions[question].isOwned ? { ...input, owners } : input, options),
  }
}
