import { type Journal, MARK } from './journal.ts'

/** Whoever follows the flows of one shard. */
export interface DealtSink {
  /** Which entry of the parcel is read; set before it is told of. */
  place: number
  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void
  /** A packet that all shards are given. */
  fragment(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void
  advance(now: number): void
  /** What comes now has nothing to do with what came before. */
  restart(): void
}

/** Hands one shard what is its own in a parcel, in order. */
export function readParcel(
  bytes: Uint8Array,
  spill: Uint8Array,
  journal: Journal,
  count: number,
  shard: number,
  sink: DealtSink,
): void {
  const { times, starts, ends, lengths, links, owners, marks } = journal
  for (let at = 0; at < count; at++) {
    const mark = marks[at]
    if (mark === 0 && owners[at] !== shard) continue
    sink.place = at
    if (mark === 0) {
      sink.packet(bytes, starts[at], ends[at], lengths[at], times[at], links[at])
      continue
    }
    if (mark & MARK.restart) sink.restart()
    if (mark & MARK.sweep) sink.advance(times[at])
    const data = mark & MARK.spilled ? spill : bytes
    if (mark & MARK.shared) sink.fragment(data, starts[at], ends[at], lengths[at], times[at], links[at])
    else if (owners[at] === shard) sink.packet(data, starts[at], ends[at], lengths[at], times[at], links[at])
  }
}
