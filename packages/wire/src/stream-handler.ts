import type { Flow, Side } from './flow.ts'

/**
 * What `Streams` tells of the flows it follows. Bytes are views that are only valid during the call.
 * Times are packet times in microseconds since the epoch.
 */
export interface StreamHandler {
  open(flow: Flow): void
  /** The next bytes of one side of a TCP flow, in order and without repeats. */
  data(flow: Flow, side: Side, bytes: Uint8Array, start: number, end: number, time: number): void
  /**
   * `missing` bytes of that side will not come: never captured, or waited for in vain. `cut`: the packet was there, but
   * the capture kept only the beginning of it.
   */
  gap(flow: Flow, side: Side, missing: number, time: number, cut: boolean): void
  /**
   * The other side has received `missing` more bytes of that side than were told, which were waited for in vain. They
   * are no gap yet, and not counted as one: it shows what they were when that side goes on.
   */
  unseen?(flow: Flow, side: Side, missing: number): void
  /** One datagram (UDP, ICMP, an SCTP message). `length` is its true size; more than `end - start` where it was cut. */
  datagram(
    flow: Flow,
    side: Side,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
  ): void
  /** One side sent FIN and all before it was delivered: nothing more will come from it. */
  finish(flow: Flow, side: Side, time: number): void
  /** The flow is over; `flow.closed` says why. Always called once a flow. */
  close(flow: Flow, time: number): void
  /** Packet time has come to `now`: told about every second of it, whichever flows the packets belong to. */
  advance?(now: number): void
}
