/** A time of which nothing was recorded, or nothing was indexed. Unix milliseconds; `from` belongs to it, `to` does not. */
export interface CoverageGap {
  readonly from: number
  readonly to: number
  /** A short code, see `docs/missing-data.md`. */
  readonly reason: string
  readonly detail?: string
  /** It can be filled out of the recording, and is going to be. */
  readonly pending?: true
}

/** What a coverage log knows, in a form that travels to the hub. */
export interface CoverageState {
  /** The last moment up to which everything is stored; while it is off, where that began. */
  readonly until: number
  /** Set while nothing is stored now. */
  readonly off?: { readonly reason: string; readonly detail?: string }
  /** What is older was deleted to make space. */
  readonly forgotten?: number
  /** Oldest first, without overlaps. */
  readonly gaps: readonly CoverageGap[]
}

interface Span {
  readonly from: number
  readonly to: number
}

/** What remains of `span` outside of `others`, which are in order of time. */
export function outside<Kind extends Span>(span: Kind, others: readonly Span[]): Kind[] {
  const rest: Kind[] = []
  let { from } = span
  for (const other of others) {
    if (other.to <= from || other.from >= span.to) continue
    if (other.from > from) rest.push({ ...span, from, to: other.from })
    from = Math.max(from, other.to)
  }
  if (from < span.to) rest.push({ ...span, from })
  return rest
}

/** The parts of `spans` that lie in a window. */
export function within<Kind extends Span>(spans: readonly Kind[], from: number, to: number): Kind[] {
  return spans.flatMap((span) => {
    const part = { ...span, from: Math.max(span.from, from), to: Math.min(span.to, to) }
    return part.from < part.to ? [part] : []
  })
}
