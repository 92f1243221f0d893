import type { Address, Transport } from '../flow.ts'
import type { Packet } from '../packet.ts'
import { AddressText } from './address-text.ts'
import { flowId } from './flow-id.ts'
import { FlowRecord } from './flow-record.ts'
import type { NumberRows } from './number-rows.ts'

const TRANSPORT_NUMBER: Readonly<Record<Transport, number>> = { tcp: 6, udp: 17, sctp: 132, icmp: 1 }

/** Makes flows from their first packets. */
export class FlowMaker {
  readonly #texts = new AddressText()

  /** `fromClient`: the sender of the first packet is the client. */
  make(
    packet: Packet,
    transport: Transport,
    sourcePort: number,
    destinationPort: number,
    fromHigh: boolean,
    fromClient: boolean,
    midstream: boolean,
    rows: NumberRows,
  ): FlowRecord {
    const { data, v6 } = packet
    const texts = this.#texts
    const client: Address = fromClient
      ? { ip: texts.of(data, packet.src, v6), port: sourcePort }
      : { ip: texts.of(data, packet.dst, v6), port: destinationPort }
    const server = fromClient
      ? texts.server(data, packet.dst, v6, destinationPort)
      : texts.server(data, packet.src, v6, sourcePort)
    return new FlowRecord(
      flowId(packet, TRANSPORT_NUMBER[transport], sourcePort, destinationPort, fromHigh),
      transport,
      [client, server],
      fromHigh === fromClient ? 1 : 0,
      midstream,
      packet.time,
      packet.tunnel === '' ? undefined : this.#tunnel(packet),
      packet.vlan < 0 ? undefined : packet.vlan,
      rows,
    )
  }

  #tunnel(packet: Packet): string {
    const { tunnelData, tunnelV6 } = packet
    const source = this.#texts.of(tunnelData, packet.tunnelSrc, tunnelV6)
    const destination = this.#texts.of(tunnelData, packet.tunnelDst, tunnelV6)
    const id = packet.tunnelId < 0 ? '' : ` ${packet.tunnelId}`
    return `${packet.tunnel}${id} ${source} > ${destination}`
  }
}
