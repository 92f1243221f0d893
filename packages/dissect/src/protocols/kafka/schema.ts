/** `topic` is a name, `error` an error code; `strings` and `ints` are lists; the rest is what the guide calls so. */
export type Kind =
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'string'
  | 'strings'
  | 'ints'
  | 'longs'
  | 'uuid'
  | 'bytes'
  | 'records'
  | 'topic'
  | 'topics'
  | 'topic_id'
  | 'error'

/** One value, in the versions `from` to `to`; a list of structures where `kind` is one. */
export interface Item {
  readonly name: string
  readonly kind: Kind | readonly Item[]
  readonly from: number
  readonly to: number
}

/** One API: up to `last` it is known; from `flexible` on it has compact lengths and tagged fields (KIP-482). */
export interface Schema {
  readonly flexible: number
  readonly last: number
  readonly request: readonly Item[]
  readonly response: readonly Item[]
}

/**
 * Structures are written as text: `name:kind`, with `@from-to` where not all versions have it, and `name[ … ]`
 * for a list of structures.
 */
export function items(text: string): readonly Item[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  return take(words)
}

function take(words: string[]): readonly Item[] {
  const result: Item[] = []
  for (let word = words.shift(); word !== undefined && word !== ']'; word = words.shift()) {
    const [, name, kind, from, dash, to] = /^(\w+)(?::(\w+))?(?:@(\d+)(-?)(\d*))?\[?$/.exec(word) ?? []
    const last = from === undefined || (dash === '-' && to === '') ? 99 : Number(to === '' ? from : to)
    result.push({
      name,
      kind: word.endsWith('[') ? take(words) : (kind as Kind),
      from: Number(from ?? 0),
      to: last,
    })
  }
  return result
}
