import { viewOf } from './memory-view.ts'

/**
 * The offsets of the layers of the current packet. One instance is reused for all packets; each layer that is opened
 * moves `at` after its header and narrows `end` and `wire`.
 */
export class Packet {
  data: Uint8Array = new Uint8Array(0)
  /** The same bytes as a `DataView`. */
  view: DataView = viewOf(this.data)
  at = 0
  /** Where the captured bytes of the current layer end. */
  end = 0
  /** Where they ended on the wire; more than `end` where the capture cut them. */
  wire = 0
  /** The capture holds less of the frame than there was. */
  cut = false
  /** Bytes of the whole frame on the wire. */
  length = 0
  time = 0
  /** Offsets of the innermost IP addresses in `data`. */
  src = 0
  dst = 0
  v6 = false
  /** IP protocol of the layer at `at`; 0 before an IP header was opened. */
  protocol = 0
  /** The VLAN of the tag nearest to the IP header, or -1. */
  vlan = -1
  /** The fields of an IP fragment; `fragment` is false for a whole datagram. */
  fragment = false
  fragmentOffset = 0
  moreFragments = false
  fragmentId = 0
  /** Where the IP header begins. */
  ip = 0
  /** The outermost tunnel: its name (empty: none), network id (or -1), and outer addresses in `tunnelData`. */
  tunnel = ''
  tunnelId = -1
  tunnelData: Uint8Array = this.data
  tunnelSrc = 0
  tunnelDst = 0
  tunnelV6 = false

  begin(data: Uint8Array, start: number, end: number, length: number, time: number): void {
    // Skip redundant stores: each costs a GC write barrier.
    if (this.data !== data) this.show(data)
    this.at = start
    this.end = end
    this.wire = start + length
    this.length = length
    this.time = time
    this.protocol = 0
    this.cut = false
    this.vlan = -1
    if (this.tunnel !== '') this.tunnel = ''
  }

  /** The packet is in these bytes. */
  show(data: Uint8Array): void {
    this.data = data
    this.view = viewOf(data)
  }

  /** The next layers are in a tunnel between the current IP addresses. Only the outermost tunnel is kept. */
  enterTunnel(name: string, id: number): void {
    if (this.tunnel !== '') return
    this.tunnel = name
    this.tunnelId = id
    this.tunnelData = this.data
    this.tunnelSrc = this.src
    this.tunnelDst = this.dst
    this.tunnelV6 = this.v6
  }
}
