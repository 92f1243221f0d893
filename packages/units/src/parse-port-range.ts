/** Ports from the first to the last one. */
export interface PortRange {
  readonly first: number
  readonly last: number
}

/** The ports of `28864-28927`; undefined where the text is none, as an empty one. */
export function parsePortRange(text: string): PortRange | undefined {
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []
  const range = { first: Number(first), last: Number(last) }
  return range.first > 0 && range.first <= range.last && range.last < 65_536 ? range : undefined
}
