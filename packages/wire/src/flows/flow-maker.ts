import type { Address, TcpMetrics, Transport } from '../flow.ts'
import type { Packet } from '../packet.ts'
import { AddressText } from './address-text.ts'
import { flowId } from './flow-id.ts'
import { FlowRecord } from './flow-record.ts'

const TRANSPORT_NUMBER: Readonly<Record<Transport, number>> = { tcp: 6, udp: 17, sctp: 132, icmp: 1 }

/** Where the first packet of a flow comes from, as its tracker read it. */
export interface FirstPacket {
  readonly sourcePort: number
  readonly destinationPort: number
  readonly fromHigh: boolean
  /** Whether the sender of the first packet is the client. */
  readonly fromClient: boolean
  readonly midstream: boolean
}

/** Makes flows from their first packets. */
export class FlowMaker {
  readonly #texts = new AddressText()

  make(packet: Packet, transport: Transport, first: FirstPacket, tcp?: TcpMetrics): FlowRecord {
    const { data, v6 } = packet
    const { sourcePort, destinationPort, fromHigh, fromClient } = first
    const source: Address = { ip: this.#texts.of(data, packet.src, v6), port: sourcePort }
    const destination: Address = { ip: this.#texts.of(data, packet.dst, v6), port: destinationPort }
    return new FlowRecord({
      id: flowId(packet, TRANSPORT_NUMBER[transport], sourcePort, destinationPort, fromHigh),
      transport,
      ends: fromClient ? [source, destination] : [destination, source],
      lowSide: fromHigh === fromClient ? 1 : 0,
      midstream: first.midstream,
      start: packet.time,
      tcp,
      tunnel: packet.tunnel === '' ? undefined : this.#tunnel(packet),
      vlan: packet.vlan < 0 ? undefined : packet.vlan,
    })
  }

  #tunnel(packet: Packet): string {
    const { tunnelData, tunnelV6 } = packet
    const source = this.#texts.of(tunnelData, packet.tunnelSrc, tunnelV6)
    const destination = this.#texts.of(tunnelData, packet.tunnelDst, tunnelV6)
    const id = packet.tunnelId < 0 ? '' : ` ${packet.tunnelId}`
    return `${packet.tunnel}${id} ${source} > ${destination}`
  }
}
