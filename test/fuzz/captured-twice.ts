import { encapsulate, TUNNELS } from '@tapdeck/wire/testing'

const IPV4 = 0x0800
/** Of a frame: its EtherType, and the addresses of an IPv4 packet. */
const TYPE_AT = 12
const SOURCE_AT = 26
const TARGET_AT = 30
const HEADERS = 34
/** The address of a service and that of a node, as `madeInventory` has them. */
const TRANSLATED = [
  [10, 96, 0, 20],
  [192, 168, 1, 1],
] as const

/** Each packet, and the same again: on another device, in a tunnel, or with an address that is translated. */
export function capturedTwice(
  packets: readonly Uint8Array[],
  below: (limit: number) => number,
): Uint8Array[] {
  const kind = below(TUNNELS.length + TRANSLATED.length + 1)
  const first = packets.find(isIPv4)
  if (first === undefined) return [...packets]
  const at = below(2) === 0 ? SOURCE_AT : TARGET_AT
  const real = first.slice(at, at + 4)
  const again = (packet: Uint8Array): Uint8Array => {
    if (!isIPv4(packet)) return packet
    if (kind < TUNNELS.length) return encapsulate(packet, TUNNELS[kind], '192.168.1.1', '192.168.1.2')
    return kind === TUNNELS.length ? packet : translated(packet, real, TRANSLATED[kind - TUNNELS.length - 1])
  }
  return packets.flatMap((packet) => (below(16) === 0 ? [packet] : [packet, again(packet)]))
}

function isIPv4(packet: Uint8Array): boolean {
  return packet.length >= HEADERS && ((packet[TYPE_AT] << 8) | packet[TYPE_AT + 1]) === IPV4
}

/** With another address wherever `real` is the source or the target. */
function translated(packet: Uint8Array, real: Uint8Array, address: readonly number[]): Uint8Array {
  const copy = packet.slice()
  for (const at of [SOURCE_AT, TARGET_AT])
    if (real.every((byte, index) => copy[at + index] === byte)) copy.set(address, at)
  return copy
}
