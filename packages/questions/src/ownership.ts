import { z } from 'zod'
import { list, nodeName, time } from './message-values.ts'

const MAX_NODES = 10_000

/**
 * Which node reports an exchange that several nodes have seen: the client's node if it is one of `nodes`, else the
 * server's node. Every node knows this by itself, so each exchange is reported once and no keys are exchanged.
 */
export const ownership = z.object({
  /** The node of this index; absent: it has the calls of all nodes, and each call counts as seen by the node that captured it. */
  node: nodeName.exactOptional(),
  /** All nodes that are asked the same. */
  nodes: list(nodeName, MAX_NODES),
  /** Times (Unix milliseconds) of which a node has nothing: then it owns nothing, and the other view counts. */
  gaps: list(z.object({ node: nodeName, from: time, to: time }), MAX_NODES).exactOptional(),
  /** All nodes know the same of each end: one without a node is outside of all nodes, and not a pod that is not known yet. */
  settled: z.boolean().exactOptional(),
})

export type Ownership = Readonly<z.output<typeof ownership>>

export type OwnedSide = 'src' | 'dst'

/** What the rule reads of a call, in some language: a value, a filter, SQL. */
export interface OwnershipTerms<Test> {
  /** That end is on the node that has this view of the call. */
  mine(side: OwnedSide): Test
  /** That end is on a node that is asked, and that has stored this time. */
  owned(side: OwnedSide): Test
  /** The node of that end is known. */
  known(side: OwnedSide): Test
  both(one: Test, other: Test): Test
  either(one: Test, other: Test): Test
  not(test: Test): Test
}

/**
 * THE rule: whether this node reports its view of a call. It leaves the call to another node only if that one keeps it
 * whatever it knows of the ends. So it leaves a call to its client's node, which keeps it as its own or as undecided. To its
 * server's node it leaves only calls of clients that are known to have another node, or none.
 */
export function reportedBy<Test>(terms: OwnershipTerms<Test>, settled: boolean): Test {
  const { mine, owned, known, both, either, not } = terms
  const byServer = both(not(owned('src')), either(mine('dst'), not(owned('dst'))))
  const kept = either(mine('src'), byServer)
  return settled ? kept : either(kept, not(known('src')))
}

/** Whether a call that this node reports may be reported by another node as well. */
export function undecidedIn<Test>(
  { known, both, not }: Pick<OwnershipTerms<Test>, 'known' | 'both' | 'not'>,
  settled: boolean,
): Test {
  return settled ? both(not(known('src')), not(known('dst'))) : not(known('src'))
}
