/** Where a text is in names and values of JSON. */
export interface JsonMatches {
  readonly count: number
  /** Paths of objects and lists that lead to a match. */
  readonly open: ReadonlySet<string>
  /** The value has more nodes than are searched. */
  readonly isCut: boolean
}

const MAX_NODES = 50_000
/** Deeper values are not searched. */
const MAX_DEPTH = 200

/** `wanted` is in lower case. A path is the keys on the way, each after a slash. */
export function jsonMatches(value: unknown, wanted: string): JsonMatches {
  const open = new Set<string>()
  let count = 0
  let nodes = 0
  const has = (text: string) => text.toLowerCase().includes(wanted)
  const visit = (inner: unknown, path: string, depth: number): boolean => {
    if (nodes++ >= MAX_NODES || depth > MAX_DEPTH) return false
    if (typeof inner !== 'object' || inner === null) {
      const isMatch = has(JSON.stringify(inner) ?? String(inner))
      if (isMatch) count++
      return isMatch
    }
    let found = false
    for (const [key, child] of Object.entries(inner)) {
      const isNamed = !Array.isArray(inner) && has(JSON.stringify(key))
      if (isNamed) count++
      if (visit(child, `${path}/${key}`, depth + 1) || isNamed) found = true
    }
    if (found) open.add(path)
    return found
  }
  visit(value, '', 0)
  return { count, open, isCut: nodes > MAX_NODES }
}
