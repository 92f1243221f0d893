/** The groups that a claim names: a list of texts, or one text. `path` is a claim's name, else a way into it. */
export function groupsOf(claims: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  const value = Object.hasOwn(claims, path) ? claims[path] : walk(claims, path.split('.'))
  const list = Array.isArray(value) ? value : [value]
  return list.filter((one): one is string => typeof one === 'string').slice(0, 1000)
}

/** The name of a caller: the claim if it is printable text, else the subject. */
export function nameOf(claims: Readonly<Record<string, unknown>>, path: string): string {
  const [name] = groupsOf(claims, path)
  const shown = name ?? (typeof claims.sub === 'string' ? claims.sub : 'unknown')
  return shown.replace(/\p{Cc}/gu, ' ').slice(0, 120)
}

function walk(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as Readonly<Record<string, unknown>>)[key]
  }
  return at
}
