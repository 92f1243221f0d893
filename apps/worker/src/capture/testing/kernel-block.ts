import { BLOCK_SIZE, FIRST_PACKET } from '../packet-socket.ts'

export interface KernelPacket {
  readonly bytes: Uint8Array
  /** Offset of the network header. */
  readonly network?: number
  readonly seconds: number
  readonly nanoseconds?: number
  readonly length?: number
  readonly interfaceIndex?: number
  readonly hardwareType?: number
  readonly protocol?: number
  /** Tag control information and protocol id that the kernel stripped. */
  readonly vlan?: { readonly tci: number; readonly tpid?: number }
}

/** Offsets of the frame and of its network header. */
const MAC = 84
const NETWORK = 98

/** Fills a block like the kernel (TPACKET_V3) and hands it over to the reader. */
export function fillBlock(memory: ArrayBuffer, block: number, packets: readonly KernelPacket[]): void {
  const view = new DataView(memory, block * BLOCK_SIZE, BLOCK_SIZE)
  const bytes = new Uint8Array(memory, block * BLOCK_SIZE, BLOCK_SIZE)
  let at = FIRST_PACKET
  view.setUint32(12, packets.length, true)
  view.setUint32(16, at, true)
  for (const packet of packets) {
    const mac = packet.network === 0 ? NETWORK : MAC
    const next = (mac + packet.bytes.length + 7) & ~7
    view.setUint32(at, next, true)
    view.setUint32(at + 4, packet.seconds, true)
    view.setUint32(at + 8, packet.nanoseconds ?? 0, true)
    view.setUint32(at + 12, packet.bytes.length, true)
    view.setUint32(at + 16, packet.length ?? packet.bytes.length, true)
    const flags = packet.vlan ? 1 | (1 << 4) | (packet.vlan.tpid ? 1 << 6 : 0) : 1
    view.setUint32(at + 20, flags, true)
    view.setUint16(at + 24, mac, true)
    view.setUint16(at + 26, mac + (packet.network ?? 14), true)
    view.setUint32(at + 32, packet.vlan?.tci ?? 0, true)
    view.setUint16(at + 36, packet.vlan?.tpid ?? 0, true)
    view.setUint16(at + 50, packet.protocol ?? 0x0800, false)
    view.setInt32(at + 52, packet.interfaceIndex ?? 1, true)
    view.setUint16(at + 56, packet.hardwareType ?? 1, true)
    bytes.set(packet.bytes, at + mac)
    at += next
  }
  view.setUint32(20, at, true)
  view.setUint32(8, 1, true)
}
