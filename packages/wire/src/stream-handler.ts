import type { Datagram } from './datagram.ts'
import type { Flow, Side } from './flow.ts'

/**
 * The events of the flows that `Streams` follows. Bytes are views that are only valid during the call. Times are packet
 * times in microseconds since the epoch.
 */
export interface StreamHandler {
  open(flow: Flow): void
  /** The next bytes of one side of a TCP flow, in order and without repeats. */
  data(flow: Flow, side: Side, bytes: Uint8Array, start: number, end: number, time: number): void
  /**
   * `missing` bytes of that side will not come: they were not captured, or not in time. `cut`: the packet was captured,
   * but only its beginning was kept.
   */
  gap(flow: Flow, side: Side, missing: number, time: number, cut: boolean): void
  /**
   * The other side acknowledged `missing` bytes of that side that did not come in time. They are not counted as a gap
   * yet: the next segment of that side decides.
   */
  unseen?(flow: Flow, side: Side, missing: number): void
  /** One datagram (UDP, ICMP, an SCTP message). */
  datagram(flow: Flow, side: Side, datagram: Datagram): void
  /** One side sent FIN and all before it was delivered: nothing more will come from it. */
  finish(flow: Flow, side: Side, time: number): void
  /** The flow is over; `flow.closed` says why. Always called once a flow. */
  close(flow: Flow, time: number): void
  /** Packet time reached `now`: called about once a second of packet time, for packets of any flow. */
  advance?(now: number): void
}
