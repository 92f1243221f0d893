/** Gaps of one node that an answer lists. */
const MAX_LISTED = 200

interface Gap {
  readonly node: string
  readonly from: number
  readonly to: number
}

/** Of a node with very many gaps, the oldest become one that spans them: too long a gap is said rather than none. */
export function joinOldest<Kind extends Gap>(gaps: readonly Kind[], most = MAX_LISTED): Kind[] {
  const byNode = new Map<string, Kind[]>()
  for (const gap of gaps) {
    const some = byNode.get(gap.node)
    if (some) some.push(gap)
    else byNode.set(gap.node, [gap])
  }
  return [...byNode.values()].flatMap((some) => {
    const sorted = some.sort((a, b) => a.from - b.from)
    const oldest = sorted.slice(0, Math.max(0, sorted.length - most + 1))
    const [first] = oldest
    if (first === undefined || oldest.length === 1) return sorted
    return [{ ...first, to: Math.max(...oldest.map(({ to }) => to)) }, ...sorted.slice(oldest.length)]
  })
}
