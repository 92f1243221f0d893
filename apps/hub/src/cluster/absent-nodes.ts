/** A node whose part is not in an answer, or not all of it. */
export interface MissingNode {
  readonly name: string
  readonly reason: string
}

/** Reasons of gaps of nodes without a connected worker. */
const ABSENT: ReadonlySet<string> = new Set(['worker_away', 'no_worker'])

/** The nodes that have no connected worker, or had none when a snapshot was made, out of the gaps of a window. */
export function absentNodes(
  gaps: readonly { readonly node: string; readonly reason: string; readonly detail: string }[],
): MissingNode[] {
  const found = new Map(
    gaps.filter(({ reason }) => ABSENT.has(reason)).map(({ node, detail }) => [node, detail]),
  )
  return [...found].map(([name, reason]) => ({ name, reason }))
}
