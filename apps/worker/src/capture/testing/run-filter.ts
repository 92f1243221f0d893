import { runProgram } from '@tapdeck/bpf/testing'

/** A packet as seen by a kernel filter. */
export interface FilteredPacket {
  readonly bytes: Uint8Array
  readonly protocol: number
  readonly packetType: number
  readonly interfaceIndex: number
  readonly hardwareType: number
  /** Offset of the network header; by default after the Ethernet header, if any. */
  readonly network?: number
  /** The VLAN tag that the kernel stripped. */
  readonly tag?: number
}

const ETHERNET_TYPES = [1, 772]

/** Runs a classic BPF program like the kernel; returns the number of bytes to keep. */
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
