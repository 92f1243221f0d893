import type { Address, Transport } from '../flow.ts'
import type { Packet } from '../packet.ts'
import { AddressText } from './address-text.ts'
import type { FlowCounterTable } from './flow-counter-table.ts'
import { flowId } from './flow-id.ts'
import { type FlowKind, FlowRecord } from './flow-record.ts'

const TRANSPORT_NUMBER: Readonly<Record<Transport, number>> = { tcp: 6, udp: 17, sctp: 132, icmp: 1 }

/** Makes flows from their first packets. */
export class FlowMaker {
  readonly #texts = new AddressText()
  /** The kind of the last flow of each transport: the next one mostly shares it. */
  readonly #kinds: Record<Transport, FlowKind | undefined> = {
    tcp: undefined,
    udp: undefined,
    sctp: undefined,
    icmp: undefined,
  }

  /** `fromClient`: the sender of the first packet is the client. */
  make(
    packet: Packet,
    kind: FlowKind,
    sourcePort: number,
    destinationPort: number,
    fromHigh: boolean,
    fromClient: boolean,
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
      kind,
      flowId(packet, TRANSPORT_NUMBER[kind.transport], sourcePort, destinationPort, fromHigh),
      client,
      server,
      fromHigh === fromClient ? 1 : 0,
      packet.time,
    )
  }

  /** What the flow of this packet shares with others. */
  kind(packet: Packet, transport: Transport, midstream: boolean, rows: FlowCounterTable): FlowKind {
    const tunnel = packet.tunnel === '' ? undefined : this.#tunnel(packet)
    const vlan = packet.vlan < 0 ? undefined : packet.vlan
    const last = this.#kinds[transport]
    if (last !== undefined && last.midstream === midstream && last.rows === rows)
      if (last.tunnel === tunnel && last.vlan === vlan) return last
    const kind = { transport, midstream, tunnel, vlan, rows }
    this.#kinds[transport] = kind
    return kind
  }

  #tunnel(packet: Packet): string {
    const { tunnelData, tunnelV6 } = packet
    const source = this.#texts.of(tunnelData, packet.tunnelSrc, tunnelV6)
    const destination = this.#texts.of(tunnelData, packet.tunnelDst, tunnelV6)
    const id = packet.tunnelId < 0 ? '' : ` ${packet.tunnelId}`
    return `${packet.tunnel}${id} ${source} > ${destination}`
  }
}
