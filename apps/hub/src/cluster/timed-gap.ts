import type { NodeGap } from './coverage.ts'

/** A gap as snapshots, recordings and boundaries list it: what is missing there is always packets. */
export function timed({ node, from, to, reason, detail }: NodeGap) {
  return { node, from_ts: Math.floor(from), to_ts: Math.ceil(to), reason, detail }
}
