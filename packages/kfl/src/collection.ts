/** The elements of a list, the keys of a map; a single value is a list of one. */
export function elementsOf(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) return value
  return typeof value === 'object' ? Object.keys(value) : [value]
}

export function hasKey(map: unknown, key: unknown, ignoreCase: boolean): boolean {
  return typeof key === 'string' && entryOf(map, key, ignoreCase) !== undefined
}

/** An entry of a map that came from the wire: own keys only, so that `constructor` is not found. */
export function entryOf(map: unknown, key: string, ignoreCase: boolean): unknown {
  if (typeof map !== 'object' || map === null) return undefined
  const entries = map as Readonly<Record<string, unknown>>
  if (Object.hasOwn(entries, key)) return entries[key] ?? undefined
  if (!ignoreCase) return undefined
  const lower = key.toLowerCase()
  for (const name in entries) {
    if (name.length === lower.length && name.toLowerCase() === lower) return entries[name] ?? undefined
  }
  return undefined
}
