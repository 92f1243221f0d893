/** A datagram as handlers get it. A `Packet` is one, so that no object is made for each datagram. */
export interface Datagram {
  readonly data: Uint8Array
  /** The captured bytes are `data[at, end)`. */
  readonly at: number
  readonly end: number
  /** Where it ended on the wire; more than `end` where the capture cut it. */
  readonly wire: number
  readonly time: number
}
