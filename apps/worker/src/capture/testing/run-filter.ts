import { runProgram } from '@tapdeck/bpf/testing'

/** A packet as the kernel shows it to a filter. */
export interface FilteredPacket {
  readonly bytes: Uint8Array
  readonly protocol: number
  readonly packetType: number
  readonly interfaceIndex: number
  readonly hardwareType: number
  /** Where the network header begins; absent: after an Ethernet header, where there is one. */
  readonly network?: number
  /** The VLAN tag that the kernel took out of the frame. */
  readonly tag?: number
}

const ETHERNET_TYPES = [1, 772]

/** Runs a classic BPF program as the kernel does: the bytes to keep. */
export function runFilter(program: Uint8Array, packet: FilteredPacket): number {
  return runProgram(program, {
    bytes: packet.bytes,
    network: packet.network ?? (ETHERNET_TYPES.includes(packet.hardwareType) ? 14 : 0),
    ancillary: new Map([
      [0xfffff000, packet.protocol],
      [0xfffff004, packet.packetType],
      [0xfffff008, packet.interfaceIndex],
      [0xfffff01c, packet.hardwareType],
      [0xfffff02c, packet.tag ?? 0],
      [0xfffff030, packet.tag === undefined ? 0 : 1],
    ]),
  })
}
